"""Runs what a kernel is separated into: a cube core and two vector cores as threads, over arrays, with messages."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from interpret import _names, _Run, request_of

from opwright.ir import Operation, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.functions import functions
from opwright.ir.tile_cores import SET, MessageOp
from opwright.ir.types import unquoted
from opwright.tile.compiler.front.lower import lowered_tile
from opwright.tile.compiler.kinds import kinds_of
from opwright.tile.compiler.separate import Separated, separated
from opwright.tile.compiler.site import Site
from opwright.tile.compiler.trim import trim_counts
from opwright.tile.kernel import TileKernel
from opwright.tile.numbers import Float32
from opwright.tile.values import Tile

SECONDS = 20.0


class Flags:
    """Flags between the cores of one group: counters, as mode 2 has them."""

    def __init__(self) -> None:
        self.to_vector = [[threading.Semaphore(0) for _ in range(16)] for _ in range(2)]
        self.to_cube = [[threading.Semaphore(0) for _ in range(16)] for _ in range(2)]

    def message(self, verb: str, core: int, flag: int) -> None:
        """core: 0 and 1 are vector cores, -1 is the cube core."""
        mine = [self.to_vector[core]] if core >= 0 else self.to_cube
        others = [self.to_cube[core]] if core >= 0 else self.to_vector
        if verb == SET:
            for other in others:
                other[flag].release()
            return
        for one in mine:
            assert one[flag].acquire(timeout=SECONDS), f"core {core} waits for flag {flag}"

    def left(self) -> int:
        return sum(one._value for side in (*self.to_vector, *self.to_cube) for one in side)


class Core(_Run):
    """One core."""

    def __init__(self, values: dict[SSAValue, Any], flags: Flags, number: int) -> None:
        super().__init__(values)
        self.flags, self.number = flags, number

    def of_tile(self, operation: Operation, given: list[Any]) -> Any:
        if isinstance(operation, MessageOp):
            slot = self.values[operation.slot] if operation.slot is not None else 0
            self.flags.message(operation.verb.data, self.number, operation.flag.data + slot)
            return None
        if isinstance(operation, CallOp) and operation.name == "asc.get_sub_block_idx":
            return self.number
        return super().of_tile(operation, given)

    def made(self, operation: Operation, given: list[Any], shape: tuple[int, ...], counts: tuple[int, ...]) -> Tile:
        """Of operands that have more than is wanted, a part."""
        found = super().made(operation, given, shape, counts)
        assert all(have >= wanted for have, wanted in zip(found.counts, counts, strict=True)), operation
        return Tile(found.values[tuple(map(slice, counts))], shape, found.dtype)


def parts_of(kernel: TileKernel, *arguments: object, **keywords: object) -> Separated:
    """What a kernel is separated into; arrays may be described."""
    request, _ = request_of(kernel, *arguments, **keywords)
    made = functions(lowered_tile(request)[1])[-1]
    trim_counts(made)
    return separated(made, kinds_of(made).cube, Site(request.source, request.soc))


def run(kernel: TileKernel, *arguments: object, **keywords: object) -> Separated:
    """Runs both kernels over arrays, on one group of cores."""
    parts = parts_of(kernel, *arguments, **keywords)
    bound = request_of(kernel, *arguments, **keywords)[1]
    given: dict[str, Any] = {name: one for name, one in zip(_names(kernel), arguments, strict=False)} | keywords
    spaces = [np.full(one.elements, 1, one.element) * np.array(np.nan, one.element) for one in parts.workspaces]
    flags = Flags()
    failed: list[BaseException] = []

    def work(number: int) -> None:
        made = parts.cube if number < 0 else parts.vector
        made.verify()
        values: dict[SSAValue, Any] = {}
        slots = [*bound.slots, *spaces]
        for argument, name, slot in zip(made.body.block.args, made.parameters.data, slots, strict=True):
            array = given.get(unquoted(name))
            is_array = isinstance(array, np.ndarray)
            values[argument] = array if is_array else Float32(slot) if type(slot) is float else slot
        try:
            Core(values, flags, number).block(made.body.block)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in (-1, 0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    assert not flags.left(), "a flag is left"
    return parts
