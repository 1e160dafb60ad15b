"""What a kernel leaves on when it ends, and atomic copies: items 14, 16 and 20 of the catalogue."""

from hazard_case import ADD, COPY, FILL, IN_, OUT, WRITE, Right, Wrong, indented, lines

from opwright.errors import FloatAtomic, RaceError, RuleError, StateError

_PARAMS = "asc.UnaryRepeatParams(1, 1, 8, 8)"
_MASK = "asc.set_vector_mask({}, asc.float32, asc.MaskMode.{})"
_ADD = f"asc.adds(b, a, 1.0, 1, 1, {_PARAMS}, is_set_mask=False)"

_FILL = FILL.replace("1.0", "1")  # for integers
_SUM = "asc.set_atomic_add(x.dtype)"
_OFF = "asc.set_atomic_none()"


def _wrong(words: str, *parts: str, cores: int = 1) -> Wrong:
    return Wrong(16, lines(*parts), StateError, words, cores=cores)


WRONG = {
    "a mask that stays": _wrong(
        "a mask is still set when the core ends",
        COPY,
        IN_,
        _MASK.format(8, "NORMAL") + "  # here",
        _ADD,
    ),
    "counter mode that stays": _wrong(
        "counter mode is still set when the core ends",
        COPY,
        IN_,
        "asc.set_mask_count()",
        _MASK.format(64, "COUNTER") + "  # here",
        _ADD,
    ),
    "the mask is reset, the mode is not": _wrong(
        "counter mode is still set",
        COPY,
        IN_,
        "asc.set_mask_count()",
        _MASK.format(64, "COUNTER"),
        _ADD,
        "asc.reset_mask()  # here",
    ),
    "one core forgets": _wrong(
        "core 1: a mask is still set",
        "if asc.get_block_idx() == 1:",
        indented("asc.set_vector_mask(0, 255, asc.float32, asc.MaskMode.NORMAL)  # here"),
        cores=2,
    ),
}

WRONG |= {
    "atomic copies that stay on": _wrong(
        "atomic copies are still on when the core ends", FILL, OUT, _SUM + "  # here", WRITE
    ),
    "a type turns atomic copies on": _wrong("atomic copies are still on", "asc.set_atomic_type(asc.float32)  # here"),
    "a copy of another type": Wrong(
        16,
        lines(FILL, OUT, "asc.set_atomic_add(asc.float16)", f"{WRITE}  # here", _OFF),
        RuleError,
        "set to ATOMIC_F16, which is not the element type of this copy",
    ),
    "floats of all cores added up": Wrong(
        20,
        lines(FILL, OUT, _SUM, f"{WRITE}  # both", _OFF),
        FloatAtomic,
        "the last bits of the sum depend on their order",
        cores=4,
        warns=True,
    ),
    "floats added in two lines": Wrong(
        20,
        lines(
            FILL,
            OUT,
            _SUM,
            "if asc.get_block_idx() == 0:",
            indented(f"{WRITE}  # first"),
            "else:",
            indented("asc.data_copy(z_gm[32:], b, 64)  # second"),
            _OFF,
        ),
        FloatAtomic,
        "core 1: it adds floats to 128 bytes of argument z from byte 128, element 32, and so does core 0",
        cores=2,
        warns=True,
    ),
    "halves added up": Wrong(
        20,
        lines(FILL, OUT, _SUM, f"{WRITE}  # both", _OFF),
        FloatAtomic,
        "it adds floats",
        cores=2,
        dtype="float16",
        warns=True,
    ),
    "an atomic copy meets a plain one": Wrong(
        14,
        lines(
            _FILL,
            OUT,
            "if asc.get_block_idx() == 0:",
            indented(f"{WRITE}  # first"),
            "else:",
            indented(_SUM, f"{WRITE}  # second", _OFF),
        ),
        RaceError,
        "core 1: it writes 256 bytes of argument z",
        cores=2,
        dtype="int32",
    ),
    "a copy out, then an atomic one": Wrong(
        14,
        lines(_FILL, OUT, f"{WRITE}  # first", _SUM, f"{WRITE}  # second", _OFF),
        RaceError,
        "which MTE3 may still be writing",
        dtype="int32",
    ),
}

RIGHT = {
    "all cores add integers to the same bytes": Right(lines(_FILL, OUT, _SUM, WRITE, _OFF), cores=4, dtype="int32"),
    "atomic copies without a barrier": Right(lines(_FILL, OUT, _SUM, WRITE, WRITE, _OFF), cores=2, dtype="int32"),
    "floats of each core to bytes of its own": Right(
        lines(FILL, OUT, _SUM, "asc.data_copy(z_gm[asc.get_block_idx() * 64:], b, 64)", "asc.init_soc_state()"), cores=4
    ),
    "the greatest float of all cores": Right(lines(FILL, OUT, "asc.set_atomic_max(x.dtype)", WRITE, _OFF), cores=4),
    "a mask that is reset": Right(lines(COPY, IN_, _MASK.format(8, "NORMAL"), _ADD, "asc.reset_mask()")),
    "counter mode, then normal mode": Right(
        lines(
            COPY,
            IN_,
            "asc.set_mask_count()",
            _MASK.format(64, "COUNTER"),
            _ADD,
            "asc.set_mask_norm()",
            "asc.reset_mask()",
            OUT,
            WRITE,
        )
    ),
    "a call with a count leaves no mask": Right(lines(COPY, IN_, _MASK.format(8, "NORMAL"), ADD, OUT, WRITE)),
    "a mask of a call is its own": Right(lines(COPY, IN_, f"asc.adds(b, a, 1.0, 8, 1, {_PARAMS})")),
    "bytes that a mask leaves out are free": Right(
        lines(
            COPY,
            IN_,
            "asc.set_mask_count()",
            _MASK.format(8, "COUNTER"),
            _ADD,
            "asc.init_soc_state()",
            "asc.data_copy(b[8:], x_gm[8:], 56)",
        ),
    ),
}
