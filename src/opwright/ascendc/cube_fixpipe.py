"""Rows: results of the matrix unit as they leave L0C, and the settings for that."""

from __future__ import annotations

from collections.abc import Callable

from opwright.ascendc.cube_mmad_params import unit_flag_of
from opwright.ascendc.cube_rules import Holds, Together, number_in
from opwright.ascendc.enums import CO2Layout, FixpipeConfig, QuantModes
from opwright.ascendc.kernel_types import AIC
from opwright.ascendc.row import Dtypes, Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Known, Range, Rule
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.type_rules import OneOf

TASK, SHORT = "Cube", "Results out of L0C"
# The types of src and dst. Global tensors hold none of the floats of 8 bits.
_PLAIN = (("float32", "float32"), ("int32", "int32"))
_NARROW = tuple(("float32", name) for name in ("int8", "uint8", "float16", "bfloat16"))
_SCALED = tuple(("int32", name) for name in ("int8", "uint8", "float16"))
_A2_L1 = (*_NARROW, *_SCALED)
_A2_GM = (*_PLAIN, *_A2_L1)
_A5_GM = (*_A2_GM, ("int32", "bfloat16"))
_A5_LOCAL = (*_A5_GM, ("float32", "float8_e4m3"), ("float32", "hifloat8"))
_BY_MEMORY = {"global": (_A2_GM, _A5_GM), "l1": (_A2_L1, _A5_LOCAL), "ub": (_A5_LOCAL, _A5_LOCAL)}
_SOURCES = dtypes(a2=("float32", "int32"), a5=("float32", "int32"))
_WORDS = dtypes(a2=("uint64",), a5=("uint64",))
_TWO = (FixpipeConfig.cfg_row_major, FixpipeConfig.cfg_nz)
_OF_UB = (FixpipeConfig.cfg_row_major_ub, FixpipeConfig.cfg_nz_ub, FixpipeConfig.cfg_column_major_ub)
_ON_950 = dict.fromkeys(A2, "L0C has no path there")


def _types(memory: str, without: tuple[str, str] | None = None) -> Together:
    a2, a5 = (tuple(pair for pair in pairs if pair != without) for pairs in _BY_MEMORY[memory])
    return Together("dst", ("src",), {**dict.fromkeys(A2, a2), **dict.fromkeys(A5, a5)})


def _targets(memory: str) -> Dtypes:
    """The types that results may have in a memory."""
    a2, a5 = (tuple(dict.fromkeys(target for _, target in pairs)) for pairs in _BY_MEMORY[memory])
    why = dict.fromkeys(("float32", "int32"), "L1 takes converted results only") if memory == "l1" else {}
    return dtypes(a2=a2, a5=a5, why=why)


# The conversions of the types of src and dst, and more that ascend950 has. "": all others, which have 8 bits.
_CONVERSIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("float32", "float32"): ("NoQuant",),
    ("int32", "int32"): ("NoQuant",),
    ("int32", "float16"): ("DEQF16", "VDEQF16"),
    ("float32", "float16"): ("F322F16",),
    ("int32", "bfloat16"): ("QS322BF16_PRE", "VQS322BF16_PRE"),
    ("float32", "bfloat16"): ("F322BF16",),
    ("float32", "float8_e4m3"): ("QF322FP8_PRE", "VQF322FP8_PRE"),
    ("float32", "hifloat8"): ("QF322HIF8_PRE", "VQF322HIF8_PRE"),
    ("float32", ""): ("QF322B8_PRE", "VQF322B8_PRE"),
    ("int32", ""): ("REQ8", "VREQ8"),
}
_MORE_ON_950: dict[tuple[str, str], tuple[str, ...]] = {
    ("float32", "float32"): ("QF322F32_PRE", "VQF322F32_PRE"),
    ("float32", "float16"): ("QF322F16_PRE", "VQF322F16_PRE"),
    ("float32", "bfloat16"): ("QF322BF16_PRE", "VQF322BF16_PRE"),
}


def conversions(source: str, target: str, is_950: bool) -> tuple[str, ...]:
    """The modes that make one type of another: what makes_of of the twin's headers says of run-time numbers."""
    modes = _CONVERSIONS.get((source, target)) or _CONVERSIONS[source, ""]
    return modes + _MORE_ON_950.get((source, target), ()) if is_950 else modes


def _quant(params: str) -> Holds:
    def before(known: Known) -> int | None:
        mode = known.field(params, "quant_pre")
        modes = conversions(known.dtype("src"), known.dtype("dst"), known.soc.name in A5)
        return mode.value if isinstance(mode, QuantModes) and mode.name not in modes else None

    return Holds(
        params,
        f"(opwright::makes_of<T, U>({params}.quantPre, opwright::is_3510(at)))",
        f"{params}.quantPre",
        f"quant_pre of {params} must be a conversion from the type of src to that of dst",
        "float32 becomes float16 by F322F16, bfloat16 by F322BF16, 8 bits by QF322B8_PRE; int32 becomes float16 by "
        "DEQF16, 8 bits by REQ8; a type that stays takes NoQuant",
        QuantModes,
        before,
    )


def _in_fractals(known: Known) -> bool:
    """Whether asc.fixpipe makes fractals, which its config says."""
    return known.constant("config") in (FixpipeConfig.cfg_nz, FixpipeConfig.cfg_nz_ub)


def _copies_fractals(known: Known) -> bool | None:
    """Whether asc.data_copy does, which its parameters say."""
    rows = number_in(known, "intri_params", "nz2nd_en")
    return None if rows is None else not rows


def _layout(
    params: str,
    is_nz: str,
    split: str,
    memory: str,
    flag: str = "0",
    *,
    nz_before: Callable[[Known], bool | None] = _in_fractals,
    split_before: str = "is_channel_split",
) -> tuple[Rule, ...]:
    """What the sizes must be in a layout, and what goes with splitting. The last two say the same at compile time."""

    def columns(known: Known) -> int | None:
        size, is_split = number_in(known, params, "n_size"), number_in(known, params, split_before)
        if size is None or is_split is None or not nz_before(known):
            return None
        return size if size % (8 if is_split else 16) else None

    def rows(known: Known) -> int | None:
        size = number_in(known, params, "m_size")
        if size is None or known.soc.name in A5 or nz_before(known) is not False:
            return None
        return size if size > 8192 else None

    def splits(known: Known) -> int | None:
        pair = known.dtype("src"), known.dtype("dst")
        may = memory == "global" and pair[0] == pair[1] and nz_before(known) is not False
        held = flag != "0" and (number_in(known, params, "unit_flag") or 0) != 0
        return 1 if number_in(known, params, split_before) and (held or not may) else None

    may_split = (
        f"(({is_nz}) && std::is_same<T, U>::value && sizeof(T) == 4 && {flag} == 0)" if memory == "global" else "false"
    )
    return (
        Holds(
            params,
            f"!({is_nz}) || {params}.nSize % ({params}.{split} ? 8 : 16) == 0",
            f"{params}.nSize",
            f"in fractals n_size of {params} must be a multiple of 16, or of 8 where channels are split",
            "move whole fractals",
            before=columns,
        ),
        Holds(
            params,
            f"({is_nz}) || opwright::is_3510(at) || {params}.mSize <= 8192",
            f"{params}.mSize",
            f"as rows m_size of {params} must lie between 0 and 8192",
            "move fewer rows at once",
            before=rows,
        ),
        Holds(
            params,
            f"!{params}.{split} || {may_split}",
            f"{params}.{split}",
            "channels are split of float32 that stays float32, in fractals, on the way to global memory, without "
            "unit_flag",
            "leave it False",
            before=splits,
        ),
    )


_MATRICES = Holds(
    "params",
    "opwright::is_3510(at) || params.ndNum <= 1 || (params.srcNdStride >= 1 && params.srcNdStride <= 512)",
    "params.srcNdStride",
    "with several matrices src_nd_stride of params must lie between 1 and 512",
    "it counts pieces of 1024 bytes of L0C",
)
_COLUMNS = Holds(
    "params",
    "params.layout != CO2Layout::COLUMN_MAJOR || params.mSize <= 32767",
    "params.mSize",
    "as columns m_size of params must lie between 0 and 32767",
    "move fewer rows at once",
)
_SCALE = Holds(
    "params",
    "!opwright::takes_word(params.quantPre) || opwright::is_scale(params.deqScalar)",
    "params.deqScalar",
    "the scale in deq_scalar of params must be a finite float32, and not a subnormal one",
    "pass the bits of a float32 between 2 ** -126 and 2 ** 127",
)


def _layout_of(config: object) -> CO2Layout:
    assert isinstance(config, FixpipeConfig)
    return CO2Layout[config.name.removeprefix("cfg_").removesuffix("_ub").upper()]


def _other_layout(known: Known) -> int | None:
    layout = known.field("params", "layout")
    differs = isinstance(layout, CO2Layout) and layout is not _layout_of(known.constant("config"))
    return layout.value if isinstance(layout, CO2Layout) and differs else None


def _no_fractals(known: Known) -> int | None:
    layout = _layout_of(known.constant("config"))
    return None if known.soc.name in A5 or layout is CO2Layout.NZ else int(layout.value)


def _no_words(known: Known) -> int | None:
    mode = known.field("params", "quant_pre")
    return mode.value if isinstance(mode, QuantModes) and not mode.name.startswith("V") else None


_HAS_WORDS = Holds(
    "params",
    "opwright::takes_words(params.quantPre)",
    "params.quantPre",
    "with cbuf_workspace quant_pre of params must be a mode with V",
    "leave cbuf_workspace out, or take the mode for a word of each column",
    QuantModes,
    _no_words,
)
_SAME_LAYOUT = Holds(
    "params",
    "params.layout == config.format",
    "int32_t(params.layout)",
    "config must have the layout of params",
    "pass the config of the layout that params was made with",
    CO2Layout,
    _other_layout,
)
_HALVES = Holds(
    "params",
    "!params.dualDstCtl || (params.dualDstCtl <= 2 && params.layout != CO2Layout::COLUMN_MAJOR && !params.reluEn && "
    "params.quantPre == QuantMode_t::NoQuant && (params.dualDstCtl == 1 ? params.mSize % 2 : params.nSize % 32) == 0)",
    "params.dualDstCtl",
    "two vector cores share plain rows or fractals only: half of an even m_size, or of an n_size that 32 divides",
    "use sub_block_id, and a call for each of them",
)
_WHOLE = Holds(
    "params",
    "params.layout == CO2Layout::NZ || opwright::in_blocks<T>(params)",
    "params.nSize",
    "rows, or columns, that go to UB must be multiples of 32 bytes",
    "let the result be wider, and leave the rest unused",
)

_ONLY_FRACTALS = Holds(
    "params",
    "opwright::is_3510(at) || config.format == CO2Layout::NZ",
    "int32_t(config.format)",
    "L1 takes fractals only: config must be cfg_nz",
    "pass asc.FixpipeConfig.cfg_nz",
    CO2Layout,
    _no_fractals,
)


def _fixpipe(memory: str, params: str, has_words: bool) -> Form:
    """To one memory, with the parameters of one generation."""
    is_old = params == "FixpipeParamsV220"
    configs = _OF_UB if memory == "ub" else _TWO if is_old else (*_TWO, FixpipeConfig.cfg_column_major)
    words = "cbuf_workspace: l1 W, " if has_words else ""
    way = "opwright::fixpipe_way<T>(at, params, config.format)"
    to = (
        f"opwright::results_to_ub<T>(at, {way}, params)"
        if memory == "ub"
        else f"opwright::ResultsTo{{{way}, sizeof(T)}}"
    )
    is_nz = "config.format == CO2Layout::NZ"
    at_words = reads_runs("cbuf_workspace", f"opwright::words_in_l1({way})")
    return Form(
        f"dst: {memory} T, src: l0c U, {words}params: object {params}, "
        f"config: template FixpipeConfig{' = cfg_row_major' * (memory == 'global')}",
        pipe="PIPE_FIX",
        accesses=(
            writes_runs("dst", to),
            reads_runs("src", f"opwright::ResultsFrom{{{way}}}"),
            *([at_words] * has_words),
        ),
        rules=(
            _types(memory),
            OneOf("config", configs),
            Align("src", 64),
            *([Align("dst", 32)] * (memory != "global")),
            *([Align("cbuf_workspace", 32), _HAS_WORDS] * has_words),
            _quant("params"),
            *_layout("params", is_nz, "isChannelSplit", memory, "params.unitFlag"),
            unit_flag_of("params"),
            *([] if has_words else [_SCALE]),
            *([_MATRICES] if is_old else [_SAME_LAYOUT, _COLUMNS]),
            *([_HALVES, _WHOLE] * (memory == "ub")),
            *([_ONLY_FRACTALS] * (memory == "l1")),
        ),
        meaning=Function("fixpipe_to_ub" if memory == "ub" else "fixpipe"),
        state_touched="" if has_words else f"opwright::words_in_fb(at, {way})",
        unit=("src", "params"),
        types=("T", "U"),
        spells_all=True,
        dtypes={"T": _targets(memory)},
        not_on={} if is_old else _ON_950,
    )


def _copied(memory: str) -> Form:
    """The older copy from L0C, by settings of the core."""
    way = "opwright::copied_way<T>(at, intri_params)"
    return Form(
        f"dst: {memory} T, src: l0c U, intri_params: object DataCopyCO12DstParams",
        pipe="PIPE_FIX",
        accesses=(
            writes_runs("dst", f"opwright::ResultsTo{{{way}, sizeof(T)}}"),
            reads_runs("src", f"opwright::ResultsFrom{{{way}}}"),
        ),
        rules=(
            _types(memory, without=("int32", "bfloat16")),
            Align("src", 64),
            *([Align("dst", 32)] * (memory != "global")),
            _quant("intri_params"),
            *_layout(
                "intri_params",
                "!intri_params.nz2ndEn",
                "channelSplit",
                memory,
                nz_before=_copies_fractals,
                split_before="channel_split",
            ),
        ),
        meaning=Function("fixpipe"),
        state_touched=f"opwright::words_in_fb(at, {way})",
        types=("T", "U"),
        dtypes={"T": _targets(memory), "U": _SOURCES},
    )


_MATRICES_SET = Holds(
    "nd_num",
    "opwright::is_3510(at) || nd_num.value <= 1 || (src_nd_stride.value >= 1 && src_nd_stride.value <= 512 && "
    "dst_nd_stride.value >= 1 && dst_nd_stride.value <= 65535)",
    "src_nd_stride.value",
    "on ascend910b and ascend910_93 src_nd_stride of several matrices must lie between 1 and 512, and dst_nd_stride "
    "between 1 and 65535",
    "src_nd_stride counts pieces of 1024 bytes of L0C",
)

# Forms of asc.data_copy.
COPIES = (_copied("global"), _copied("l1"))

ROWS = (
    Row(
        "fixpipe",
        "Fixpipe",
        "Moves a result of the matrix unit out of L0C and converts it on the way, see asc.FixpipeParamsV220: to rows "
        "of a matrix, to fractals, or on ascend950 to columns. In fractals those of 8 bits are 32 wide, all others 16; "
        "the last one may be half as wide. With cbuf_workspace every column has a word of its own; the call reads them "
        "up to a multiple of 128 bytes. Without it modes with V take those that asc.set_fix_pipe_config named.",
        forms=(
            *(_fixpipe(memory, "FixpipeParamsV220", words) for memory in ("global", "l1") for words in (False, True)),
            *(
                _fixpipe(memory, "FixpipeParamsArch3510", words)
                for memory in ("global", "l1", "ub")
                for words in (False, True)
            ),
        ),
        dtypes={"U": _SOURCES, "W": _WORDS},
        exactness=(
            "assumed(of a scale the last 13 bits are 0; products are rounded to float32; int8 and uint8 are rounded to "
            "nearest even in 9 bits, the offset has a sign, NaN is 0; int32 that becomes float16 stays finite, other "
            "results overflow to infinity; relu leaves NaN and gives +0; words of cbuf_workspace are not left in FB)"
        ),
        example="asc.fixpipe(x_gm, y_l0c, asc.FixpipeParamsV220(8, 8, 16, 8))",
    ),
    Row(
        "set_fix_pipe_pre_quant_flag",
        "SetFixpipePreQuantFlag",
        "Sets the word by which asc.data_copy converts what leaves L0C, see asc.FixpipeParamsV220.",
        forms=(
            Form(
                "config: uint64",
                rules=(
                    Holds(
                        "config",
                        "opwright::is_scale(config.value)",
                        "config.value",
                        "the scale in config must be a finite float32, and not a subnormal one",
                        "pass the bits of a float32 between 2 ** -126 and 2 ** 127",
                    ),
                ),
                meaning=Function("set_result_word"),
            ),
        ),
        example="asc.set_fix_pipe_pre_quant_flag(0x3F800000)",
    ),
    Row(
        "set_fix_pipe_config",
        "SetFixPipeConfig",
        "Names the tensor in FB with a word for each column, which modes with V take when they leave L0C.",
        forms=(
            Form(
                "pre_data: fb T",
                rules=(Align("pre_data", 128),),
                text="AscendC::SetFixPipeConfig<uint64_t>({pre_data})",
            ),
        ),
        dtypes={"T": _WORDS},
        example="asc.set_fix_pipe_config(t_fb)",
    ),
    Row(
        "set_fixpipe_nz2nd_flag",
        "SetFixpipeNz2ndFlag",
        "Sets how many matrices follow one another where asc.data_copy makes rows of what leaves L0C, from one to the "
        "next in L0C, in 1024 bytes, on ascend950 in rows of 16, and in the destination, in elements.",
        forms=(
            Form(
                "nd_num: uint16, src_nd_stride: uint16, dst_nd_stride: uint32",
                rules=(Range("nd_num", 1, 65535), _MATRICES_SET),
                meaning=Function("set_result_matrices"),
                only=AIC,
            ),
        ),
        example="asc.set_fixpipe_nz2nd_flag(1, 0, 0)",
    ),
)
