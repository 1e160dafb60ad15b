"""The C++ of libopwright_cpu: the files of this folder, and what is made of each operator's file.

In: the package's files, and instruction sets. Out: `Unit`s: one for each operator, with its `infer` and `launch`,
compiled, its `NATIVE` with the lines of its Python, so that a compiler's complaint names the place where it can be
fixed, and its entry; one for each variant of its kernels and each instruction set; and the table of operators. Neither
PyTorch nor the operators are imported: an operator's file is executed as far as these parts need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from opwright.schema import Schema, parse
from opwright.store.operator_files import Parts, parts_of

NATIVE = Path(__file__).parent
INCLUDE = NATIVE / "include"
OPERATORS = NATIVE.parent / "operators"


@dataclass(frozen=True)
class Unit:
    """A text that becomes one object. kernel_flags: None, or how the twin compiles a kernel of its own."""

    name: str
    text: str
    kernel_flags: tuple[str, ...] | None = None


def operator_units(levels: Sequence[int], folder: Path = OPERATORS) -> list[Unit]:
    """All that is generated. levels: instruction sets of kernels, see `native.kernels`."""
    # The compilers of host functions and kernels, only when something is compiled.
    from opwright.native import entries, kernels
    from opwright.native.stated import stated_by

    schemas, units = [], []
    for path, parts in operator_parts(folder):
        schema = replace(parse(parts.schema), space="opwright")
        stated = stated_by(path, parts)
        variants = stated.kernels.values() if parts.has_kernels else ()
        built = [kernels.built(schema, stated, variant) for variant in variants]
        units.append(Unit(f"operator_{schema.name}", entries.operator_text(schema, stated, built, levels, path, parts)))
        units += [Unit(*one.unit(level)) for one in built for level in levels]
        schemas.append(schema)
    return [*units, Unit("table", entries.table_text(schemas))]


def operator_parts(folder: Path = OPERATORS) -> Iterator[tuple[Path, Parts]]:
    """The files of the operators that have C++ or kernels, in the order of their names."""
    for path in sorted(folder.glob("[!_]*.py")):
        parts = parts_of(str(path), path.read_bytes())
        if parts is not None:
            yield path, parts


def schemas() -> list[Schema]:
    """The schemas of the library's operators."""
    return [replace(parse(parts.schema), space="opwright") for _, parts in operator_parts()]


def cpu_files() -> list[Path]:
    """The files that are no operator's."""
    return sorted((NATIVE / "cpu").glob("*.cpp"))


def torch_files() -> list[Path]:
    """The adapter to PyTorch."""
    return sorted((NATIVE / "torch").glob("*.cpp"))
