"""What loads and copies of the matrix unit refuse: numbers of the run that do not fit, and paths of another SoC."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from image import load

from opwright.errors import KernelError, NoForm, RuleBroken, RuleError
from opwright.runtime.jit import JitFunction

HEAD = """
from opwright import asc


@asc.jit(kernel_type="cube", soc="{soc}", opt_level=0)
def refused(g: asc.GlobalAddress, which: int, p: int, q: int):
    g_gm = asc.GlobalTensor()
    g_gm.set_global_buffer(g)
    l1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 8192)
    l0a = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 8192)
    l0b = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 8192)
    wide, wide_l0a = l1.reinterpret_cast(asc.float32), l0a.reinterpret_cast(asc.float32)
    small, small_l0a = l1.reinterpret_cast(asc.int8), l0a.reinterpret_cast(asc.int8)
    small_l0b, bits = l0b.reinterpret_cast(asc.int8), l1.reinterpret_cast(asc.uint8)
    table = asc.LocalTensor(asc.float32, asc.TPosition.C2, 0, 128)
"""
IMAGE = "asc.LoadData3DParamsV2([0, 0, 0, 0], {h}, 4, {c}, {k}, {m}, {k0}, {m0}, {s}, 1, 2, 2, {d}, 1)"


def image(**fields: str) -> str:
    usual = {"h": "4", "c": "16", "k": "16", "m": "16", "k0": "0", "m0": "0", "s": "1", "d": "1"}
    return f"asc.load_data(l0a, l1, {IMAGE.format(**{**usual, **fields})})"


# A call, values of p and q that it takes, others that it does not, and words of the message.
CASES: dict[str, list[tuple[str, tuple[int, int], tuple[int, int], str]]] = {
    "ascend910b": [
        (
            "asc.data_copy(l1, g_gm, asc.Nd2NzParams(1, p, 16, 0, 16, 16, 1, 0))",
            (4, 0),
            (16385, 0),
            "between 0 and 16384",
        ),
        (
            "asc.data_copy(l1, g_gm, asc.Nd2NzParams(p, 1, 16, 0, 16, 16, 1, q))",
            (2, 16),
            (2, 8),
            "multiple of 32 bytes",
        ),
        ("asc.data_copy(l1, g_gm, asc.Nd2NzParams(1, 1, 16, 0, 16, 16, p, 0))", (1, 0), (0, 0), "between 1 and 16384"),
        (
            "asc.load_data(l0a, l1, asc.LoadData2DParams(0, 1, 1, 0, 0, False, p))",
            (0, 0),
            (1, 0),
            "addr_mode must be 0",
        ),
        ("asc.load_data(l1, g_gm, asc.LoadData2DParams(p, 3, 2, 0, 0, False, 1))", (4, 0), (3, 0), "below the start"),
        ("asc.load_data(l0a, l1, asc.LoadData2DParams(0, p, 1))", (1, 0), (256, 0), "does not fit"),
        (
            "asc.load_data_with_transpose(small_l0b, small, asc.LoadData2dTransposeParams(0, 2, 1, p, q))",
            (1, 0),
            (0, 0),
            "own place",
        ),
        ("asc.data_copy(table, wide, p)", (16, 0), (8, 0), "whole pieces of 64 bytes"),
        ("asc.set_load_data_boundary(p)", (1024, 0), (1000, 0), "must be 0, or at least 1024"),
        ("asc.init_const_value(l1, asc.InitConstValueParams(1, p, 0, 1))", (4, 0), (32768, 0), "between 0 and 32767"),
        (image(h="p"), (4, 0), (40000, 0), "between 0 and 32767"),
        (image(s="p"), (1, 0), (0, 0), "between 1 and 63"),
        (image(d="p"), (1, 0), (0, 0), "between 1 and 255"),
        (image(c="p"), (20, 0), (18, 0), "channel_size must be a multiple"),
        (image(k0="p"), (16, 0), (8, 0), "k_start_pt must be a multiple"),
        (image(k="p"), (64, 0), (24, 0), "k_extension must be a multiple"),
        (image(m="p"), (9, 0), (8, 0), "m_extension must be a multiple"),
        (
            "asc.set_load_data_boundary(2048)\n        asc.load_data(l0a, l1[p:], {})".replace(
                "{}", IMAGE.format(h=4, c=16, k=16, m=16, k0=0, m0=0, s=1, d=1)
            ),
            (0, 0),
            (1024, 0),
            "below the boundary",
        ),
    ],
    "ascend950": [
        ("asc.load_data(l0a, l1, asc.LoadData2DParams(p, 2, 3))", (0, 0), (1, 0), "start_index must be 0"),
        ("asc.load_data(l0a, l1, asc.LoadData2DParams(0, 2, 1, 0, p))", (0, 0), (1, 0), "dst_gap must be 0"),
        ("asc.load_data(l1, g_gm, asc.LoadData2DParams(0, 2, p))", (1, 0), (2, 0), "src_stride must be 1"),
        (
            "asc.load_data(small_l0a, small, asc.LoadData2DParamsV2(0, 0, p, 1, 4, 4, True))",
            (2, 0),
            (3, 0),
            "m_step must be even",
        ),
        (
            "asc.load_data(wide_l0a, wide, asc.LoadData2DParamsV2(0, 0, 2, p, 4, 4, True))",
            (2, 0),
            (3, 0),
            "whole squares",
        ),
        ("asc.data_copy(table, wide, asc.DataCopyParams(1, p, 0, 0))", (2, 0), (3, 0), "block_len must be even"),
        (
            "asc.set_fmatrix(4, 4, [0, 0, 0, 0])\n        asc.load_data(l0a, l1, asc.LoadData3DParamsV2Pro(16, "
            "ext_config=16 << 16 | 16, filter_config=0x10101010001 | p << 8 * q))",
            (63, 1),
            (64, 1),
            "strides must lie between 1 and 63",
        ),
        (
            "if p != 0:\n            asc.set_fmatrix(4, 4, [0, 0, 0, 0])\n"
            "        asc.load_data(l0a, l1, asc.LoadData3DParamsV2Pro(16, ext_config=16 << 16 | 16))",
            (1, 0),
            (0, 0),
            "how large the image is must be set before a load",
        ),
        (
            "asc.load_data(l0b, l1, asc.LoadData2DParams(p, 2, 1, 0, 0, True))",
            (0, 0),
            (1, 0),
            "with if_transpose into L0B always",
        ),
        (image(m0="p", m="16"), (0, 0), (8, 0), "so must m_start_pt on ascend950"),
        (image(m="p"), (16, 0), (9, 0), "m_extension must be a multiple"),
    ],
}
CONSTANTS = {
    "asc.data_copy(l1, g_gm, asc.Nd2NzParams(1, 1, 16, 0, 0, 16, 1, 0))": "src_d_value must lie between 1 and 65535",
    "asc.load_data(l0a[8:], l1, asc.LoadData2DParams())": "dst must start at a multiple of 512 bytes",
    "asc.load_data(l0a, l1[8:], asc.LoadData2DParams())": "src must start at a multiple of 32 bytes",
    "asc.data_copy(table[8:], wide, 16)": "dst must start at a multiple of 64 bytes",
    "asc.data_copy(table, wide, 8)": "whole pieces of 64 bytes",
    "asc.set_load_data_boundary(7)": "must be 0, or at least 1024",
}
NOT_THERE = {
    "ascend910b": {
        "asc.load_data(l0a, l1, asc.LoadData2DParamsV2(0, 0, 1, 1, 1, 1))": "no call there takes it",
    },
    "ascend950": {
        "asc.data_copy(g_gm, l1, 16)": "it has no path from L1 to global memory",
        "asc.load_data(l0a, g_gm, asc.LoadData2DParams())": "no direct path from global memory",
        "asc.load_data_with_transpose(l0a, l1, asc.LoadData2dTransposeParams())": "its squares go to L0B only",
        "asc.init_const_value(l0a, asc.InitConstValueParams(1, 1))": "it fills L1 only",
        "asc.set_load_data_boundary(0)": "it has no such register",
        "asc.load_data_with_sparse(small_l0b, small, bits, asc.LoadData2DParams())": "it has no sparse matrices",
    },
}


def written(folder: Path, name: str, soc: str, lines: list[str]) -> JitFunction:
    return load(folder, name, "\n".join([HEAD.format(soc=soc), *lines])).refused


@cache
def kernel(folder: Path, soc: str) -> JitFunction:
    lines = []
    for number, (call, *_) in enumerate(CASES[soc]):
        lines += [f"    if which == {number}:", f"        {call}"]
    return written(folder, f"refused_{soc}", soc, lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("refused")


@pytest.mark.parametrize("soc", CASES)
def test_numbers_of_the_run(folder: Path, soc: str) -> None:
    g = np.zeros(1 << 16, np.float16)
    for number, (call, right, wrong, words) in enumerate(CASES[soc]):
        kernel(folder, soc)[1](g, number, *right)
        with pytest.raises(RuleError) as caught:
            kernel(folder, soc)[1](g, number, *wrong)
        assert words in str(caught.value), call


def refusal(folder: Path, number: int, soc: str, call: str) -> KernelError:
    kernel = written(folder, f"constant_{soc}_{number}", soc, [f"    {call}"])
    with pytest.raises(KernelError) as caught:
        kernel.emit("float16[64]", 0, 0, 0)
    return caught.value


def test_constants(folder: Path) -> None:
    for number, (call, words) in enumerate(CONSTANTS.items()):
        error = refusal(folder, number, "ascend910b", call)
        assert isinstance(error, RuleBroken) and words in str(error), call


@pytest.mark.parametrize("soc", NOT_THERE)
def test_paths_of_another_soc(folder: Path, soc: str) -> None:
    for number, (call, words) in enumerate(NOT_THERE[soc].items()):
        error = refusal(folder, 100 + number, soc, call)
        assert isinstance(error, NoForm) and words in str(error), call
