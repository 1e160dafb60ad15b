"""Flags between cores: items 6 and 14 of the catalogue."""

from hazard_case import BLOCK, EVERY, OUT, Right, Wrong, indented, lines, loop

from opwright.errors import CacheError, DeadlockError, FlagError, OpwrightError, RaceError

_TYPE = 'kernel_type="mix_0_1"'
_SET, _WAIT = "asc.cross_core_set_flag(3, 0, PipeID.PIPE_MTE3)", "asc.cross_core_wait_flag(3, 0, PipeID.PIPE_MTE3)"
_OTHER = f"({BLOCK} + 1) % 2 * 64"
_WRITE = f"asc.data_copy(z_gm[{BLOCK} * 64 :], b, 64)"
_FILL = "asc.duplicate(b, 1.0, 64)"
_READ = f"asc.data_copy(a, z_gm[{_OTHER} :], 64)"

_HOLD = "asc.cross_core_wait_flag(3, 0, PipeID.PIPE_S)"
_CLEAN = "asc.data_cache_clean_and_invalid(CacheLine.ENTIRE_DATA_CACHE, DcciDst.CACHELINE_OUT, z_gm)"
_FIRST, _SECOND = f"if {BLOCK} == 0:\n", f"if {BLOCK} == 1:\n"
_GET = "asc.duplicate(a, z_gm.get_value(0), 64)"


def _wrong(kind: type[OpwrightError], words: str, *parts: str, cores: int = 2, item: int = 6) -> Wrong:
    return Wrong(item, lines(*parts), kind, words, _TYPE, cores)


WRONG = {
    "a flag between cores that is never waited for": _wrong(
        FlagError, "flag 3 (mode 0) is set once more than core 0 waits for it", f"{_SET}  # here"
    ),
    "a counter that goes over 15": _wrong(
        FlagError, "set 16 times more than core 0 has waited", loop(f"{_SET}  # here", turns="16")
    ),
    "a core that never sets the flag of all": _wrong(
        DeadlockError,
        "for flag 3 (mode 0): core 1 never set it, and has ended",
        f"if {BLOCK} == 0:\n" + indented(_SET, f"{_WAIT}  # here"),
    ),
    "a core that sets it less often": _wrong(
        DeadlockError,
        "core 1 set it 1 of 2 times, and has ended",
        _SET,
        _WAIT,
        f"if {BLOCK} == 0:\n" + indented(_SET, f"{_WAIT}  # here"),
    ),
    "a mode that needs an AIC": _wrong(
        FlagError, "this core has no such partner", "asc.cross_core_set_flag(3, 2, PipeID.PIPE_MTE3)  # here"
    ),
    "a mode of another chip": _wrong(
        FlagError, "mode 4 exists only on ascend950", "asc.cross_core_set_flag(3, 4, PipeID.PIPE_MTE3)  # here"
    ),
    "a pipe that a vector core has not": _wrong(
        FlagError, "an AIV of ascend910b has no PIPE_FIX", "asc.cross_core_set_flag(3, 0, PipeID.PIPE_FIX)  # here"
    ),
    "a flag of sync_all": Wrong(
        6,
        lines(_SET.replace("(3", "(11") + "  # here", _WAIT.replace("(3", "(11")),
        FlagError,
        "flag 11 between cores is not for kernels",
        _TYPE,
        2,
        warns=True,
    ),
    "flags of more cores than the chip has": _wrong(
        DeadlockError, "in a launch of 49 cores", f"{_SET}  # here", _WAIT, cores=49
    ),
    "a barrier for both kinds of cores where there is one": _wrong(
        FlagError, "this kernel has one kind only", "asc.sync_all(is_aiv_only=False)  # here"
    ),
    "a flag after another pipe's work": _wrong(
        RaceError,
        "core 1: it reads 256 bytes of argument z from byte 0, element 0, which core 0 writes too",
        _FILL,
        OUT,
        f"{_WRITE}  # first",
        _SET.replace("MTE3", "MTE2"),
        _WAIT,
        f"{_READ}  # second",
        item=14,
    ),
    "a flag before the work": _wrong(
        RaceError,
        "which core 0 writes too",
        _FILL,
        OUT,
        _SET,
        f"{_WRITE}  # first",
        _WAIT,
        f"{_READ}  # second",
        item=14,
    ),
}

WRONG |= {
    "a value that a flag leaves in the cache": _wrong(
        CacheError,
        "core 1: it reads 4 bytes of argument z from byte 0, element 0, which may still be in core 0's data cache",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        EVERY,
        _SET,
        _HOLD,
        _SECOND + indented(f"{_GET}  # second"),
        item=15,
    ),
    "a cache that is cleaned after the flag": _wrong(
        CacheError,
        "which may still be in core 0's data cache",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        EVERY,
        _SET,
        _FIRST + indented(_CLEAN),
        _HOLD,
        _SECOND + indented(f"{_GET}  # second"),
        item=15,
    ),
    "a line that was read before the flag": _wrong(
        CacheError,
        "core 1",
        _SECOND + indented("asc.duplicate(a, z_gm.get_value(1), 64)"),
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first", _CLEAN),
        EVERY,
        _SET,
        _HOLD,
        _SECOND + indented(f"{_GET}  # second"),
        item=15,
    ),
}

RIGHT = {
    "the last flag that is for kernels, and the one that is nobody's": Right(
        lines(*(one.replace("(3", f"({flag}") for flag in (10, 15) for one in (_SET, _WAIT))), _TYPE, 2
    ),
    "cores read what others wrote, after flags": Right(lines(_FILL, OUT, _WRITE, _SET, _WAIT, _READ), _TYPE, 2),
    "the flag of a pipe that waited for the work": Right(
        lines(
            _FILL,
            OUT,
            _WRITE,
            "asc.set_flag(HardEvent.MTE3_V, 0)\nasc.wait_flag(HardEvent.MTE3_V, 0)",
            _SET.replace("MTE3", "V"),
            _WAIT,
            "asc.pipe_barrier(PipeID.PIPE_ALL)",
            _READ,
        ),
        _TYPE,
        2,
    ),
    "fifteen sets, then as many waits": Right(lines(loop(_SET, turns="15"), loop(_WAIT, turns="15")), _TYPE, 2),
    "a value that is written back before the flag": Right(
        lines(_FIRST + indented("z_gm.set_value(0, 1.0)", _CLEAN), EVERY, _SET, _HOLD, _SECOND + indented(_GET)),
        _TYPE,
        2,
    ),
    "a line that the reader gives up after the flag": Right(
        lines(
            _SECOND + indented("asc.duplicate(a, z_gm.get_value(1), 64)"),
            _FIRST + indented("z_gm.set_value(0, 1.0)", _CLEAN),
            EVERY,
            _SET,
            _HOLD,
            _SECOND + indented(_CLEAN, _GET),
        ),
        _TYPE,
        2,
    ),
}
