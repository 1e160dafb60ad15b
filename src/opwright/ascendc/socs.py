"""What each SoC has: cores, memories, reserves. The SoC is a value that every check gets.

In: nothing. Out: `SOCS` by name, `PIPES` of each kind of core, and the generations `A2` (with A3, which is the same
chip twice) and `A5`; `Property`, the constants that asc.property asks for.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from types import MappingProxyType

KIB = 1024
THREAD_CACHE = 32 * KIB  # the least that threads need of UB for data of global memory

# Order of the on-chip memories in a launch record.
MEMORIES = ("UB", "L1", "L0A", "L0B", "L0C", "BT", "FB")

# Pipes by kind of core and architecture. What an AIC has of MTE3 is the way from L1 to global memory.
_AIV = ("PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3")
_AIC = ("PIPE_S", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_FIX")
PIPES = {("AIV", 2201): _AIV, ("AIV", 3510): _AIV, ("AIC", 2201): (*_AIC, "PIPE_MTE3"), ("AIC", 3510): _AIC}


@dataclass(frozen=True)
class Soc:
    """One SoC. `usable` is what a kernel may address: the size less what the toolchain keeps for itself."""

    name: str
    arch: int
    npu_arch: str
    aic: int
    aiv: int
    size: MappingProxyType[str, int] = field(hash=False)
    reserved: MappingProxyType[str, int] = field(hash=False)

    @property
    def runs_threads(self) -> bool:
        """Whether it has a unit for functions marked @asc.simt."""
        return self.name in A5

    def usable(self, memory: str, threads: bool = False) -> int:
        """Bytes of a memory that a kernel may use; one that runs threads leaves some of UB to their data cache."""
        cache = THREAD_CACHE if threads and memory == "UB" else 0
        return self.size[memory] - self.reserved.get(memory, 0) - cache


def _soc(name: str, arch: int, npu_arch: str, aic: int, size: dict[str, int], reserved: dict[str, int]) -> Soc:
    return Soc(name, arch, npu_arch, aic, 2 * aic, MappingProxyType(size), MappingProxyType(reserved))


_SIZE_2201 = {
    "UB": 192 * KIB,
    "L1": 512 * KIB,
    "L0A": 64 * KIB,
    "L0B": 64 * KIB,
    "L0C": 128 * KIB,
    "BT": 1 * KIB,
    "FB": 2 * KIB,
}
_SIZE_3510 = {**_SIZE_2201, "UB": 256 * KIB, "L0C": 256 * KIB, "BT": 4 * KIB, "FB": 4 * KIB}

# 2201 keeps the last 8 KiB of UB for temporaries of its own calls; 3510 keeps 2 KiB for them and 6 KiB for spills.
_RESERVED = {"UB": 8 * KIB, "L1": 256}

SOCS: dict[str, Soc] = {
    soc.name: soc
    for soc in (
        _soc("ascend910b", 2201, "dav-2201", 24, _SIZE_2201, _RESERVED),
        _soc("ascend910_93", 2201, "dav-2201", 24, _SIZE_2201, _RESERVED),
        _soc("ascend950", 3510, "dav-3510", 32, _SIZE_3510, _RESERVED),
    )
}

ALL = tuple(SOCS)
A2 = ("ascend910b", "ascend910_93")
A5 = ("ascend950",)


class Property(enum.Enum):
    """A constant of the chip that asc.property asks for; its value differs between chips."""

    DEFAULT_C0_SIZE = 0
    ONE_BLK_SIZE = 1
    TOTAL_L1_SIZE = 2
    TOTAL_L0C_SIZE = 3
