"""Rows: the state of a core that later calls depend on: masks, atomic copies, addresses, what it watches; its kind."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX
from opwright.ascendc.row import Form, Function, Row, dtypes, reads_runs
from opwright.ascendc.rules import Range, TemplateRange
from opwright.ascendc.socs import A5
from opwright.ascendc.traits import GivesBack
from opwright.ascendc.vector_rules import MaskLength

TASK, SHORT = "Core", "State of a core"
_ALL = tuple(DTYPES)
_T = {"T": dtypes(a2=_ALL, a5=_ALL)}
_UINT64 = {"T": dtypes(a2=("uint64",), a5=("uint64",))}
_HCCL = TemplateRange("index", 0, 1)


def _is(kind: str, what: str) -> Row:
    """Whether the code runs on one kind of core. The C++ compiler knows: what is not for a core is not in its code."""
    return Row(
        f"ascend_is_{kind.lower()}",
        f"ASCEND_IS_{kind}",
        f"Whether this is {what} core. Which kinds a kernel has, its kernel_type says.",
        forms=(Form("", result="bool", text=f"(g_coreType == AscendC::{kind})"),),
        effect="value",
        asks_kind=kind.lower(),
        example=f"if asc.ascend_is_{kind.lower()}():\n    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
    )


def _switch(name: str, cpp: str, parameter: str, doc: str, exactness: str = "exact") -> Row:
    return Row(
        name,
        cpp,
        doc,
        forms=(Form(f"{parameter}: bool", meaning=Function(name)),),
        exactness=exactness,
        example=f"asc.{name}(True)",
    )


_CONTEXT = "assumed(each core keeps the address. Documentation leaves ascend950 out; its headers have the calls)"

ROWS = (
    Row(
        "set_vector_mask",
        "SetVectorMask",
        "Sets the mask register, for calls with is_set_mask=False: the first `length` lanes of every repeat, or with "
        "MaskMode.COUNTER a number of elements; or the bits of both words. The mode of the core does not change: "
        "set_mask_count and set_mask_norm do that. Calls with a count leave the register full, calls with a mask of "
        "their own leave that.",
        forms=(
            Form(
                "length: int32, dtype: template dtype T, mode: template MaskMode",
                rules=(Range("length", 0, INT32_MAX), MaskLength("length", "dtype", "mode")),
                meaning=Function("set_vector_mask"),
            ),
            Form(
                "mask_high: uint64, mask_low: uint64, dtype: template dtype T, mode: template MaskMode",
                meaning=Function("set_mask_words"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        exactness=(
            "assumed(public texts do not say what calls with a mask of their own leave in the register, nor what a "
            "count means with is_set_mask=False: here the register decides, in normal mode over one repeat)"
        ),
        example="asc.set_vector_mask(32, asc.float32, asc.MaskMode.NORMAL)",
    ),
    Row(
        "set_mask_count",
        "SetMaskCount",
        "Counter mode: the mask register holds a number of elements, and the repeats of a call follow from it. A call "
        "with a mask of its own cannot be made in this mode; one with a count leaves normal mode.",
        forms=(Form("", meaning=Function("set_mask_count")),),
        example="asc.set_mask_count()",
    ),
    Row(
        "set_mask_norm",
        "SetMaskNorm",
        "Normal mode, in which a kernel starts: the mask register holds the lanes of each repeat.",
        forms=(Form("", meaning=Function("set_mask_norm")),),
        example="asc.set_mask_norm()",
    ),
    Row(
        "reset_mask",
        "ResetMask",
        "Sets every bit of the mask register; the mode stays.",
        forms=(Form("", meaning=Function("reset_mask")),),
        example="asc.reset_mask()",
    ),
    Row(
        "init_soc_state",
        "InitSocState",
        "Sets the state of the core as a kernel should find it: normal mode, every bit of the mask, atomics off.",
        forms=(Form("", meaning=Function("init_soc_state")),),
        example="asc.init_soc_state()",
    ),
    _is("AIC", "a matrix"),
    _is("AIV", "a vector"),
    Row(
        "data_cache_preload",
        "DataCachePreload",
        "Fetches the data cache line that holds byte `cache_offset` of `src`. From then on get_value may "
        "find what was there now. The twin has no such cache: its checked mode takes it for a read of that byte.",
        forms=(
            Form(
                "src: global T, cache_offset: int64",
                accesses=(reads_runs("src", "opwright::preloaded(cache_offset)"),),
                rules=(Range("cache_offset", 0, (1 << 48) - 1),),
                deduced=("cache_offset",),
                meaning=Function("data_cache_preload"),
            ),
        ),
        dtypes=_UINT64,
        exactness="assumed(a fetch from outside of an argument is refused)",
        example="asc.data_cache_preload(t_gm, 64)",
    ),
    Row(
        "set_sys_workspace",
        "SetSysWorkspace",
        "Sets the address of the system workspace, the first 16 MB of the kernel's workspace. "
        "Headers after 9.2.0-beta.1 deprecate it.",
        forms=(Form("workspace: address T", text="AscendC::SetSysWorkspace(reinterpret_cast<GM_ADDR>({workspace}))"),),
        dtypes=_T,
        exactness="assumed(each core keeps the address)",
        example="asc.set_sys_workspace(b)",
    ),
    Row(
        "get_sys_workspace",
        "GetSysWorkSpacePtr",
        "The address that set_sys_workspace was given. The twin has no workspace of its own: before that it lies in no "
        "argument, and every access to it is refused.",
        forms=(Form("", result="address", text="GetSysWorkSpacePtr()"),),
        exactness="assumed(each core keeps the address)",
        effect="reads",
        example="b_gm.set_global_buffer(asc.get_sys_workspace(), 64)",
    ),
    Row(
        "set_hccl_context",
        "SetHcclContext",
        "Keeps the address of a context of communication, 0 or 1.",
        forms=(
            Form(
                "index: template uint32, context: address T",
                rules=(_HCCL,),
                text="AscendC::SetHcclContext<{index}>(reinterpret_cast<GM_ADDR>({context}))",
            ),
        ),
        dtypes=_T,
        exactness=_CONTEXT,
        example="asc.set_hccl_context(0, b)",
    ),
    Row(
        "get_hccl_context",
        "GetHcclContext",
        "The address that set_hccl_context was given; before that, an address outside of all arguments.",
        forms=(Form("index: template uint32", rules=(_HCCL,), result="address"),),
        exactness=_CONTEXT,
        effect="reads",
        example="b_gm.set_global_buffer(asc.get_hccl_context(0), 64)",
    ),
    Row(
        "set_store_atomic_config",
        "SetStoreAtomicConfig",
        "Sets the element type and the operation of atomic copies; ATOMIC_NONE turns them off. See asc.set_atomic_add.",
        forms=(Form("atomic_type: template AtomicDtype, atomic_op: template AtomicOp"),),
        example="asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_F32, asc.AtomicOp.ATOMIC_SUM)",
    ),
    Row(
        "get_store_atomic_config",
        "GetStoreAtomicConfig",
        "The element type and the operation of atomic copies, as numbers of AtomicDtype and AtomicOp.",
        forms=(Form("", traits=(GivesBack(("uint16_t",) * 2),)),),
        exactness="assumed(after set_atomic_max the operation is 1, after set_atomic_min 2)",
        nonnegative=True,
        example="kind, operation = asc.get_store_atomic_config()",
    ),
    Row(
        "check_local_memory_ia",
        "CheckLocalMemoryIA",
        "Watches a part of the unified buffer: an access of a kind that was named is an error. The twin reports it in "
        "its checked mode. See asc.CheckLocalMemoryIAParam.",
        forms=(
            Form(
                "check_params: object CheckLocalMemoryIAParam",
                meaning=Function("check_local_memory_ia"),
                not_on=dict.fromkeys(A5, "it watches no memory: the checked twin finds wrong accesses on every SoC"),
            ),
        ),
        exactness="assumed(the end is not watched; copies are those of MTE2 and MTE3)",
        example="asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(0, 64, 128, is_mte_read=True, is_enable=True))",
    ),
    _switch(
        "set_hf32_mode",
        "SetHF32Mode",
        "hf32_mode",
        "Whether asc.mmad rounds float32 to HF32, which has 11 bits of mantissa, before it multiplies.",
    ),
    _switch(
        "set_hf32_trans_mode",
        "SetHF32TransMode",
        "trans_mode",
        "How set_hf32_mode rounds: to nearest, with ties to even, or with True away from 0.",
        "assumed(public texts disagree about True: ties away from 0, or towards 0)",
    ),
    _switch(
        "set_mm_layout_transform",
        "SetMMLayoutTransform",
        "mm_layout_mode",
        "In which order asc.mmad produces its results: row by row, or column by column. No result depends on it.",
    ),
)
