"""Values and types: item 17 of the catalogue, and scalars that overflow or do not fit."""

from hazard_case import FILL, Right, Wrong, lines, loop

from opwright.errors import NoForm, OutOfRange, RuleBroken, RuleError, ScalarOverflow, WrongDtype

_STRIDES = "asc.UnaryRepeatParams({})"
_MOST = (1 << 63) - 1


def _overflow(words: str, body: str, n: int) -> Wrong:
    return Wrong("overflow", body, ScalarOverflow, words, n=n, warns=True)


WRONG = {
    "more repeats than a call takes": Wrong(
        17,
        lines(FILL, f"asc.adds(b, a, 1.0, 64, n, {_STRIDES.format('')})  # here"),
        RuleError,
        "repeat_times of asc.adds does not fit its type",
        n=256,
    ),
    "constant repeats, too many": Wrong(
        17, lines(FILL, f"asc.adds(b, a, 1.0, 64, 256, {_STRIDES.format('')})  # here"), RuleBroken, "256"
    ),
    "more lanes than a repeat has": Wrong(
        17, lines(FILL, f"asc.adds(b, a, 1.0, n, 1, {_STRIDES.format('')})  # here"), RuleError, "got 65", n=65
    ),
    "a negative count": Wrong(17, lines(FILL, "asc.adds(b, a, 1.0, n)  # here"), RuleError, "got -1", n=-1),
    "a block stride of nothing": Wrong(
        17, lines(FILL, f"asc.adds(b, a, 1.0, 64, 1, {_STRIDES.format('n')})  # here"), RuleError, "got 0", n=0
    ),
    "more pieces than a copy takes": Wrong(
        17, "asc.data_copy(a, x_gm, asc.DataCopyParams(n, 1, 0, 0))  # here\n", RuleError, "between 0 and 4095", n=4096
    ),
    "a piece longer than a copy takes": Wrong(
        17,
        "asc.data_copy_pad(z_gm, b, asc.DataCopyExtParams(1, n, 0, 0, 0))  # here\n",
        RuleError,
        "got 2097152",
        n=1 << 21,
    ),
    "padding that is too long": Wrong(
        17,
        lines(
            "asc.data_copy_pad(a, x_gm, asc.DataCopyExtParams(1, 20, 0, 0, 0), "
            "asc.DataCopyPadExtParams(x.dtype, True, n, 0, 0.0))  # here"
        ),
        RuleError,
        "36 bytes",
        n=9,
    ),
    "a type that the chip does not add": Wrong(
        17, lines("asc.add(b, a, a, 64)  # here"), WrongDtype, "does not take uint8 on ascend910b", dtype="uint8"
    ),
    "a rounding that a conversion does not have": Wrong(
        17,
        lines(
            FILL,
            "c = asc.LocalTensor(asc.int32, TPosition.VECCALC, 512, 64)",
            "asc.cast(c, a, RoundMode.CAST_ODD, 64)  # here",
        ),
        RuleBroken,
        "CAST_ODD",
    ),
    "a conversion that the chip does not have": Wrong(
        17,
        lines(
            FILL,
            "c = asc.LocalTensor(asc.uint16, TPosition.VECCALC, 512, 64)",
            "asc.cast(c, a, RoundMode.CAST_RINT, 64)  # here",
        ),
        WrongDtype,
        "asc.cast does not take uint16",
    ),
    "tensors of two types": Wrong(
        17,
        lines("c = asc.LocalTensor(asc.int32, TPosition.VECCALC, 512, 64)", "asc.add(b, a, c, 64)  # here"),
        NoForm,
        "no form of asc.add",
    ),
    "a product": _overflow(
        f"{1 << 33} * {1 << 33} does not fit int64", "size = n * n  # here\nasc.printf('%d', size)\n", 1 << 33
    ),
    "a sum": _overflow(f"{_MOST} + 1 does not fit", "size = n + 1  # here\nasc.printf('%d', size)\n", _MOST),
    "a difference": _overflow(f"{-_MOST} - 64 does not fit", "size = n - 64  # here\nasc.printf('%d', size)\n", -_MOST),
    "a sign": _overflow(f"0 - {-_MOST - 1} does not fit", "size = -n  # here\nasc.printf('%d', size)\n", -_MOST - 1),
    "a sum of a loop": _overflow(
        f"{1 << 62} + {1 << 62}", "total = 0\n" + loop("total += n  # here") + "asc.printf('%d', total)\n", 1 << 62
    ),
    "an offset": _overflow(f"{1 << 32} * {1 << 32}", "asc.data_copy(a, x_gm[n * n:], 8)  # here\n", 1 << 32),
    "a count that wraps to a small one": Wrong(
        "narrowing",
        lines(FILL, "asc.adds(b, a, 1.0, n)  # here"),
        RuleError,
        "count of asc.adds does not fit",
        n=(1 << 32) + 8,
    ),
    "a copy that wraps to a small one": Wrong(
        "narrowing", "asc.data_copy(a, x_gm, n)  # here\n", RuleError, "it would become 64", n=(1 << 32) + 64
    ),
    "a length that wraps to a small one": Wrong(
        "narrowing",
        "pipe = asc.TPipe()\nq = asc.TQue(TPosition.VECIN, 2)\npipe.init_buffer(q, 2, n)  # here\n",
        RuleError,
        "it would become 256",
        n=(1 << 32) + 256,
    ),
    "a stride that wraps to a small one": Wrong(
        "narrowing",
        lines(f"asc.adds(b, a, 1.0, 64, 1, {_STRIDES.format('1, 1, n, 8')})  # here"),
        RuleError,
        "become 8",
        n=264,
    ),
    "an index that wraps to a small one": Wrong(
        "narrowing", lines(FILL, "a.set_value(n, 1.0)  # here"), RuleError, "it would become 1", n=(1 << 32) + 1
    ),
    "a negative count (A10)": Wrong(
        "narrowing",
        "asc.data_copy(a, x_gm, n)  # here\n",
        RuleError,
        "hint: if it is -23, write max(0, ...): a core without work counts 0; pass 0 to",
        n=-23,
    ),
    "a negative offset": Wrong(
        "narrowing", lines(FILL, "asc.adds(a[n:], a[n:], 1.0, 0)  # here"), OutOfRange, "offset -8", n=-8
    ),
}

RIGHT = {
    "as many repeats as a call takes": Right(
        lines(
            "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, 0, 16320)",
            "asc.duplicate(c, 1.0, 16320)",
            "asc.adds(c, c, 1.0, 64, n, asc.UnaryRepeatParams())",
        ),
        n=255,
    ),
    "vector integers that wrap": Right(
        lines("asc.duplicate(a, 2147483647, 64)", "asc.adds(a, a, 1, 64)", "asc.muls(a, a, 65537, 64)"), dtype="int32"
    ),
    "scalars at their limits": Right("size = n + 0\nless = size - 1\nasc.printf('%d', less + 1)\n", n=_MOST),
    "a product that just fits": Right("size = n * n\nasc.printf('%d', size)\n", n=3037000499),
    "bits that are cut off": Right("low = (n & 4294967295) ^ 5\nasc.printf('%d', low)\n", n=-1),
    "a count of the whole range": Right("asc.printf('%d', max(n, 0 - n))\n", n=-_MOST),
    "a mask of every lane": Right(
        lines(FILL, "asc.adds(b, a, 1.0, [0xFFFFFFFFFFFFFFFF, 0], 1, asc.UnaryRepeatParams())")
    ),
}
