"""From a kernel over tiles to Ascend C: through an asc kernel as Python, which people can read, check and take over.

In: a `Request` whose function is a kernel over tiles. Out: `TileProgram`, with the asc kernel that was compiled, as
Python. Refuses what the front end refuses, what is not built, and tiles that do not fit a memory of the core.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import FunctionType

from opwright import asc
from opwright.emit.python.module import Printed, printed
from opwright.errors import OpwrightError, TileTooLarge
from opwright.frontend.compile import LoweredProgram, Watch, compile_function
from opwright.ir import ModuleOp
from opwright.ir.functions import functions
from opwright.kernel.options import Options
from opwright.kernel.program import Request, Workspace
from opwright.kernel.source import Source, generated_source
from opwright.tile.compiler.buffers import Buffers
from opwright.tile.compiler.calls import written
from opwright.tile.compiler.cores import refuse_exchange
from opwright.tile.compiler.front.lower import lowered_tile
from opwright.tile.compiler.front.state import state_of
from opwright.tile.compiler.kinds import CUBE, MIX, kinds_of
from opwright.tile.compiler.mixed import MIXED, Mixed, mixed
from opwright.tile.compiler.placement import Placement
from opwright.tile.compiler.reads import share_reads
from opwright.tile.compiler.schedule import Synchronisation
from opwright.tile.compiler.site import Site
from opwright.tile.compiler.trim import trim_counts


@dataclass(frozen=True)
class Lowered:
    """An asc kernel that was made from one over tiles.

    text: Python of `opwright.asc`, which runs if it is saved. origins: its lines -> line and column of the author's.
    options: those of the kernel, with the cores that it needs. mixed: what each kind of core does, if it runs on both;
    the other fields are those of vector cores then.
    """

    text: str
    origins: dict[int, tuple[int, int]]
    options: Options
    buffers: Buffers
    placement: Placement
    synchronisation: Synchronisation
    mixed: Mixed | None = None

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        """Parameters behind those of the author's."""
        return self.mixed.parts.workspaces if self.mixed else ()


@dataclass(frozen=True)
class TileProgram(LoweredProgram):
    """A kernel over tiles as text, with the asc kernel that it was made of."""

    lowered: Lowered


def compile_tile(request: Request, watch: Watch = lambda stage, module: None, full_rings: bool = False) -> TileProgram:
    """The program of a kernel over tiles. `watch` gets the tile IR as stage "tile", then what the asc kernel gives.

    full_rings: refuse what fits only if overlapping is given up.
    """
    builder, module = lowered_tile(request)
    watch("tile", module)
    lowered = to_calls(module, request, full_rings)
    program = compile_lowered(lowered, request, watch)
    own = {one.name: getattr(program, one.name) for one in fields(program)}
    facts = state_of(builder).host
    buffers = [lowered.buffers, lowered.mixed.cube.buffers] if lowered.mixed else [lowered.buffers]
    for test in (test for one in buffers for test in one.tests):
        facts.add(test)
    own |= {"captures": tuple(builder.compilation.captures), "host": facts.plain(), "workspaces": lowered.workspaces}
    return TileProgram(**own, lowered=lowered)


def fitting(request: Request, error: TileTooLarge) -> TileTooLarge:
    """The error with values of constants that would fit, each tried."""
    wholes = _wholes(request)
    found: list[str] = []
    shorter: list[str] = []
    for name, value in request.constants.items():
        size = value // 2 if type(value) is int else 0
        while size:
            smaller = replace(request, constants={**request.constants, name: size})
            try:
                to_calls(lowered_tile(smaller)[1], request)
            except TileTooLarge:
                size //= 2
            except OpwrightError:
                break
            else:
                (found if _wholes(smaller) == wholes else shorter).append(f"{name}={size}")
                break
    hint = f"{' or '.join(found)} fits" if found else "take smaller tiles, or fewer at the same time"
    if shorter:
        hint += f"; {' or '.join(shorter)} fits if no axis that tile.whole takes is longer"
    return type(error)(error.at, **{**error.fields, "hint": hint})


def _wholes(request: Request) -> list[list[object]]:
    """The axes that `tile.whole` takes, each with the most elements that it may have."""
    facts = state_of(lowered_tile(request)[0]).host
    return [test[2:] for test in facts.tests if test[1] == "whole"]


def to_calls(module: ModuleOp, request: Request, full_rings: bool = False) -> Lowered:
    """From tile IR, which is changed, to an asc kernel as Python."""
    kernel = functions(module)[-1]
    source, soc = request.source, request.soc
    refuse_exchange(kernel, source)
    trim_counts(kernel)
    kinds = kinds_of(kernel)
    if kinds.kernel == MIX:
        share_reads(kernel)
        kinds = kinds_of(kernel)
    kernel_type = {MIX: MIXED, CUBE: CUBE}.get(kinds.kernel, request.options.kernel_type)
    options = replace(request.options, kernel_type=kernel_type)
    both = mixed(kernel, kinds.cube, source, soc, full_rings) if kinds.kernel == MIX else None
    one = both.vector if both else written(kernel, Site(source, soc, kernel_type), kinds.kernel == CUBE, full_rings)
    strided = [name for name, kind in request.types if kind not in ("int", "float", "bool")]
    text, origins = commented(printed(module, soc, options, strided), source)
    return Lowered(text, origins, options, one.buffers, one.placement, one.synchronisation, both)


def commented(made: Printed, source: Source) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text with the author's line above what was made from it, and where its lines come from."""
    lines: list[str] = []
    origins: dict[int, tuple[int, int]] = {}
    previous = 0
    author = source.text.splitlines()
    for number, line in enumerate(made.text.splitlines(), start=1):
        place = made.places.get(number)
        if place:
            row, column = map(int, place.split(":"))
            if row != previous and 0 < row <= len(author):
                indent = line[: len(line) - len(line.lstrip())]
                lines.append(f"{indent}# {author[row - 1].strip()}")
                origins[len(lines)] = (row, column)
                previous = row
            origins[len(lines) + 1] = (row, column)
        lines.append(line)
    return "".join(f"{line}\n" for line in lines), origins


def compile_lowered(lowered: Lowered, request: Request, watch: Watch) -> LoweredProgram:
    """The program of an asc kernel that was made from one over tiles."""
    # The text names nothing but asc and its own parameters.
    begin = next(number for number, line in enumerate(lowered.text.splitlines()) if line.startswith("@asc.jit"))
    text = "".join(lowered.text.splitlines(keepends=True)[begin:])
    origins = {number - begin: place for number, place in lowered.origins.items() if number > begin}
    source = generated_source(request.source, text, origins)
    namespace: dict[str, object] = {"asc": asc}
    exec(compile(text.partition("\n")[2], source.file, "exec"), namespace)
    function = namespace[request.source.name]
    assert isinstance(function, FunctionType)
    types = [*request.types, *((one.name, one.element) for one in lowered.workspaces)]
    generated = replace(request, function=function, source=source, types=types, constants={}, options=lowered.options)
    return compile_function(generated, watch)
