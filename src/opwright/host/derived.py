"""The launch of a tile kernel as a host function: cores, numbers and scratch memory, from shapes.

In: a kernel, the data types and ranks of its tensors, its constants. Out: a function over facts of the tensors and a
`host.Soc`, as Python that was written from the compiled programs, one branch for each variant. It runs, and the
compiler of host functions takes it as any other. Refuses a kernel whose constants are computed from shapes, and numbers
of iterations that host functions cannot say.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from opwright.ascendc.arithmetic import COMPARISONS, SYMBOLS
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import SOCS
from opwright.errors import NotForHost
from opwright.host.dtypes import bool_
from opwright.host.variants import Variant, variant_name
from opwright.kernel.arrays import MAX_RANK
from opwright.kernel.program import Program
from opwright.kernel.workspace import ALIGNMENT
from opwright.schema.dtypes import Dtype
from opwright.tile.parameters import Kind
from opwright.tile.sizes import TensorFacts, parameters_of_sizes, sizes_for

if TYPE_CHECKING:
    from opwright.tile.kernel import TileKernel

_TAKEN = ("add", "sub", "mul", "floordiv", "mod", "and", "or")
_BY_HAND = "write the operator's launch by hand: return host.Launch(...)"
Dtypes = Sequence[Dtype]


def launch_function(
    kernel: TileKernel,
    variants: Sequence[Dtypes],
    ranks: Sequence[int],
    constants: Mapping[str, object],
    socs: Sequence[str] = tuple(SOCS),
) -> FunctionType:
    """The host function (tensors and numbers of the kernel, soc) -> Launch. variants: dtypes of the tensors."""
    name = kernel.__name__
    parameters = [one for one, kind in kernel.kinds.items() if kind is not Kind.CONSTANT]
    _refuse_other(kernel, constants)
    lines = [f"def launch_of_{name}({', '.join([*parameters, 'soc'])}):"]
    tensors = [one for one in parameters if kernel.kinds[one] is Kind.TENSOR]
    for variant in variants:
        by_body: dict[tuple[str, ...], list[str]] = {}
        for soc in socs:
            program, numbers = _compiled(kernel, dict(zip(tensors, variant, strict=True)), ranks, constants, soc)
            by_body.setdefault(_body(kernel, variant_name(name, variant), program, numbers), []).append(soc)
        is_it = [f"{one}.dtype == host.{_spelling(dtype)}" for one, dtype in zip(tensors, variant, strict=True)]
        for body, some in by_body.items():
            on = [] if len(some) == len(socs) else [f"soc.name in ({', '.join(map(repr, some))},)"]
            lines += [f"    if {' and '.join([*is_it, *on])}:", *(f"        {line}" for line in body)]
    given = ", ".join(f"{{{one}.dtype}}" for one in tensors)
    lines.append(f'    host.refuse_type(f"{name} has no variant for {given}")')
    made_for = [variant_name(name, variant) for variant in variants]
    file = f"<launch of {', '.join(made_for)} on {', '.join(socs)}>"
    return _made(f"launch_of_{name}", file, "".join(f"{line}\n" for line in lines))


def _spelling(dtype: Dtype) -> str:
    return "bool_" if dtype == bool_ else dtype.name


def _refuse_other(kernel: TileKernel, constants: Mapping[str, object]) -> None:
    """Refuses what is decided for each shape, and parameters of an unknown kind."""
    name = kernel.__name__
    defaults = {one.name for one in kernel.binder.parameters if one.has_default}
    if kernel.binder.sizes is not None:
        asked = parameters_of_sizes(kernel.binder.sizes)
        example = dict.fromkeys(asked, TensorFacts((16,) * MAX_RANK, DTYPES["float16"]))
        defaults -= set(sizes_for(name, kernel.binder.sizes, kernel.kinds, example))
    for one, kind in kernel.kinds.items():
        if kind is Kind.ANY:
            raise NotForHost(what=f"the parameter {one} of {name} without a type", hint="annotate it")
        if kind is Kind.CONSTANT and one not in constants and one not in defaults:
            what = f"the launch of {name}, whose constant {one} is computed for each shape,"
            raise NotForHost(what=what, hint=f"give it: host.launch_of({name}, ..., {one}=64); or {_BY_HAND}")


def _compiled(
    kernel: TileKernel,
    dtypes: Mapping[str, Dtype],
    ranks: Sequence[int],
    constants: Mapping[str, object],
    soc: str,
) -> tuple[Program, dict[str, str]]:
    """The program of a variant, and what its numbers are called in the host function, in the kernel's order."""
    rank = dict(zip(dtypes, ranks, strict=True))
    described = Variant("", kernel, dtypes, tuple(ranks), constants).described()
    bound = kernel.binder.bind((), described, described=True)
    numbers: dict[str, str] = {}
    for one, kind in kernel.kinds.items():
        if kind is Kind.TENSOR:
            numbers |= {f"{one}_shape{axis}": f"{one}.shape[{axis}]" for axis in range(rank[one])}
            numbers |= {f"{one}_stride{axis}": f"{one}.strides[{axis}]" for axis in range(rank[one])}
        elif kind is not Kind.CONSTANT:
            numbers[one] = one
    assert list(numbers) == [one for one in bound.names if one not in dtypes]
    return kernel.program(bound, soc), numbers


def _body(kernel: TileKernel, variant: str, program: Program, numbers: Mapping[str, str]) -> tuple[str, ...]:
    """What the host does for one variant: tests, cores, scratch memory."""
    of = _Words(kernel, numbers)
    most = "soc.cube_cores" if KERNEL_TYPES[program.kernel_type].aic else "soc.vector_cores"
    iterations = [most if plain == "all" else of.text(plain) for plain in program.host["iterations"]]
    wanted = iterations[0] if iterations else "1"
    for one in iterations[1:]:
        wanted = f"host.max({wanted}, {one})"
    parts = [one.elements * DTYPES[one.element].bytes for one in program.workspaces]
    scratch = [f"(blocks * {part} + {ALIGNMENT - 1}) // {ALIGNMENT} * {ALIGNMENT}" for part in parts]
    given = ", ".join([f"{variant!r}", "blocks=blocks", f"arguments=({', '.join(numbers.values())},)"])
    workspace = f", workspace={' + '.join(scratch)}" if scratch else ""
    return (
        *(of.test(*test) for test in program.host["tests"]),
        f"blocks = host.max(1, host.min({most}, {wanted}))",
        f"return host.Launch({given}{workspace})",
    )


class _Words:
    """What the compiler kept for the host, as Python of host functions."""

    def __init__(self, kernel: TileKernel, numbers: Mapping[str, str]) -> None:
        self.kernel, self.numbers = kernel, numbers

    def text(self, plain: Any) -> str:
        """An expression."""
        if isinstance(plain, str):
            return self.numbers[plain]
        if not isinstance(plain, list):
            return repr(plain)
        name, *operands = plain
        parts = [self.text(one) for one in operands]
        if name in _TAKEN or name in COMPARISONS:
            return f"({parts[0]} {SYMBOLS.get(name) or COMPARISONS[name]} {parts[1]})"
        if name in ("min", "max"):
            return f"host.{name}({', '.join(parts)})"
        if name == "select":
            return f"({parts[1]} if {parts[0]} else {parts[2]})"
        if name in ("neg", "not"):
            return f"({'-' if name == 'neg' else 'not '}{parts[0]})"
        what = f"the launch of {self.kernel.__name__}, which computes '{name}' on the host,"
        raise NotForHost(what=what, hint=_BY_HAND)

    def test(self, place: str, kind: str, *rest: Any) -> str:
        """A test of the arguments, as `opwright.tile.host` makes it before a launch."""
        name = self.kernel.__name__
        if kind == "assume":
            line = self.kernel.source.text.splitlines()[int(place.partition(":")[0]) - 1].strip()
            return f"host.require({self.text(rest[0])}, {f'{name} is not for these arguments: {line}'!r})"
        if kind == "whole":
            length, size = self.text(rest[0]), rest[1]
            return f'host.require({length} <= {size}, f"{name} takes {size} elements of an axis, not {{{length}}}")'
        if kind == "depth":
            return f"host.require({self.text(rest[0])} != 0, '{name} has a product of depth 0')"
        tensor = rest[0]
        empty = f"({tensor}.numel == 0)"
        if kind == "stride":
            last = rest[1] - 1
            holds = f"({tensor}.strides[{last}] == 1) | ({tensor}.shape[{last}] <= 1)"
            return self._layout(tensor, f"{holds} | {empty}", "has gaps in its last axis")
        axis = rest[1]
        if kind == "axis":
            first, last, length = self.text(rest[2]), self.text(rest[3]), f"{tensor}.shape[{axis}]"
            holds = f"({first} >= {last}) | (({first} >= 0) & ({last} <= {length}))"
            return self._layout(tensor, holds, f"has too few elements along axis {axis}")
        if kind == "rows":
            holds = f"({tensor}.shape[{axis}] <= 1) | ({tensor}.strides[{axis}] >= {tensor}.shape[-1])"
            return self._layout(tensor, f"{holds} | {empty}", f"has rows along axis {axis} that overlap")
        assert kind == "near", kind
        holds = f"({tensor}.strides[{axis}] <= {rest[2]})"
        return self._layout(tensor, f"{holds} | {empty}", f"has rows more than {rest[2]} elements apart")

    def _layout(self, tensor: str, holds: str, wrong: str) -> str:
        message = f"{tensor} {wrong}, which {self.kernel.__name__} does not take"
        return f"host.require({holds}, {message!r})"


def _made(name: str, file: str, text: str) -> FunctionType:
    """The function of a text; its lines can be shown as those of a file."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    # The text names opwright.host, whose part this is.
    namespace: dict[str, object] = {"host": sys.modules[__package__]}
    exec(compile(text, file, "exec"), namespace)
    return cast("FunctionType", namespace[name])
