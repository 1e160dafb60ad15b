"""The start page can be followed word for word, see `start_page.py`."""

from pathlib import Path

import pytest
from start_page import follow

pytestmark = pytest.mark.unchecked(reason="its commands run in processes of their own")

PAGE = Path(__file__).parents[1] / "docs" / "start.md"


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    followed = follow(PAGE.read_text(encoding="utf-8"), tmp_path)
    assert any("emit" in command for command in followed) and len(followed) > 4


def test_a_wrong_page_is_found(tmp_path: Path) -> None:
    for page in ("```bash\nfalse\n```\n", "```bash\necho one\n```\n\n```text\ntwo\n```\n", "```sh\ntrue\n```\n"):
        try:
            follow(page, tmp_path)
        except AssertionError:
            continue
        raise RuntimeError(f"this page was followed: {page}")
