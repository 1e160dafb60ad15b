"""Rows: loads into the matrix unit's own memories."""

from __future__ import annotations

from opwright.ascendc.cube_load_params import FILLED, LOADED
from opwright.ascendc.cube_rules import Holds
from opwright.ascendc.dtypes import DTYPES, SMALL
from opwright.ascendc.kernel_types import AIC
from opwright.ascendc.load_rules import ZeroOrMore
from opwright.ascendc.row import Access, Dtypes, Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.socs import A2, A5

TASK, SHORT = "Cube", "Loads"
_SMALL = tuple(SMALL)
_NO_SMALL = dict.fromkeys(SMALL, "this SoC has no floats of 8 bits")
_BYTES = ("int8", "uint8")
_WORDS = ("float16", "bfloat16", "int32", "uint32", "float32")
_MOVED = (*_BYTES, "int16", "uint16", *_WORDS)
_WHOLE = dtypes(a2=_MOVED, a5=(*_MOVED, *_SMALL), why=_NO_SMALL)
_FRACTAL = dtypes(
    a2=_MOVED, a5=_MOVED, why=dict.fromkeys(SMALL, "only asc.LoadData2DParamsV2 loads 8-bit floats, on ascend950")
)
_NO_GM_PATH = dict.fromkeys(A5, "there is no direct path from global memory: copy to L1, and load from there")
_NO_SQUARES = dict.fromkeys(A5, "its squares go to L0B only: load_data with asc.LoadData2DParamsV2 transposes into L0A")
_NEW = dict.fromkeys(A2, "it takes asc.LoadData2DParams")
_NO_GAPS = dict.fromkeys(A2, "it takes asc.LoadData2dTransposeParams")
_L0 = Align("dst", 512)
_L1 = Align("src", 32)


def _form(kinds: str, params: str, pipe: str, accesses: tuple[Access, ...], rules: tuple[Holds, ...], meaning: str,
          types: Dtypes, not_on: dict[str, str], state: str = "") -> Form:  # fmt: skip
    """A load from `src` to `dst`, which lie where `kinds` says."""
    dst, src = kinds.split()
    aligned = (Align("dst", 32 if dst == "l1" else 512), *([_L1] if src == "l1" else []))
    return Form(
        f"dst: {dst} T, src: {src} T, params: object {params}",
        pipe=pipe,
        accesses=accesses,
        rules=(*aligned, *rules),
        meaning=Function(meaning),
        dtypes={"T": types},
        not_on=not_on,
        state=state,
    )


# Fractals ---------------------------------------------------------------------------------------------------------

_FRACTALS = (
    writes_runs("dst", "opwright::fractals_written(params)"),
    reads_runs("src", "opwright::fractals_read(params)"),
)
_WORD_TURNS = Holds(
    "params",
    "!params.ifTranspose || sizeof(T) == 2",
    "params.ifTranspose",
    "if_transpose transposes fractals of 16-bit elements only",
    "use asc.load_data_with_transpose for other elements",
)
_NO_TURN = Holds(
    "params",
    "!params.ifTranspose",
    "params.ifTranspose",
    "if_transpose must be False: what comes from global memory is not turned over",
    "transpose it on the load from L1",
)
_UP = Holds(
    "params",
    "params.addrMode == 0",
    "params.addrMode",
    "addr_mode must be 0: only loads from global memory to L1 go down, on ascend910b and ascend910_93",
    "load the fractals one by one, or in another order",
)
_DOWN = Holds(
    "params",
    "params.addrMode == 0 || (!opwright::is_3510(at) && params.repeatTimes * uint64_t(params.srcStride) <= "
    "uint64_t(params.startIndex) + params.srcStride)",
    "params.addrMode",
    "addr_mode 1 goes down, on ascend910b and ascend910_93 only, and not below the start of src",
    "let start_index be at least src_stride * (repeat_times - 1), or pass addr_mode 0",
)
_NO_GAP = Holds(
    "params",
    "!opwright::is_3510(at) || params.dstGap == 0",
    "params.dstGap",
    "dst_gap must be 0 on ascend950, where texts disagree what it does",
    "use asc.LoadData2DParamsV2, whose dst_stride is clear",
)
_START = Holds(
    "params",
    "!opwright::is_3510(at) || params.startIndex == 0 || (params.srcStride == 1 && "
    "!(params.ifTranspose && dst.memory() == opwright::Memory::L0B))",
    "params.startIndex",
    "start_index must be 0 on ascend950 unless src_stride is 1, and with if_transpose into L0B always: texts disagree "
    "what it counts",
    "start src later, or use asc.LoadData2DParamsV2",
)
_NEXT = Holds(
    "params",
    "!opwright::is_3510(at) || params.srcStride == 1 || params.repeatTimes < 2",
    "params.srcStride",
    "src_stride must be 1 on ascend950 from global memory to L1: texts disagree what it does",
    "use asc.LoadData2DParamsV2",
)

_2D_FORMS = (
    _form("l0 l1", "LoadData2DParams", "PIPE_MTE1", _FRACTALS, (_WORD_TURNS, _UP, _NO_GAP, _START), "load_fractals",
          _FRACTAL, {}),
    _form("l1 global", "LoadData2DParams", "PIPE_MTE2", _FRACTALS, (_NO_TURN, _DOWN, _NO_GAP, _NEXT), "load_fractals",
          dtypes(a2=_MOVED, a5=_MOVED), {}),
    _form("l0 global", "LoadData2DParams", "PIPE_MTE2", _FRACTALS, (_NO_TURN, _UP), "load_fractals",
          dtypes(a2=_MOVED, a5=_MOVED), _NO_GM_PATH),
)  # fmt: skip

# Parts of a matrix --------------------------------------------------------------------------------------------------

_PART = (writes_runs("dst", "opwright::matrix_written<T>(params)"), reads_runs("src", "opwright::matrix_read(params)"))
_SQUARE_PART = Holds(
    "params",
    "!params.ifTranspose || (sizeof(T) == 1 ? params.mStep % 2 == 0 : sizeof(T) != 4 || params.kStep % 2 == 0)",
    "sizeof(T) == 1 ? params.mStep : params.kStep",
    "with if_transpose m_step must be even for 8-bit elements, and k_step for 32-bit elements: whole squares",
    "load one more, and let the tensors be longer than the data",
)
_V2 = dtypes(a2=LOADED, a5=(*LOADED, *_SMALL))
_V2_FORMS = (
    _form("l0 l1", "LoadData2DParamsV2", "PIPE_MTE1", _PART, (_SQUARE_PART,), "load_matrix", _V2, _NEW),
    _form("l1 global", "LoadData2DParamsV2", "PIPE_MTE2", _PART, (_NO_TURN,), "load_matrix",
          dtypes(a2=LOADED, a5=LOADED), _NEW),
)  # fmt: skip

# Images -------------------------------------------------------------------------------------------------------------

_HAS_IMAGE = Holds(
    "params",
    "at.core.load_settings.image_height != 0",
    "at.core.load_settings.image_height",
    "how large the image is must be set before a load with asc.LoadData3DParamsV2Pro",
    "call asc.set_fmatrix first",
)


def _image(side: str, params: str) -> Form:
    """A load of windows of an image; `side` is l0a or l0b."""
    is_left, is_pro = side == "l0a", params.endswith("Pro")
    image = "opwright::image_of<T>(params, at.core.load_settings)" if is_pro else "opwright::image_of(params)"
    load = f"opwright::{'left' if is_left else 'right'}_image(at, {image}, at.core.load_settings)"
    left = dtypes(a2=LOADED, a5=(*LOADED, *_SMALL) if is_pro else LOADED, why=_NO_SMALL)
    right = dtypes(
        a2=_WORDS,
        a5=(*LOADED, *_SMALL) if is_pro else LOADED,
        why={**_NO_SMALL, **dict.fromkeys(_BYTES, "its way to L0B takes no 8-bit elements")},
    )
    turns = Holds(
        "params",
        "!params.enTranspose || sizeof(T) != 1 || opwright::is_3510(at)",
        "params.enTranspose",
        "en_transpose must be False for 8-bit elements, on ascend910b and ascend910_93",
        "use asc.load_data_with_transpose",
    )
    fits = [
        Holds("params", f"opwright::image_fits(at, {image}).{field}", f"{image}.{shown}", words, hint)
        for field, shown, words, hint in (
            (
                "channels",
                "channels",
                "channel_size must be a multiple of the elements of 32 bytes, C0, or more than one by 4, C0 / 4 or C0 "
                "/ 2",
                "let the image have more channels, and fill them with zeros",
            ),
            (
                "k_start",
                "k_start",
                "k_start_pt must be a multiple of the elements of 32 bytes",
                "start at whole blocks",
            ),
            (
                "k_extent",
                "k_extent",
                "k_extension must be a multiple of the elements of 32 bytes; on ascend910b and ascend910_93 it may "
                "also end with the matrix",
                "load whole blocks, and let the tensors be longer than the data",
            ),
            (
                "m_extent",
                "m_extent",
                "m_extension must be a multiple of 16, and so must m_start_pt on ascend950; on ascend910b and "
                "ascend910_93 it may also end with the matrix, and for 32-bit elements anywhere",
                "load whole blocks, and let the tensors be longer than the data",
            ),
            ("filter", "stride_w", "strides must lie between 1 and 63, and dilations must not be 0", "pass 1"),
        )
    ]
    below = Holds(
        "src",
        "at.core.load_settings.boundary == 0 || src.address() < at.core.load_settings.boundary",
        "src.address()",
        "src must start below the boundary that set_load_data_boundary set",
        "set the boundary to 0, or above the end of the image",
    )
    return _form(
        f"{side} l1",
        params if is_pro else f"{params} T",
        "PIPE_MTE1",
        (writes_runs("dst", f"{load}.written()"), reads_runs("src", f"{load}.read(src.address())")),
        (*([_HAS_IMAGE] if is_pro else []), *([turns] if is_left else []), *fits, below),
        f"load_{'left' if is_left else 'right'}{'_pro' if is_pro else ''}",
        left if is_left else right,
        {},
        "load_settings",
    )


_3D_FORMS = tuple(
    _image(side, params) for params in ("LoadData3DParamsV2", "LoadData3DParamsV2Pro") for side in ("l0a", "l0b")
)

# Squares ------------------------------------------------------------------------------------------------------------

_ONCE = Holds(
    "params",
    "!opwright::squares_overlap<T>(params)",
    "params.dstGap",
    "dst_gap and dst_frac_gap must leave every fractal its own place: of two that come to one, none is sure to stay",
    "pass dst_gap 1 for squares that follow one another",
)


def _squares(side: str, params: str, not_on: dict[str, str]) -> Form:
    """A load that transposes squares."""
    is_apart = params.endswith("V2")
    squares = f"opwright::squares_{'apart' if is_apart else 'together'}<T>(params)"
    return _form(
        f"{side} l1",
        params,
        "PIPE_MTE1",
        (
            writes_runs("dst", "opwright::squares_written<T>(params)"),
            reads_runs("src", f"opwright::squares_read<T>(params, {squares})"),
        ),
        (_ONCE,),
        "load_squares_apart" if is_apart else "load_squares",
        dtypes(a2=LOADED, a5=LOADED),
        not_on,
    )


def _fill(kind: str, pipe: str, block: int, not_on: dict[str, str]) -> Form:
    """Blocks of one value."""
    return Form(
        f"dst: {kind} T, init_const_value_params: object InitConstValueParams T",
        pipe=pipe,
        accesses=(writes_runs("dst", f"opwright::blocks_filled(init_const_value_params, {block})"),),
        rules=(Align("dst", block),),
        meaning=Function("fill_blocks"),
        dtypes={"T": dtypes(a2=FILLED, a5=FILLED)},
        not_on=not_on,
    )


ROWS = (
    Row(
        "load_data",
        "LoadData",
        "Loads fractals of 512 bytes, a part of a matrix of fractals, or windows of an image as a matrix: the struct "
        "says which. L0A holds rows of fractals on ascend910b and ascend910_93, and columns on ascend950; each by "
        "rows. L0B holds rows of fractals, each by columns: windows of an image are transposed on their way there.",
        forms=(*_2D_FORMS, *_V2_FORMS, *_3D_FORMS),
        dtypes={"T": _WHOLE},
        exactness=(
            "assumed(of images: of a channel_size that is not a multiple of C0 the last channels are a narrower block, "
            "in the image and in the columns; what fractals hold beside the matrix is undefined, and all ones here; "
            "plain repeats follow one another; transposed into L0A of ascend950 columns of fractals are as long as the "
            "transposed matrix; set_load_data_padding_value counts for asc.LoadData3DParamsV2Pro only)"
        ),
        example="asc.load_data(h_l0a, h_l1, asc.LoadData2DParams(0, 4, 1))",
    ),
    Row(
        "load_data_with_transpose",
        "LoadDataWithTranspose",
        "Loads squares and transposes them. A square of 8-bit elements is two fractals of 16 rows; of 16-bit elements "
        "one fractal; of 32-bit elements two fractals of 8 columns.",
        forms=(
            _squares("l0a", "LoadData2dTransposeParams", _NO_SQUARES),
            _squares("l0b", "LoadData2dTransposeParams", {}),
            _squares("l0b", "LoadData2dTransposeParamsV2", _NO_GAPS),
        ),
        dtypes={"T": dtypes(a2=LOADED, a5=LOADED)},
        exactness="assumed(asc.LoadData2dTransposeParamsV2 has two fractals in a square of 32-bit elements)",
        example="asc.load_data_with_transpose(h_l0b, h_l1, asc.LoadData2dTransposeParams(0, 4, 1))",
    ),
    Row(
        "load_data_with_sparse",
        "LoadDataWithSparse",
        "Loads weights of which two of four are kept, and with every fractal of them 128 bytes of indices of 2 bits, "
        "for asc.mmad_with_sparse. Of the struct only start_index and repeat_times count.",
        forms=(
            Form(
                "dst: l0b T, src: l1 T, idx: l1 U, load_data_params: object LoadData2DParams",
                pipe="PIPE_MTE1",
                accesses=(
                    writes_runs("dst", "opwright::Runs{load_data_params.repeatTimes, 512, 512}"),
                    reads_runs("src", "opwright::weights_read(load_data_params)"),
                    reads_runs("idx", "opwright::indices_read(load_data_params)"),
                ),
                rules=(_L0, _L1, Align("idx", 32)),
                state_touched="opwright::indices_loaded(at, dst, load_data_params)",
                meaning=Function("load_sparse"),
                not_on=dict.fromkeys(A5, "it has no sparse matrices: load all weights, and call asc.mmad"),
            ),
        ),
        dtypes={"T": dtypes(a2=("int8",), a5=("int8",)), "U": dtypes(a2=("uint8",), a5=("uint8",))},
        example="asc.load_data_with_sparse(c_l0b, c_l1, b_l1, asc.LoadData2DParams(0, 2))",
    ),
    Row(
        "init_const_value",
        "InitConstValue",
        "Fills blocks of a tensor with one value.",
        forms=(
            _fill("l1", "PIPE_MTE2", 32, {}),
            _fill("l0", "PIPE_MTE1", 512, dict.fromkeys(A5, "it fills L1 only: fill there, and load")),
        ),
        dtypes={"T": dtypes(a2=FILLED, a5=FILLED)},
        example="asc.init_const_value(x_l1, asc.InitConstValueParams(2, 4, 4, 1.5, asc.float32))",
    ),
    Row(
        "set_load_data_boundary",
        "SetLoadDataBoundary",
        "Sets the byte of L1 from which on loads of images begin again at the start of L1; 0: they never do.",
        forms=(
            Form(
                "boundary: uint32",
                rules=(ZeroOrMore("boundary", 1024),),
                meaning=Function("set_load_data_boundary"),
                only=AIC,
                not_on=dict.fromkeys(A5, "it has no such register: load the start of L1 with a separate call"),
            ),
        ),
        example="asc.set_load_data_boundary(0)",
    ),
    Row(
        "set_load_data_padding_value",
        "SetLoadDataPaddingValue",
        "Sets the padding value around an image for loads with asc.LoadData3DParamsV2Pro. A float is float32; for "
        "other elements pass their bits as an integer.",
        forms=tuple(
            Form(
                f"pad_value: {kind}",
                text=f"AscendC::SetLoadDataPaddingValue<{DTYPES[kind].cpp}>({{pad_value}})",
                only=AIC,
            )
            for kind in ("int32", "float32")
        ),
        exactness="assumed(an element takes as many of the lowest bits as it has)",
        example="asc.set_load_data_padding_value(0)",
    ),
    Row(
        "set_load_data_repeat",
        "SetLoadDataRepeat",
        "Sets how often loads of images are repeated, until it is set again. With 0 they do nothing.",
        forms=(Form("param: object LoadDataRepeatParam", meaning=Function("set_load_data_repeat"), only=AIC),),
        example="asc.set_load_data_repeat(asc.LoadDataRepeatParam(1, 0, 0))",
    ),
    Row(
        "set_fmatrix",
        "SetFmatrix",
        "Sets the rows and columns of the image, and the number of padding pixels: left, right, top, bottom; for "
        "loads with asc.LoadData3DParamsV2Pro.",
        forms=(
            Form(
                "l1_h: uint16, l1_w: uint16, pad_list: array uint8 4",
                rules=(Range("l1_h", 1, 32767), Range("l1_w", 1, 32767)),
                text="AscendC::SetFmatrix({l1_h}, {l1_w}, {pad_list}, AscendC::FmatrixMode::FMATRIX_LEFT)",
                only=AIC,
            ),
        ),
        example="asc.set_fmatrix(4, 4, [0, 0, 0, 0])",
    ),
)
