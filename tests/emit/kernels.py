# ruff: noqa: B007, F841, UP  (strange Python is what these are for)
"""Small kernels that together use every row of the table and every form of Python the front end has.

`CASES` is name -> (kernel, arguments, SoC). Whoever needs them loads this file by its path; it loads `kernels_*.py`
beside it, each with the rows of some chapters.
"""

import importlib
import math
import sys
from dataclasses import dataclass
from pathlib import Path

from opwright import asc

sys.path.insert(0, str(Path(__file__).parent))
from golden_case import CASES as CASES
from golden_case import case

for path in sorted(Path(__file__).parent.glob("kernels_*.py")):
    importlib.import_module(path.stem)

TILE = 64
SCALE = 0.1
SHAPE = (4, 16)


@case("{}[512]", "{}[512]", "{}[512]", 64, dtypes=("f16", "f32", "i16", "i32"))
@case("{}[512]", "{}[512]", "{}[512]", 64, soc="ascend950", dtypes=("bf16", "i8", "u8", "u64"))
@asc.jit
def vector_calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, length: int):
    """add, adds, duplicate and the three copies, with the flags between them."""
    offset = asc.get_block_idx() * length
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, length)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(buffer=y + offset, buffer_size=length)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z + offset)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, TILE * x.dtype.sizeof(), TILE)
    c = asc.LocalTensor(x.dtype, pos=asc.TPosition.VECOUT, addr=2 * TILE * x.dtype.sizeof(), tile_size=TILE)
    asc.data_copy(a, x_gm, length)
    asc.data_copy(b, y_gm, length)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.duplicate(c, 7, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.add(c, a, b, length)
    asc.adds(c, c, 3, length)
    asc.data_copy(a, c, length)
    asc.set_flag(asc.HardEvent.V_MTE3, event_id=1)
    asc.wait_flag(asc.HardEvent.V_MTE3, event_id=1)
    asc.data_copy(z_gm, a, length)
    asc.sync_all()


@case("{}[64]", "{}[64]", "{}[64]", 2.5, dtypes=("f16", "f32"))
@asc.jit
def float_calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, scale: float):
    """Elementwise calls that take floats, each on what the one before it left."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 256, TILE)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 512, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.data_copy(b, y_gm, TILE)
    asc.sub(c, a, b, TILE)
    asc.mul(c, c, b, TILE)
    asc.div(c, a, c, TILE)
    asc.max(c, c, a, TILE)
    asc.min(c, c, b, TILE)
    asc.add_relu(c, c, a, TILE)
    asc.sub_relu(c, c, b, TILE)
    asc.muls(c, c, scale, TILE)
    asc.maxs(c, c, -0.5, TILE)
    asc.mins(c, c, 6, TILE)
    asc.abs(c, c, TILE)
    asc.relu(c, c, TILE)
    asc.sqrt(dst=c, src=c, count=TILE)
    asc.leaky_relu(c, c, 0.25, TILE)
    asc.axpy(c, a, scale, TILE)
    asc.mul_add_dst(c, a, b, TILE)
    asc.fused_mul_add(c, a, b, TILE)
    asc.fused_mul_add_relu(c, a, b, TILE)
    asc.exp(c, c, TILE)
    asc.ln(c, c, TILE)
    asc.rsqrt(c, c, TILE)
    asc.reciprocal(c, c, TILE)
    asc.data_copy(z_gm, c, TILE)


@case("{}[64]", "{}[64]", "{}[64]", 3, dtypes=("i16",))
@case("{}[64]", "{}[64]", "{}[64]", 3, dtypes=("u64",), soc="ascend950")
@asc.jit
def integer_calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, amount: int):
    """Elementwise calls that take integers, each on what the one before it left."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 512, TILE)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.data_copy(b, y_gm, TILE)
    asc.sub(c, a, b, TILE)
    asc.mul(c, c, b, TILE)
    asc.max(c, c, a, TILE)
    asc.min(c, c, b, TILE)
    asc.bitwise_and(c, c, a, TILE)
    asc.bitwise_or(c, c, b, TILE)
    asc.bitwise_not(c, c, TILE)
    asc.add_relu(c, c, a, TILE)
    asc.sub_relu(c, c, b, TILE)
    asc.muls(c, c, 5, TILE)
    asc.maxs(c, c, amount, TILE)
    asc.mins(c, c, 100, TILE)
    asc.shift_left(c, c, 2, TILE)
    asc.shift_right(c, c, amount, TILE)
    asc.data_copy(z_gm, c, TILE)


@case("f16[64]", "f32[64]", 0.5)
@asc.jit
def two_types(x: asc.GlobalAddress, z: asc.GlobalAddress, scale: float):
    """Calls whose operands hold different types."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 128, TILE)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 256, TILE)
    d = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 256, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.cast(d, a, asc.RoundMode.CAST_FLOOR, TILE)
    asc.cast(c, d, asc.RoundMode.CAST_NONE, TILE)
    asc.cast(b, c, round_mode=asc.RoundMode.CAST_ODD, count=TILE)
    asc.axpy(c, a, scale, TILE)
    asc.axpy(c, a, 3, TILE)
    asc.mul_add_dst(c, a, b, TILE)
    asc.data_copy(z_gm, c, TILE)


@case("{}[64]", dtypes=("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32"), soc="ascend950")
@asc.jit
def every_dtype(z: asc.GlobalAddress):
    """A copy of every element type."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    local = asc.LocalTensor(z.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(local, z_gm, 64)
    asc.data_copy(z_gm, local, 64)


@case("i32[64]", "f32[64]", 3, 1.5, True)
@asc.jit
def hostile_names(register: asc.GlobalAddress, new: asc.GlobalAddress, half: int, template: float, x__y: bool):
    """Names that C++ or Ascend C keeps for itself, and names that only Python allows."""
    _z = half + 1
    größe = _z * _z
    名前 = größe + _z
    x_y = 名前 * größe
    x_1 = x_y + 名前
    x_2 = x_1 - x_y
    int64_t = x_2 * x_1
    std = int64_t + x_2
    AscendC = asc.GlobalTensor()
    AscendC.set_global_buffer(register, std)
    PIPE_V = asc.GlobalTensor()
    PIPE_V.set_global_buffer(new, int64_t)
    this = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(this, AscendC, 64)
    asc.data_copy(AscendC, this, 64)
    delete = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
    asc.data_copy(delete, PIPE_V, 64)
    asc.duplicate(delete, template, 64)
    asc.data_copy(PIPE_V, delete, 64)
    asc.printf("%d %f\n", x__y, template)


@case(3)
@asc.jit
def sqrt(n: int):
    """A kernel with the name of a C function."""
    asc.printf("%d\n", n)


@case(5, 7, 2)
@asc.jit
def conditions(n: int, m: int, k: int):
    """Chained comparison, short circuit around a division, ternaries of which one side would stop the core."""
    inside = 0 <= n < 10
    both = n > 1 and m > 1 and k > 1
    mixed = (n > 1 or m > 2) and not k == 3
    safe = n != 0 and m // n > 1
    other = n == 0 or m % n == 1
    same = (n < m) == (m < k)
    chained = 0 < m // n < k
    picked = m // n if n != 0 else -1
    plain = m if n > 0 else k
    nested = 1 if n > 0 else 2 if m > 0 else 3
    wide = (1 if n > 0 else 2) << 40
    if inside and both:
        asc.printf("%d %d %d %d\n", mixed, safe, other, same)
    if n:
        asc.printf("%d %d %d %d\n", chained, picked, plain, nested)
    elif m > 3:
        asc.printf("%d\n", wide)
    elif k > 4:
        asc.trap()
    else:
        pass


@case(5, 7)
@asc.jit
def variables(n: int, m: int):
    """Swaps, tuples, and variables that both branches set."""
    a, b = n, m
    a, b = b, a
    (c, d), e = (a + 1, b + 2), 3
    first = second = a * b
    if a > b:
        low = b
        if b > 3:
            kind = 1
        else:
            kind = 2
    else:
        low = a
        kind = 3
    for i in range(n):
        a, b = b, a
        c, d, first = d + i, first, c
        low += i
        kind = kind * 2 if kind < 50 else kind - 50
    n = n + 1
    if n > 5:
        n = 5
        m -= 1
    asc.printf("%d %d %d %d %d %d %d %d\n", a, b, c, d, e, second, low, kind)
    asc.printf("%d %d\n", n, m)


@case(5, 12)
@asc.jit
def loops(n: int, m: int):
    """Negative steps, bounds the body changes, a loop variable that the body sets, accumulators."""
    total = 0
    weight = 0.5
    for i in range(n):
        total += i
    for i in range(n, 0, -1):
        total += i * 2
    for i in range(m, -m, -5):
        total -= i
    for i in range(1, n + m, 3):
        weight += i
    for _ in range(n):
        n += 1
        m -= 1
    for step in range(4):
        step = step * 10
        total += step
    last = 100
    for last in range(n, m):
        total += last
    for outer in range(3):
        for inner in range(outer, 3):
            if inner != outer:
                total += inner * outer
    asc.printf("%d %d %d %d %f\n", total, n, m, last, weight)


@case(-7, 3, 2.5)
@asc.jit
def arithmetic(n: int, m: int, x: float):
    """Floor division and remainder of both signs, shifts, bits, casts, min, max, abs."""
    core = asc.get_block_idx()
    by_constant = n // 4 + n % 4
    by_negative = n // -4 + n % -4
    by_value = n // m + n % m
    plain = core // 4 * 4 + core % 4
    bits = (n & 255) | (m << 3) ^ (n >> 2)
    inverted = ~n - -m + (+n)
    least = min(n, m, 5)
    most = max(n + m, n - m)
    size = abs(n) + abs(n * m)
    ratio = n / m
    scaled = x * 0.1 + n - m / 4
    magnitude = abs(x) + min(x, 0.25)
    whole = int(scaled) + int(n > m) + int(True)
    broad = float(n) + 1e10 - 3e-45
    truth = bool(n) & (m > 2) | (x != 0)
    huge = 9223372036854775807 - n
    least_of_all = -9223372036854775808 + m
    asc.printf("%d %d %d %d %d %d\n", by_constant, by_negative, by_value, plain, bits, inverted)
    asc.printf("%d %d %d %d %d %d\n", least, most, size, whole, huge, least_of_all)
    asc.printf("%f %f %f %f %d\n", ratio, scaled, magnitude, broad, truth)
    asc.printf("%d\n", (n < m) + (n < 0) * 2)
    asc.printf("%f %d\n", -x, not n)


@case(3)
@asc.jit
def texts(n: int):
    """Texts with everything that must be escaped."""
    asc.printf("plain\n")
    asc.printf("quotes ' \" and \\ backslash\ttab\r\n")
    asc.printf("100%% of %d\n", n)
    asc.printf("größer als ∞ 猫 🐈\n")
    asc.printf("\x01\x1f7 \x7f??/ ??= ???\n")
    asc.printf("two parts %d and a number\n", n)
    asc.printf("")


@case("f32[256]", 4)
@asc.jit
def double_buffer(x: asc.GlobalAddress, turns: int):
    """Tensors and addresses in variables; flags whose ids are known in the run only."""
    here = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    there = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
    place = x
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 1)
    for turn in range(turns):
        event = turn % 2
        asc.wait_flag(asc.HardEvent.MTE3_V, event)
        asc.duplicate(here, turn, 64)
        asc.set_flag(asc.HardEvent.V_MTE3, event)
        asc.wait_flag(asc.HardEvent.V_MTE3, event)
        out = asc.GlobalTensor()
        out.set_global_buffer(place, 64)
        asc.data_copy(out, here, 64)
        asc.set_flag(asc.HardEvent.MTE3_V, event)
        here, there = there, here
        place = place + 64
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 1)


@case("f16[256]", 16)
@asc.jit
def parts(x: asc.GlobalAddress, n: int):
    """Parts of parts, in both spellings, and calls whose arguments are parts."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    whole = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 0, 256)
    asc.data_copy(whole[64:], x_gm[n:], 64)
    tail = whole[128:][16:]
    asc.add(tail, whole[64:], whole[64:][32:], 16)
    asc.adds(whole(192), tail(0), 0.5, n)
    asc.data_copy(x_gm(16)(n), whole[n * 4 :][n:], 32)
    everything = whole[:]
    asc.data_copy(x_gm[:], everything, 16)


@case("i32[64]", 8, (2, 3), True)
@case("i32[64]", 16, (5, 7), False, name="other_constants")
@asc.jit
def constants(z: asc.GlobalAddress, tile: asc.ConstExpr[int], pair: asc.ConstExpr, fill: asc.ConstExpr[bool]):
    """Constants of the launch, of the module and of other modules; a branch that is decided before the run."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, tile)
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, SHAPE[0] * SHAPE[1], tile)
    left, right = pair
    if fill and tile % 8 == 0:
        asc.duplicate(local, left * 10 + right, tile)
    else:
        asc.duplicate(local, int(math.pi * 1000), tile)
    asc.printf("%f %d %d\n", SCALE, 2**10, 7 // -2)
    asc.data_copy(z_gm, local, tile)


def within(bias, position):
    """A kernel that reads its surroundings."""

    @asc.jit
    def closure(z: asc.GlobalAddress):
        local = asc.LocalTensor(z.dtype, position, 0, 16)
        asc.duplicate(local, bias, 16)
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z)
        asc.data_copy(z_gm, local, 16)

    return closure


closure = case("{}[16]", dtypes=("i16", "f32"))(within(-5, asc.TPosition.VECCALC))


@case("f32[16]", "f32[16]", 3, False)
@asc.jit
def tensors_by_branch(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, flip: bool):
    """Which tensor is used is decided in the run."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 16)
    source = x_gm
    if flip:
        source = y_gm
    if n > 2:
        local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 16)
    else:
        local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 64, 16)
    asc.data_copy(local, source, 16)
    asc.data_copy(source, local, 16)


@case("f32[64]", "u64[64]", "i64[64]", "u8[64]", 3, 0.5, soc="ascend950")
@asc.jit
def numbers(f: asc.GlobalAddress, u: asc.GlobalAddress, i: asc.GlobalAddress, b: asc.GlobalAddress, n: int, x: float):
    """Scalars in the element type of the tensor: the ends of every range, and values of the run."""
    floats = asc.LocalTensor(f.dtype, asc.TPosition.VECIN, 0, 64)
    asc.duplicate(floats, 0.1, 8)
    asc.duplicate(floats, -1e-45, 8)
    asc.duplicate(floats, 3.4028234663852886e38, 8)
    asc.duplicate(floats, float("inf"), 8)
    asc.duplicate(floats, -float("inf"), 8)
    asc.duplicate(floats, float("nan"), 8)
    asc.duplicate(floats, 16777217, 8)
    asc.duplicate(floats, n, 8)
    asc.duplicate(floats, x, 8)
    asc.duplicate(floats, n > 2, 8)
    longs = asc.LocalTensor(u.dtype, asc.TPosition.VECIN, 0, 32)
    asc.duplicate(longs, 18446744073709551615, 4)
    asc.duplicate(longs, n, 4)
    signed = asc.LocalTensor(i.dtype, asc.TPosition.VECIN, 0, 32)
    asc.duplicate(signed, -9223372036854775808, 4)
    asc.duplicate(signed, -77, 4)
    asc.duplicate(signed, 1 if n > 2 else 2, 4)
    asc.adds(signed, signed, n * 2 + 1, 4)
    bytes_ = asc.LocalTensor(b.dtype, asc.TPosition.VECIN, 0, 32)
    asc.duplicate(bytes_, 255, 32)
    asc.adds(bytes_, bytes_, n, 32)
    halves = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 32)
    asc.adds(halves, halves, x, 16)
    asc.adds(halves, halves, n + 0.5, 16)


@case("i32[48]", 2)
@asc.jit
def barriers(z: asc.GlobalAddress, rounds: int):
    """Barriers of pipes and of all cores, within loops and branches."""
    core = asc.get_block_idx()
    cores = asc.get_block_num()
    for turn in range(rounds):
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        if core == turn % cores:
            asc.printf("core %d of %d\n", core, cores)
        asc.sync_all(is_aiv_only=True)
    if cores > 48:
        asc.trap()


@case()
@asc.jit
def nothing():
    """A kernel may do nothing."""
    return


@case(1)
@asc.jit
def unused(n: int):
    """Values that nothing uses, and names that are set twice in a row."""
    a = n + 1
    a = n + 2
    b = a * 2
    b = 3
    c = asc.get_block_idx()
    d = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    g = asc.GlobalTensor()
    if n > 1:
        e = 5
    asc.printf("%d\n", b)


@case(2)
@asc.jit
def order(n: int):
    """A value is what it was when Python computed it, whatever is set later."""
    m = 0
    for i in range(n):
        m += 1
    before = m
    twice = m * 2
    m = 7
    sum_ = before + twice
    if n > 1:
        m = m + before
        before = m
    old = m
    m, n = n, m - 1
    asc.printf("%d %d %d %d %d\n", before, sum_, old, m, n)


@case(27, 0.5)
@asc.jit
def turns(n: int, x: float):
    """Loops with tests, ends and constants."""
    asc.static_assert(TILE % 8 == 0, "a tile is whole blocks")
    assert n > 0, "n counts something"
    steps = 0
    while n != 1:
        if steps >= 200:
            break
        steps += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    while 100 // n > 3 and steps > 0:
        n += 1
    while True:
        steps -= 1
        if steps < 0:
            break
        else:
            last = steps
        n += last
    for i in asc.range(asc.ceildiv(n, 4)):
        if i == 3:
            continue
        for j in asc.static_range(2):
            n += i * j
    asc.printf(f"{TILE} of {n:5d} and {x:.3f} at 100%\n")


@case("{}[512]", "{}[512]", "{}[512]", 64, dtypes=("f16", "f32"))
@asc.jit
def queues(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, length: int):
    """Tensors that go through queues, two buffers each."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, length)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, length)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, length)
    pipe = asc.TPipe()
    queue_x = asc.TQue(asc.TPosition.VECIN, 2)
    queue_y = asc.TQue(pos=asc.TPosition.VECIN, depth=1, mask=0)
    queue_z = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(queue_x, 2, TILE * x.dtype.sizeof())
    pipe.init_buffer(que=queue_y, num=2, len=TILE * x.dtype.sizeof())
    pipe.init_buffer(queue_z, 2, length)
    for begin in range(0, length, TILE):
        x_in = queue_x.alloc_tensor(x.dtype)
        asc.data_copy(x_in, x_gm[begin:], TILE)
        queue_x.enque(x_in)
        y_in = queue_y.alloc_tensor(dtype=x.dtype)
        asc.data_copy(y_in, y_gm[begin:], TILE)
        queue_y.enque(tensor=y_in)
        x_local = queue_x.deque(x.dtype)
        y_local = queue_y.deque(x.dtype)
        z_local = queue_z.alloc_tensor(x.dtype)
        asc.add(z_local, x_local, y_local, TILE)
        queue_z.enque(z_local)
        queue_x.free_tensor(x_local)
        queue_y.free_tensor(y_local)
        z_out = queue_z.deque(x.dtype)
        asc.data_copy(z_gm[begin:], z_out, TILE)
        queue_z.free_tensor(z_out)


@case("f32[512]", 64)
@asc.jit
def buffers(x: asc.GlobalAddress, length: int):
    """A queue from copy to copy, memory without a queue, event ids, and what a queue can be asked."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    pipe = asc.TPipe()
    through = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)
    masked = asc.TQueBind(src=asc.TPosition.VECIN, dst=asc.TPosition.VECOUT, depth=4, mask=0)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    other = asc.TBuf(pos=asc.TPosition.VECCALC)
    pipe.init_buffer(through, 1, 256)
    pipe.init_buffer(masked, 4, length)
    pipe.init_buffer(scratch, 1024)
    pipe.init_buffer(buf=other, len=512)
    whole = scratch.get(asc.float32)
    first = scratch.get(asc.int32, 16)
    second = scratch.get_with_offset(16, 64, asc.float16)
    asc.duplicate(whole, 1.0, 64)
    asc.duplicate(first, 2, 16)
    asc.duplicate(second, 3.0, 16)
    while masked.has_idle_buffer():
        masked.enque(masked.alloc_tensor(asc.float32))
    asc.printf("%d %d\n", masked.vacant_in_que(), masked.get_tensor_count_in_que() + 1)
    masked.free_all_event()
    while masked.has_tensor_in_que():
        masked.free_tensor(masked.deque(asc.float32))
    ready = pipe.alloc_event_id(asc.HardEvent.MTE2_S)
    asc.data_copy(through.alloc_tensor(asc.float32), x_gm, 64)
    asc.set_flag(asc.HardEvent.MTE2_S, ready)
    asc.wait_flag(asc.HardEvent.MTE2_S, ready)
    pipe.release_event_id(ready, asc.HardEvent.MTE2_S)
    asc.printf("%d\n", pipe.fetch_event_id())
    pipe.reset()
    pipe.destroy()


@case("f16[4096]", "f16[4096]", 64)
@asc.jit
def pieces(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Copies with parameters: written in the call, named, and made from values of the run."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 4096)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 4096)
    allocator = asc.LocalMemAllocator()
    a = allocator.alloc(asc.TPosition.VECIN, asc.float16, 1024)
    b = allocator.alloc(asc.TPosition.VECOUT, x.dtype, n * 16)
    asc.printf("%d\n", allocator.get_cur_addr())
    asc.data_copy(a, x_gm, asc.DataCopyParams(4, 2, 1, 0))
    asc.data_copy(b, a, asc.DataCopyParams(n, 1))
    params = asc.DataCopyParams(block_count=2, block_len=n, dst_stride=3)
    asc.data_copy(z_gm, b, repeat_params=params)
    ext = asc.DataCopyExtParams(4, 10, 6, 0, 0)
    asc.data_copy_pad(a, x_gm, ext, asc.DataCopyPadExtParams(asc.float16, True, 1, 2, -1.5))
    asc.data_copy_pad(z_gm, a, ext)
    asc.data_copy_pad(a, x_gm, asc.DataCopyParams(2, 10, 6, 0), asc.DataCopyPadParams(True, 0, 1, 15360))
    asc.data_copy_pad(z_gm, a, asc.DataCopyParams(2, n * 2))


@case("{}[64]", dtypes=("f16", "i8", "u32"))
@asc.jit
def elements(x: asc.GlobalAddress):
    """Single elements, sizes, addresses, and the same bytes as another type."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_gm.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE, asc.CacheRwMode.READ)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(x_gm.get_phy_addr(), 32)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(x_gm.get_phy_addr(16))
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    x_local.set_value(1, x_gm.get_value(2))
    x_gm.set_value(offset=3, value=1)
    first = x_local.get_value(1) + x_local.get_value(index=2) * 2
    asc.data_sync_barrier(asc.MemDsbT.ALL)
    w_gm.set_value(0, first)
    bits = x_local.reinterpret_cast(asc.uint8)
    asc.printf("%d %d %d\n", bits.get_size(), bits.get_length(), x_local.get_phy_addr(2) - x_local.get_phy_addr())
    asc.printf("%d\n", y_gm.get_size())


@case("f32[256]", 100)
@asc.jit
def masks(x: asc.GlobalAddress, count: int):
    """Calls that take the mask register as it is; the element types stand before what says so."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 256)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 1024, 256)
    asc.init_soc_state()
    asc.duplicate(a, 1.0, 256)
    asc.duplicate(h, 1.0, 256)
    asc.set_mask_count()
    asc.set_vector_mask(count, asc.float32, asc.MaskMode.COUNTER)
    asc.adds(a, a, 1.0, 1, is_set_mask=False)
    asc.set_mask_norm()
    asc.set_vector_mask(0, 0xFFFF0000FFFF0000, asc.float32, asc.MaskMode.NORMAL)
    params = asc.UnaryRepeatParams(1, 1, 8, 4)
    asc.axpy(a, h, 0.5, 1, 2, params, is_set_mask=False)
    asc.axpy(a, a, 0.5, 1, 2, asc.UnaryRepeatParams(1, 1, 8, 8), is_set_mask=False)
    asc.cast(a, h, asc.RoundMode.CAST_NONE, 1, 2, params, is_set_mask=False)
    asc.relu(a, a, 64, 2, asc.UnaryRepeatParams(), is_set_mask=True)
    asc.reset_mask()


@case()
@asc.jit
def about_the_core():
    """What a core knows about itself."""
    asc.printf("%d %d\n", asc.get_sub_block_idx(), asc.get_sub_block_num() * asc.get_task_ratio())
    asc.printf("%d\n", asc.get_data_block_size_in_bytes())
    before = asc.get_system_cycle()
    asc.printf("%d %d\n", asc.get_system_cycle() - before, asc.get_program_counter())


@dataclass
class Plan:
    """A struct by value, with every kind of field and names that C++ keeps for itself."""

    length: int
    scale: float
    new: bool
    tile: asc.int32
    double: asc.uint8


@asc.jit
def quotients(length: int, tile):
    """Several results; `tile` is a constant in one call and a value of the run in another."""
    return length // tile, length % tile


@asc.jit
def clamped(value, low, high):
    """Returns early, for integers and floats."""
    if value < low:
        return low
    if value > high:
        return high
    return value


@asc.jit
def fill(tensor: asc.LocalTensor, counts, number, count: asc.ConstExpr[int]):
    """Gets a tensor and an array; the count is part of the function."""
    counts[0] += 1
    asc.duplicate(tensor, number, count)


class Window:
    """A kernel object that another one holds."""

    def __init__(self, memory: asc.GlobalAddress, begin, length):
        self.tensor = asc.GlobalTensor()
        self.tensor.set_global_buffer(memory + begin, length)
        self.left = length


class Op:
    """A kernel object with queues, a tensor, numbers and constants."""

    DEPTH = 1

    def __init__(self, x: asc.GlobalAddress, plan):
        self.x = Window(x, asc.get_block_idx() * plan.length, plan.length)
        self.pipe = asc.TPipe()
        self.queue = asc.TQue(asc.TPosition.VECOUT, Op.DEPTH)
        self.pipe.init_buffer(self.queue, 1, 256)
        self.dtype = x.dtype
        self.turns = 0

    def step(self, begin, counts):
        local = self.queue.alloc_tensor(self.dtype)
        fill(local, counts, 1, 16)
        self.queue.enque(local)
        out = self.queue.deque(self.dtype)
        asc.data_copy(self.x.tensor[begin:], out, 16)
        self.queue.free_tensor(out)
        self.turns += 1
        self.x.left -= 16
        return self.turns


@case("{}[512]", Plan(64, 0.5, True, 16, 3), 2, 7, dtypes=("f16", "i32"))
@asc.jit(kernel_type="vector")
def functions(x: asc.GlobalAddress, plan: Plan, small: asc.int16, wide: asc.uint64):
    """Helpers, kernel objects, a struct by value, arrays, narrow numbers, text of the author's."""
    asc.inline("constexpr int64_t kAnswer = 42;", before_function=True)
    counts = asc.array(asc.int32, [1, 2, small])
    floats = asc.array(asc.float32, 2, fill_value=0.25)
    op = Op(x, plan)
    whole, rest = quotients(plan.length, plan.tile)
    halves, _ = quotients(plan.length, 2)
    for begin in range(0, clamped(plan.length, 16, 64), plan.tile):
        if op.x.left <= 0:
            return
        if op.step(begin, counts) > 100:
            break
    fraction = clamped(plan.scale, 0.0, 1.0) if plan.new else floats[1]
    narrow: asc.int8 = counts[0] + small
    narrow += 1
    asc.inline("int64_t answer = kAnswer + $0;\nanswer += $1;", (narrow, 2))
    unsigned = wide // 3 + asc.number(5, asc.uint64)
    asc.printf("%d %d %d %d %f %u\n", whole, rest, halves + len(counts), narrow, fraction, int(unsigned % 10))


@case("{}[256]", 0.5, 64, 1, dtypes=("f16", "f32"))
@asc.jit
def comparisons(x: asc.GlobalAddress, number: float, count: int, turns: int):
    """Comparisons, the register that they can go to, and selections."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 256)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 1024, 256)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 2048, 256)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 3072, 32)
    two = asc.BinaryRepeatParams()
    one = asc.UnaryRepeatParams()
    asc.data_copy(a, x_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.compare(bits, a, b, asc.CMPMODE.LT, 128)
    asc.compare(bits, a, b, asc.CMPMODE.GT, count, turns, two)
    asc.compare(bits, a, b, asc.CMPMODE.LE, [1, 2], turns, two)
    asc.compare(a, b, asc.CMPMODE.GE, [3], two)
    asc.compare(a, b, asc.CMPMODE.NE, count, two)
    asc.compare_scalar(bits, a, number, asc.CMPMODE.EQ, 128)
    asc.compare_scalar(bits, a, 1.5, asc.CMPMODE.LT, count, turns, one)
    asc.compare_scalar(bits, a, number, asc.CMPMODE.LT, [1], turns, one)
    asc.get_cmp_mask(bits)
    asc.set_cmp_mask(bits)
    asc.select(c, bits, a, number, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
    asc.select(c, bits, a, b, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, count)
    asc.select(c, bits, a, 2.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, [5], turns, two)
    asc.select(c, bits, a, number, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count, turns, two)
    asc.select(c, bits, a, turns, two)
    asc.select(c, bits, a, b, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, [5, 6], turns, two)
    asc.select(c, bits, a, b, asc.SelMode.VSEL_CMPMASK_SPR, count, turns, two)
    asc.select(c, a, b, turns, two, asc.SelMode.VSEL_CMPMASK_SPR)


@case("f32[256]", 64, 1, soc="ascend950")
@asc.jit
def gathers(x: asc.GlobalAddress, count: int, turns: int):
    """Elements from and to places that offsets name, and by a pattern; matrices."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 256)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 256)
    m = asc.LocalTensor(asc.uint16, asc.TPosition.VECCALC, 0, 256)
    offsets = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 2048, 64)
    room = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 4096, 4096)
    asc.data_copy(a, x_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.gather(c, a, offsets, 0, count, turns, 8)
    asc.gather(c, a, offsets, 4, [1, 0], turns, 8)
    asc.gather(c, a, offsets, 0, count)
    asc.gatherb(c, a, offsets, turns, asc.GatherRepeatParams(1, 8))
    asc.scatter(c, a, offsets, 0, count, turns, 8)
    asc.scatter(c, a, offsets, 4, [1, 0], turns, 8)
    asc.scatter(c, a, offsets, 0, count)
    asc.gather_mask(c, a, 3, False, 0, asc.GatherMaskParams(1, 1, 8, 0))
    kept = asc.gather_mask(c, a, offsets, True, count, asc.GatherMaskParams(1, turns, 8, 0))
    asc.adds(c, c, 1.0, kept)
    asc.transpose(m, m)
    m2 = asc.LocalTensor(asc.uint16, asc.TPosition.VECCALC, 1024, 256)
    rows = asc.TensorList(asc.uint16, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m)
    columns = asc.TensorList(asc.uint16, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2)
    asc.trans_data_to_5hd(rows, columns, asc.TransDataTo5HDParams(False, False, turns, 1, 1))
    asc.transpose(c, a, room, asc.TransposeParamsExt(1, 2, 1, 8, asc.TransposeType.TRANSPOSE_NCHW2NHWC))


@case("{}[512]", 1, dtypes=("f16", "f32"))
@asc.jit
def sorts(x: asc.GlobalAddress, turns: int):
    """Sorting and merging."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 512)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 2048, 512)
    d = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4096, 512)
    u = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 6144, 512)
    asc.data_copy(a, x_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.sort32(c, a, u, turns)
    asc.sort(c, a, u, d, turns, True)
    step = asc.get_sort_offset(8, x.dtype)
    queues = asc.MrgSortSrcList(x.dtype, a, a[step:], a[2 * step :], a[asc.get_sort_len(4) :])
    asc.mrg_sort(c, queues, asc.MrgSort4Info([8, 8, turns, 2], True, 15, 1))
    first, second, third, fourth = asc.get_mrg_sort_result()
    counts = asc.array(asc.uint32, 4)
    asc.mrg_sort(c, queues, [8, 8], counts, 3, turns, True)
    if counts[0] + first > fourth + asc.get_sort_len(second, x.dtype) + asc.get_sort_offset(third):
        asc.mrg_sort(c, queues, asc.MrgSort4Info([2, 2], False, 3))
    asc.gather_mask(c, a, 3, False, 0, asc.GatherMaskParams(1, 1, 8, 0))
    asc.sort32(c, a, u, asc.get_gather_mask_remain_count())
