"""Global memory between cores, and the data cache of the scalar unit: items 14 and 15 of the catalogue."""

from hazard_case import BLOCK, EVERY, FILL, OUT, Right, Wrong, indented, lines, loop, pair

from opwright.errors import CacheError, RaceError

_MINE = f"first = {BLOCK} * n\n"
_NEXT = f"({BLOCK} + 1) % asc.get_block_num() * n"
_WRITE = lines(_MINE, FILL, OUT, "asc.data_copy(z_gm[first:], b, 64)")


_CLEAN = "asc.data_cache_clean_and_invalid(CacheLine.{}, DcciDst.CACHELINE_OUT, {})"
_ALL_LINES = _CLEAN.format("ENTIRE_DATA_CACHE", "z_gm")
_FIRST = f"if {BLOCK} == 0:\n"
_SECOND = f"if {BLOCK} == 1:\n"


def _cache(words: str, *parts: str, cores: int = 2, item: int = 15, warns: bool = False, options: str = "") -> Wrong:
    return Wrong(item, lines(*parts), CacheError, words, options, cores, warns=warns)


def _wrong(words: str, *parts: str, cores: int = 4, n: int = 64) -> Wrong:
    return Wrong(14, lines(*parts), RaceError, words, cores=cores, n=n)


WRONG = {
    "cores that write the same bytes": _wrong(
        "core 1: it writes 32 bytes of argument z from byte 224, element 56, which core 0 writes too",
        _MINE,
        FILL,
        OUT,
        "asc.data_copy(z_gm[first:], b, 64)  # both",
        n=56,
    ),
    "every core writes the first tile": _wrong(
        "core 1: it writes 256 bytes of argument z", FILL, OUT, "asc.data_copy(z_gm, b, 64)  # both"
    ),
    "a core reads what another writes": _wrong(
        "which core 0 writes too",
        _MINE,
        "asc.duplicate(b, 1.0, 64)",
        OUT,
        "asc.data_copy(z_gm[first:], b, 64)  # first",
        f"asc.data_copy(a, z_gm[{_NEXT}:], 64)  # second",
        cores=2,
    ),
    "a barrier of pipes is none of cores": _wrong(
        "asc.sync_all() between the two",
        _MINE,
        FILL,
        OUT,
        "asc.data_copy(z_gm[first:], b, 64)  # first",
        EVERY,
        f"asc.data_copy(a, z_gm[{_NEXT}:], 64)  # second",
        cores=2,
    ),
    "the barrier comes before the write": _wrong(
        "which core 0 writes too",
        "asc.sync_all()",
        FILL,
        OUT,
        "asc.data_copy(z_gm, b, 8)  # both",
        cores=2,
    ),
    "scalars of two cores in one word": _wrong(
        "it writes 4 bytes of argument z", "z_gm.set_value(n, 1.0)  # both", cores=2, n=3
    ),
}

WRONG |= {
    "cores that set words of one line": _cache(
        "in the same 64 bytes as what core 0 sets", f"z_gm.set_value({BLOCK}, 1.0)  # both", item=14, warns=True
    ),
    "two lines of text that set one line of the cache": _cache(
        "one of them may be lost",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        _SECOND + indented("z_gm.set_value(15, 1.0)  # second"),
        item=14,
        warns=True,
    ),
    "a line that is set in turns and never cleaned": _cache(
        "core 1: it sets 4 bytes of argument z from byte 4, element 1",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        "asc.sync_all()",
        _SECOND + indented("z_gm.set_value(1, 1.0)  # second"),
        item=14,
        warns=True,
    ),
    "a line that is written back over a copy": _cache(
        "core 1: it writes 32 bytes of argument z from byte 32, element 8, in the same 64 bytes as what core 0 has set",
        FILL,
        OUT,
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        "asc.sync_all()",
        _SECOND + indented("asc.data_copy(z_gm[8:], b, 8)  # second"),
        "asc.sync_all()",
        _FIRST + indented(_ALL_LINES),
    ),
    "a line that is written back over a copy in any order": _cache(
        "give each core 64 bytes of its own",
        FILL,
        OUT,
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first", _ALL_LINES),
        _SECOND + indented("asc.data_copy(z_gm[8:], b, 8)  # second"),
    ),
    "a line that is written back over the core's own copy": _cache(
        "in the same 64 bytes as what it has set",
        FILL,
        OUT,
        "z_gm.set_value(0, 1.0)  # first",
        "asc.data_copy(z_gm[8:], b, 8)  # second",
        EVERY,
        _ALL_LINES,
        cores=1,
    ),
    "a value that stays in the cache": _cache(
        "core 1: it reads 4 bytes of argument z from byte 0, element 0, which may still be in core 0's data cache",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        "asc.sync_all()",
        _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
    ),
    "a value that a copy does not see": _cache(
        "which may still be in core 0's data cache",
        _FIRST + indented("z_gm.set_value(3, 1.0)  # first"),
        "asc.sync_all()",
        _SECOND + indented("asc.data_copy(a, z_gm, 8)  # second"),
    ),
    "a value that the core's own copy does not see": _cache(
        "which may still be in its own data cache",
        "z_gm.set_value(3, 1.0)  # first",
        pair("S_MTE2"),
        "asc.data_copy(a, z_gm, 8)  # second",
        cores=1,
    ),
    "cleaned before it was set": _cache(
        "which may still be in core 0's data cache",
        _FIRST + indented(_ALL_LINES, "z_gm.set_value(0, 1.0)  # first"),
        "asc.sync_all()",
        _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
    ),
    "another line was cleaned": _cache(
        "which may still be in core 0's data cache",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first", _CLEAN.format("SINGLE_CACHE_LINE", "z_gm[16:]")),
        "asc.sync_all()",
        _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
    ),
    "cleaned after the barrier": _cache(
        "before the two cores meet",
        _FIRST + indented("z_gm.set_value(0, 1.0)  # first"),
        "asc.sync_all()",
        _ALL_LINES,
        _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
    ),
    "a value read before another core writes it": _cache(
        "core 1: get_value reads 4 bytes of argument z from byte 0, element 0, which core 0 has written since",
        FILL,
        OUT,
        _SECOND + indented("asc.printf('%f', z_gm.get_value(1))"),
        "asc.sync_all()",
        _FIRST + indented("asc.data_copy(z_gm, b, 8)  # first"),
        "asc.sync_all()",
        _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
    ),
    "a value read before the core itself writes it": _cache(
        "the data cache may hold an older value",
        "asc.printf('%f', z_gm.get_value(0))",
        FILL,
        pair("S_MTE3"),
        OUT,
        "asc.data_copy(z_gm, b, 8)  # first",
        pair("MTE3_S"),
        "asc.printf('%f', z_gm.get_value(1))  # second",
        cores=1,
    ),
    "a value polled in a loop": _cache(
        "the data cache may hold an older value",
        FILL,
        OUT,
        loop(
            _FIRST + indented("asc.data_copy(z_gm, b, 8)  # first"),
            "asc.sync_all()",
            _SECOND + indented("asc.printf('%f', z_gm.get_value(0))  # second"),
            "asc.sync_all()",
        ),
    ),
}

RIGHT = {
    "set, cleaned, read after a barrier": Right(
        lines(
            _FIRST + indented("z_gm.set_value(0, 1.0)", _ALL_LINES),
            "asc.sync_all()",
            _SECOND + indented("asc.printf('%f', z_gm.get_value(0))", "asc.data_copy(a, z_gm, 8)"),
        ),
        cores=2,
    ),
    "a line that is written back before another core copies to it": Right(
        lines(
            FILL,
            OUT,
            _FIRST + indented("z_gm.set_value(0, 1.0)", _ALL_LINES, "z_gm.set_value(16, 1.0)"),
            "asc.sync_all()",
            _SECOND + indented("asc.data_copy(z_gm[8:], b, 8)"),
        ),
        cores=2,
    ),
    "a line that is written back before the core's own copy": Right(
        lines(
            FILL, OUT, "z_gm.set_value(0, 1.0)", _ALL_LINES, "asc.data_copy(z_gm[8:], b, 8)", "z_gm.set_value(16, 1.0)"
        ),
    ),
    "two cores, a line each": Right(
        lines(
            FILL,
            OUT,
            _FIRST + indented("z_gm.set_value(15, 1.0)", _ALL_LINES),
            _SECOND + indented("asc.data_copy(z_gm[16:], b, 8)"),
        ),
        cores=2,
    ),
    "one line, cleaned": Right(
        lines(
            _FIRST + indented("z_gm.set_value(20, 1.0)", _CLEAN.format("SINGLE_CACHE_LINE", "z_gm[16:]")),
            "asc.sync_all()",
            "asc.data_copy(a, z_gm, 64)",
        ),
        cores=2,
    ),
    "a core reads what it set": Right("z_gm.set_value(3, 1.0)\nasc.printf('%f', z_gm.get_value(3))\n"),
    "scalars read what nobody writes": Right(loop("asc.printf('%f', x_gm.get_value(i))", "asc.sync_all()"), cores=2),
    "a loop that gives up what it read": Right(
        lines(
            FILL,
            OUT,
            loop(
                _FIRST + indented("asc.data_copy(z_gm, b, 8)"),
                "asc.sync_all()",
                _SECOND + indented("asc.printf('%f', z_gm.get_value(0))", _ALL_LINES),
                "asc.sync_all()",
            ),
        ),
        cores=2,
    ),
    "a line that is set in turns and cleaned": Right(
        lines(
            _FIRST + indented("z_gm.set_value(0, 1.0)", _ALL_LINES),
            "asc.sync_all()",
            _SECOND + indented("z_gm.set_value(1, 1.0)", _ALL_LINES),
        ),
        cores=2,
    ),
    "the first read comes after the write": Right(
        lines(
            FILL,
            OUT,
            _FIRST + indented("asc.data_copy(z_gm, b, 8)"),
            "asc.sync_all()",
            "asc.printf('%f', z_gm.get_value(0))",
        ),
        cores=2,
    ),
    "each core its tile": Right(_WRITE, cores=4, n=64),
    "each reads what the next wrote, after a barrier": Right(
        lines(_WRITE, "asc.sync_all()", f"asc.data_copy(a, z_gm[{_NEXT}:], 64)"), cores=4, n=64
    ),
    "phases that write the same place in turns": Right(
        lines(
            FILL,
            OUT,
            f"if {BLOCK} == 0:",
            "    asc.data_copy(z_gm, b, 64)",
            "asc.sync_all()",
            f"if {BLOCK} == 1:",
            "    asc.data_copy(z_gm, b, 64)",
        ),
        cores=2,
    ),
    "all cores read the same": Right("asc.data_copy(a, x_gm, 64)\n", cores=40),
    "one core writes for all": Right(lines(FILL, OUT, f"if {BLOCK} == 3:", "    asc.data_copy(z_gm, b, 64)"), cores=4),
    "tiles that mesh": Right(
        lines(FILL, OUT, f"asc.data_copy(z_gm[{BLOCK} * 8:], b, asc.DataCopyParams(4, 1, 0, 3))"), cores=4
    ),
    "scalars of cores in lines of their own": Right(f"z_gm.set_value({BLOCK} * 16, 1.0)\n", cores=4),
}
