"""Rows: the data cache of the scalar unit, and the cache of its instructions."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Form, Function, Row, dtypes

TASK, SHORT = "Sync", "Caches"
_ALL = tuple(DTYPES)

ROWS = (
    Row(
        "data_cache_clean_and_invalid",
        "DataCacheCleanAndInvalid",
        "Writes the cache line in which `dst` starts, or the whole data cache, back to global memory and forgets it. "
        "Others see what set_value wrote only after it, and get_value sees what others wrote only after it. The twin "
        "has no such cache: its checked mode reports where this call is missing.",
        forms=(
            Form(
                "entire_type: template CacheLine, dcci_dst: template DcciDst, dst: global T",
                text="AscendC::DataCacheCleanAndInvalid<{T}, {entire_type}, {dcci_dst}>({dst})",
            ),
            Form(
                "entire_type: template CacheLine, dst: global T",
                text="AscendC::DataCacheCleanAndInvalid<{T}, {entire_type}>({dst})",
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, asc.DcciDst.CACHELINE_OUT, x_gm)",
    ),
    Row(
        "icache_preload",
        "ICachePreLoad",
        "Fetches `pre_fetch_len` lines of 2 KB of the instructions that follow. The twin has no such cache.",
        forms=(Form("pre_fetch_len: int64", meaning=Function("icache_preload")),),
        example="asc.icache_preload(2)",
    ),
    Row(
        "get_icache_preload_status",
        "GetICachePreloadStatus",
        "Whether instructions are still being fetched: 1, or 0 when all are there, as they always are on the twin.",
        forms=(Form("", meaning=Function("icache_preload_status"), result="int64"),),
        exactness="assumed(a fetch takes no time)",
        effect="reads",
        nonnegative=True,
        example="status = asc.get_icache_preload_status()",
    ),
)
