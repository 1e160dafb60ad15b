"""Rows: functions that threads run."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import NO_THREADS, SIMT, Form, Row, reads, simt_dtypes, writes
from opwright.ascendc.rules import TemplateRange
from opwright.ascendc.traits import THREADS, Allocates, SharedByThreads, StartsThreads

TASK, SHORT = "SIMT", "Threads and their memory"
_T = {"T": simt_dtypes(*DTYPES)}
_AXES = ("x", "y", "z")


def _indices(name: str, doc: str, exactness: str = "exact", positive: bool = False) -> Row:
    """A built-in variable with three fields."""
    return Row(
        f"simt.{name}",
        name,
        doc,
        forms=(Form("axis: text", result="integer", text=f"{name}.{{axis}}"),),
        effect="value",
        exactness=exactness,
        nonnegative=True,
        positive=positive,
        small=True,
        fields=_AXES,
        example=f"y[simt.threadIdx.x] = simt.{name}.x",
    )


def _fence(name: str, doc: str) -> Row:
    return Row(f"simt.{name}", f"asc_{name}", doc, forms=(Form(""),), example=f"simt.{name}()")


ROWS = (
    Row(
        "vf_call",
        "asc_vf_call",
        "Starts a function marked @asc.simt on `threads` threads: a number, or a tuple of up to three for x, y and z. "
        "It runs on the vector unit behind what was issued there before; copies in and out need flags as for any "
        "vector call. Its arguments are addresses, tensors in global memory or in UB, and numbers.",
        forms=(
            Form(
                "function: function, threads: threads, arguments: values",
                pipe="PIPE_V",
                not_on=NO_THREADS,
                traits=(StartsThreads(),),
            ),
        ),
        example="asc.vf_call(run, 32, x, y)",
    ),
    Row(
        "GlobalAddress.__getitem__",
        "[]",
        "The element at `index`, for threads: written x[index]. They read tensors in UB in the same way. x[index:] is "
        "the address of that element.",
        forms=(
            Form(
                "self: pointer T, index: int64",
                accesses=(reads("self", "1"),),
                result="scalar T",
                text="{self}[{index}]",
            ),
        ),
        dtypes=_T,
        effect="reads",
        callers=(SIMT,),
        example="y[simt.threadIdx.x] = x[3]",
    ),
    Row(
        "GlobalAddress.__setitem__",
        "[]",
        "Sets the element at `index`, for threads: written x[index] = value. They set elements of tensors in UB in the "
        "same way. x[index] += value reads and sets it: two threads that do so at once lose one of the sums.",
        forms=(
            Form(
                "self: pointer T, index: int64, value: number T",
                accesses=(writes("self", "1"),),
                text="{self}[{index}] = {value}",
            ),
        ),
        dtypes=_T,
        callers=(SIMT,),
        example="y[simt.threadIdx.x] = 2.5",
    ),
    _indices(
        "threadIdx", "Which thread of its block it is: x, y and z. 32 threads in a row, first along x, are a warp."
    ),
    _indices("blockIdx", "Which block this is: x, y and z. Under asc.vf_call x is the index of the core."),
    _indices("blockDim", "How many threads the block has along x, y and z.", positive=True),
    _indices(
        "gridDim",
        "How many blocks there are along x, y and z. Under asc.vf_call x is the number of cores.",
        positive=True,
    ),
    Row(
        "simt.warpSize",
        "warpSize",
        "How many threads a warp has: 32.",
        forms=(Form("", result="integer", text="warpSize"),),
        effect="value",
        nonnegative=True,
        positive=True,
        fields=("",),
        example="y[simt.threadIdx.x] = simt.warpSize",
    ),
    Row(
        "simt.shared",
        "__ubuf__",
        "Memory in UB that all threads of a block share: `length` elements, which hold nothing yet. In a kernel of "
        "threads, outside of branches and loops; a function under asc.vf_call gets a tensor.",
        forms=(
            Form(
                "dtype: dtype T, length: template int64",
                rules=(TemplateRange("length", 1, (1 << 32) - 1),),
                result="ub_address T",
                traits=(SharedByThreads(), Allocates("shared", THREADS, elements="length")),
            ),
        ),
        dtypes=_T,
        effect="object",
        example="tile = simt.shared(asc.float32, 32)",
    ),
    Row(
        "simt.syncthreads",
        "asc_syncthreads",
        "Waits until all threads of the block have come here. What they wrote before is then seen by all of them.",
        forms=(Form(""),),
        exactness="assumed(a thread that has ended does not come any more, so that the others would wait for ever)",
        meets="block",
        example="simt.syncthreads()",
    ),
    _fence("threadfence", "What the thread wrote before is seen by all threads before what it writes next."),
    _fence("threadfence_block", "What the thread wrote before is seen by its block before what it writes next."),
)
