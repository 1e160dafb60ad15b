"""The front end "tile": what compiles functions marked `@tile.jit`. The compiler is loaded only to compile.

In: a `Request`. Out: a program, with what the host tests before a launch. A constant that is `tile.auto` gets the
largest size that the compiler has a form for and can place; if there is none, the error is that of the smallest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from opwright.errors import BadOption, NotSplit, TileNotBuilt, TileTooLarge
from opwright.kernel.program import Request, register_front_end
from opwright.store import sources
from opwright.tile.names import AUTO_SIZES, auto

if TYPE_CHECKING:
    from opwright.frontend.compile import LoweredProgram
    from opwright.ir import ModuleOp

MOST_AUTO = 2
CERTAIN = 0.75  # of the bytes that a smaller size should take: other forms of calls may take fewer


class TileFrontEnd:
    """The front end of `opwright.tile`."""

    name = "tile"

    def identity(self) -> list[object]:
        """The digest of its sources."""
        return [sources.stage("tile")]

    def compile(self, request: Request, watch: Callable[[str, ModuleOp], None]) -> LoweredProgram:
        """The program of a function over tiles."""
        from opwright.tile.compiler.compile import compile_tile, fitting

        chosen = [name for name, value in request.constants.items() if value is auto]
        if not chosen:
            try:
                return compile_tile(request, watch)
            except TileTooLarge as error:
                raise fitting(request, error) from None
        if len(chosen) > MOST_AUTO:
            message = f"{', '.join(chosen)} are tile.auto: a kernel has {MOST_AUTO} at most"
            raise BadOption(name="tile.auto", value=len(chosen), message=message)
        refusal: tuple[Request, NotSplit | TileNotBuilt | TileTooLarge] | None = None
        for full_rings in (True, False):  # first what needs nothing given up
            most = float(AUTO_SIZES[0])
            for size in AUTO_SIZES:
                if size > max(most, AUTO_SIZES[-1]):
                    continue
                tried = replace(request, constants={**request.constants, **dict.fromkeys(chosen, size)})
                try:
                    return compile_tile(tried, watch, full_rings)
                except (NotSplit, TileNotBuilt, TileTooLarge) as error:
                    # Rows that two cores cannot share are the fault of a small size.
                    if refusal is None or not isinstance(error, NotSplit):
                        refusal = tried, error
                    if isinstance(error, TileTooLarge):
                        # Half the size takes at least half the bytes: sizes that are certainly too large are not tried.
                        available, needed = (float(str(error.fields[name])) for name in ("available", "needed"))
                        most = size * (available / needed / CERTAIN) ** (1 / len(chosen))
        assert refusal is not None
        tried, found = refusal
        raise (fitting(tried, found) if isinstance(found, TileTooLarge) else found) from None


register_front_end(TileFrontEnd())
