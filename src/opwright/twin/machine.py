"""What a shared object of the twin needs of the machine that runs it, without asking a compiler.

In: the settings and the machine. Out: plain data, a part of keys: an object that was compiled for the features of one
CPU is never found on another one that shares its disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from opwright.settings import settings

# Flags of x86-64 from level 3 on, as /proc/cpuinfo has them.
_LEVELS = {
    3: {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    4: {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


def machine_identity() -> list[str]:
    """The compiler and the instruction set that the settings name, and what "native" is here."""
    cpu = settings.cpu
    return [settings.compiler, cpu, os.uname().machine, cpu_features() if cpu == "native" else ""]


def level_here() -> int:
    """The level of x86-64 that this machine has, 2 to 4; 0 on other machines."""
    if os.uname().machine != "x86_64":
        return 0
    has = set(cpu_features().split())
    return 2 + sum(_LEVELS[3] | _LEVELS[level] <= has for level in (3, 4))


def cpu_features() -> str:
    """The processor's feature list, as far as it can be had cheaply."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            text = file.read(8192)
    except OSError:
        return ""
    wanted = [line for line in text.splitlines() if line.startswith(("model name", "flags", "Features"))]
    return "\n".join(sorted(set(wanted)))
