"""Kernels of operators, compiled ahead of time for libopwright_cpu.

In: an operator's schema, what its file states, and a variant of a kernel. Out: `BuiltKernel`: the C++ that the twin's
fast mode compiles, the Ascend C text in it unchanged, and the rows of the operator's table. Kernels are for one SoC, as
their text is. Each object has namespaces of its own, because the same function of a header may be compiled for several
instruction sets. Refuses kernels of other cores than vector cores, whose cores wait for one another, that threads run,
and what they take beside tensors of the operator and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from opwright import host
from opwright.ascendc.assumptions import assumed, bits
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.kernel_types import AIV, KERNEL_TYPES
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import rows_with
from opwright.ascendc.traits import NeedsCrossFlags, WaitsForCores
from opwright.errors import KernelNotServed
from opwright.host.variants import Variant
from opwright.kernel.layouts import is_memory
from opwright.kernel.program import Program, Request
from opwright.native.stated import Stated
from opwright.runtime.compile import program_of
from opwright.schema import Schema
from opwright.settings import Settings
from opwright.twin.build import assumed_flags, chapter_flags, core_flags, entry_function
from opwright.twin.constants import GM_READ, GM_STABLE, GM_WRITTEN

SOC = SOCS[Settings.soc.default]
MOST_SLOTS = 64  # kMostSlots of kernel.h


@dataclass(frozen=True)
class BuiltKernel:
    """A variant as text, and its slots as the table has them."""

    variant: Variant
    program: Program
    chip: int  # what is assumed of it
    slots: tuple[str, ...]

    def symbol(self, level: int) -> str:
        """The entry of its object."""
        return f"opwright_kernel_{self.variant.name}_{level}"

    def unit(self, level: int) -> tuple[str, str, tuple[str, ...]]:
        """The name of its object, the C++, and the flags."""
        own = f"{self.variant.name}_{level}"
        name = self.program.name
        # Whatever the text defines gets names that no other variant has; its headers come before.
        text = (
            '#include "kernel_operator.h"\n'
            f"#define {name} {own}\n"
            f"namespace text_of_{own} {{\n"
            f'#line 1 "{self.variant.name}"\n'
            f"{self.program.text}\n}}\n"
            f"using namespace text_of_{own};\n"
            f"{entry_function(name, self.program.kinds, self.symbol(level))}"
        )
        kind = KERNEL_TYPES[self.program.kernel_type]
        flags = (
            *([f"-march=x86-64-v{level}"] if level else []),
            *(f"-D{space}={space}_{own}" for space in ("opwright", "AscendC")),
            *chapter_flags(self.program.text),
            *core_flags(kind, AIV),
            *assumed_flags(self.chip),
        )
        return f"kernel_{own}", text, flags


def built(schema: Schema, stated: Stated, variant: Variant) -> BuiltKernel:
    """The text of a variant, from the store if it is there, and its slots."""
    kernel = variant.kernel
    arguments = variant.described()
    for one in kernel.binder.parameters:
        if one.name not in arguments and not one.has_default:
            reason = f"its parameter {one.name} is neither a tensor nor a number"
            _refuse(variant, reason, "give constants their values")
    bound = kernel.binder.bind((), arguments, described=True)
    request = Request(
        kernel.function, kernel.source, bound.types, bound.constants, SOC, kernel.options, kernel.front_end
    )
    program = program_of(request)
    _refuse_other_cores(variant, program)
    chip = bits(assumed(SOC.name, kernel.options.chip_assumptions))
    slots = tuple(_slots(schema, stated, variant, program, dict(request.types)))
    if len(slots) > MOST_SLOTS:
        _refuse(variant, f"it takes {len(slots)} addresses and numbers", f"at most {MOST_SLOTS} are possible")
    return BuiltKernel(variant, program, chip, slots)


@cache
def _waiting() -> frozenset[str]:
    """Calls in which a core waits for others: these may run later, or in another thread."""
    return frozenset(row.name for trait in (WaitsForCores, NeedsCrossFlags) for row in rows_with(trait))


def _refuse_other_cores(variant: Variant, program: Program) -> None:
    if KERNEL_TYPES[program.kernel_type].kinds != (AIV,):
        _refuse(variant, "it runs on cube cores", "only kernels of vector cores are compiled ahead of time")
    if program.threads:
        _refuse(variant, "it starts threads", "only kernels without threads are compiled ahead of time")
    for place in program.places.values():
        if place.call in _waiting():
            hint = "only kernels whose cores do not wait for one another are compiled ahead of time"
            _refuse(variant, f"its cores wait for one another in asc.{place.call}", hint)


def _slots(schema: Schema, stated: Stated, variant: Variant, program: Program, types: dict[str, str]) -> Iterator[str]:
    """Rows of `kernel::Slot`, in the order of the kernel's slots."""
    arguments = [argument.name for argument in schema.arguments]
    launch = stated.functions["launch"].__code__
    results = launch.co_varnames[len(arguments) : launch.co_argcount - 1]
    strided = {one.name for one in variant.kernel.binder.parameters if one.strided}
    for name, kind in types.items():
        if is_memory(kind):
            if name not in (*arguments, *results):
                hint = f"tensors of the operator are {', '.join((*arguments, *results))}"
                _refuse(variant, f"its tensor {name} is none of the operator's", hint)
            reads, writes = program.argument_use.get(name, (False, False))
            use = (reads and GM_READ) | (writes and GM_WRITTEN) | (0 if writes else GM_STABLE)
            which, place = ("Input", arguments.index(name)) if name in arguments else ("Output", results.index(name))
            dtype = variant.tensors[name]
            gaps = "true" if name in strided else "false"
            yield f"{{kernel::Slot::k{which}, {use}, {gaps}, {{{dtype.code}, {dtype.bits}}}, {place}, 0}}"
            continue
        word = kind.removeprefix("number ")
        wide = {"int": "Integer", "float": "Float", "bool": "Bool"}.get(word)
        if wide is None and word in DTYPES:
            wide = "Float" if DTYPES[word].is_float() else "Integer"
        if wide is None:
            _refuse(variant, f"its parameter {name} is no number", "only tensors and numbers reach a kernel here")
        yield f"{{kernel::Slot::k{wide}, 0, false, {{0, 0}}, 0, 0}}"
    for one in program.workspaces:
        size = one.elements * DTYPES[one.element].bytes
        yield f"{{kernel::Slot::kWorkspace, {GM_READ | GM_WRITTEN}, false, {{0, 0}}, 0, {size}}}"


def _refuse(variant: Variant, reason: str, hint: str) -> NoReturn:
    raise KernelNotServed(variant=variant.name, reason=reason, hint=hint)


def kernels_text(built_kernels: Sequence[BuiltKernel], levels: Sequence[int]) -> str:
    """The table of an operator's kernels, as C++ in the namespace of its entry; `functions` are its host functions."""
    lines = []
    for i, one in enumerate(built_kernels):
        entries = ", ".join(one.symbol(level) for level in levels)
        lines.append(f"static const kernel::Entry entries_{i}[] = {{{entries}}};")
        listed_slots = ",\n    ".join(one.slots)
        lines.append(f"static const kernel::Slot slots_{i}[] = {{\n    {listed_slots}}};")
    rows = [
        f"    {{{json.dumps(one.variant.name)}, entries_{i}, slots_{i}, {len(one.slots)}, "
        f"{'true' if one.variant.kernel.options.auto_sync else 'false'}}},"
        for i, one in enumerate(built_kernels)
    ]
    soc = host.soc_named(SOC.name)
    numbers = ", ".join(map(str, (soc.vector_cores, soc.cube_cores, soc.ub_bytes, soc.l1_bytes, soc.l0c_bytes)))
    listed = "\n".join([*lines, "static const kernel::Variant variants[] = {", *rows, "};"])
    return f"""\
{listed}
static const int32_t levels[] = {{{", ".join(map(str, levels))}}};

static host::Launch launched(const OpwrightCall& call) {{
    static const host::Soc soc{{"{soc.name}", {numbers}}};
    host::Tensor results[functions::kResults == 0 ? 1 : functions::kResults];
    for (int i = 0; i < functions::kResults; ++i) results[i] = entry::Reader::result(call.outputs[i]);
    return functions::launch_from(entry::Reader(call), results, soc);
}}

static const kernel::Kernels kernels{{
    variants, {len(rows)}, levels, {len(levels)}, launched, {{{SOC.aiv}, {SOC.arch}, {SOC.usable("UB")}}}}};

static const char* plan_kernel(OpwrightCall* call) {{ return kernel::plan(kernels, call); }}
static void run_kernel(const OpwrightCall* call, int64_t begin, int64_t end) {{
    kernel::run(kernels, call, begin, end);
}}
"""


def declared_text(built_kernels: Sequence[BuiltKernel], levels: Sequence[int]) -> str:
    """Declares the entries of an operator's kernels."""
    symbols = [one.symbol(level) for one in built_kernels for level in levels]
    return "".join(f'extern "C" void {symbol}(const uint64_t* slots);\n' for symbol in symbols)
