"""What a launch hands to the library, laid out as in `context.h`.

Out: `LaunchRecord` and `GmRange` as ctypes sees them, and `packing`, the format with which `struct` writes them: that
takes less time than filling in fields.
"""

from __future__ import annotations

import ctypes

from opwright.ascendc.socs import MEMORIES


class LaunchRecord(ctypes.Structure):
    """Followed in memory by argument slots of 8 bytes, and by `ranges` entries of `GmRange`."""

    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("arch", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("grid", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("ranges", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("dynamic_ub", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
        ("workspace", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("memory_bytes", ctypes.c_uint64 * len(MEMORIES)),
    )


class GmRange(ctypes.Structure):
    """Global memory that an argument stands for."""

    _fields_ = (
        ("base", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("use", ctypes.c_uint32),
        ("slot", ctypes.c_uint32),
    )


def packing(kind: type[ctypes.Structure]) -> str:
    """The fields of a structure as letters of `struct`: words of 4 bytes, and of 8 bytes alone or in arrays."""
    sizes = (getattr(kind, field[0]).size for field in kind._fields_)
    return "".join("I" if size == 4 else "Q" * (size // 8) for size in sizes)
