"""Enumerations of Ascend C, stated once: Python classes, C++ enums and documentation all come from `ENUMS`.

In: nothing. Out: the classes, and `ENUMS` with how the text spells each value.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from opwright.ascendc.matrix_enums import AippInputFormat as AippInputFormat
from opwright.ascendc.matrix_enums import BatchMode as BatchMode
from opwright.ascendc.matrix_enums import CO2Layout as CO2Layout
from opwright.ascendc.matrix_enums import CubeFormat as CubeFormat
from opwright.ascendc.matrix_enums import FixpipeConfig as FixpipeConfig
from opwright.ascendc.matrix_enums import IterateMode as IterateMode
from opwright.ascendc.matrix_enums import IterateOrder as IterateOrder
from opwright.ascendc.matrix_enums import LayoutMode as LayoutMode
from opwright.ascendc.matrix_enums import MatmulConfigMode as MatmulConfigMode
from opwright.ascendc.matrix_enums import QuantModes as QuantModes
from opwright.ascendc.matrix_enums import ScheduleType as ScheduleType
from opwright.ascendc.socs import Property as Property


class HardEvent(enum.Enum):
    """A pair of pipes, SOURCE_DESTINATION, that a flag orders."""

    MTE2_MTE1 = 0
    MTE1_MTE2 = 1
    MTE1_M = 2
    M_MTE1 = 3
    MTE2_V = 4
    V_MTE2 = 5
    MTE3_V = 6
    V_MTE3 = 7
    M_V = 8
    V_M = 9
    V_V = 10
    MTE3_MTE1 = 11
    MTE1_MTE3 = 12
    MTE1_V = 13
    MTE2_M = 14
    M_MTE2 = 15
    V_MTE1 = 16
    M_FIX = 17
    FIX_M = 18
    MTE3_MTE2 = 19
    MTE2_MTE3 = 20
    S_V = 21
    V_S = 22
    S_MTE2 = 23
    MTE2_S = 24
    S_MTE3 = 25
    MTE3_S = 26
    MTE2_FIX = 27
    FIX_MTE2 = 28
    FIX_S = 29
    M_S = 30
    FIX_MTE3 = 31
    MTE1_FIX = 32
    FIX_MTE1 = 33
    FIX_FIX = 34

    @property
    def pipes(self) -> tuple[PipeID, PipeID]:
        """The source and the destination pipe."""
        source, destination = self.name.split("_")
        return PipeID[f"PIPE_{source}"], PipeID[f"PIPE_{destination}"]


# One binary flag per pair of pipes and id. A kernel chooses the lower ids; 6 is reserved, 7 is for auto sync.
EVENT_IDS = 8
EVENT_IDS_BY_HAND = 6

# Flags between cores. A kernel chooses the lower ones; sync_all uses some of the others.
CROSS_FLAGS = 16
CROSS_FLAGS_BY_HAND = 11


class PipeID(enum.Enum):
    """An instruction pipe of a core."""

    PIPE_S = 0
    PIPE_V = 1
    PIPE_M = 2
    PIPE_MTE1 = 3
    PIPE_MTE2 = 4
    PIPE_MTE3 = 5
    PIPE_ALL = 6
    PIPE_MTE4 = 7
    PIPE_MTE5 = 8
    PIPE_V2 = 9
    PIPE_FIX = 10


class RoundMode(enum.Enum):
    """How a conversion rounds. CAST_NONE: it need not, or else as CAST_RINT."""

    CAST_NONE = 0
    CAST_RINT = 1  # to nearest, ties to even
    CAST_FLOOR = 2
    CAST_CEIL = 3
    CAST_ROUND = 4  # to nearest, ties away from 0
    CAST_TRUNC = 5  # towards 0
    CAST_ODD = 6  # what is not exact becomes the neighbour that ends in a 1 bit


class ReduceOrder(enum.Enum):
    """What a reduction to the greatest or least value leaves, and in which order."""

    ORDER_VALUE_INDEX = 0
    ORDER_INDEX_VALUE = 1
    ORDER_ONLY_VALUE = 2
    ORDER_ONLY_INDEX = 3


class CMPMODE(enum.Enum):
    """How two elements are compared. With a NaN all but NE are false."""

    LT = 0
    GT = 1
    EQ = 2
    LE = 3
    GE = 4
    NE = 5


class SelMode(enum.Enum):
    """Where asc.select finds its bits and its second source."""

    VSEL_CMPMASK_SPR = 0  # two tensors; every repeat uses the same bits
    VSEL_TENSOR_SCALAR_MODE = 1  # a tensor and a number; the bits of a repeat follow those of the one before
    VSEL_TENSOR_TENSOR_MODE = 2  # two tensors; the bits as with a number


class GatherMaskMode(enum.Enum):
    """Reserved: what the chip does by default, which C++ names VERSION_V2 on ascend910b and VERSION_V1 on ascend950."""

    DEFAULT = 0


class TransposeType(enum.Enum):
    """What asc.transpose does; it knows NONE (nothing), ND2ND_B16, NCHW2NHWC and NHWC2NCHW."""

    TRANSPOSE_TYPE_NONE = 0
    TRANSPOSE_NZ2ND_0213 = 1
    TRANSPOSE_NZ2NZ_0213 = 2
    TRANSPOSE_NZ2NZ_012_WITH_N = 3
    TRANSPOSE_NZ2ND_012_WITH_N = 4
    TRANSPOSE_NZ2ND_012_WITHOUT_N = 5
    TRANSPOSE_NZ2NZ_012_WITHOUT_N = 6
    TRANSPOSE_ND2ND_ONLY = 7
    TRANSPOSE_ND_UB_GM = 8
    TRANSPOSE_GRAD_ND_UB_GM = 9
    TRANSPOSE_ND2ND_B16 = 10
    TRANSPOSE_NCHW2NHWC = 11
    TRANSPOSE_NHWC2NCHW = 12


class BlockMode(enum.Enum):
    """What a copy moves at once; all but NORMAL are about the matrix unit."""

    BLOCK_MODE_NORMAL = 0  # blocks of 32 bytes
    BLOCK_MODE_MATRIX = 1
    BLOCK_MODE_VECTOR = 2
    BLOCK_MODE_SMALL_CHANNEL = 3
    BLOCK_MODE_DEPTHWISE = 4


class DeqScale(enum.Enum):
    """How a copy of results of the matrix unit scales them; other copies have DEQ_NONE."""

    DEQ_NONE = 0
    DEQ = 1
    VDEQ = 2
    DEQ8 = 3
    VDEQ8 = 4
    DEQ16 = 5
    VDEQ16 = 6


class pad_t(enum.Enum):  # as Ascend C spells it
    """How a copy to the matrix memories pads; other copies have PAD_NONE."""

    PAD_NONE = 0
    PAD_MODE1 = 1
    PAD_MODE2 = 2
    PAD_MODE3 = 3
    PAD_MODE4 = 4
    PAD_MODE5 = 5
    PAD_MODE6 = 6
    PAD_MODE7 = 7
    PAD_MODE8 = 8


class TPosition(enum.Enum):
    """Logical position of a tensor; `MEMORY_OF` says which memory it lies in."""

    GM = 0
    A1 = 1
    A2 = 2
    B1 = 3
    B2 = 4
    C1 = 5
    C2 = 6
    CO1 = 7
    CO2 = 8
    VECIN = 9
    VECOUT = 10
    VECCALC = 11
    C2PIPE2GM = 14
    MAX = 16


class Hardware(enum.Enum):
    """A memory, by its own name."""

    GM = 0
    UB = 1
    L1 = 2
    L0A = 3
    L0B = 4
    L0C = 5
    BIAS = 6
    FIXBUF = 7
    MAX = 8


class DataFormat(enum.Enum):
    """How the elements of a tensor lie; a note in asc.ShapeInfo."""

    ND = 0
    NZ = 1
    NCHW = 2
    NC1HWC0 = 3
    NHWC = 4


class MaskMode(enum.Enum):
    """What the mask register holds: bits of the lanes of each repeat, or a number of elements."""

    NORMAL = 0
    COUNTER = 1


class MemDsbT(enum.Enum):
    """Whose accesses a data barrier waits for."""

    ALL = 0
    DDR = 1
    UB = 2
    SEQ = 3


class AtomicDtype(enum.Enum):
    """The element type of atomic copies to global memory."""

    ATOMIC_NONE = 0
    ATOMIC_F32 = 1
    ATOMIC_F16 = 2
    ATOMIC_S16 = 3
    ATOMIC_S32 = 4
    ATOMIC_S8 = 5
    ATOMIC_BF16 = 6


class AtomicOp(enum.Enum):
    """What atomic copies do."""

    ATOMIC_SUM = 0


class CacheMode(enum.Enum):
    """What the second-level cache does with a tensor."""

    CACHE_MODE_DISABLE = 0
    CACHE_MODE_NORMAL = 1
    CACHE_MODE_LAST = 2
    CACHE_MODE_PERSISTENT = 4


class CacheRwMode(enum.Enum):
    """Which accesses a hint to the cache is for."""

    READ = 1
    WRITE = 2
    RW = 3


class CacheLine(enum.Enum):
    """How much of the scalar unit's data cache a call is about."""

    SINGLE_CACHE_LINE = 0
    ENTIRE_DATA_CACHE = 1


class DcciDst(enum.Enum):
    """Lines of which memory the data cache gives up."""

    CACHELINE_ALL = 0
    CACHELINE_UB = 1
    CACHELINE_OUT = 2
    CACHELINE_ATOMIC = 3


MEMORY_OF: dict[TPosition, str] = {
    TPosition.GM: "GM",
    TPosition.A1: "L1",
    TPosition.B1: "L1",
    TPosition.C1: "L1",
    TPosition.A2: "L0A",
    TPosition.B2: "L0B",
    TPosition.C2: "BT",
    TPosition.CO1: "L0C",
    TPosition.CO2: "GM",
    TPosition.C2PIPE2GM: "FB",
    TPosition.VECIN: "UB",
    TPosition.VECOUT: "UB",
    TPosition.VECCALC: "UB",
}


_OWN_NAMES = {Hardware.BIAS: "BT", Hardware.FIXBUF: "FB", Hardware.MAX: "GM"}


def memory_named(name: str) -> str:
    """The memory of a position or of a Hardware, whichever has that name."""
    if name in TPosition.__members__:
        return MEMORY_OF.get(TPosition[name], "GM")
    return _OWN_NAMES.get(Hardware[name], name)


@dataclass(frozen=True)
class EnumText:
    """How the text spells an enumeration: its C++ name, and what stands before a value."""

    python: type[enum.Enum]
    cpp: str  # "": its values are constants, and no enumeration
    prefix: str
    scoped: bool

    def spell(self, value: enum.Enum) -> str:
        """The C++ spelling of one value."""
        return f"{self.prefix}{value.name}"


@dataclass(frozen=True)
class ConstantsText(EnumText):
    """Constants of a struct, which stands in a header by hand; those that end in `own` the text makes itself."""

    own: str = ""

    def spell(self, value: enum.Enum) -> str:
        name = value.name.upper()
        return name if name.endswith(self.own) else f"{self.prefix}{name}"


ENUMS: dict[str, EnumText] = {
    text.python.__name__: text
    for text in (
        EnumText(HardEvent, "HardEvent", "AscendC::HardEvent::", scoped=True),
        EnumText(PipeID, "pipe_t", "", scoped=False),
        EnumText(RoundMode, "RoundMode", "AscendC::RoundMode::", scoped=True),
        EnumText(ReduceOrder, "ReduceOrder", "AscendC::ReduceOrder::", scoped=True),
        EnumText(CMPMODE, "CMPMODE", "AscendC::CMPMODE::", scoped=True),
        EnumText(SelMode, "SELMODE", "AscendC::SELMODE::", scoped=True),
        EnumText(GatherMaskMode, "GatherMaskMode", "AscendC::GatherMaskMode::", scoped=True),
        EnumText(TransposeType, "TransposeType", "AscendC::TransposeType::", scoped=True),
        EnumText(BlockMode, "BlockMode", "AscendC::BlockMode::", scoped=True),
        EnumText(DeqScale, "DeqScale", "AscendC::DeqScale::", scoped=True),
        EnumText(pad_t, "pad_t", "", scoped=False),
        EnumText(TPosition, "TPosition", "AscendC::TPosition::", scoped=True),
        EnumText(Hardware, "Hardware", "AscendC::Hardware::", scoped=True),
        EnumText(DataFormat, "DataFormat", "AscendC::DataFormat::", scoped=True),
        EnumText(MaskMode, "MaskMode", "AscendC::MaskMode::", scoped=True),
        EnumText(MemDsbT, "MemDsbT", "AscendC::MemDsbT::", scoped=True),
        EnumText(AtomicDtype, "AtomicDtype", "AscendC::AtomicDtype::", scoped=True),
        EnumText(AtomicOp, "AtomicOp", "AscendC::AtomicOp::", scoped=True),
        EnumText(CacheMode, "CacheMode", "AscendC::CacheMode::", scoped=True),
        EnumText(CacheRwMode, "CacheRwMode", "AscendC::CacheRwMode::", scoped=True),
        EnumText(CacheLine, "CacheLine", "AscendC::CacheLine::", scoped=True),
        EnumText(DcciDst, "DcciDst", "AscendC::DcciDst::", scoped=True),
        EnumText(AippInputFormat, "AippInputFormat", "AscendC::AippInputFormat::", scoped=True),
        EnumText(BatchMode, "BatchMode", "AscendC::BatchMode::", scoped=True),
        EnumText(CO2Layout, "CO2Layout", "AscendC::CO2Layout::", scoped=True),
        ConstantsText(FixpipeConfig, "const FixpipeConfig&", "AscendC::", scoped=True, own="_UB"),
        EnumText(CubeFormat, "CubeFormat", "CubeFormat::", scoped=True),
        EnumText(IterateMode, "IterateMode", "AscendC::IterateMode::", scoped=True),
        EnumText(IterateOrder, "IterateOrder", "AscendC::IterateOrder::", scoped=True),
        EnumText(LayoutMode, "LayoutMode", "AscendC::LayoutMode::", scoped=True),
        EnumText(MatmulConfigMode, "MatmulConfigMode", "AscendC::MatmulConfigMode::", scoped=True),
        EnumText(QuantModes, "QuantMode_t", "QuantMode_t::", scoped=True),
        EnumText(ScheduleType, "ScheduleType", "AscendC::ScheduleType::", scoped=True),
        EnumText(Property, "", "AscendC::", scoped=False),
    )
}
