"""Arguments that C++ would take for something else, and values that must have a variable, as the text spells them."""

import re

import pytest

from opwright import asc
from opwright.errors import KernelError
from opwright.runtime.jit import JitFunction

pytestmark = pytest.mark.quick


@asc.jit
def zero_masks(x: asc.GlobalAddress, n: int):
    """A mask of 0 beside a form with an array, which 0 could be a pointer to."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    two, one = asc.BinaryRepeatParams(), asc.UnaryRepeatParams()
    asc.add(a, a, a, 0, 1, two, is_set_mask=False)
    asc.exp(a, a, 0, 1, one)
    asc.duplicate(a, 1.0, 0, 1, 1, 8)
    asc.copy(a, a, 0, 1, asc.CopyRepeatParams(1, 1, 8, 8))
    asc.add(a, a, a, n, 1, two)
    asc.add(a, a, a, 0)


def test_a_mask_of_0_says_its_type() -> None:
    text = zero_masks.emit("float32[64]", 1)
    assert text.count("static_cast<uint64_t>(0), 1, ") == 4
    assert "AscendC::Add<float, false>(a, a, a, static_cast<uint64_t>(0), 1," in text
    assert "AscendC::Add(a, a, a, n, 1," in text
    assert "AscendC::Add(a, a, a, 0);" in text


@asc.jit
def references(x: asc.GlobalAddress, w: asc.GlobalAddress, t: asc.GlobalAddress, n: int):
    """Parts of tensors where C++ takes a reference."""
    t_gm = asc.GlobalTensor()
    t_gm.set_global_buffer(t)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    pipe = asc.TPipe()
    a_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(a_buffer, 4096)
    a = a_buffer.get(asc.float32)
    u_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(u_buffer, 256)
    u = u_buffer.get(asc.uint32)
    q_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(q_buffer, 512)
    q = q_buffer.get(asc.int32)
    other = asc.LocalTensor(asc.float32)
    asc.sort(a, a[256:], u, a[512:], 1, True)
    asc.notify_next_block(w_gm[n:], q[64:])
    other.set_addr_with_offset(a[64:], 32)
    asc.data_cache_preload(t_gm, 64)
    asc.data_cache_preload(t_gm, n)


def test_references_are_variables() -> None:
    lines = [line.strip() for line in references.emit("float32[64]", "int32[64]", "uint64[64]", 1).splitlines()]
    text = "\n".join(lines)
    assert "AscendC::Sort<float, true>(a, a[256], u, value, 1);" in text
    assert "AscendC::LocalTensor<float> value = a[512];" in text
    assert "AscendC::NotifyNextBlock(value_1, value_2);" in text
    assert "other.SetAddrWithOffset(value_3, 32);" in text
    assert "AscendC::DataCachePreload(t_gm, static_cast<int64_t>(64));" in text
    assert "AscendC::DataCachePreload(t_gm, n);" in text


@asc.jit
def offsets(t: asc.GlobalAddress, n: int, i: asc.int32, s: asc.int16, u: asc.uint32):
    t_gm = asc.GlobalTensor()
    t_gm.set_global_buffer(t, 64)
    asc.data_cache_preload(t_gm, 0)
    asc.data_cache_preload(t_gm, n * 8)
    asc.data_cache_preload(t_gm, i)
    asc.data_cache_preload(t_gm, s)
    asc.data_cache_preload(t_gm, u)
    asc.data_cache_preload(t_gm, i + 1)
    asc.data_cache_preload(t_gm, 64 if n > 3 else 8)


def test_an_integer_whose_type_is_deduced_has_that_type() -> None:
    text = offsets.emit("uint64[64]", 1, 2, 3, 4)
    assert re.findall(r"DataCachePreload\(t_gm, (.*)\);", text) == [
        "static_cast<int64_t>(0)",
        "n * 8",
        "static_cast<int64_t>(i)",
        "static_cast<int64_t>(s)",
        "static_cast<int64_t>(u)",
        "static_cast<int64_t>(i) + 1",
        "static_cast<int64_t>(n > 3 ? 64 : 8)",
    ]


@asc.jit(kernel_type="cube")
def one_row(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
    b = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
    c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
    asc.mmad(c, a, b, asc.MmadParams(1, 16, 16, disable_gemv=True))


@asc.jit
def scalar_barrier(x: asc.GlobalAddress):
    asc.pipe_barrier(asc.PipeID.PIPE_S)


@asc.jit
def given_away(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    a = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(a, 4096)
    h = a.get(x.dtype)
    asc.adv.digamma(h, h[1024:], 64, is_reuse_source=True)


@asc.jit
def masked_count(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.add(a, a, a, 64, is_set_mask=False)


@pytest.mark.parametrize(
    ("kernel", "dtype", "refused", "taken", "words"),
    [
        (one_row, "float16", "ascend910b", "ascend950", "disable_gemv must not be True on ascend910b"),
        (scalar_barrier, "float16", "ascend950", "ascend910b", "pipe must not be PIPE_S on ascend950"),
        (given_away, "float16", "ascend950", "ascend910b", "is_reuse_source must not be True for float16 on ascend950"),
        (masked_count, "float32", "ascend910b", "", "is_set_mask must be 1"),
    ],
)
def test_refused_by_emit(kernel: JitFunction, dtype: str, refused: str, taken: str, words: str) -> None:
    with pytest.raises(KernelError, match=words):
        kernel.emit(f"{dtype}[64]", soc=refused)
    if taken:
        assert kernel.emit(f"{dtype}[64]", soc=taken)
