"""Integers of 4 bits: every cast from and to float16 in every way of rounding, parts of tensors, and what is refused.

Two share a byte, the first in its low half. Arguments are bytes, as are the tensors that copies take.
"""

import re
from collections.abc import Callable

import numpy as np
import pytest
from call_kernels import same

from opwright import asc
from opwright.ascendc import vec_convert
from opwright.ascendc.dtypes import PACKED
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.socs import SOCS
from opwright.errors import KernelError, NoForm, OutOfRange, RaceError, RuleBroken, RuleError, WrongDtype
from opwright.formats.nibbles import decode_int4, encode_int4, pack, unpack

TILE = 4096
FULL = 2**64 - 1
MODES = vec_convert.casts("ascend910b")["float16", "int4"]
COUNT, LANES, BITS, REGISTER, PART = range(6, 11)  # what `only` chooses beside the ways of rounding
# Lanes as a number, as bits, repeats, strides of blocks and of repeats: of 128 lanes half has 8 blocks and int4 2.
SHAPES = [
    (128, (FULL, FULL), 3, (1, 1), (2, 8)),
    (2, (0x3333333333333333, 0xCCCCCCCCCCCCCCCC), 3, (1, 1), (2, 8)),
    (66, (0xF, 3 << 62), 4, (2, 1), (5, 8)),
    (126, (0xF0F0, 3), 2, (1, 0), (9, 0)),
    (0, (0, 0), 3, (1, 1), (2, 8)),
    (128, (FULL, 15), 0, (1, 1), (2, 8)),
]


@asc.jit(opt_level=0)  # each of its calls has all ways of rounding, which take long to optimise
def casts(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    only: int,
    count: int,
    lanes: int,
    low: int,
    high: int,
    repeats: int,
    packed_blk: int,
    half_blk: int,
    packed_rep: int,
    half_rep: int,
    backward: int,
    waits: int,
    size: int,
    offset: int,
):
    """Bytes in and bytes out: float16 to int4, or back."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    halves = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 2 * TILE)
    codes = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 2 * TILE, TILE // 2)
    a = halves.reinterpret_cast(asc.float16)
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 2 * TILE, size).reinterpret_cast(asc.int4)
    for tile in range(tiles):
        if backward:
            asc.data_copy(codes, x_gm[tile * TILE // 2 :], TILE // 2)
            asc.data_copy(halves, z_gm[tile * TILE * 2 :], TILE * 2)
        else:
            asc.data_copy(halves, x_gm[tile * TILE * 2 :], TILE * 2)
            asc.data_copy(codes, z_gm[tile * TILE // 2 :], TILE // 2)
        if waits:
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        for number in asc.static_range(6):
            if only == number:
                asc.cast(b, a, MODES[number], count)
        if only == COUNT:
            asc.cast(a, b, asc.RoundMode.CAST_NONE, count)
        if only == LANES:
            if backward:
                params = asc.UnaryRepeatParams(half_blk, packed_blk, half_rep, packed_rep)
                asc.cast(a, b, asc.RoundMode.CAST_NONE, lanes, repeats, params)
            else:
                params = asc.UnaryRepeatParams(packed_blk, half_blk, packed_rep, half_rep)
                asc.cast(b, a, asc.RoundMode.CAST_RINT, lanes, repeats, params)
        if only == BITS:
            if backward:
                params = asc.UnaryRepeatParams(half_blk, packed_blk, half_rep, packed_rep)
                asc.cast(a, b, asc.RoundMode.CAST_NONE, [low, high], repeats, params)
            else:
                params = asc.UnaryRepeatParams(packed_blk, half_blk, packed_rep, half_rep)
                asc.cast(b, a, asc.RoundMode.CAST_RINT, [low, high], repeats, params)
        if only == REGISTER:
            params = asc.UnaryRepeatParams(packed_blk, half_blk, packed_rep, half_rep)
            asc.set_mask_count()
            asc.set_vector_mask(count, asc.float16, asc.MaskMode.COUNTER)
            asc.cast(b, a, asc.RoundMode.CAST_RINT, 0, 1, params, is_set_mask=False)
            asc.set_mask_norm()
            asc.reset_mask()
        if only == PART:
            asc.cast(b[offset:], a, asc.RoundMode.CAST_RINT, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        if backward:
            asc.data_copy(z_gm[tile * TILE * 2 :], halves, TILE * 2)
        else:
            asc.data_copy(z_gm[tile * TILE // 2 :], codes, TILE // 2)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


USUAL = {"count": 128, "lanes": 128, "low": -1, "high": -1, "repeats": 1}
USUAL |= {"packed_blk": 1, "half_blk": 1, "packed_rep": 2, "half_rep": 8, "backward": 0, "waits": 1}
USUAL |= {"size": TILE // 2, "offset": 0}


def launch(x: np.ndarray, only: int, checked: bool = False, **given: int) -> np.ndarray:
    """What lies in all tiles afterwards, as bytes; 0xA5 before."""
    settings = USUAL | given
    tiles = x.nbytes // (TILE // 2 if settings["backward"] else 2 * TILE)
    z = np.full(tiles * (2 * TILE if settings["backward"] else TILE // 2), 0xA5, np.uint8)
    (casts.check if checked else casts)[1](x.view(np.int8), z.view(np.int8), tiles, only, *settings.values())
    return z


def wanted(x: np.ndarray, mode: RoundMode) -> np.ndarray:
    """Codes, one to an element."""
    with np.errstate(invalid="ignore"):
        rounded = {
            RoundMode.CAST_FLOOR: np.floor,
            RoundMode.CAST_CEIL: np.ceil,
            RoundMode.CAST_TRUNC: np.trunc,
            RoundMode.CAST_ROUND: lambda v: np.trunc(v + np.copysign(0.5, v)),
        }.get(mode, np.rint)(x.astype(np.float64))
    return encode_int4(np.where(np.isnan(rounded), 0, np.clip(rounded, -8, 7)).astype(np.int8))


HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)
PAIRS = np.resize(np.arange(256, dtype=np.uint8), TILE // 2)


def note(ran: Callable, form: int) -> None:
    for dtype in ("float16", "int4"):
        ran("cast", form, dtype)
    for name in ("__getitem__", "reinterpret_cast"):
        ran(f"LocalTensor.{name}", 0, "int4")


def test_every_soc_has_the_pairs() -> None:
    assert set(PACKED) == {"int4"} and PACKED["int4"].bits == 4 and PACKED["int4"].limits == (-8, 7)
    for soc in SOCS:
        pairs = {pair: modes for pair, modes in vec_convert.casts(soc).items() if "int4" in pair}
        assert pairs == {("int4", "float16"): (RoundMode.CAST_NONE,), ("float16", "int4"): MODES}


@pytest.mark.parametrize("number", range(6), ids=[mode.name for mode in MODES])
def test_every_half_in_every_way_of_rounding(number: int, ran: Callable) -> None:
    z = launch(HALVES, number, count=TILE)
    same(unpack(z), wanted(HALVES, MODES[number]), MODES[number].name)
    z = launch(HALVES[:TILE], number, count=34)
    assert (z[17:] == 0xA5).all() and (z[:17] == pack(wanted(HALVES[:34], MODES[number]))).all()
    note(ran, 0)


def test_every_pair_of_codes(ran: Callable) -> None:
    z = launch(PAIRS, COUNT, backward=1, count=TILE).view(np.float16)
    same(z, decode_int4(unpack(PAIRS)).astype(np.float16), "int4 to float16")
    z = launch(PAIRS, COUNT, backward=1, count=6).view(np.uint8)
    assert (z[12:] == 0xA5).all() and (z[:12] != 0xA5).any()
    note(ran, 0)


@pytest.mark.parametrize("backward", [0, 1], ids=["to_int4", "from_int4"])
@pytest.mark.parametrize("form", [1, 2])
def test_repeats(form: int, backward: int, ran: Callable) -> None:
    x = np.random.default_rng(3).integers(-9, 9, TILE).astype(np.float16)
    codes = unpack(PAIRS) if backward else wanted(x, RoundMode.CAST_RINT)
    for lanes, words, repeats, blocks, steps in SHAPES:
        chosen = [lane for lane in range(128) if (lane < lanes if form == 1 else words[lane // 64] >> lane % 64 & 1)]
        signed = [word - (1 << 64) if word >> 63 else word for word in words]
        strides = dict(zip(("packed_blk", "half_blk", "packed_rep", "half_rep"), (*blocks, *steps), strict=True))
        if backward:
            strides["half_blk"] = max(strides["half_blk"], 1)
        given = {"lanes": lanes, "low": signed[0], "high": signed[1], "repeats": repeats, **strides}
        z = launch(PAIRS if backward else x, LANES if form == 1 else BITS, backward=backward, checked=True, **given)
        got = z.view(np.float16) if backward else unpack(z)
        expected = np.full(len(z), 0xA5, np.uint8)
        expected = expected.view(np.float16) if backward else unpack(expected)
        for repeat in range(repeats):
            for lane in chosen:
                block = repeat * strides["packed_rep"] + lane // 64 * strides["packed_blk"]
                in_packed = block * 64 + lane % 64
                block = repeat * strides["half_rep"] + lane // 16 * strides["half_blk"]
                in_half = block * 16 + lane % 16
                if backward:
                    expected[in_half] = decode_int4(codes)[in_packed]
                else:
                    expected[in_packed] = codes[in_half]
        assert got.tobytes() == expected.tobytes(), (form, lanes, words)
        assert not casts.check.report().findings
    note(ran, form)


def test_the_mask_register() -> None:
    z = launch(HALVES[:TILE], REGISTER, count=200)
    assert (z[100:] == 0xA5).all() and (unpack(z)[:200] == wanted(HALVES[:200], RoundMode.CAST_RINT)).all()
    with pytest.raises(RuleError, match="of int4 mask must take both elements of a byte or none, got lane 2 alone"):
        launch(HALVES[:TILE], REGISTER, count=131)


def test_parts_and_ends() -> None:
    x = HALVES[:TILE]
    z = launch(x, PART, offset=192, count=64)
    assert (z[:96] == 0xA5).all() and (z[128:] == 0xA5).all() and (z[96:128] != 0xA5).any()
    launch(x, 0, size=32, count=64)
    with pytest.raises(OutOfRange, match="dst is used for 33 bytes, but its tensor has only 32 from there"):
        launch(x, 0, size=32, count=66)
    with pytest.raises(OutOfRange, match="offset 66 is outside the tensor"):
        launch(x, PART, size=32, offset=66, count=0)
    with pytest.raises(OutOfRange, match="dst is used for 64 bytes, but its tensor has only 63"):
        launch(x, LANES, size=63)
    with pytest.raises(RuleError, match="dst must start at a multiple of 32 bytes, got 8208") as caught:
        launch(x, PART, offset=32)
    assert "multiples of 64 elements" in str(caught.value)
    with pytest.raises(RuleError, match="offset 3 lies within a byte"):
        launch(x, PART, offset=3)
    with pytest.raises(RuleError, match="of int4 count must take both elements of a byte or none, got 33"):
        launch(x, 0, count=33)
    with pytest.raises(RuleError, match="got lane 4 alone"):
        launch(x, LANES, lanes=5)
    with pytest.raises(RuleError, match="got lane 65 alone"):
        launch(x, BITS, low=3, high=2)
    with pytest.raises(RaceError):
        launch(x, 0, waits=0, checked=True)


@asc.jit
def sizes(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    found = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 0, 8)
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 1024, 48)
    codes = b.reinterpret_cast(asc.int4)
    found.set_value(0, codes.get_size())
    found.set_value(1, codes.get_length())
    found.set_value(2, codes[10:].get_size())
    found.set_value(3, codes[10:].get_length())
    found.set_value(4, codes[10:].reinterpret_cast(asc.int8).get_size())
    for place in range(5, 8):
        found.set_value(place, 0)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, found, 8)


def test_sizes(ran: Callable) -> None:
    z = np.zeros(8, np.int32)
    sizes[1](z)
    assert z[:5].tolist() == [96, 48, 86, 43, 43]
    for name in ("get_size", "get_length", "__getitem__", "reinterpret_cast"):
        ran(f"LocalTensor.{name}", 0, "int4")


@asc.jit(chip_assumptions="saturate_integers=off", opt_level=0)
def wraps(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 1024, 32)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.cast(b.reinterpret_cast(asc.int4), a, asc.RoundMode.CAST_RINT, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, 32)


def test_what_does_not_saturate_keeps_its_low_bits() -> None:
    numbers = np.arange(-512, 512, 16)[:64] + np.arange(64) % 16
    z = np.zeros(32, np.int8)
    wraps[1](numbers.astype(np.float16), z)
    assert (unpack(z.view(np.uint8)) == numbers % 16).all()


def test_what_the_switch_decides_is_shown() -> None:
    launch(np.full(TILE, 20, np.float16), 0, checked=True, count=6)
    (told,) = casts.check.report().assumed
    assert told.count == 6 and "gives 7 for 20, as saturate_integers=on" in told.message
    launch(np.full(TILE, 7, np.float16), 0, checked=True, count=6)
    assert not casts.check.report().assumed


# What is known before the run ------------------------------------------------------------------------------------


def refused(body: Callable) -> KernelError:
    with pytest.raises(KernelError) as caught:
        asc.jit(body).emit("int8[64]")
    return caught.value


def odd_count(x: asc.GlobalAddress):
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4)
    asc.cast(b, asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 1024, 64), asc.RoundMode.CAST_RINT, 63)


def odd_offset(x: asc.GlobalAddress):
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4)
    asc.cast(b[31:], asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 1024, 64), asc.RoundMode.CAST_RINT, 32)


def not_at_a_block(x: asc.GlobalAddress):
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4)
    asc.cast(b[32:], asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 1024, 64), asc.RoundMode.CAST_RINT, 32)


def from_float32(x: asc.GlobalAddress):
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4)
    asc.cast(b, asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 1024, 64), asc.RoundMode.CAST_RINT, 32)


def made_of_it(x: asc.GlobalAddress):
    asc.LocalTensor(asc.int4, asc.TPosition.VECIN, 0, 64)


def copied(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    asc.data_copy(x_gm, asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4), 64)


def read(x: asc.GlobalAddress):
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64).reinterpret_cast(asc.int4)
    asc.printf("%d", b.get_value(0))


def number(x: asc.GlobalAddress):
    asc.printf("%d", asc.int4(3))


MADE_OF_INT8 = "the tensor was made of int8, as which its bytes are copied"


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (odd_count, RuleBroken, "of int4 count must take both elements of a byte or none, got 63"),
        (odd_offset, RuleBroken, "offset of int4 must be even, since two elements share a byte, got 31"),
        (not_at_a_block, RuleBroken, "dst must start at a multiple of 32 bytes, got 16"),
        (from_float32, RuleBroken, "float32 to int4"),
        (made_of_it, WrongDtype, MADE_OF_INT8),
        (copied, NoForm, "local.reinterpret_cast(asc.int8)"),
        (read, WrongDtype, MADE_OF_INT8),
        (number, KernelError, "a core has no such numbers"),
    ],
)
def test_refused_before_the_run(body: Callable, kind: type[KernelError], words: str) -> None:
    error = refused(body)
    assert isinstance(error, kind)
    assert re.search(re.escape(words), str(error)), str(error)
