"""`asc.language.adv` as PyAsc has it: names of `opwright.asc.adv`."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("opwright.asc.adv"), name)
