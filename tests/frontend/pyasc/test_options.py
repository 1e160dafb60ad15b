"""Options of PyAsc's `@asc.jit`: those that mean something here do, of the others one warning each says why not."""

import warnings

import pytest

from opwright import asc, errors
from opwright.runtime import pyasc_options
from opwright.runtime.pyasc_options import WORDS, KernelType

pytestmark = pytest.mark.quick

IGNORED = ["always_compile", "debug", "insert_sync", "verify_sync", "print_ir_before_all", "print_ir_after_all"]


def kernel(n: int) -> None:
    """Does nothing."""


@pytest.fixture(autouse=True)
def said_nothing_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyasc_options, "_said", set())


@pytest.mark.parametrize("name", IGNORED)
def test_what_changes_nothing_is_said_once(name: str) -> None:
    with pytest.warns(errors.OptionIgnored, match=rf"asc.jit\({name}=True\) changes nothing: ") as said:
        asc.jit(**{name: True})(kernel)
        asc.jit(**{name: True})(kernel)
    assert len(said) == 1 and said[0].filename == __file__


def test_what_is_off_is_not_said() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asc.jit(**dict.fromkeys(IGNORED, False))(kernel)


def test_cube_only() -> None:
    assert asc.jit(matmul_cube_only=True)(kernel).options.kernel_type == "cube"
    assert asc.jit(matmul_cube_only=True, kernel_type="mix_1_2")(kernel).options.kernel_type == "mix_1_2"
    assert asc.jit(matmul_cube_only=False)(kernel).options.kernel_type is None


@pytest.mark.parametrize("kind", KernelType)
def test_types_of_kernels(kind: KernelType) -> None:
    assert asc.jit(kernel_type=kind)(kernel).options.kernel_type == WORDS[kind]
    assert asc.jit(kernel_type=WORDS[kind])(kernel).emit(1).count("void kernel(") == 1


@pytest.mark.parametrize("options", [{"debug": 1}, {"matmul_cube_only": "no"}, {"print_ir_": None}, {"banana": True}])
def test_refused(options: dict[str, object]) -> None:
    with pytest.raises(errors.BadOption, match=next(iter(options))):
        asc.jit(**options)
