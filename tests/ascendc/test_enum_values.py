"""Every value of every enumeration: its number in Python and its name and number in C++, against a table by hand."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright import asc
from opwright.ascendc.enums import ENUMS, ConstantsText
from opwright.twin.build import INCLUDE

# Python name: what stands before a value in C++; values, with a number where it is not one more than the last
VALUES = {
    "AippInputFormat": ("AscendC::AippInputFormat::", "YUV420SP_U8 XRGB8888_U8 RGB888_U8=4 YUV400_U8=9"),
    "AtomicDtype": (
        "AscendC::AtomicDtype::",
        "ATOMIC_NONE ATOMIC_F32 ATOMIC_F16 ATOMIC_S16 ATOMIC_S32 ATOMIC_S8 ATOMIC_BF16",
    ),
    "AtomicOp": ("AscendC::AtomicOp::", "ATOMIC_SUM"),
    "BatchMode": ("AscendC::BatchMode::", "NONE BATCH_LESS_THAN_L1 BATCH_LARGE_THAN_L1 SINGLE_LARGE_THAN_L1"),
    "BlockMode": (
        "AscendC::BlockMode::",
        "BLOCK_MODE_NORMAL BLOCK_MODE_MATRIX BLOCK_MODE_VECTOR BLOCK_MODE_SMALL_CHANNEL BLOCK_MODE_DEPTHWISE",
    ),
    "CMPMODE": ("AscendC::CMPMODE::", "LT GT EQ LE GE NE"),
    "CO2Layout": ("AscendC::CO2Layout::", "NZ ROW_MAJOR COLUMN_MAJOR"),
    "CacheLine": ("AscendC::CacheLine::", "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE"),
    "CacheMode": (
        "AscendC::CacheMode::",
        "CACHE_MODE_DISABLE CACHE_MODE_NORMAL CACHE_MODE_LAST CACHE_MODE_PERSISTENT=4",
    ),
    "CacheRwMode": ("AscendC::CacheRwMode::", "READ=1 WRITE RW"),
    "CubeFormat": ("CubeFormat::", "ND NZ"),
    "DataFormat": ("AscendC::DataFormat::", "ND NZ NCHW NC1HWC0 NHWC"),
    "DcciDst": ("AscendC::DcciDst::", "CACHELINE_ALL CACHELINE_UB CACHELINE_OUT CACHELINE_ATOMIC"),
    "DeqScale": ("AscendC::DeqScale::", "DEQ_NONE DEQ VDEQ DEQ8 VDEQ8 DEQ16 VDEQ16"),
    "GatherMaskMode": ("AscendC::GatherMaskMode::", "DEFAULT"),
    "HardEvent": (
        "AscendC::HardEvent::",
        "MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE2_V V_MTE2 MTE3_V V_MTE3 M_V V_M V_V MTE3_MTE1 MTE1_MTE3 MTE1_V MTE2_M "
        "M_MTE2 V_MTE1 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S MTE2_FIX FIX_MTE2 FIX_S M_S "
        "FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX",
    ),
    "Hardware": ("AscendC::Hardware::", "GM UB L1 L0A L0B L0C BIAS FIXBUF MAX"),
    "IterateMode": (
        "AscendC::IterateMode::",
        "ITERATE_MODE_NORMAL=1 ITERATE_MODE_ALL=2 ITERATE_MODE_BATCH=4 ITERATE_MODE_N_BATCH=8 ITERATE_MODE_DEFAULT=255",
    ),
    "IterateOrder": ("AscendC::IterateOrder::", "ORDER_M ORDER_N UNDEF"),
    "LayoutMode": ("AscendC::LayoutMode::", "NONE BSNGD SBNGD BNGS1S2 NORMAL"),
    "MaskMode": ("AscendC::MaskMode::", "NORMAL COUNTER"),
    "MatmulConfigMode": (
        "AscendC::MatmulConfigMode::",
        "CONFIG_NORM CONFIG_MDL CONFIG_SPECIALMDL CONFIG_IBSHARE",
    ),
    "MemDsbT": ("AscendC::MemDsbT::", "ALL DDR UB SEQ"),
    "PipeID": (
        "",
        "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 PIPE_FIX",
    ),
    "QuantModes": (
        "QuantMode_t::",
        "NoQuant F322F16 F322BF16 DEQF16 VDEQF16 QF322B8_PRE VQF322B8_PRE REQ8 VREQ8 QF322HIF8_PRE VQF322HIF8_PRE "
        "QF322FP8_PRE VQF322FP8_PRE QF322F32_PRE VQF322F32_PRE QF322F16_PRE VQF322F16_PRE QF322BF16_PRE "
        "VQF322BF16_PRE QS322BF16_PRE VQS322BF16_PRE",
    ),
    "ReduceOrder": (
        "AscendC::ReduceOrder::",
        "ORDER_VALUE_INDEX ORDER_INDEX_VALUE ORDER_ONLY_VALUE ORDER_ONLY_INDEX",
    ),
    "RoundMode": (
        "AscendC::RoundMode::",
        "CAST_NONE CAST_RINT CAST_FLOOR CAST_CEIL CAST_ROUND CAST_TRUNC CAST_ODD",
    ),
    "ScheduleType": ("AscendC::ScheduleType::", "INNER_PRODUCT OUTER_PRODUCT"),
    "SelMode": ("AscendC::SELMODE::", "VSEL_CMPMASK_SPR VSEL_TENSOR_SCALAR_MODE VSEL_TENSOR_TENSOR_MODE"),
    "TPosition": ("AscendC::TPosition::", "GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC C2PIPE2GM=14 MAX=16"),
    "TransposeType": (
        "AscendC::TransposeType::",
        "TRANSPOSE_TYPE_NONE TRANSPOSE_NZ2ND_0213 TRANSPOSE_NZ2NZ_0213 TRANSPOSE_NZ2NZ_012_WITH_N "
        "TRANSPOSE_NZ2ND_012_WITH_N TRANSPOSE_NZ2ND_012_WITHOUT_N TRANSPOSE_NZ2NZ_012_WITHOUT_N TRANSPOSE_ND2ND_ONLY "
        "TRANSPOSE_ND_UB_GM TRANSPOSE_GRAD_ND_UB_GM TRANSPOSE_ND2ND_B16 TRANSPOSE_NCHW2NHWC TRANSPOSE_NHWC2NCHW",
    ),
    "pad_t": ("", "PAD_NONE PAD_MODE1 PAD_MODE2 PAD_MODE3 PAD_MODE4 PAD_MODE5 PAD_MODE6 PAD_MODE7 PAD_MODE8"),
}
KNOWN = [name for name, text in ENUMS.items() if text.cpp and not isinstance(text, ConstantsText)]


def numbers(name: str) -> dict[str, int]:
    """Value -> number."""
    found: dict[str, int] = {}
    after = 0
    for word in VALUES[name][1].split():
        value, _, number = word.partition("=")
        found[value] = int(number) if number else after
        after = found[value] + 1
    return found


@pytest.mark.parametrize("name", KNOWN)
def test_in_python(name: str, asserted: Callable[[str], None]) -> None:
    python = getattr(asc, name)
    assert {value.name: value.value for value in python} == numbers(name)
    assert [ENUMS[name].spell(value) for value in python] == [VALUES[name][0] + value for value in numbers(name)]
    asserted(name)
    for value in numbers(name):
        asserted(f"{name}.{value}")


def test_constants_of_structs(asserted: Callable[[str], None]) -> None:
    """Whatever a kernel may write for one of them, and how the text spells it."""
    configs = asc.FixpipeConfig
    spelled = {one.name: ENUMS["FixpipeConfig"].spell(one) for one in configs}
    assert spelled == {
        "cfg_nz": "AscendC::CFG_NZ",
        "cfg_row_major": "AscendC::CFG_ROW_MAJOR",
        "cfg_column_major": "AscendC::CFG_COLUMN_MAJOR",
        "cfg_nz_ub": "CFG_NZ_UB",
        "cfg_row_major_ub": "CFG_ROW_MAJOR_UB",
        "cfg_column_major_ub": "CFG_COLUMN_MAJOR_UB",
    }
    assert configs(asc.CO2Layout.NZ) is configs.cfg_nz is configs.cfg_nz()
    assert configs(asc.CO2Layout.ROW_MAJOR) is configs.cfg_row_major()
    assert configs(asc.CO2Layout.COLUMN_MAJOR) is configs.cfg_column_major
    asserted("FixpipeConfig")
    for name in spelled:
        asserted(f"FixpipeConfig.{name}")


def test_in_cpp(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("a C++ compiler is not installed")
    lines = [
        f'static_assert(static_cast<int>({VALUES[name][0]}{value}) == {number}, "{name}.{value}");'
        for name in KNOWN
        for value, number in numbers(name).items()
    ]
    assert len(lines) > 150
    source = tmp_path / "values.cpp"
    source.write_text("\n".join(['#include "opwright/generated/enums.h"', *lines]) + "\n")
    subprocess.run([compiler, "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", source], check=True)
