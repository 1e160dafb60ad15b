"""Targets: the one that only writes text, and one of somebody else, registered without a change of the package."""

import ctypes
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.errors import BadSetting, TargetRefused, TargetTaken
from opwright.kernel import target as targets
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.target import Artefact, Job, Mode, register
from opwright.runtime.compile import find_target
from opwright.settings import settings


@asc.jit
def counts(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    for i in range(8):
        z_gm.set_value(i, i * n)


# A target of somebody else ------------------------------------------------------------------------------------

# All that this kernel needs of Ascend C: global memory that is written element by element.
HEADER = """
#include <cstdint>
#define __aicore__
#define __global__
#define __gm__
#define GM_ADDR uint8_t*
enum pipe_t { PIPE_ALL };
namespace AscendC {
inline void InitSocState() {}
template <pipe_t pipe> void PipeBarrier() {}
template <typename T> struct GlobalTensor {
    T* data;
    void SetGlobalBuffer(T* memory, uint64_t) { data = memory; }
    void SetValue(uint64_t i, T value) { data[i] = value; }
};
}
using namespace AscendC;
"""


class Scalar:
    """Compiles the text with a header of a few lines, and calls it as a C function."""

    name = "scalar"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.builds = 0

    def identity(self, mode: Mode) -> list[object]:
        return [self.name, mode.built, HEADER]

    def build(self, job: Job) -> dict[str, bytes]:
        self.builds += 1
        (self.folder / "kernel_operator.h").write_text(HEADER)
        (self.folder / "kernel.cpp").write_text(job.program.text)
        command = ["g++", "-std=c++17", "-shared", "-fPIC", "-I", self.folder, self.folder / "kernel.cpp"]
        subprocess.run([*command, "-o", self.folder / "out.so"], check=True)
        return {"scalar.so": (self.folder / "out.so").read_bytes()}

    def load(self, artefact: Artefact) -> "ScalarKernel":
        return ScalarKernel(ctypes.CDLL(str(artefact.blobs["scalar.so"]))[artefact.facts.name])


class ScalarKernel:
    def __init__(self, function: ctypes._CFuncPtr) -> None:
        self.function = function

    def run(self, cores: int, bound: BoundArguments) -> None:
        for _ in range(cores):
            self.function(*(ctypes.c_int64(int(slot)) for slot in bound.slots))


@pytest.fixture
def scalar(tmp_path: Path) -> Iterator[Scalar]:
    target = Scalar(tmp_path)
    register(target)
    with settings.scope(target="scalar", cache_dir=tmp_path / "cache", check=False):
        yield target
    del targets._TARGETS["scalar"]


def test_a_target_of_somebody_else(scalar: Scalar) -> None:
    for n in (3, 5):
        z = np.full(8, -1, np.int32)
        counts[1](z, n)
        np.testing.assert_array_equal(z, np.arange(8) * n)
    assert scalar.builds == 1
    again = asc.jit(counts.function)  # knows nothing of what this process has loaded
    z = np.full(8, -1, np.int32)
    again[1](z, 7)
    np.testing.assert_array_equal(z, np.arange(8) * 7)
    assert scalar.builds == 1
    with settings.scope(target="twin"):
        counts[1](z, 2)
    np.testing.assert_array_equal(z, np.arange(8) * 2)


def test_a_target_is_short() -> None:
    """The contract asks for little: all of the target above, with its header."""
    lines = [
        *HEADER.splitlines(),
        *inspect.getsource(Scalar).splitlines(),
        *inspect.getsource(ScalarKernel).splitlines(),
    ]
    assert 30 < len(lines) < 60


def test_two_targets_of_one_name(scalar: Scalar, tmp_path: Path) -> None:
    with pytest.raises(TargetTaken, match=r"there is a target scalar already: .*Scalar; .*Scalar cannot take its name"):
        register(Scalar(tmp_path))
    assert targets.registered("scalar") is scalar


@pytest.mark.parametrize("name", ["twin", "emit"])
def test_a_target_under_a_name_of_ours(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered before the first launch loads ours: it is not replaced without a word."""
    own = Scalar(tmp_path)
    own.name = name
    monkeypatch.setattr(targets, "_TARGETS", {})
    monkeypatch.delitem(sys.modules, f"opwright.{name}.target", raising=False)
    register(own)
    with pytest.raises(TargetTaken, match=f"there is a target {name} already: .*Scalar; opwright"):
        find_target(name)
    assert targets.registered(name) is own


def test_only_the_twin_is_checked(scalar: Scalar) -> None:
    with pytest.raises(TargetRefused, match="scalar has no checked mode"):
        counts.check[1](np.zeros(8, np.int32), 1)


# The target that only writes text -----------------------------------------------------------------------------


def test_text_and_nothing_else(tmp_path: Path) -> None:
    z = np.full(8, -1, np.int32)
    scope = settings.scope(target="emit", cache_dir=tmp_path / "cache", compiler="no-such-compiler", check=False)
    with scope:
        emitted = counts.compiled(z, 3)
        assert emitted.text == counts.emit(z, 3)  # type: ignore[attr-defined]
        with pytest.raises(TargetRefused, match="emit only writes text") as caught:
            counts[1](z, 3)
    assert "OPWRIGHT_TARGET" in str(caught.value)
    assert (z == -1).all()
    assert [path.suffix for path in (tmp_path / "cache" / "blobs").iterdir()] == [".cpp"]


def test_a_target_that_nobody_registered() -> None:
    message = "there is no such target; there are: emit, twin"
    with settings.scope(target="npu", check=False), pytest.raises(BadSetting, match=message):
        counts[1](np.zeros(8, np.int32), 1)
