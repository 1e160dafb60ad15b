"""What is compiled once for a machine, ahead of its first use.

In: nothing. Out: what there is now, one line for each library; the libraries lie in the cache. Refuses nothing: what
cannot be built is named with the reason, and again by the checks of the doctor.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from opwright.errors import OpwrightError
from opwright.kernel.target import Mode
from opwright.native.build import Library, cpu_library, torch_library
from opwright.store.store import current_store
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain


def warm() -> Iterator[str]:
    """Builds everything that is missing, and says what there is."""
    steps: dict[str, Callable[[], Library | None]] = {
        "the twin": lambda: _twin(Mode.FAST),
        "the checked twin": lambda: _twin(Mode.CHECKED),
        "the operators": cpu_library,
    }
    torch = importlib.util.find_spec("torch")
    if torch is not None and torch.origin is not None:
        home = Path(torch.origin).parent
        steps["the operators in PyTorch"] = lambda: torch_library(home)
    for name, build in steps.items():
        begin = time.perf_counter()
        try:
            built = build()
            reason = built.reason if built is not None else ""
        except OpwrightError as error:
            reason = error.message
        yield f"{name}: {reason or f'ready, {time.perf_counter() - begin:.1f} s'}"


def _twin(mode: Mode) -> None:
    store = current_store()
    library(store, toolchain(store), mode)
