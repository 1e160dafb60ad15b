"""Every kernel of the examples and the operators, printed as Python and read back: the same text."""

import dataclasses
import importlib
from pathlib import Path
from types import ModuleType

import pytest
from example_modules import example
from round_trip import print_kernel, text_after

from opwright.runtime.jit import JitFunction

ROOT = Path(__file__).parents[2]
# Element types of the arrays, and values of what is no array, where not all are float32 and 64; the SoC.
ARRAYS = {
    "top_k": "f32 i32 f32 i32",
    "histogram": "i32 i32",
    "forgets_to_clear_first": "i32 i32",
    "adds_without_atomics": "i32 i32",
    "matmul": "f16 f16 f32",
    "encode_tiles": "f32 f32 u8",
    "decode_tiles": "u8 f32 f32 f32",
    "count_on_cores": "f32 i32",
}
THREADS = ("histogram", "forgets_to_clear_first", "adds_without_atomics", "strided_copy", "strided_copy_by_tiles")
OF_OTHERS = ("part_of",)  # a helper that could be a kernel by its parameters


def modules() -> dict[str, ModuleType]:
    found = {path.stem: example(path) for path in sorted((ROOT / "examples").glob("[0-9]*.py"))}
    for path in sorted((ROOT / "src" / "opwright" / "operators").glob("*.py")):
        if path.stem != "__init__":
            found[path.stem] = importlib.import_module(f"opwright.operators.{path.stem}")
    return found


KINDS = {"address", "struct", "float", "bool", "constant", "int", "number"}
KERNELS = {
    f"{place}:{name}": kernel
    for place, module in modules().items()
    for name, kernel in vars(module).items()
    if isinstance(kernel, JitFunction)
    and kernel.front_end == "asc"
    and kernel.function.__module__ == module.__name__
    and {parameter.kind for parameter in kernel.binder.parameters} <= KINDS
    and name not in OF_OTHERS
}


def arguments(name: str, kernel: JitFunction) -> list[object]:
    dtypes = iter(ARRAYS.get(name, "f32 " * 9).split())
    given: list[object] = []
    for parameter in kernel.binder.parameters:
        match parameter.kind:
            case "address":
                given.append(f"{next(dtypes)}[65536]")
            case "struct":
                assert parameter.record is not None
                values = {
                    f.name: 0.5 if f.type in (float, "float") else 64 for f in dataclasses.fields(parameter.record)
                }
                given.append(parameter.record(**values))
            case kind:
                given.append({"float": 0.5, "bool": True, "constant": False}.get(kind, 64))
    return given


def test_there_are_kernels() -> None:
    assert len(KERNELS) >= 20


@pytest.mark.parametrize("place", KERNELS)
def test_read_back_it_has_the_same_text(place: str, tmp_path: Path) -> None:
    kernel, name = KERNELS[place], place.partition(":")[2]
    bound = kernel.binder.bind(tuple(arguments(name, kernel)), {}, described=True)
    request = kernel.request(bound, "ascend950" if name in THREADS else "ascend910b")
    python, text = print_kernel(request)
    assert text_after(tmp_path, request, python.text) == text, python.text
