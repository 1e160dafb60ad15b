"""An option is stated once: signature, help, stub and guide follow from the fields of `Options`."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from opwright import asc
from opwright.errors import BadOption
from opwright.kernel.options import Options, SimtOptions

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "writing_kernels.md"


def test_jit_has_every_option_with_its_default() -> None:
    parameters = inspect.signature(asc.jit).parameters
    for one in fields(Options):
        assert parameters[one.name].default == one.default
        assert f"\n    {one.name}: " in (asc.jit.__doc__ or "")


def test_simt_has_its_options_with_their_defaults() -> None:
    parameters = inspect.signature(asc.simt).parameters
    defaults = {one.name: one.default for one in fields(SimtOptions)}
    assert {"max_threads", "soc", "may_overlap", "opt_level"} == set(parameters) - {"function"}
    assert all(parameters[name].default == defaults[name] for name in set(parameters) - {"function"})


def test_options_reach_the_kernel() -> None:
    options = {"soc": "ascend950", "may_overlap": True, "auto_sync": False, "kernel_type": "cube", "opt_level": 1}

    @asc.jit(**options, outputs=("y",), chip_assumptions="saturate_casts=on")
    def kernel(y: asc.GlobalAddress) -> None:
        pass

    assert kernel.options == Options(**options, outputs=("y",), chip_assumptions="saturate_casts=on")


def test_other_options_are_refused() -> None:
    with pytest.raises(BadOption, match=r"is not an option of asc\.jit"):
        asc.jit(speed=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'auto_sync'"):
        asc.simt(auto_sync=False)


def test_the_guide_lists_every_option() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("`@asc.jit(...)` takes options:")[2].partition("```")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE))
    assert list(listed) == [one.name for one in fields(Options)]
    shown = {one.name: f"`{one.default!r}`".replace("'", '"') for one in fields(Options) if one.name != "soc"}
    assert {name: listed[name] for name in shown} == shown
