"""Rows: flags between pipes, barriers of a pipe and of all cores."""

from __future__ import annotations

from opwright.ascendc.enums import EVENT_IDS
from opwright.ascendc.row import Form, Function, Row
from opwright.ascendc.rules import Range

_EVENT_ID = Range("event_id", 0, EVENT_IDS - 1)

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
            ),
        ),
        example="asc.wait_flag(asc.HardEvent.MTE2_V, 0)",
    ),
    Row(
        "pipe_barrier",
        "PipeBarrier",
        "All earlier work of a pipe is done before its later work starts; PIPE_ALL does so for every pipe.",
        forms=(Form("pipe: template PipeID", pipe="pipe", meaning=Function("pipe_barrier")),),
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
        "Waits until every vector core of the launch has come here. The grid must not exceed the SoC's cores.",
        forms=(
            Form(
                "is_aiv_only: template bool = True",
                pipe="PIPE_ALL",
                meaning=Function("sync_all"),
            ),
        ),
        example="asc.sync_all()",
    ),
)
