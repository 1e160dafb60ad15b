"""Queues and their tensors: item 13 of the catalogue, and one of 19."""

from hazard_case import QUEUES, Right, Wrong, lines, loop

from opwright.errors import QueueError, RaceError

_TAKE = "t = source.alloc_tensor(x.dtype)\nasc.data_copy(t, x_gm, 64)\n"
_THROUGH = _TAKE + "source.enque(t)\nu = source.deque(x.dtype)\n"
_ALLOC = "t = source.alloc_tensor(x.dtype)"


def _wrong(words: str, *parts: str, n: int = 1, queues: str = QUEUES) -> Wrong:
    return Wrong(13, queues + lines(*parts), QueueError, words, n=n)


_MANY = """\
pipe = asc.TPipe()
source = asc.TQue(TPosition.VECIN, 8)
other = asc.TQue(TPosition.VECIN, 8)
pipe.init_buffer(source, 6, 256)
pipe.init_buffer(other, 6, 256)
"""

WRONG = {
    "deque of an empty queue": _wrong("no tensor waits", "t = source.deque(x.dtype)  # here"),
    "deque of the wrong queue": _wrong(
        "no tensor waits", _TAKE, "source.enque(t)", "u = result.deque(x.dtype)  # here"
    ),
    "enque beyond the depth": _wrong("as many as its depth allows", loop(_TAKE, "source.enque(t)  # here", turns="2")),
    "enque twice": _wrong("it waits in the queue already", _TAKE, "source.enque(t)", "source.enque(t)  # here"),
    "enque of what was freed": _wrong(
        "it is not allocated", _THROUGH, "source.free_tensor(u)", "source.enque(u)  # here"
    ),
    "enque into another queue": _wrong("does not belong to this queue", _TAKE, "result.enque(t)  # here"),
    "free twice": _wrong("it is not allocated", _THROUGH, "source.free_tensor(u)", "source.free_tensor(u)  # here"),
    "free of what waits": _wrong(
        "waits in the queue already", _TAKE, "source.enque(t)", "source.free_tensor(t)  # here"
    ),
    "alloc without free": _wrong(
        "none of the 2 buffers",
        loop(_TAKE, "source.enque(t)", "u = source.deque(x.dtype)").replace(_ALLOC, f"{_ALLOC}  # here"),
    ),
    "read after free": _wrong("src was freed", _THROUGH, "source.free_tensor(u)", "asc.adds(b, u, 1.0, 64)  # here"),
    "written after free": _wrong(
        "dst was freed", _THROUGH, "source.free_tensor(u)", "asc.duplicate(u, 1.0, 64)  # here"
    ),
    "an element after free": _wrong(
        "the tensor was freed",
        _THROUGH,
        "source.free_tensor(u)",
        "asc.printf('%f', u.get_value(0))  # here",
    ),
    "part of it after free": _wrong(
        "src0 was freed",
        _THROUGH,
        "v = u[32:]",
        "source.free_tensor(u)",
        "asc.add(b, v, v, 32)  # here",
    ),
    "the alloc'd tensor after the dequeued one was freed": _wrong(
        "src was freed", _THROUGH, "source.free_tensor(u)", "asc.adds(b, t, 1.0, 64)  # here"
    ),
    "as another type after free": _wrong(
        "src was freed",
        _THROUGH,
        "source.free_tensor(u)",
        "v = u.reinterpret_cast(asc.int32)",
        "asc.relu(v, v, 64)  # here",
    ),
    "read before deque": _wrong(
        "src waits in the queue",
        _TAKE,
        "source.enque(t)",
        "asc.adds(b, t, 1.0, 64)  # here",
        "u = source.deque(x.dtype)",
        "source.free_tensor(u)",
    ),
    "written before deque": _wrong(
        "dst waits in the queue",
        _TAKE,
        "source.enque(t)",
        "asc.data_copy(t, x_gm[64:], 64)  # here",
        "u = source.deque(x.dtype)",
        "source.free_tensor(u)",
    ),
    "used after the pipe was reset": _wrong(
        "was taken before the pipe was reset",
        _THROUGH,
        "source.free_tensor(u)",
        "pipe.reset()",
        "asc.adds(b, u, 1.0, 64)  # here",
    ),
    "used after the pipe was destroyed": _wrong(
        "was taken before the pipe was reset",
        "calc = asc.TBuf(TPosition.VECCALC)",
        "pipe.init_buffer(calc, 256)",
        "t = calc.get(x.dtype)",
        "pipe.destroy()",
        "asc.duplicate(t, 1.0, 64)  # here",
    ),
    "freed after the pipe was reset": _wrong(
        "does not belong to this queue",
        _ALLOC,
        "pipe.reset()",
        "pipe.init_buffer(source, 2, 256)",
        "v = source.alloc_tensor(x.dtype)",
        "source.free_tensor(t)  # here",
    ),
    "more than eight tensors of a position": _wrong(
        "9 tensors of queues at VECIN",
        loop("t = source.alloc_tensor(x.dtype)", turns="6"),
        loop("u = other.alloc_tensor(x.dtype)  # here", turns="n"),
        n=3,
        queues=_MANY,
    ),
    "more than 64 buffers": _wrong(
        "a kernel has 64 at most", "more = asc.TQue(TPosition.VECIN, 1)", "pipe.init_buffer(more, n, 32)  # here", n=61
    ),
    "buffers given twice": _wrong("has its buffers already", "pipe.init_buffer(source, 1, 256)  # here"),
    "a buffer filled again, which nobody waited for": Wrong(
        19,
        QUEUES + loop(_TAKE, "source.free_tensor(t)").replace("64)", "64)  # both"),
        RaceError,
        "PIPE_MTE2",
    ),
    "a second pipe": _wrong("this is the second", "more = asc.TPipe()  # here"),
}

RIGHT = {
    "tile after tile": Right(
        QUEUES
        + loop(
            _THROUGH,
            "v = result.alloc_tensor(x.dtype)",
            "asc.adds(v, u, 1.0, 64)",
            "source.free_tensor(u)",
            "result.enque(v)",
            "w = result.deque(x.dtype)",
            "asc.data_copy(z_gm[i % 4 * 64:], w, 64)",
            "result.free_tensor(w)",
            turns="4",
        )
    ),
    "in place": Right(
        lines(
            "pipe = asc.TPipe()",
            "both = asc.TQueBind(TPosition.VECIN, TPosition.VECOUT, 1)",
            "pipe.init_buffer(both, 2, 256)",
            loop(
                "t = both.alloc_tensor(x.dtype)",
                "asc.data_copy(t, x_gm[i * 64:], 64)",
                "both.enque(t)",
                "u = both.deque(x.dtype)",
                "asc.data_copy(z_gm[i * 64:], u, 64)",
                "both.free_tensor(u)",
            ),
        )
    ),
    "the old name of a dequeued tensor": Right(
        QUEUES + lines(_THROUGH, "asc.adds(b, t, 1.0, 64)", "source.free_tensor(t)")
    ),
    "the same buffer again after free": Right(
        lines(
            "pipe = asc.TPipe()",
            "source = asc.TQue(TPosition.VECIN, 1)",
            "pipe.init_buffer(source, 1, 256)",
            loop(_THROUGH, "asc.adds(u, u, 1.0, 64)", "source.free_tensor(u)", turns="4"),
        )
    ),
    "dequeued and enqueued again": Right(
        QUEUES
        + lines(
            _THROUGH, "asc.adds(u, u, 1.0, 64)", "source.enque(u)", "v = source.deque(x.dtype)", "source.free_tensor(v)"
        )
    ),
    "eight tensors of a position": Right(
        _MANY
        + lines(
            loop("t = source.alloc_tensor(x.dtype)", turns="n"),
            loop("u = other.alloc_tensor(x.dtype)", turns="n"),
        ),
        n=4,
    ),
    "a tensor taken anew after a reset": Right(
        QUEUES
        + lines(
            _THROUGH,
            "source.free_tensor(u)",
            "pipe.reset()",
            "pipe.init_buffer(source, 1, 256)",
            "t = source.alloc_tensor(x.dtype)",
            "asc.data_copy(t, x_gm, 64)",
            "source.free_tensor(t)",
        )
    ),
    "two pipes one after the other": Right(
        lines(
            QUEUES,
            _THROUGH,
            "source.free_tensor(u)",
            "pipe.destroy()",
            "second = asc.TPipe()",
            "calc = asc.TBuf(TPosition.VECCALC)",
            "second.init_buffer(calc, 256)",
            "v = calc.get(x.dtype)",
            "asc.duplicate(v, 1.0, 64)",
        )
    ),
    "a buffer of no queue, used by one pipe": Right(
        QUEUES
        + lines(
            "calc = asc.TBuf(TPosition.VECCALC)",
            "pipe.init_buffer(calc, 512)",
            "v = calc.get(x.dtype)",
            "asc.duplicate(v, 1.0, 128)",
            "asc.add(v, v, v[64:], 64)",
        )
    ),
}
