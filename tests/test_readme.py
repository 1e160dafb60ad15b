"""The first pages do what they say: their Python runs as printed, and prints what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]


def blocks(page: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_first_kernel_runs(tmp_path: Path) -> None:
    kernel, operators = blocks("README.md", "python")
    printed = []
    for block in (kernel, operators):
        script = tmp_path / "block.py"
        script.write_text(block)
        done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert 'if __name__ == "__main__":' in kernel
    assert printed[0] == blocks("README.md", "text")[0]
    assert printed[1].startswith("rms_norm on cpu: native\n")


def test_first_pages_show_one_kernel() -> None:
    """What README runs is what the index and the start page show, with what it prints."""
    kernel, *_ = blocks("README.md", "python")
    assert blocks("docs/index.md", "python") == [kernel]
    assert blocks("docs/index.md", "text") == blocks("README.md", "text")[:1]
    assert f":caption: first.py\n\n{kernel}```" in (ROOT / "docs/start.md").read_text(encoding="utf-8")


def test_pictures_are_there() -> None:
    for page in ("README.md", "docs/index.md", "docs/npu.md"):
        (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / page).read_text(encoding="utf-8"))
        ElementTree.parse((ROOT / page).parent / picture)
