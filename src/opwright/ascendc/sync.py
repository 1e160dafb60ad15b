"""Rows: flags between pipes and between cores, barriers of a pipe and of all cores."""

from __future__ import annotations

from opwright.ascendc.enums import CROSS_FLAGS, EVENT_IDS, PipeID
from opwright.ascendc.row import Form, Function, Row, dtypes, writes, writes_runs
from opwright.ascendc.rules import Align, Chosen, FlagBetweenCores, OneNumberOf, Range
from opwright.ascendc.socs import A2, A5, ALL
from opwright.ascendc.traits import NeedsCrossFlags, SetsFlag, WaitsForCores, WaitsForFlag
from opwright.ascendc.type_rules import Never

TASK, SHORT = "Sync", "Flags and barriers"
_EVENT_ID = Range("event_id", 0, EVENT_IDS - 1)

_WORKSPACES = "gm_workspace: global T, ub_workspace: ub T"
_INT32 = {"T": dtypes(a2=("int32",), a5=("int32",))}
_ALIGNED = Align("ub_workspace", 32)
_AIV_ONLY = Chosen("is_aiv_only", True, "workspaces are between vector cores")
_ASSUMED = (
    "assumed(a core has 32 bytes of the workspace for each event, of which the first number counts; all work of the "
    "core ends before the call, and none starts during it)"
)
_IN_ORDER = f"{_ASSUMED[:-1]}. On a chip InitDetermineComputeWorkspace comes first, for which there is no call yet)"
_MODES = (
    "Mode 0 is between all cores of a kind, mode 1 between the AIVs of a group, mode 2 between an AIC and all its "
    "AIVs. Mode 4, on ascend950, is between an AIC and one AIV: what AIV 1 calls flag x is x + 16 on the AIC. A "
    "counter goes up to 15. One flag has one mode at a time."
)
_WORDS = "The workspace has 32 bytes for each core, and starts as zeros. The grid must not exceed the SoC's cores."

_NOT_ITSELF = Never(
    "pipe", PipeID.PIPE_S, A5, "the scalar unit works in order: leave it out, or use asc.data_sync_barrier"
)


def _between(name: str, cpp: str, doc: str, more: str, word: str, text: str = "", exactness: str = _ASSUMED) -> Row:
    """A call by which a core lets one other go on, or waits for one."""
    return Row(
        name,
        cpp,
        f"{doc} {_WORDS}",
        forms=(
            Form(
                f"{_WORKSPACES}{more}",
                pipe="PIPE_MTE3",
                accesses=(writes_runs("gm_workspace", word), writes("ub_workspace", "8")),
                rules=(_ALIGNED, *([_AIV_ONLY] if "is_aiv_only" in more else [])),
                meaning=Function(name),
                traits=(WaitsForCores(),),
                lvalues=("gm_workspace", "ub_workspace") if not more else (),
                needs_tpipe=dict.fromkeys(ALL, "call asc.cross_core_set_flag and asc.cross_core_wait_flag"),
            ),
        ),
        dtypes=_INT32,
        exactness=exactness,
        example=text or f"asc.{name}(q_gm, q_local)",
    )


def _across(name: str, cpp: str, doc: str, exactness: str) -> Row:
    """A flag between cores."""
    return Row(
        name,
        cpp,
        f"{doc} {_MODES}",
        forms=(
            Form(
                "flag_id: uint16, mode_id: template uint8, pipe: template PipeID",
                rules=(FlagBetweenCores("flag_id", 0, CROSS_FLAGS - 1), OneNumberOf("mode_id", (0, 1, 2, 4))),
                meaning=Function(name),
                traits=(NeedsCrossFlags(),),
            ),
        ),
        exactness=exactness,
        example=f"asc.{name}(0, 0, asc.PipeID.PIPE_MTE3)",
    )


_EVENT = ", block_idx: int32, event_id: int32, is_aiv_only: template bool = True"
_EVENT_WORD = "opwright::flag_word(at, block_idx, event_id)"

ROWS = (
    Row(
        "set_flag",
        "SetFlag",
        "Sets a flag once all earlier work of the event's source pipe is done. A flag must be waited for before it is "
        "set again. Ids 6 and 7 are used by the toolchain: prefer 0 to 5.",
        forms=(
            Form(
                "event: template HardEvent, event_id: int32 = 0",
                pipe="opwright::source_pipe(event)",
                rules=(_EVENT_ID,),
                meaning=Function("set_flag"),
                traits=(SetsFlag(),),
            ),
        ),
        example="asc.set_flag(asc.HardEvent.MTE2_V, 0)",
    ),
    Row(
        "wait_flag",
        "WaitFlag",
        "Holds the event's destination pipe until the flag is set, then clears it.",
        forms=(
            Form(
                "event: template HardEvent, event_id: int32 = 0",
                pipe="opwright::destination_pipe(event)",
                rules=(_EVENT_ID,),
                meaning=Function("wait_flag"),
                traits=(WaitsForFlag(),),
            ),
        ),
        example="asc.wait_flag(asc.HardEvent.MTE2_V, 0)",
    ),
    Row(
        "pipe_barrier",
        "PipeBarrier",
        "All earlier work of a pipe is done before its later work starts; PIPE_ALL does so for every pipe.",
        forms=(Form("pipe: template PipeID", pipe="pipe", rules=(_NOT_ITSELF,), meaning=Function("pipe_barrier")),),
        example="asc.pipe_barrier(asc.PipeID.PIPE_V)",
    ),
    Row(
        "data_sync_barrier",
        "DataSyncBarrier",
        "The scalar unit waits until its own earlier accesses of a memory are done.",
        forms=(Form("arg0: template MemDsbT", meaning=Function("data_sync_barrier")),),
        example="asc.data_sync_barrier(asc.MemDsbT.ALL)",
    ),
    Row(
        "sync_all",
        "SyncAll",
        "Waits until every vector core of the launch has come here, with is_aiv_only=False every core of both kinds, "
        f"or with workspaces the first `used_cores` vector cores. {_WORDS}",
        forms=(
            Form(
                "is_aiv_only: template bool = True",
                pipe="PIPE_ALL",
                meaning=Function("sync_all"),
                traits=(NeedsCrossFlags(),),
            ),
            Form(
                f"{_WORKSPACES}, used_cores: int32 = 0, is_aiv_only: template bool = True",
                pipe="PIPE_MTE3",
                accesses=(
                    writes_runs("gm_workspace", "opwright::words_of(at, used_cores)"),
                    writes_runs("ub_workspace", "opwright::local_words(at, used_cores)"),
                ),
                rules=(Range("used_cores", 0, 65535), _ALIGNED, _AIV_ONLY),
                meaning=Function("sync_some"),
                traits=(WaitsForCores(),),
                needs_tpipe=dict.fromkeys(A2, "call asc.sync_all without workspaces"),
            ),
        ),
        dtypes=_INT32,
        exactness="assumed(with workspaces: each core writes the words of all of them to its ub_workspace)",
        example="asc.sync_all()",
    ),
    _between(
        "ib_set",
        "IBSet",
        "Lets the core go on that waits for event `event_id` of core `block_idx`; waits first until an earlier one was "
        "taken.",
        _EVENT,
        _EVENT_WORD,
        "asc.ib_set(q_gm, q_local, 0, 0)",
    ),
    _between(
        "ib_wait",
        "IBWait",
        "Waits for event `event_id` of core `block_idx`, and takes it.",
        _EVENT,
        _EVENT_WORD,
        "asc.ib_wait(q_gm, q_local, 0, 0)",
    ),
    _between(
        "notify_next_block",
        "NotifyNextBlock",
        "Lets the next core go on from wait_pre_block; after the last core comes the first.",
        "",
        "opwright::next_word(at)",
        exactness=_IN_ORDER,
    ),
    _between(
        "wait_pre_block",
        "WaitPreBlock",
        "Waits for notify_next_block of the core before. The first core waits for none the first time.",
        "",
        "opwright::own_word(at)",
        exactness=_IN_ORDER,
    ),
    _across(
        "cross_core_set_flag",
        "CrossCoreSetFlag",
        "Sets flag `flag_id` once earlier work of the pipe is done. Work of other pipes counts as far as that pipe has "
        "waited for it.",
        "assumed(of other pipes that work is done which the pipe had to wait for)",
    ),
    _across(
        "cross_core_wait_flag",
        "CrossCoreWaitFlag",
        "Waits until the counter of flag `flag_id` is above 0, and counts it down. It holds the whole core, on "
        "ascend950 the pipe.",
        "assumed(on ascend950 the twin holds the core too, and checks the order as if it held the pipe)",
    ),
)
