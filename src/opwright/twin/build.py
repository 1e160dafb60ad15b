"""Compiles a kernel's text, and the twin's library, to shared objects.

In: text and how its arguments lie in slots. Out: a shared object, and the headers that it was really made from. The
file handed to the compiler includes the text, unchanged, and adds the entry that unpacks the slots.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from opwright.ascendc.assumptions import PLAIN
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.kernel_types import AIC, KernelType
from opwright.errors import CompileFailed
from opwright.kernel.layouts import fields_of, offsets_of, slot_count
from opwright.twin.toolchain import Toolchain, find_compiler, run

TWIN = Path(__file__).parent
INCLUDE = TWIN / "include"
LIBRARY = TWIN / "library"
TEXT_NAME = "kernel.cpp"
CHOSEN = "OPWRIGHT_CHAPTERS"  # a macro: only those chapters are included for which CHOSEN_name is one too

_SLOT = {
    "int": "static_cast<int64_t>(slots[{i}])",
    "float": "opwright::float_of(static_cast<uint32_t>(slots[{i}]))",
    "bool": "(slots[{i}] & 1) != 0",
}
_POINTER = "reinterpret_cast<{cpp}*>(slots[{i}])"
_ADDRESS = "reinterpret_cast<GM_ADDR>(slots[{i}])"


def entry_text(name: str, kinds: Sequence[str], is_simt_kernel: bool = False) -> str:
    """The text, and behind it the function that the library calls."""
    return f'#include "{TEXT_NAME}"\n\n{entry_function(name, kinds, "opwright_entry", is_simt_kernel)}'


def entry_function(name: str, kinds: Sequence[str], symbol: str, is_simt_kernel: bool = False) -> str:
    """The function that the library calls, as `symbol`: unpacks 8-byte slots and calls the kernel.

    is_simt_kernel: each thread of a block runs the kernel. Behind the arguments six more slots hold the x, y and z of
    grid and block.
    """
    values, lines = [], []
    slot = 0
    for number, kind in enumerate(kinds):
        if kind.startswith("struct "):
            lines += _struct_lines(kind, f"argument_{number}", slot)
            values.append(f"argument_{number}")
        elif kind.startswith("number "):
            dtype = DTYPES[kind.partition(" ")[2]]
            wide = _SLOT["float" if dtype.is_float() else "int"].format(i=slot)
            values.append(f"static_cast<{dtype.cpp}>({wide})")
        else:
            address = _POINTER if is_simt_kernel and kind in DTYPES else _ADDRESS
            cpp = DTYPES[kind].cpp if kind in DTYPES else ""
            values.append(_SLOT.get(kind, address).format(i=slot, cpp=cpp))
        slot += slot_count(kind)
    unused = [] if kinds or is_simt_kernel else ["(void)slots;"]
    called = name
    if is_simt_kernel:
        called, values = f"opwright::simt_launch<{name}>", [f"slots + {slot}", *values]
    body = "".join(f"    {line}\n" for line in [*unused, *lines, f"{called}({', '.join(values)});"])
    return f'extern "C" __attribute__((visibility("default"))) void {symbol}(const uint64_t* slots) {{\n{body}}}\n'


def _struct_lines(kind: str, variable: str, slot: int) -> list[str]:
    """Takes a struct out of its slots, if C++ lays it out as Python packed it."""
    name, fields = fields_of(kind)
    offsets = offsets_of(kind)
    tests = [f"__builtin_offsetof({name}, {field}) == {offset}" for field, offset in zip(fields, offsets, strict=True)]
    return [
        f'static_assert({" && ".join(tests)}, "the layout of {name} is not what Python packed");',
        f'static_assert(sizeof({name}) <= {8 * slot_count(kind)}, "{name} is longer than its slots");',
        f"{name} {variable};",
        f"__builtin_memcpy(&{variable}, slots + {slot}, sizeof {variable});",
    ]


class Built(NamedTuple):
    """The output of one compiler call."""

    data: bytes
    headers: tuple[str, ...]  # files of this folder that the compiler read, by path in it; never empty


def kernel_flags(
    tools: Toolchain, text: str, opt_level: int = 3, checked: bool = False, core: Sequence[str] = ()
) -> list[str]:
    """Flags for one kind of core, which those of `core_flags` name; without any it is an AIV.

    `core` may have flags of `assumed_flags` too.
    """
    threads = thread_flags(text)
    mode = [*chapter_flags(text), *threads, *core, *(tools.checking if checked else ())]
    return [f"-O{opt_level}", *mode, *(tools.small_frames if threads else ())]


def build_kernel(tools: Toolchain, text: str, entry: str, folder: Path, flags: Sequence[str] | None = None) -> Built:
    """Compiles a kernel in `folder`, with flags of `kernel_flags`; without any for the fast mode."""
    flags = kernel_flags(tools, text) if flags is None else flags
    (folder / TEXT_NAME).write_text(text)
    (folder / "entry.cpp").write_text(entry)
    return _compile(tools, [flags[0], str(folder / "entry.cpp"), *flags[1:]], folder, "a kernel")


def core_flags(kernel_type: KernelType, kind: str) -> list[str]:
    """Flags that tell a text which kind of core it is compiled for, and whether its group has the other kind too."""
    both = ["-DOPWRIGHT_BOTH_KINDS"] if kernel_type.is_mixed else []
    return ["-DOPWRIGHT_AIC", *both] if kind == AIC else both


def assumed_flags(chip: int) -> list[str]:
    """Flags that tell a text what is assumed of its chip, if it is not what the headers take for granted."""
    return [] if chip == PLAIN else [f"-DOPWRIGHT_ASSUMED={chip}"]


def chapter_flags(text: str) -> list[str]:
    """Flags for the chapters of all calls that a text names: reading the others takes longer than most kernels do.

    A chapter too many only costs time, so that any word of the text counts as a name.
    """
    from opwright.ascendc.table import CHAPTERS  # a process that finds its kernels in the store never loads it

    # Tensors are always there; what another chapter makes of them comes with a call of that chapter.
    said = set(re.findall(r"\w+", text)) - {row.cpp for row in CHAPTERS["tensor"]}
    chapters = [
        name
        for name, rows in CHAPTERS.items()
        if name == "tensor" or any(row.cpp.rpartition("::")[2] in said for row in rows)
    ]
    return [f"-D{CHOSEN}", *(f"-D{CHOSEN}_{chapter}" for chapter in chapters)]


_BOUND = re.compile(r"\b__launch_bounds__\((\d+)\)\s+(?:inline\s+)?void\s+(\w+)\(")
_OF_THREADS = re.compile(r"^__simt_\w+__ .*?^}", re.MULTILINE | re.DOTALL)
# What a thread that has left its memory could hang in, or stumble over; and updates that must come one after another.
_SEQUENTIAL = re.compile(r"\b(while|goto|assert|printf|asc_atomic_\w+)\b")


def thread_flags(text: str) -> list[str]:
    """Flags for a text with threads: how many may run each function, and how they may run.

    Where none of them waits for another they are iterations of a plain loop; where each of them surely ends, whatever
    it reads, and touches nothing of another's, they may be lanes of vectors and go on for a while after an index
    outside.
    """
    if '"simt_api/' not in text:
        return []
    from opwright.ascendc.table import ROWS

    bounds = "".join(f"{name} {most};" for most, name in _BOUND.findall(text))
    # Nothing touches the statics that stand for shared memory; g++ would guard those of half with calls of its library.
    flags = ["-DOPWRIGHT_SIMT", "-fno-threadsafe-statics", f'-DOPWRIGHT_BOUNDS="{bounds}"']
    said = set(re.findall(r"\w+", text))
    if any(row.meets and row.cpp in said for row in ROWS.values()):
        return flags
    of_threads = "".join(_OF_THREADS.findall(text)) if '"kernel_operator.h"' in text else text
    masked = [] if _SEQUENTIAL.search(of_threads) else ["-DOPWRIGHT_SIMT_MASKED"]
    return [*flags, "-DOPWRIGHT_SIMT_PLAIN", *masked]


def library_flags(checked: bool) -> list[str]:
    """Flags of the twin's library; that of the checked mode takes some seconds more.

    The first launch of all waits for it. That of the fast mode has few loops, which are as fast as at -O3. That of the
    checked mode takes 12.8 s of a CPU to compile at -O2 and 19.2 s at -O3 (g++ 12); launches with many small
    calls take 3 to 10 % more.
    """
    return ["-DOPWRIGHT_CHECKS", "-O2"] if checked else ["-O1"]


def build_library(tools: Toolchain, folder: Path, checked: bool) -> Built:
    """Compiles the twin's library in `folder`."""
    arguments = [*library_flags(checked), str(LIBRARY / "library.cpp")]
    return _compile(tools, arguments, folder, "the twin's library")


def _compile(tools: Toolchain, arguments: list[str], folder: Path, what: str) -> Built:
    output, dependencies = folder / "out.so", folder / "headers.d"
    listing = ["--write-user-dependencies", "-MF", str(dependencies)]
    compiler = tools.path or find_compiler()  # which says what it looked for
    code, said = run(compiler, *tools.flags, f"-I{INCLUDE}", *arguments, *listing, "-o", str(output))
    if code != 0 or not output.exists():
        raise CompileFailed(compiler=tools.version, what=what, output=_first_lines(said.strip()))
    return Built(output.read_bytes(), headers_in(dependencies.read_text(), INCLUDE.parent) or _all_headers())


def headers_in(rule: str, root: Path) -> tuple[str, ...]:
    """Files of a folder in a rule of make, by path in the folder."""
    files = re.split(r"(?<!\\)\s+", rule.replace("\\\n", " ").partition(": ")[2])
    plain = [os.path.normpath(re.sub(r"\\([ #])|\$(\$)", r"\1\2", file)) for file in files]
    folder = f"{os.path.normpath(root)}/"
    return tuple(sorted({file.removeprefix(folder) for file in plain if file.startswith(folder)}))


def _all_headers() -> tuple[str, ...]:
    """Every file that a build may read: for a rule of make that names none of them.

    clang writes a slash for every backslash of a path. A header too many costs time, one too few gives stale objects.
    """
    files = (file for folder in (INCLUDE, LIBRARY) for file in folder.rglob("*") if file.suffix in (".h", ".cpp"))
    return tuple(sorted(str(file.relative_to(INCLUDE.parent)) for file in files))


def _first_lines(text: str, most: int = 8) -> str:
    """The start of what a compiler said: the first complaint explains the rest."""
    lines = text.splitlines()
    more = [f"... and {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])
