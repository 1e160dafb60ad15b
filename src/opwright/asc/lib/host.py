"""`asc.lib.host` as PyAsc has it: the functions of `opwright.asc.adv` that a host calls for its tilings."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("opwright.asc.adv"), name)
