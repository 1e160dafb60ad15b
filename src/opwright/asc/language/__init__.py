"""`asc.language` as PyAsc has it: its parts `basic`, `core` and `adv` are names of `opwright.asc`.

In: a name. Out: that of `opwright.asc`. Refuses names that it does not have.
"""

from __future__ import annotations

import importlib
from typing import Any

_PARTS = ("basic", "core", "adv", "fwk")


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"opwright.asc.language.{name}")
    return getattr(importlib.import_module("opwright.asc"), name)
