"""Lets the modules of this folder import each other, and builds the library once for all of them."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from library_harness import Twin, build


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    folder = tmp_path_factory.mktemp("library")
    build(folder)
    return folder


@pytest.fixture(scope="session")
def twin(folder: Path) -> Twin:
    return Twin(folder)


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="is about the library, without kernels"))
