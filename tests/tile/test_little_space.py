"""Kernels in as little UB as the compiler can place them in: the same bits, clean, in 16 orders, close to the bound."""

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from launches import BF16, LAUNCHES
from random_tiles import tools

from opwright.check.launcher import checked, perturbed_findings
from opwright.errors import TileTooLarge
from opwright.tile.compiler import calls
from opwright.tile.compiler.buffers import Buffers
from opwright.tile.compiler.placement import Placement

NAMES = ("16_tile_softmax:softmax", "16_tile_softmax:softmax_long", "17_tile_layer_norm:add_layer_norm")
FLOOR = 1.1  # of the bytes in use at the fullest line
place = calls.place


def least(found: list[Placement]) -> Callable[..., Placement]:
    """Places in fewer and fewer bytes until it fails; notes what it found last."""

    def placed(buffers: Buffers, usable: Callable[[str], int], full_rings: bool = False) -> Placement:
        best = place(buffers, usable, full_rings)
        while True:
            try:
                best = place(buffers, lambda memory, most=best.bytes - 32: most, full_rings)
            except TileTooLarge:
                found.append(best)
                return best

    return placed


def test_as_little_as_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = tools()
    launches, programs, placements = [], [], []
    for name in NAMES:
        known = LAUNCHES[name]
        for dtype in (np.float32, BF16):
            launch = judge.Launch(name, known.kernel, 1, tuple(known.arguments(dtype)), known.constants)
            usual = judge.compiled(launch)
            with monkeypatch.context() as patch:
                patch.setattr(calls, "place", least(placements))
                little = judge.compiled(launch)
            placed = placements[-1]
            assert placed.bytes <= FLOOR * placed.bound
            assert placed.bytes < usual.lowered.placement.bytes and placed.note
            launches += [launch, launch]
            programs += [usual, little]
    judge.build(launches[0], programs, tmp_path)
    results = []
    for number, (launch, program) in enumerate(zip(launches, programs, strict=True)):
        arguments = copy.deepcopy(launch.arguments)
        bound = launch.kernel.binder.bind(arguments, launch.keywords)
        kernel = judge.load(launch, program, tmp_path, number)
        assert perturbed_findings(kernel, 2, bound, 16, 0) == []
        assert checked(kernel, 2, bound).findings == ()
        results.append([one.tobytes() for one in arguments if isinstance(one, np.ndarray)])
    assert results[::2] == results[1::2]
