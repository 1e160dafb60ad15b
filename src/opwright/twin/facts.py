"""What is known of a compiled kernel beside its code: what reports need to tell about a launch of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from opwright.ascendc.kernel_types import KernelType
from opwright.ascendc.socs import Soc
from opwright.kernel.place import Called, Place
from opwright.kernel.source import Source


@dataclass(kw_only=True)
class KernelFacts:
    """Of one kernel and one combination of argument types."""

    name: str
    source: Source
    soc: Soc
    kernel_type: KernelType
    types: tuple[tuple[str, str], ...]
    uses: tuple[tuple[bool, bool], ...]  # (reads, writes) of each run-time parameter
    outputs: tuple[str, ...]  # declared: the checked mode tells what is left unwritten of them
    threads: bool  # whether it starts threads, or is run by some
    is_simt_kernel: bool  # whether threads run it: behind its arguments come grid and block
    places: dict[int, Place]
    functions: tuple[Called, ...]  # the kernel itself and its helpers, as `Place.function` counts them
    python: FunctionType
    static: Mapping[str, list[list[Any]]] = field(default_factory=dict)  # what `check/static.py` found before any run
