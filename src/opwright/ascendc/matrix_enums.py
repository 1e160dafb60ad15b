"""Enumerations of the matrix unit, of matrix products and of images: names and values only.

In: nothing. Out: the classes; `enums.py` says how the text spells them.
"""

from __future__ import annotations

import enum


class AippInputFormat(enum.Enum):
    """The pixels of an image that is read."""

    YUV420SP_U8 = 0
    XRGB8888_U8 = 1
    RGB888_U8 = 4
    YUV400_U8 = 9


class BatchMode(enum.Enum):
    """How the matrices of a batch and the L1 memory compare."""

    NONE = 0
    BATCH_LESS_THAN_L1 = 1
    BATCH_LARGE_THAN_L1 = 2
    SINGLE_LARGE_THAN_L1 = 3


class CO2Layout(enum.Enum):
    """How a result of the matrix unit is laid out."""

    NZ = 0
    ROW_MAJOR = 1
    COLUMN_MAJOR = 2


class CubeFormat(enum.Enum):
    """How an operand of a matrix product is laid out."""

    ND = 0
    NZ = 1


class FixpipeConfig(enum.Enum):
    """How asc.fixpipe lays a result out: in fractals, as rows or as columns; with ub those of vector cores."""

    cfg_nz = 0
    cfg_row_major = 1
    cfg_column_major = 2
    cfg_nz_ub = 3
    cfg_row_major_ub = 4
    cfg_column_major_ub = 5

    @classmethod
    def _missing_(cls, value: object) -> FixpipeConfig | None:
        """The one of a layout."""
        return cls[f"cfg_{value.name.lower()}"] if isinstance(value, CO2Layout) else None

    def __call__(self) -> FixpipeConfig:
        """Itself: cfg_nz and cfg_nz() are the same."""
        return self


class IterateMode(enum.Enum):
    """Which ways to go through a matrix product a kernel holds."""

    ITERATE_MODE_NORMAL = 1
    ITERATE_MODE_ALL = 2
    ITERATE_MODE_BATCH = 4
    ITERATE_MODE_N_BATCH = 8
    ITERATE_MODE_DEFAULT = 255


class IterateOrder(enum.Enum):
    """Along which dimension a matrix product goes first."""

    ORDER_M = 0
    ORDER_N = 1
    UNDEF = 2


class LayoutMode(enum.Enum):
    """The order of the dimensions of a batch."""

    NONE = 0
    BSNGD = 1
    SBNGD = 2
    BNGS1S2 = 3
    NORMAL = 4


class MatmulConfigMode(enum.Enum):
    """The plan of a matrix product."""

    CONFIG_NORM = 0
    CONFIG_MDL = 1
    CONFIG_SPECIALMDL = 2
    CONFIG_IBSHARE = 3


class QuantModes(enum.Enum):
    """How a result of the matrix unit is converted as it leaves L0C; modes with V take a word for each column."""

    NoQuant = 0
    F322F16 = 1
    F322BF16 = 2
    DEQF16 = 3
    VDEQF16 = 4
    QF322B8_PRE = 5
    VQF322B8_PRE = 6
    REQ8 = 7
    VREQ8 = 8
    QF322HIF8_PRE = 9
    VQF322HIF8_PRE = 10
    QF322FP8_PRE = 11
    VQF322FP8_PRE = 12
    QF322F32_PRE = 13
    VQF322F32_PRE = 14
    QF322F16_PRE = 15
    VQF322F16_PRE = 16
    QF322BF16_PRE = 17
    VQF322BF16_PRE = 18
    QS322BF16_PRE = 19
    VQS322BF16_PRE = 20


class ScheduleType(enum.Enum):
    """In which order the parts of a matrix product are computed."""

    INNER_PRODUCT = 0
    OUTER_PRODUCT = 1
