"""Places in memory: items 7 to 12 of the catalogue."""

from hazard_case import COPY, EVERY, FILL, IN_, OUT, WRITE, Right, Wrong, lines, loop

from opwright.errors import BeyondMemory, OutOfRange, RuleBroken, RuleError, TruncatedCopy, UninitialisedRead

_UB = 188416  # 192 KB less the 8 KB that calls keep for themselves
_PIPE = "pipe = asc.TPipe()\n"
_PADDED = "asc.DataCopyExtParams(1, {}, 0, 0, 0)"
_NO_PADDING = "asc.DataCopyPadExtParams(x.dtype)"


def _uninitialised(words: str, *parts: str, n: int = 1) -> Wrong:
    return Wrong(11, lines(*parts), UninitialisedRead, words, n=n)


WRONG = {
    "a tensor beyond UB": Wrong(
        7,
        "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, n, 64)  # here\n",
        OutOfRange,
        "ends at byte 200256",
        n=200000,
    ),
    "a constant tensor beyond UB": Wrong(
        7, "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, 196608, 64)  # here\n", BeyondMemory, "byte 196864 of UB"
    ),
    "a tensor in the reserved bytes": Wrong(
        7,
        "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, n, 8)  # here\n",
        OutOfRange,
        "which has 188416 for a kernel",
        n=_UB,
    ),
    "a tensor that reaches into the reserved bytes": Wrong(
        7,
        "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, 0, n)  # here\n",
        OutOfRange,
        "ends at byte 188448",
        n=_UB // 4 + 8,
    ),
    "buffers of a queue beyond UB": Wrong(
        7,
        _PIPE + "q = asc.TQue(TPosition.VECIN, 2)\npipe.init_buffer(q, 2, n)  # here\n",
        OutOfRange,
        "these buffers take 192000 bytes of UB",
        n=96000,
    ),
    "a second buffer beyond UB": Wrong(
        7,
        _PIPE
        + lines(
            "one = asc.TBuf(TPosition.VECCALC)",
            "two = asc.TBuf(TPosition.VECCALC)",
            "pipe.init_buffer(one, n)",
            "pipe.init_buffer(two, n)  # here",
        ),
        OutOfRange,
        "but 88416 of 188416 are left",
        n=100000,
    ),
    "an allocator that goes too far": Wrong(
        7,
        "ub = asc.LocalMemAllocator()\n" + loop("t = ub.alloc(TPosition.VECCALC, x.dtype, n)  # here"),
        OutOfRange,
        "ends at byte 240000 of UB",
        n=20000,
    ),
    "more elements than the tensor has": Wrong(
        7, "asc.duplicate(b, 1.0, n)  # here\n", OutOfRange, "has only 256 from there", n=72
    ),
    "an offset beyond the tensor": Wrong(
        7, lines(FILL, "asc.adds(a[n:], a[n:], 1.0, 0)  # here"), OutOfRange, "offset 72", n=72
    ),
    "an element beyond the tensor": Wrong(
        7, lines(FILL, "a.set_value(n, 1.0)  # here"), OutOfRange, "offset 64 is outside the tensor (64 elements)", n=64
    ),
    "repeats beyond the tensor": Wrong(
        7,
        lines(FILL, "asc.adds(b, b, 1.0, 64, n, asc.UnaryRepeatParams())  # here"),
        OutOfRange,
        "has only 256 from there",
        n=2,
    ),
    "more of a buffer than it has": Wrong(
        7,
        _PIPE + "calc = asc.TBuf(TPosition.VECCALC)\npipe.init_buffer(calc, 256)\nt = calc.get(x.dtype, n)  # here\n",
        OutOfRange,
        "ends at byte 260 of a buffer that has 256",
        n=65,
    ),
    "a copy to the middle of a block": Wrong(
        8, "asc.data_copy(a[n:], x_gm, 8)  # here\n", RuleError, "dst must start at a multiple of 32 bytes, got 4"
    ),
    "a copy from the middle of a block": Wrong(
        8, lines(FILL, OUT, "asc.data_copy(z_gm, b[n:], 8)  # here"), RuleError, "src must start at", n=4
    ),
    "a vector call on the middle of a block": Wrong(
        8, lines(FILL, "asc.adds(b, a[n:], 1.0, 8)  # here"), RuleError, "src must start at", n=7
    ),
    "a constant in the middle of a block": Wrong(
        8, lines(FILL, "asc.adds(b[1:], a, 1.0, 8)  # here"), RuleBroken, "dst must start at"
    ),
    "a tensor made in the middle of a block": Wrong(
        8,
        "c = asc.LocalTensor(x.dtype, TPosition.VECIN, n, 64)\nasc.data_copy(c, x_gm, 64)  # here\n",
        RuleError,
        "got 516",
        n=516,
    ),
    "reads beyond an argument": Wrong(
        9, "asc.data_copy(a, x_gm[n:], 64)  # here\n", OutOfRange, "bytes 800 to 1056 of argument x", n=200
    ),
    "writes beyond an argument": Wrong(
        9, lines(FILL, OUT, "asc.data_copy(z_gm[n:], b, 64)  # here"), OutOfRange, "of argument z", n=224
    ),
    "before an argument": Wrong(9, "asc.data_copy(a, x_gm[0 - n:], 64)  # here\n", OutOfRange, "offset -8", n=8),
    "the last core has no tile": Wrong(
        9,
        "asc.data_copy(a, x_gm[asc.get_block_idx() * n:], 64)  # here\n",
        OutOfRange,
        "core 4: src touches bytes 1024 to 1280",
        cores=5,
        n=64,
    ),
    "pieces beyond an argument": Wrong(
        9,
        "asc.data_copy(a, x_gm, asc.DataCopyParams(2, 4, n, 0))  # here\n",
        OutOfRange,
        "bytes 0 to 1056 of argument x",
        n=25,
    ),
    "a padded copy beyond an argument": Wrong(
        9,
        f"asc.data_copy_pad(a, x_gm[252:], {_PADDED.format('n')}, {_NO_PADDING})  # here\n",
        OutOfRange,
        "bytes 1008 to 1028",
        n=20,
    ),
    "an element beyond an argument": Wrong(
        9, "z_gm.set_value(n, 1.0)  # here\n", OutOfRange, "bytes 1024 to 1028 of argument z", n=256
    ),
    "a tensor longer than its argument": Wrong(
        9, "y_gm = asc.GlobalTensor()\ny_gm.set_global_buffer(x, n)  # here\n", OutOfRange, "which has 1024", n=257
    ),
    "a count that fills no block": Wrong(
        10, "asc.data_copy(a, x_gm, n)  # here\n", TruncatedCopy, "the last 7 of 15", n=15, warns=True
    ),
    "a count that fills no block, out": Wrong(
        10, lines(FILL, OUT, "asc.data_copy(z_gm, b, n)  # here"), TruncatedCopy, "the last 1 of 9", n=9, warns=True
    ),
    "a count that fills no block, on the chip": Wrong(
        10, lines(FILL, "asc.data_copy(b, a, n)  # here"), TruncatedCopy, "the last 4 of 60", n=60, warns=True
    ),
    "nothing at all is copied": Wrong(
        10, "asc.data_copy(a, x_gm, n)  # here\n", TruncatedCopy, "the last 15 of 15", n=15, dtype="float16", warns=True
    ),
    "the last turn fills no block": Wrong(
        10,
        loop("asc.data_copy(a[i * 16:], x_gm[i * 16:], min(16, n - i * 16))  # here", turns="2"),
        TruncatedCopy,
        "the last 4 of 4",
        n=20,
        warns=True,
    ),
    "a constant count that fills no block": Wrong(
        10, "asc.data_copy(a, x_gm, 9)  # here\n", RuleBroken, "got 36 bytes"
    ),
    "half of a tile is there": _uninitialised(
        "element 32 of src comes from what nothing has written: asc.adds in line 15 read byte 128",
        "asc.data_copy(a, x_gm, 32)",
        IN_,
        "asc.adds(b, a, 1.0, n)",
        OUT,
        "asc.data_copy(z_gm, b, n)  # here",
        n=40,
    ),
    "nothing was ever written": _uninitialised("element 0 of src", "asc.data_copy(z_gm, b, 64)  # here"),
    "the wrong tensor was filled": _uninitialised(
        "element 0 of src comes from",
        "asc.duplicate(a, 1.0, 64)",
        "asc.add(a, a, b, 64)",
        OUT,
        "asc.data_copy(z_gm, a, 64)  # here",
    ),
    "a sum that starts from nothing": _uninitialised(
        "element 0 of src comes from", COPY, IN_, loop("asc.add(b, b, a, 64)"), OUT, f"{WRITE}  # here"
    ),
    "an element that nobody set": _uninitialised(
        "the element is read here, but nothing has written it (byte 4",
        "a.set_value(0, 1.0)",
        "asc.printf('%f', a.get_value(n))  # here",
        n=1,
    ),
    "one lane too many": _uninitialised(
        "element 5 of src comes from",
        "asc.duplicate(a, 1.0, 5)",
        "asc.adds(b, a, 1.0, n, 1, asc.UnaryRepeatParams())",
        OUT,
        "asc.data_copy(z_gm, b, 8)  # here",
        n=6,
    ),
    "between the pieces of a copy": _uninitialised(
        "element 8 of src",
        "asc.data_copy(a, x_gm, asc.DataCopyParams(2, 1, 0, 1))",
        IN_,
        "asc.adds(b, a, 1.0, n)",
        OUT,
        "asc.data_copy(z_gm, b, n)  # here",
        n=24,
    ),
    "in front of itself": Wrong(
        12,
        lines(FILL, "asc.adds(a[n:], a, 1.0, 32)  # here"),
        RuleError,
        "dst overlaps src in part, 32 bytes apart",
        n=8,
    ),
    "behind itself": Wrong(12, lines(FILL, "asc.adds(a, a[n:], 1.0, 32)  # here"), RuleError, "-64 bytes apart", n=16),
    "a copy onto itself": Wrong(
        12, lines(FILL, "asc.data_copy(a[n:], a, 16)  # here"), RuleError, "dst overlaps src in part", n=8
    ),
    "the second source": Wrong(
        12, lines(FILL, "asc.add(b[n:], a, b, 32)  # here"), RuleError, "dst overlaps src1 in part", n=24
    ),
    "a constant overlap": Wrong(12, lines(FILL, "asc.adds(a[8:], a, 1.0, 32)  # here"), RuleBroken, "got 32"),
    "a repeat that feeds a later one": Wrong(
        12,
        lines(FILL, "asc.adds(a[n:], a, 1.0, 8, 4, asc.UnaryRepeatParams(1, 1, 1, 1))  # here"),
        RuleError,
        "dst",
        n=8,
    ),
}

RIGHT = {
    "up to the last byte of UB": Right(
        "c = asc.LocalTensor(x.dtype, TPosition.VECCALC, n, 8)\nasc.duplicate(c, 1.0, 8)\n", n=_UB - 32
    ),
    "buffers that fill UB": Right(_PIPE + "q = asc.TQue(TPosition.VECIN, 2)\npipe.init_buffer(q, 2, n)\n", n=_UB // 2),
    "the last elements of an argument": Right("asc.data_copy(a, x_gm[n:], 64)\n", n=192),
    "an offset at the very end, and nothing there": Right("c = x_gm[n:]\nasc.data_copy(a, c, 0)\n", n=256),
    "the last bytes through a padded copy": Right(
        lines(f"asc.data_copy_pad(a, x_gm[251:], {_PADDED.format('n')}, {_NO_PADDING})", IN_, "asc.adds(b, a, 1.0, 5)"),
        n=20,
    ),
    "what fills the block of a padded copy": Right(
        lines(f"asc.data_copy_pad(a, x_gm, {_PADDED.format('n')}, {_NO_PADDING})", IN_, "asc.adds(b, a, 1.0, 8)"), n=20
    ),
    "bytes that no call reads": Right(lines("asc.data_copy(a, x_gm, 32)", IN_, "asc.adds(b, a, 1.0, 32)")),
    "a tensor that nobody reads": Right("asc.duplicate(a, 1.0, n)\n", n=3),
    "lanes that are not read": Right(
        lines(
            "asc.duplicate(a, 1.0, 32)",
            "asc.adds(b, a, 1.0, [0x00000000FFFFFFFF, 0], 1, asc.UnaryRepeatParams())",
        )
    ),
    "pieces that are read as pieces": Right(
        lines(
            "asc.data_copy(a, x_gm, asc.DataCopyParams(4, 1, 0, 1))",
            IN_,
            "asc.adds(b, a, 1.0, 32, 1, asc.UnaryRepeatParams(1, 2, 8, 8))",
        )
    ),
    "exactly in place": Right(lines(FILL, "asc.adds(a, a, 1.0, 64)", "asc.add(a, a, a, 64)")),
    "halves of one tensor": Right(lines(FILL, "asc.adds(a[n:], a, 1.0, 32)"), n=32),
    "a source of one block for every repeat": Right(
        lines(FILL, "asc.adds(b, a, 1.0, 8, 8, asc.UnaryRepeatParams(1, 1, 1, 0))")
    ),
    "a view of another type": Right(
        lines(FILL, "c = a.reinterpret_cast(asc.int32)", "asc.relu(c, c, 64)", "asc.adds(b, a, 1.0, 64)")
    ),
    "filled by scalars": Right(lines(loop("a.set_value(i, 1.0)", turns="8"), EVERY, "asc.adds(b, a, 1.0, 8)")),
    "counts of nothing": Right(
        lines("asc.data_copy(a, x_gm, n)", "asc.adds(b, a, 1.0, n)", "asc.data_copy(z_gm, b, n)"), n=0
    ),
    "repeats of nothing": Right("asc.adds(b, a, 1.0, 64, n, asc.UnaryRepeatParams())\n", n=0),
    "a block of bytes": Right(lines("asc.data_copy(a, x_gm, n)"), n=32, dtype="int8"),
}
