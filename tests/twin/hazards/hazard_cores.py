"""Global memory between cores: item 14 of the catalogue."""

from hazard_case import BLOCK, EVERY, FILL, OUT, Right, Wrong, lines

from opwright.errors import RaceError

_MINE = f"first = {BLOCK} * n\n"
_NEXT = f"({BLOCK} + 1) % asc.get_block_num() * n"
_WRITE = lines(_MINE, FILL, OUT, "asc.data_copy(z_gm[first:], b, 64)")


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
        "too (line",
        _MINE,
        FILL,
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

RIGHT = {
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
