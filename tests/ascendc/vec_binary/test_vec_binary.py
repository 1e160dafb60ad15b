"""Every call of the chapter, in every form, on every element type, in many shapes; and wrong uses of each."""

from collections.abc import Callable
from pathlib import Path

import pytest
from elementwise import kinds, run_battery, wrong_uses

CHAPTER = "vec_binary"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(CHAPTER)


@pytest.mark.parametrize("kind", kinds(CHAPTER))
def test_numbers(kind: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    run_battery(folder, CHAPTER, kind, ran)


@pytest.mark.parametrize("kind", ("float32", "int16"))
def test_wrong_uses(kind: str, folder: Path) -> None:
    wrong_uses(folder, CHAPTER, kind)
