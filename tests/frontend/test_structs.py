"""Structs by value: dataclasses as arguments of kernels arrive field by field, whatever their layout."""

import random
import struct
import textwrap
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from harness import load

from opwright import asc, errors
from opwright.kernel.layouts import layout_of, offsets_of
from opwright.settings import settings

Printed = pytest.CaptureFixture[str]
HEAD = "from dataclasses import dataclass\n\nfrom opwright import asc\n\n\n"
# Least and most of each type of a field.
LIMITS = {
    "int": (-(1 << 63), (1 << 63) - 1),
    "asc.int8": (-128, 127),
    "asc.int16": (-32768, 32767),
    "asc.int32": (-(1 << 31), (1 << 31) - 1),
    "asc.int64": (-(1 << 63), (1 << 63) - 1),
    "asc.uint8": (0, 255),
    "asc.uint16": (0, 65535),
    "asc.uint32": (0, (1 << 32) - 1),
    "asc.uint64": (0, (1 << 64) - 1),
    "bool": (False, True),
    "float": (-1.5, 3.0e38),
    "asc.float32": (-1.5, 2.0**-149),
}


def module(folder: Path, text: str, name: str = "") -> ModuleType:
    return load(folder, HEAD + textwrap.dedent(text), name)


def kernel_text(kinds: list[str], names: list[str]) -> str:
    """A kernel that prints every field of a struct with these."""
    fields = "".join(f"    {name}: {kind}\n" for name, kind in zip(names, kinds, strict=True))
    letters = {"float": "%.9g", "asc.float32": "%.9g", "asc.uint64": "%u"}
    formats = [letters.get(kind, "%d") for kind in kinds]
    shown = [f"int(t.{name})" if kind == "bool" else f"t.{name}" for name, kind in zip(names, kinds, strict=True)]
    head = f"@dataclass\nclass Tiling:\n{fields}\n\n@asc.jit\ndef run(before: int, t: Tiling, after: int):\n"
    body = [f'    asc.printf("{f} ", {value})\n' for f, value in zip(formats, shown, strict=True)]
    return f'{head}{"".join(body)}    asc.printf("%d %d\\n", before, after)\n'


def printed(values: list[object]) -> str:
    words = [f"{float(np.float32(v)):.9g} " if isinstance(v, float) else f"{int(v)} " for v in values]
    return "".join(words) + "11 22\n"


@pytest.mark.parametrize("seed", range(4))
def test_layouts(seed: int, tmp_path: Path, capsys: Printed) -> None:
    """Every type at every kind of offset; names that are words of C++, of Ascend C and of other alphabets."""
    chance = random.Random(seed)
    kinds = [*LIMITS, *chance.choices([*LIMITS], k=5)]
    chance.shuffle(kinds)
    hostile = "new double class_ template this größe 名 GM_ADDR half self t run x_1 x_2 operator _ AscendC".split()
    names = chance.sample(hostile, len(kinds))
    made = module(tmp_path, kernel_text(kinds, names))
    for values in ([LIMITS[kind][0] for kind in kinds], [LIMITS[kind][1] for kind in kinds]):
        made.run[1](11, made.Tiling(*values), 22)
        assert capsys.readouterr().out == printed(values)


@pytest.mark.quick
def test_offsets_are_those_of_c() -> None:
    kinds = [asc.int8, int, bool, asc.int16, float, asc.uint8, asc.uint64, asc.uint32, bool]
    made = make_dataclass("Tiling", [(f"f{number}", kind) for number, kind in enumerate(kinds)])
    letters = "bq?hfBQI?"
    expected = [struct.calcsize(letters[: n + 1]) - struct.calcsize(letters[n]) for n in range(len(letters))]
    assert offsets_of(layout_of(made)) == expected == [0, 8, 16, 18, 20, 24, 32, 40, 44]


@dataclass
class Sizes:
    rows: asc.int32
    total: int
    scale: float = 0.5

    LIMIT = 7


@asc.jit
def inner(sizes, k):
    return sizes.rows * k + sizes.total


@asc.jit
def shows(sizes: Sizes, also: Sizes):
    asc.printf("%d %d %f\n", inner(sizes, 2), inner(also, 3), sizes.scale + also.scale)


@asc.jit
def unannotated(sizes):
    asc.printf("%d\n", sizes.rows // sizes.total)


def test_two_structs_through_helpers(capsys: Printed) -> None:
    shows[1](Sizes(-3, 1 << 40), also=Sizes(np.int32(5), np.int64(7), np.float32(2)))
    unannotated[1](Sizes(-7, 2))
    assert capsys.readouterr().out == f"{-6 + (1 << 40)} 22 2.500000\n-4\n"


@pytest.mark.unchecked(reason="compiles into a store of its own: the checked library once more")
def test_values_of_fields_are_no_part_of_the_key(tmp_path: Path, capsys: Printed) -> None:
    """Another layout under the same name is another kernel; other values are not."""
    with settings.scope(cache_dir=tmp_path / "cache"):
        for kinds in (["int", "asc.int8"], ["asc.int8", "int"], ["int", "asc.int8"]):
            made = module(tmp_path, kernel_text(kinds, ["a", "b"]))
            for values in ([1, 2], [-100, 100]):
                made.run[1](11, made.Tiling(*values), 22)
    assert capsys.readouterr().out == (printed([1, 2]) + printed([-100, 100])) * 3
    assert len(list((tmp_path / "cache" / "kernels").iterdir())) == 2


BAD = {
    "too large": (Sizes(1 << 31, 0), "Sizes.rows is 2147483648, which int32 cannot hold", "it takes -2147483648 to"),
    "too small": (Sizes(-(1 << 31) - 1, 0), "Sizes.rows is -2147483649", "it takes"),
    "beyond 64 bits": (Sizes(0, 1 << 63), "Sizes.total is 9223372036854775808, which int64 cannot hold", "it takes"),
    "float for an integer": (Sizes(1.0, 0), "Sizes.rows is 1.0, a float", "it takes an integer"),
    "truth value for an integer": (Sizes(True, 0), "Sizes.rows is True, a bool", "it takes an integer"),
    "text for a number": (Sizes(1, 0, "x"), "Sizes.scale is 'x', a str", "it takes a number"),
    "None": (Sizes(None, 0), "Sizes.rows is None", "it takes an integer"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", BAD)
def test_wrong_values_are_refused(name: str) -> None:
    value, words, hint = BAD[name]
    with pytest.raises(errors.BadField) as caught:
        unannotated[1](value)
    assert words in str(caught.value) and hint in str(caught.value)


@dataclass
class WithArray:
    x: list


@dataclass
class Nothing:
    pass


@pytest.mark.quick
@pytest.mark.parametrize(
    ("value", "words"),
    [(WithArray([1]), "WithArray.x is annotated with"), (Nothing(), "Nothing has no fields")],
)
def test_wrong_fields_are_refused(value: object, words: str) -> None:
    with pytest.raises(errors.BadField, match=words):
        unannotated[1](value)


@pytest.mark.quick
@pytest.mark.parametrize("value", [3, Sizes, "text", np.zeros(4), WithArray([1])])
def test_something_else_is_refused(value: object) -> None:
    with pytest.raises(errors.WrongArguments, match="argument also must be Sizes, got"):
        shows[1](Sizes(1, 2), value)


REFUSED = {
    "setting a field": ("t.rows = 3", "UnsupportedSyntax", "setting a field of Tiling"),
    "unknown field": ("asc.printf('%d', t.row)", "UnknownName", "did you mean 'rows'?"),
    "a struct as a number": ("asc.printf('%d', t + 1)", "WrongType", "'+' does not take"),
    "a struct in a branch": ("u = t\nif t.rows > 1:\n    u = t", "UnsupportedSyntax", "in a branch or a loop"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    body, kind, words = REFUSED[name]
    text = "@dataclass\nclass Tiling:\n    rows: int\n\n\n@asc.jit\ndef run(t: Tiling):\n" + textwrap.indent(
        body, "    "
    )
    made = module(tmp_path, text + "\n")
    with pytest.raises(errors.KernelError) as caught:
        made.run.emit(made.Tiling(1))
    assert type(caught.value).__name__ == kind, caught.value
    assert words in str(caught.value) and "\nhint: " in str(caught.value)
