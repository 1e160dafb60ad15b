"""Kernels over tiles, each with one mistake, in its last line."""

from opwright import tile

KERNELS = []


def wrong(function):
    """A kernel whose arguments are a float32, an int32 and a float32 tensor of rank 2, numbers, and a constant of 4."""
    KERNELS.append(tile.jit(function))
    return KERNELS[-1]


@wrong
def int_with_float(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    s = tile.span(0, SIZE)
    _ = x[s, s] + k[s, s]


@wrong
def bool_with_float(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = x[0, tile.span(0, SIZE)]
    _ = (t > 0) * t


@wrong
def float_with_an_int_tile(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = k[0, tile.span(0, SIZE)]
    _ = t * 0.5


@wrong
def number_that_does_not_fit(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = tile.zeros((SIZE,), tile.int8) + 200


@wrong
def division_of_integers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = k[0, tile.span(0, SIZE)]
    _ = t / 2


@wrong
def exp_of_integers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.exp(k[0, tile.span(0, SIZE)])


@wrong
def exp_of_a_number(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.exp(1.0)  # type: ignore[arg-type]


@wrong
def maximum_of_numbers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.maximum(1, 2)


@wrong
def mean_of_integers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    k[0, tile.span(0, SIZE)].mean()


@wrong
def sum_of_int8(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.zeros((SIZE,), tile.int8).sum()


@wrong
def arithmetic_on_bool(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    mask = x[0, tile.span(0, SIZE)] > 0
    _ = -mask


@wrong
def and_of_numbers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = x[0, tile.span(0, SIZE)]
    _ = t & t


@wrong
def mask_of_numbers(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.where(x[0, tile.span(0, SIZE)], 1.0, 0.0)


@wrong
def cast_to_64_bits(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    x[0, tile.span(0, SIZE)].to(tile.int64)


@wrong
def unknown_rounding(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    x[0, tile.span(0, SIZE)].to(tile.int8, round="up")


@wrong
def store_of_another_type(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    s = tile.span(0, SIZE)
    y[0, s] = x[0, s].to(tile.float16)


@wrong
def store_of_other_sizes(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = x[0, tile.span(0, SIZE)]
    y[0, tile.span(0, 2 * SIZE)] = t


@wrong
def store_of_a_number(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    y[0, tile.span(0, SIZE)] = 1.0  # type: ignore[call-overload]


@wrong
def store_to_a_tile(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = x[0, tile.span(0, SIZE)]
    t[0] = 1.0


@wrong
def shapes(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = x[0, tile.span(0, SIZE)]
    _ = t + tile.zeros((SIZE + 1,))


@wrong
def dot_of_other_sizes(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE, 2 * SIZE))
    tile.dot(t, t)


@wrong
def dot_of_two_types(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE, SIZE))
    tile.dot(t, t.to(tile.float16))


@wrong
def three_axes_by_none(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = tile.zeros((SIZE, SIZE))[None]


@wrong
def axis_that_is_not_there(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    x[0, tile.span(0, SIZE)].sum(axis=1)


@wrong
def size_of_0(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.zeros((0, SIZE))


@wrong
def too_few_indices(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = x[3]


@wrong
def float_as_an_index(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = x[0, 0.5]  # type: ignore[call-overload]


@wrong
def open_slice(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = x[0, 2:]


@wrong
def empty_slice(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    _ = x[0, 4:4]


@wrong
def floats_as_an_index(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE,))
    _ = x[t, 0]


@wrong
def store_by_a_tile(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE,))
    y[tile.arange(SIZE), 0] = t


@wrong
def number_in_a_tile(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE,))
    _ = t[0]  # type: ignore[index]


@wrong
def longer_axis(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.whole(65, SIZE)


@wrong
def broken_assumption(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.assume(SIZE == 3)


@wrong
def tile_as_a_condition(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    if x[0, tile.span(0, SIZE)] > 0: pass  # fmt: skip  # noqa: E701


@wrong
def loop_over_a_tile(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE,))
    for _ in t: pass  # type: ignore  # fmt: skip  # noqa: E701


@wrong
def tensor_as_an_operand(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    t = tile.zeros((SIZE,))
    _ = t + x  # type: ignore[operator]


@wrong
def span_of_floats(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.span(0.5, SIZE)  # type: ignore[arg-type]


@wrong
def span_of_size_0(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    tile.span(n, 0)


@wrong
def five_stages(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    for s in tile.range(x.shape[1], SIZE, stages=5): x[0, s]  # fmt: skip  # noqa: E701


@wrong
def range_without_size(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    for s in tile.range(x.shape[1]): x[0, s]  # type: ignore[call-overload]  # fmt: skip  # noqa: E701


@wrong
def parallel_of_nothing(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    for s in tile.parallel(): x[0, s]  # type: ignore[call-overload]  # fmt: skip  # noqa: E701


@wrong
def written_and_read(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    y[0, tile.span(0, SIZE)] = tile.zeros((SIZE,))
    _ = y[0, 0]


@wrong
def carried(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    total = tile.zeros((SIZE,))
    for row in tile.parallel(x.shape[0]): total = total + x[row, tile.span(0, SIZE)]  # fmt: skip  # noqa: E701


@wrong
def left_early(x: tile.Tensor, k: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr):
    for _ in tile.parallel(x.shape[0]):
        break
