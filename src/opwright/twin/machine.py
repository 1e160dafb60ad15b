"""What a shared object of the twin needs of the machine that runs it, without asking a compiler.

In: the settings and the machine. Out: plain data, a part of keys: an object that was compiled for the features of one
CPU is never found on another one that shares its disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from opwright.settings import settings


def machine_identity() -> list[str]:
    """The compiler and the instruction set that the settings name, and what "native" is here."""
    cpu = settings.cpu
    return [settings.compiler, cpu, os.uname().machine, cpu_features() if cpu == "native" else ""]


def cpu_features() -> str:
    """The processor's feature list, as far as it can be had cheaply."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            text = file.read(8192)
    except OSError:
        return ""
    wanted = [line for line in text.splitlines() if line.startswith(("model name", "flags", "Features"))]
    return "\n".join(sorted(set(wanted)))
