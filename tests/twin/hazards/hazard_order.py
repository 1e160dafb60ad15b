"""Order between pipes and within one: items 1, 2, 3 and 19 of the catalogue."""

from hazard_case import (
    ADD,
    BACK,
    COPY,
    EVERY,
    FILL,
    FREE,
    IN_,
    OUT,
    QUEUES,
    WRITE,
    Right,
    Wrong,
    indented,
    lines,
    loop,
    pair,
)

from opwright.errors import RaceError

_MANUAL = "auto_sync=False"
_A5 = 'auto_sync=False, soc="ascend950"'
_V = "asc.pipe_barrier(PipeID.PIPE_V)\n"


def _race(item: int, body: str, words: str, options: str = "", n: int = 1, cores: int = 1) -> Wrong:
    return Wrong(item, body, RaceError, words, options, cores, n)


WRONG = {
    "add reads before the copy": _race(1, lines(f"{COPY}  # first", f"{ADD}  # second"), "MTE2_V"),
    "copy out reads before the add": _race(
        1, lines(COPY, IN_, f"{ADD}  # first", f"{WRITE}  # second"), "set_flag(HardEvent.V_MTE3, 0)"
    ),
    "next copy overwrites what is added": _race(
        1, loop(f"{COPY}  # second", IN_, f"{ADD}  # first", OUT, WRITE, FREE), "V_MTE2"
    ),
    "next add overwrites what is copied out": _race(
        1, loop(COPY, IN_, f"{ADD}  # second", OUT, f"{WRITE}  # first", BACK), "MTE3_V"
    ),
    "flag of another pair": _race(1, lines(f"{COPY}  # first", pair("MTE2_MTE3"), f"{ADD}  # second"), "MTE2_V"),
    "flag set before the copy": _race(
        1,
        lines(
            "asc.set_flag(HardEvent.MTE2_V, 0)",
            f"{COPY}  # first",
            "asc.wait_flag(HardEvent.MTE2_V, 0)",
            f"{ADD}  # second",
        ),
        "MTE2_V",
    ),
    "waited for too late": _race(
        1,
        lines(
            f"{COPY}  # first",
            "asc.set_flag(HardEvent.MTE2_V, 0)",
            f"{ADD}  # second",
            "asc.wait_flag(HardEvent.MTE2_V, 0)",
        ),
        "MTE2_V",
    ),
    "barrier of one pipe orders no other": _race(
        1, lines(f"{COPY}  # first", "asc.pipe_barrier(PipeID.PIPE_MTE2)", f"{ADD}  # second"), "MTE2_V"
    ),
    "copy out and copy in of one place": _race(
        1, lines(FILL, OUT, f"{WRITE}  # first", "asc.data_copy(a, z_gm, 64)  # second"), "MTE3_MTE2"
    ),
    "copy out of what is being copied in": _race(
        1, lines(f"{COPY}  # first", "asc.data_copy(z_gm, a, 64)  # second"), "MTE2_MTE3"
    ),
    "part of a tile": _race(1, lines(f"{COPY}  # first", "asc.adds(b, a[56:], 1.0, 8)  # second"), "MTE2_V"),
    "masked lanes": _race(
        1, lines(f"{COPY}  # first", "asc.adds(b, a, 1.0, 3, 1, asc.UnaryRepeatParams())  # second"), "MTE2_V"
    ),
    "the flag of the other buffer": _race(
        1,
        lines(
            "asc.data_copy(a, x_gm, 32)",
            "asc.set_flag(HardEvent.MTE2_V, 0)",
            "asc.data_copy(a[32:], x_gm[32:], 32)  # first",
            "asc.set_flag(HardEvent.MTE2_V, 1)",
            "asc.wait_flag(HardEvent.MTE2_V, 0)",
            "asc.adds(b, a[32:], 1.0, 32)  # second",
            "asc.wait_flag(HardEvent.MTE2_V, 1)",
        ),
        "MTE2_V",
    ),
    "two buffers, but the third tile takes the first again": _race(
        1,
        lines(
            loop(
                "asc.data_copy(a[i % 2 * 32:], x_gm[i * 32:], 32)  # second",
                IN_,
                "asc.adds(b, a[i % 2 * 32:], 1.0, 32)  # first",
                OUT,
                "asc.data_copy(z_gm, b, 32)",
                FREE,
            ),
        ),
        "V_MTE2",
    ),
    "only the first turn is ordered": _race(
        1,
        loop(f"{COPY}  # first", "if i == 0:\n" + indented(IN_), f"{ADD}  # second", BACK),
        "MTE2_V",
    ),
    "result of a queue copied out by hand": _race(
        1,
        QUEUES
        + lines(
            "t = result.alloc_tensor(x.dtype)",
            "asc.duplicate(t, 1.0, 64)  # first",
            "asc.data_copy(z_gm, t, 64)  # second",
            "result.free_tensor(t)",
        ),
        "V_MTE3",
    ),
    "vector after vector without a barrier": _race(
        2, "asc.duplicate(a, 1.0, 64)  # first\nasc.adds(b, a, 1.0, 64)  # second\n", "PIPE_V", _MANUAL
    ),
    "vector over what vector reads": _race(
        2, lines(FILL, _V, "asc.adds(b, a, 1.0, 64)  # first", "asc.duplicate(a, 0.0, 64)  # second"), "PIPE_V", _MANUAL
    ),
    "sum of a loop": _race(2, lines(FILL, _V, loop("asc.add(b, b, a, 64)  # both")), "PIPE_V", _MANUAL),
    "two fills of one place": _race(
        2,
        "asc.duplicate(a, 1.0, 64)  # first\nasc.duplicate(a[32:], 2.0, 32)  # second\n",
        "PIPE_V",
        _MANUAL,
    ),
    "repeats that reach into others": _race(
        2,
        lines(
            "asc.duplicate(a, 1.0, 64)  # first",
            "asc.adds(b, a, 1.0, 16, 1, asc.UnaryRepeatParams(1, 2, 8, 8))  # second",
        ),
        "PIPE_V",
        _MANUAL,
    ),
    "scalar read of what is copied": _race(
        3, lines(f"{COPY}  # first", "asc.printf('%f', a.get_value(0))  # second"), "MTE2_S", _MANUAL
    ),
    "scalar read of what vector writes": _race(
        3,
        lines("asc.duplicate(a, 1.0, 64)  # first", "asc.printf('%f', a.get_value(7))  # second"),
        "V_S",
        _MANUAL,
    ),
    "scalar write before the vector reads": _race(
        3, lines(FILL, pair("V_S"), "a.set_value(0, 5.0)  # first", "asc.adds(b, a, 1.0, 64)  # second"), "S_V", _MANUAL
    ),
    "scalar write of what is copied out": _race(
        3, lines(FILL, OUT, f"{WRITE}  # first", pair("V_S"), "b.set_value(3, 5.0)  # second"), "MTE3_S", _MANUAL
    ),
    "scalar read of global memory that is copied to": _race(
        3, lines(FILL, OUT, f"{WRITE}  # first", "asc.printf('%f', z_gm.get_value(0))  # second"), "MTE3_S", _MANUAL
    ),
    "two copies into one place": _race(
        19, lines(f"{COPY}  # first", "asc.data_copy(a, x_gm[64:], 64)  # second"), "PIPE_MTE2"
    ),
    "two copies out to one place": _race(
        19, lines(FILL, OUT, f"{WRITE}  # first", "asc.data_copy(z_gm[8:], b, 8)  # second"), "PIPE_MTE3"
    ),
    "tiles that overlap": _race(
        19, lines(FILL, OUT, loop("asc.data_copy(z_gm[i * n:], b, 64)  # both")), "PIPE_MTE3", n=56
    ),
    "pieces that overlap": _race(
        19,
        lines(
            FILL,
            OUT,
            "asc.data_copy(z_gm, b, asc.DataCopyParams(4, 1, 0, 1))  # first",
            "asc.data_copy(z_gm[8:], b, asc.DataCopyParams(3, 2, 0, 1))  # second",
        ),
        "PIPE_MTE3",
    ),
    "bytes of a padded copy out": _race(
        19,
        lines(
            FILL,
            OUT,
            "asc.data_copy_pad(z_gm, b, asc.DataCopyExtParams(1, 20, 0, 0, 0))  # first",
            "asc.data_copy_pad(z_gm[4:], b, asc.DataCopyExtParams(1, 20, 0, 0, 0))  # second",
        ),
        "PIPE_MTE3",
    ),
}

RIGHT = {
    "flags in place": Right(loop(COPY, IN_, ADD, OUT, WRITE, BACK, FREE)),
    "barrier of all pipes": Right(loop(COPY, EVERY, ADD, EVERY, WRITE, EVERY)),
    "order through a third pipe": Right(
        lines(COPY, IN_, ADD, OUT, pair("MTE3_MTE2"), "asc.data_copy(a, x_gm[64:], 64)")
    ),
    "order through the scalar unit": Right(lines(COPY, pair("MTE2_S"), pair("S_V"), ADD), _MANUAL),
    "neighbours that do not touch": Right(
        lines(FILL, BACK, "asc.data_copy(a, x_gm, 32)", "asc.adds(b, a[32:], 1.0, 32)")
    ),
    "two readers": Right(lines(COPY, IN_, ADD, pair("MTE2_MTE3", 1), "asc.data_copy(z_gm, a, 64)")),
    "vector after vector with auto sync": Right("asc.duplicate(a, 1.0, 64)\nasc.adds(b, a, 1.0, 64)\n"),
    "vector after vector on 950": Right("asc.duplicate(a, 1.0, 64)\nasc.adds(b, a, 1.0, 64)\n", _A5),
    "vector after vector with a barrier": Right(
        lines("asc.duplicate(a, 1.0, 64)", _V, "asc.adds(b, a, 1.0, 64)"), _MANUAL
    ),
    "lanes that are left out": Right(
        lines(
            FILL,
            BACK,
            "asc.data_copy(a, x_gm, 32)",
            "asc.adds(b, a, 1.0, [0xFFFFFFFF00000000, 0], 1, asc.UnaryRepeatParams())",
        )
    ),
    "lanes that mesh": Right(
        lines(
            FILL,
            _V,
            "asc.adds(b, a, 1.0, [0x5555555555555555, 0], 1, asc.UnaryRepeatParams())",
            "asc.adds(b, a, 2.0, [0xAAAAAAAAAAAAAAAA, 0], 1, asc.UnaryRepeatParams())",
        ),
        _MANUAL,
    ),
    "one flag for two copies": Right(
        lines("asc.data_copy(a, x_gm, 32)", "asc.data_copy(a[32:], x_gm[32:], 32)", IN_, ADD)
    ),
    "double buffering by hand": Right(
        lines(
            "asc.set_flag(HardEvent.V_MTE2, 0)",
            "asc.set_flag(HardEvent.V_MTE2, 1)",
            loop(
                "asc.wait_flag(HardEvent.V_MTE2, i % 2)",
                "asc.data_copy(a[i % 2 * 32:], x_gm[i * 32:], 32)",
                pair("MTE2_V", "i % 2"),
                "asc.adds(b, a[i % 2 * 32:], 1.0, 32)",
                "asc.set_flag(HardEvent.V_MTE2, i % 2)",
                turns="5",
            ),
            "asc.wait_flag(HardEvent.V_MTE2, 0)",
            "asc.wait_flag(HardEvent.V_MTE2, 1)",
        )
    ),
    "a flag set before the loop and waited for after it": Right(
        lines(
            "asc.set_flag(HardEvent.V_MTE2, 3)",
            loop("asc.wait_flag(HardEvent.V_MTE2, 3)", COPY, IN_, ADD, "asc.set_flag(HardEvent.V_MTE2, 3)"),
            "asc.wait_flag(HardEvent.V_MTE2, 3)",
        )
    ),
    "in place between copies": Right(
        loop(COPY, IN_, "asc.adds(a, a, 1.0, 64)", pair("V_MTE3"), "asc.data_copy(z_gm, a, 64)", pair("MTE3_MTE2"))
    ),
    "copies out of neighbouring tiles": Right(lines(FILL, OUT, loop("asc.data_copy(z_gm[i * 64:], b, 64)"))),
    "pieces that mesh": Right(
        lines(
            FILL,
            OUT,
            "asc.data_copy(z_gm, b, asc.DataCopyParams(4, 1, 0, 1))",
            "asc.data_copy(z_gm[8:], b, asc.DataCopyParams(4, 1, 0, 1))",
        )
    ),
    "copies out of one place, with a barrier": Right(
        lines(FILL, OUT, loop(WRITE, "asc.pipe_barrier(PipeID.PIPE_MTE3)"))
    ),
    "scalar reads that auto sync orders": Right(lines(COPY, "asc.printf('%f', a.get_value(0))")),
    "scalar reads between flags": Right(
        lines(COPY, pair("MTE2_S"), "a.set_value(0, a.get_value(1) + 1.0)", pair("S_V"), ADD), _MANUAL
    ),
    "one pipe alone": Right(loop("asc.data_copy(a, x_gm[i * 64:], 64)", "asc.pipe_barrier(PipeID.PIPE_MTE2)")),
    "nothing is copied": Right(lines("asc.data_copy(a, x_gm, n)", "asc.adds(b, a, 1.0, n)"), n=0),
}
