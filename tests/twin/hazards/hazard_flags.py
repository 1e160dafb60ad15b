"""Flags, event ids and barriers over all cores: items 4, 5 and 6 of the catalogue; flags between cores stand apart."""

from hazard_case import BACK, BLOCK, COPY, FILL, IN_, OUT, QUEUES, Right, Wrong, indented, lines, loop, pair

from opwright.errors import DeadlockError, FlagError, RuleBroken, RuleError

_SET, _WAIT = "asc.set_flag(HardEvent.MTE2_V, {})", "asc.wait_flag(HardEvent.MTE2_V, {})"
_PIPE = "pipe = asc.TPipe()\n"

WRONG = {
    "set and never waited for": Wrong(4, f"{_SET.format(0)}  # here\n", FlagError, "MTE2_V 0 is still set"),
    "waited for and never set": Wrong(4, f"{_WAIT.format(2)}  # here\n", DeadlockError, "flag MTE2_V 2 is waited for"),
    "another id is waited for": Wrong(
        4, lines(_SET.format(0), f"{_WAIT.format(1)}  # here"), DeadlockError, "flag MTE2_V 1"
    ),
    "another pair is waited for": Wrong(
        4, lines(_SET.format(0), "asc.wait_flag(HardEvent.MTE2_MTE3, 0)  # here"), DeadlockError, "flag MTE2_MTE3 0"
    ),
    "waited for twice": Wrong(4, lines(IN_, f"{_WAIT.format(0)}  # here"), DeadlockError, "nothing set it before"),
    "set twice": Wrong(
        4, lines(_SET.format(0), f"{_SET.format(0)}  # here", _WAIT.format(0)), FlagError, "set again before"
    ),
    "set in every turn and waited for after the loop": Wrong(
        4, lines(loop(f"{_SET.format(1)}  # here"), _WAIT.format(1)), FlagError, "flag MTE2_V 1 is set again"
    ),
    "left set by one core only": Wrong(
        4,
        lines(f"if {BLOCK} == 2:", indented(f"{_SET.format('n')}  # here")),
        FlagError,
        "core 2: flag MTE2_V 5 is still set",
        cores=4,
        n=5,
    ),
    "the reserved id": Wrong(
        4,
        lines("asc.set_flag(HardEvent.MTE2_V, 6)  # here", _WAIT.format(6)),
        FlagError,
        "6 of MTE2_V is reserved",
        warns=True,
    ),
    "the id of auto sync": Wrong(
        4,
        lines("asc.set_flag(HardEvent.V_MTE3, 7)  # here", "asc.wait_flag(HardEvent.V_MTE3, 7)"),
        FlagError,
        "use 0 to 5",
        warns=True,
    ),
    "ids that a loop counts too far": Wrong(
        4,
        loop("asc.set_flag(HardEvent.MTE2_V, i)  # here", _WAIT.format("i"), turns="n"),
        FlagError,
        "event id 6",
        n=8,
        warns=True,
    ),
    "an id that does not exist": Wrong(4, f"{_SET.format('n')}  # here\n", RuleError, "between 0 and 7, got 8", n=8),
    "a negative id": Wrong(4, f"{_WAIT.format('n')}  # here\n", RuleError, "between 0 and 7, got -1", n=-1),
    "a constant id that does not exist": Wrong(4, f"{_SET.format(8)}  # here\n", RuleBroken, "got 8"),
    "a tensor that stays in its queue": Wrong(
        4,
        QUEUES + lines("t = source.alloc_tensor(x.dtype)", "asc.data_copy(t, x_gm, 64)", "source.enque(t)  # here"),
        FlagError,
        "never dequeued",
    ),
    "an id that nobody gave out": Wrong(
        4, _PIPE + "pipe.release_event_id(n, HardEvent.MTE2_V)  # here\n", FlagError, "event id 3 of MTE2_V", n=3
    ),
    "more ids than there are": Wrong(
        4, _PIPE + loop("i = pipe.alloc_event_id(HardEvent.MTE2_V)  # here", turns="9"), FlagError, "all 8 event ids"
    ),
    "an id fetched twice": Wrong(
        5,
        _PIPE
        + lines(
            "one = pipe.fetch_event_id(HardEvent.MTE2_V)",
            "two = pipe.fetch_event_id(HardEvent.MTE2_V)",
            "asc.set_flag(HardEvent.MTE2_V, one)",
            "asc.set_flag(HardEvent.MTE2_V, two)  # here",
            "asc.wait_flag(HardEvent.MTE2_V, one)",
            "asc.wait_flag(HardEvent.MTE2_V, two)",
        ),
        FlagError,
        "flag MTE2_V 0 is set again",
    ),
    "an id fetched, then given to somebody": Wrong(
        5,
        _PIPE
        + lines(
            "one = pipe.fetch_event_id(HardEvent.MTE2_V)",
            "two = pipe.alloc_event_id(HardEvent.MTE2_V)",
            "asc.set_flag(HardEvent.MTE2_V, one)",
            "asc.set_flag(HardEvent.MTE2_V, two)  # here",
        ),
        FlagError,
        "flag MTE2_V 0 is set again",
    ),
    "an id fetched, then taken by a queue": Wrong(
        5,
        QUEUES
        + lines(
            "one = pipe.fetch_event_id(HardEvent.MTE2_V)",
            "t = source.alloc_tensor(x.dtype)",
            "asc.data_copy(t, x_gm, 64)",
            "source.enque(t)",
            "asc.set_flag(HardEvent.MTE2_V, one)  # here",
        ),
        FlagError,
        "flag MTE2_V 0 is set again",
    ),
    "an id fetched and kept over turns": Wrong(
        5,
        QUEUES
        + lines(
            "one = pipe.fetch_event_id(HardEvent.MTE2_V)",
            "asc.set_flag(HardEvent.MTE2_V, one)",
            "t = source.alloc_tensor(x.dtype)",
            "asc.data_copy(t, x_gm, 64)",
            "source.enque(t)  # here",
        ),
        FlagError,
        "flag MTE2_V 0 is set again",
    ),
    "one core does not come to the barrier": Wrong(
        6, lines(f"if {BLOCK} != 1:", "    asc.sync_all()  # here"), DeadlockError, "3 of 4 cores wait", cores=4
    ),
    "more cores than the chip has": Wrong(6, "asc.sync_all()  # here\n", DeadlockError, "ascend910b has 48", cores=49),
    "more cores than the other chip has": Wrong(
        6, "asc.sync_all()  # here\n", DeadlockError, "launch fewer", 'soc="ascend950"', cores=200
    ),
    "barriers in turns that differ between cores": Wrong(
        6, loop("asc.sync_all()  # here", turns=f"1 + {BLOCK}"), DeadlockError, "1 of 2 cores wait", cores=2
    ),
    "a core that returns early": Wrong(
        6,
        lines(f"if {BLOCK} * n >= 128:", "    return", COPY, IN_, "asc.sync_all()  # here"),
        DeadlockError,
        "2 of 3 cores wait",
        cores=3,
        n=64,
    ),
}

RIGHT = {
    "every id that is the kernel's": Right(loop(_SET.format("i"), _WAIT.format("i"), turns="6")),
    "one id for several pairs": Right(
        lines(pair("MTE2_V", 1), pair("V_MTE3", 1), pair("V_MTE2", 1), pair("MTE3_V", 1))
    ),
    "ids 6 and 7 that the pipe gave out": Right(
        _PIPE
        + lines(
            loop("first = pipe.alloc_event_id(HardEvent.MTE2_V)", turns="6"),
            "mine = pipe.alloc_event_id(HardEvent.MTE2_V)",
            pair("MTE2_V", "mine"),
            "pipe.release_event_id(mine, HardEvent.MTE2_V)",
        )
    ),
    "ids 6 and 7 that a queue was given": Right(
        lines(
            "pipe = asc.TPipe()",
            "source = asc.TQue(TPosition.VECIN, 8)",
            "pipe.init_buffer(source, 8, 256)",
            loop("t = source.alloc_tensor(x.dtype)", "asc.data_copy(t, x_gm, 64)", "source.enque(t)", turns="8"),
            loop("t = source.deque(x.dtype)", "asc.adds(t, t, 1.0, 64)", "source.free_tensor(t)", turns="8"),
        )
    ),
    "an id fetched again after its use": Right(
        _PIPE + loop("one = pipe.fetch_event_id(HardEvent.MTE2_V)", pair("MTE2_V", "one"), BACK)
    ),
    "a flag that goes round a loop": Right(
        lines(
            "asc.set_flag(HardEvent.MTE3_V, 0)",
            loop(
                "asc.wait_flag(HardEvent.MTE3_V, 0)",
                FILL,
                OUT,
                "asc.data_copy(z_gm, b, 64)",
                "asc.set_flag(HardEvent.MTE3_V, 0)",
            ),
            "asc.wait_flag(HardEvent.MTE3_V, 0)",
        )
    ),
    "flags of a branch that no core takes": Right(lines("if n > 1:", indented(_SET.format(0)))),
    "all cores of the chip at a barrier": Right("asc.sync_all()\nasc.sync_all()\n", cores=40),
    "a barrier in both branches": Right(
        lines(f"if {BLOCK} == 0:", "    asc.sync_all()", "else:", "    asc.sync_all()"), cores=4
    ),
    "more cores than the chip has, without a barrier": Right(lines(COPY, IN_, "asc.adds(b, a, 1.0, 64)"), cores=100),
    "an enqueued tensor that only its event ends": Right(
        QUEUES
        + lines(
            "t = source.alloc_tensor(x.dtype)",
            "asc.data_copy(t, x_gm, 64)",
            "source.enque(t)",
            "source.free_all_event()",
        )
    ),
}
