"""What parameters are for, in words: those whose name means the same wherever it is used, and fields of small structs.

In: a row and a parameter. Out: a phrase for the reference page, without markup, or nothing where the row's own text
says it. A key is the name of a parameter, `name: kind` (or its struct) where these differ, or `Struct.field`.
"""

from __future__ import annotations

from opwright.ascendc import words
from opwright.ascendc.row import Parameter, Row

_BLOCKS = "from the start of one block of 32 bytes of {0} to the next within a repeat, in blocks; 1 is side by side"
_REPEATS = "from the start of one repeat of {0} to that of the next, in blocks of 32 bytes; 8 is side by side"
_STRUCTS = {
    "UnaryRepeatParams": ("dst", "src"),
    "BinaryRepeatParams": ("dst", "src0", "src1"),
    "GatherRepeatParams": ("dst",),
}
MEANINGS = {
    "count": "how many elements, from the first on",
    "scalar": "the same for every element",
    "mask: uint64": "how many lanes of each repeat take part, from the first on",
    "mask: array": "which lanes of each repeat are active: bit i of the two words, the lower first, is lane i",
    "is_set_mask": "False: the mask register stays as it is, set before by asc.set_vector_mask",
    "repeat_times": "how often the instruction repeats",
    "repeat": "how often the instruction repeats",
    "repeat_params: DataCopyParams": "which pieces are copied, and how far apart they are",
    **{f"repeat_params: {struct}": "the strides of blocks and repeats" for struct in _STRUCTS},
    "repeat_params: CopyRepeatParams": "the strides of blocks and repeats",
    "src_blk_stride": _BLOCKS.format("the source"),
    "src_rep_stride": _REPEATS.format("the source"),
    "is_reuse_source": "True: the call may use the source as scratch, and leaves it undefined",
    "reuse_source": "True: the call may use the source as scratch, and leaves it undefined",
    "temp_buffer": "scratch memory for intermediate results",
    "shared_tmp_buffer": "scratch memory for intermediate results",
    "cmp_mode": "which comparison: LT, GT, EQ, LE, GE, NE",
    "sel_mask": "one bit for each element: 1 takes the first source, 0 the second",
    "sel_mode": "where the bits and the second source are found",
    "round_mode": "how a value between two that the type can hold is rounded",
    "cal_index": "True: also where the extreme is",
    "order": "what is written of each repeat: the value, its index, or both and in which order",
    "intri_params": "which pieces are copied, and how far apart they are",
    "data_copy_params": "which pieces are copied, and how far apart they are",
    "pad_params": "the padding beside each piece on the chip",
    "pos": "which memory on the chip: VECIN, VECCALC and VECOUT are the unified buffer, A1 and B1 are L1",
    "event": "from which pipe to which: MTE2_V is from the copies in to the vector unit",
    "flag_id": "which of the flags between cores",
    "pipe": "the pipe whose work so far the flag or the barrier covers",
    "gm_workspace": "a part of global memory that all cores share, zeros before the first use",
    "ub_workspace": "scratch in the unified buffer for what is read of the shared part",
    "is_aiv_only": "True: only vector cores take part",
    "TQue.depth": "how many tensors may be in the queue at once",
    "fm": "the left matrix",
    "filter": "the right matrix",
    "width": "threads in a group: groups of the warp exchange among themselves",
    "var": "what this thread gives to the others",
    "DataCopyParams.block_count": "how many pieces",
    "DataCopyParams.block_len": "length of a piece, in blocks of 32 bytes; bytes for data_copy_pad",
    "DataCopyParams.src_stride": "gap from the end of one piece of the source to the start of the next",
    "DataCopyParams.dst_stride": "gap from the end of one piece of the destination to the start of the next",
    "DataCopyExtParams.block_count": "how many pieces",
    "DataCopyExtParams.block_len": "length of a piece, in bytes",
    "DataCopyExtParams.src_stride": "gap between pieces of the source: bytes in global memory, blocks on the chip",
    "DataCopyExtParams.dst_stride": "gap between pieces of the destination: bytes in global memory, blocks on the chip",
    "MmadParams.m": "rows of the left matrix",
    "MmadParams.n": "columns of the right matrix",
    "MmadParams.k": "columns of the left matrix, which are rows of the right one",
    **{
        f"{struct}.{operand}_{which}_stride": text.format(operand)
        for struct, operands in _STRUCTS.items()
        for operand in operands
        for which, text in (("blk", _BLOCKS), ("rep", _REPEATS))
    },
}


def meaning(row: Row, parameter: Parameter) -> str:
    """What it is for; nothing if only the row's own text says it."""
    if words.is_class(row):
        return MEANINGS.get(f"{row.name}.{parameter.name}", "")
    kind = parameter.made_by or parameter.kind
    return MEANINGS.get(f"{parameter.name}: {kind}", MEANINGS.get(parameter.name, ""))
