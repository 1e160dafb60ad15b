"""Which headers a build says that it was made from, wherever the package lies."""

from pathlib import Path

import pytest

from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin import build
from opwright.twin.toolchain import toolchain

pytestmark = pytest.mark.unchecked(reason="launches nothing")


@pytest.mark.parametrize("name", ["a#b $c%$$d: e", "a\\b"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_an_install_path_with_signs_of_make(
    name: str, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    include = tmp_path / name / "twin" / "include"
    work = tmp_path / name / "work"
    work.mkdir(parents=True)
    (include / "opwright").mkdir(parents=True)
    (include / "kernel_operator.h").write_text('#include "opwright/inner.h"\n')
    (include / "opwright" / "inner.h").write_text("inline int inner = 1;\n")
    (include / "opwright" / "other.h").write_text("")
    monkeypatch.setattr(build, "INCLUDE", include)
    monkeypatch.setattr(build, "LIBRARY", include.parent / "library")
    with settings.scope(compiler=compiler):
        tools = toolchain(Store(settings.cache_dir))
    text = '#include "kernel_operator.h"\n'
    built = build.build_kernel(tools, text, f'#include "{build.TEXT_NAME}"\n', work, ["-O0"])
    read = {"include/kernel_operator.h", "include/opwright/inner.h"}
    # Where the list cannot be read, all headers count: one too many costs time, one too few a wrong kernel.
    assert set(built.headers) in ([read, {*read, "include/opwright/other.h"}] if "\\" in name else [read])
