"""`asc.lib` as PyAsc has it: `runtime` for devices and streams, `host` for tilings; each is imported when asked for."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name in {"runtime", "host"}:
        return importlib.import_module(f"opwright.asc.lib.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
