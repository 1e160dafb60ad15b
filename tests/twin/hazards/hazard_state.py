"""What a kernel leaves on when it ends: item 16 of the catalogue."""

from hazard_case import ADD, COPY, IN_, OUT, WRITE, Right, Wrong, indented, lines

from opwright.errors import StateError

_PARAMS = "asc.UnaryRepeatParams(1, 1, 8, 8)"
_MASK = "asc.set_vector_mask({}, asc.float32, asc.MaskMode.{})"
_ADD = f"asc.adds(b, a, 1.0, 1, 1, {_PARAMS}, is_set_mask=False)"


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

RIGHT = {
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
