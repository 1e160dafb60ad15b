"""Host functions that use what no operator uses yet: each is compared with its C++ on random calls.

All take two tensors, a shape, an integer, one that may be absent, a float, a text and a truth value.
"""

import math
from collections.abc import Sequence

from opwright import host

KINDS = {
    "x": "tensor",
    "y": "tensor",
    "shape": "shape",
    "n": "int",
    "m": "int?",
    "r": "float",
    "mode": "text",
    "flag": "truth",
}
Results = host.Tensor
NAMES = ("fast", 'a "quoted" \\ one', "näher", "x\ny")


def numbers(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """Arithmetic with Python's meaning: floors, signs, min and max."""
    quotient, rest = divmod(n, 7)
    a = n // -3 + n % -3 * 2 - -n
    host.require(n // 5 * 5 + n % 5 == n, "never")
    b = abs(n) + min(n, 3, quotient) * max(rest, n, -2)
    c = host.min(n, 5) + host.max(-n, 2)
    width = x.numel + math.prod(y.shape)
    return host.dense((a, b, c, quotient, rest, width, *shape[1:]), x.dtype)


def unknown(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """Branches need to know; requirements and arithmetic do not."""
    host.require(x.ndim > 0, f"{x.ndim} dimensions")
    last = x.shape[-1]
    host.require((last > 2) | (last == 0), f"last is {last}")
    host.require((last < 30) & (x.shape[0] < 30), f"{list(x.shape)}")
    host.require(x.shape == y.shape or flag, f"{list(x.shape)} is not {list(y.shape)}")
    if flag and last > 4:
        return host.dense((last + 1, *y.shape), host.float32)
    if x.shape != y.shape:
        host.refuse(f"{list(x.shape[:2])} {y.dtype} {y.device!r}")
    return host.like(y, host.int8 if last % 2 == 0 else host.bool_)


def names(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """Names that branches and loops set again, and their exchange."""
    first, second = n, 3
    made: tuple[int, ...] = ()
    for i in range(min(abs(n), 6)):
        first, second = second, first + i
        if first > 40:
            break
        if i % 2:
            continue
        made = (*made, first)
    for size in made:
        made = (*made, size + 1)  # a loop goes over what there was
    for i in range(10, n, -3):
        second += i
    left = abs(n) % 11
    while left > 1:
        left = left // 2
        made = made + (left,)  # noqa: RUF005
    for i, size in enumerate(shape):
        first = first + i * size
    for a, b in zip(shape, x.shape):  # noqa: B905
        first = first - a + (b if flag else 0)
    kind = x.dtype
    if flag:
        kind = host.float64
    elif mode == "fast":
        kind = y.dtype
    return host.dense((*made, first, second, left), kind)


def texts(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """Messages: floats, quotes, None, letters of other scripts, and constants."""
    described = f"{r} {r * 2.5} {-r} {m} {n} {mode!r} {flag}{{}} {x.dtype} {list(shape)} {'ä'}{1.5}{NAMES[1]!r}"
    if mode not in NAMES:
        host.refuse(described + " and " + mode)
    if m is None:
        host.refuse_type(f"{r / 3.0} of {described}" if r != 0.0 else "nothing")
    if not flag and m > 3:
        host.refuse(f"{float(m) - r}, {abs(r)}, {m + 1}, {-m}")
    return host.like(x)


def helpers(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> tuple[host.Tensor, host.Tensor]:
    """Functions with several results, defaults and constants of their own; conditions that are evaluated late."""
    host.require_device("y", y, "x", x)
    low, high = _ends(shape)
    rows, rest = _split(n, by=high if high > 0 else 1)
    known = _is_float(x.dtype) and (x.ndim == 2 or _split(x.ndim)[1] == 1) and 0 <= low <= high < 100
    host.require(known or y.ndim > 1, f"{low} {high}")
    third = shape[2] if len(shape) > 2 and shape[2] > 1 else shape[-1] if len(shape) else n
    return host.dense((rows, rest, third), x.dtype), host.like(y, y.dtype if known else host.uint8)


def _ends(shape: Sequence[int]) -> tuple[int, int]:
    low, high = 0, 0
    for size in shape:
        low = size if size < low else low
        if size > high:
            high = size
    return low, high


def _split(number: int, by: int = 2) -> tuple[int, int]:
    return number // by, number % by


def _is_float(dtype: host.Dtype) -> bool:
    return dtype in host.FLOATS


def faults(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """What Python would raise by itself."""
    a = shape[n % 5 - 1] // (n - 2)
    b = x.shape[-1] % (n % 3)
    for one, other in zip(shape[: x.ndim], x.shape, strict=True):
        a = a + one * other
    return host.dense((a, b, m if m is not None else 1, x.strides[0] if flag else 0), x.dtype)


def lists(
    x: host.Tensor, y: host.Tensor, shape: host.Shape, n: int, m: int | None, r: float, mode: str, flag: bool
) -> host.Tensor:
    """What is in a list of constants."""
    width = x.shape[-1] if x.ndim > 0 else 3
    if width in (1, 2, n) or mode not in ("fast", "näher"):
        host.refuse(f"{width in (4, 5)} {x.dtype in (host.int8, host.uint8)}")
    host.require(m != 3, f"{m}")
    return host.like(x, host.int64 if m in (1, 2) or 4 == m else x.dtype)


def tensors(xs: Sequence[host.Tensor], n: int) -> host.Tensor:
    """Lists of tensors."""
    host.require(len(xs) > 0, "no tensors")
    rows = 0
    for i, x in enumerate(xs):
        host.require_dtype(f"tensor {i}", x, host.FLOATS)
        host.require(x.ndim == xs[-1].ndim, f"{x.ndim} {list(x.shape)}")
        rows = rows + x.numel
    for x in xs:
        rows = rows - x.ndim
    return host.like(xs[n]) if n < 2 else host.dense((rows, len(xs)), xs[0].dtype)


def arguments(
    x: host.Tensor,
    alpha: host.Scalar,
    beta: host.Scalar | None,
    scales: Sequence[float],
    flags: Sequence[bool],
    generator: host.Generator | None,
    device: str,
) -> host.Tensor:
    """Arguments of the kinds that few operators have."""
    total = float(alpha)
    for scale in scales:
        total = total + scale
    for i, flag in enumerate(flags):
        host.require(flag or i < 3, f"{list(flags)} {flag} {len(flags)}")
    for scale, size in zip(scales, x.shape):  # noqa: B905
        if scale > 2.0:
            host.refuse(f"{list(scales)} {scale} {size} {device!r} {alpha} {beta} {total}")
    if generator is not None:
        host.require(generator.offset >= 0, f"{generator.seed} {generator.offset} {x.device == device}")
    dtype = host.bool_ if isinstance(alpha, bool) else host.int64 if isinstance(alpha, int) else host.float64
    if beta is not None and isinstance(beta, float):
        host.require_choice("device", device, ("cpu", "npu"))
    return host.dense((int(alpha), len(scales), *x.shape), x.dtype if len(flags) > 0 and flags[-1] else dtype)


def nothing(x: host.Tensor, n: int) -> None:
    """An operator without results."""
    host.require(x.ndim == n, f"{x.ndim} dimensions, not {n}")


def launched(x: host.Tensor, n: int, m: int | None) -> host.Tensor:
    """An operator with a launch, which calls the same helper."""
    host.require(x.ndim > 0, "no dimensions")
    rows, rest = _split(x.numel, by=max(1, abs(n)))
    return host.dense((rows, rest, 3), x.dtype)


def _narrowed(rows: int, m: int) -> host.Launch:
    """Gets what may be absent only where it is there."""
    return host.Launch("narrowed", blocks=rows, arguments=(m, rows))


def _launch(x: host.Tensor, n: int, m: int | None, y: host.Tensor, soc: host.Soc) -> host.Launch:
    """Variants, numbers of every kind, scratch memory."""
    rows = y.shape[0]
    host.require(rows % 7 != 6, f"{rows} rows on {soc.name}")
    tile, rest = _split(soc.ub_bytes - soc.l1_bytes % 7 + soc.l0c_bytes, by=max(1, abs(n)))
    if rows < 2:
        return host.Launch("small", blocks=1)
    if rows < 5:
        if m is not None:
            return _narrowed(rows, m)
        return host.Launch("shapes", blocks=rows, arguments=(*y.shape, *y.strides[:2]), workspace=32)
    name = f"wide_{y.dtype}" if soc.cube_cores > 24 else "wide"
    scale = 0.5 * float(n)
    many = (rows, tile, scale, y.ndim == 3, rest)
    return host.Launch(name, blocks=host.min(rows, soc.vector_cores), arguments=many, workspace=rows * 4 * y.shape[1])


LAUNCHES = {"launched": _launch}
PROGRAMS = {
    **{one.__name__: (one, KINDS, 1) for one in (numbers, unknown, names, texts, faults, lists)},
    "helpers": (helpers, KINDS, 2),
    "tensors": (tensors, {"xs": "tensors", "n": "int"}, 1),
    "launched": (launched, {"x": "tensor", "n": "int", "m": "int?"}, 1),
    "arguments": (
        arguments,
        {
            **{"x": "tensor", "alpha": "scalar", "beta": "scalar?", "scales": "floats", "flags": "truths"},
            **{"generator": "generator?", "device": "text"},
        },
        1,
    ),
    "nothing": (nothing, {"x": "tensor", "n": "int"}, 0),
}
