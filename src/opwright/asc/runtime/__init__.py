"""`asc.runtime` as PyAsc has it: `config`, imported when asked for, says for which SoC kernels are compiled."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "config":
        return importlib.import_module("opwright.asc.runtime.config")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
