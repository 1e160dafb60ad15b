"""Rows: loads and stores of threads that say which caches they use, and volatile ones."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Form, Row, reads, simt_dtypes, writes

TASK, SHORT = "SIMT", "Loads and stores"
_TYPES = simt_dtypes(*DTYPES)
_CACHES = "assumed(the twin has no cache of data: it gives what memory holds)"
_VOLATILE = "assumed(public texts do not say what volatile means to threads: one access for each call)"
_MEMORY = {"address": "gm", "ub_address": "ub"}
# Not gm_pointer<...>(x)[0], which C++ would take for the declaration of an array x.
_TEXT = "static_cast<{}_pointer<volatile {{T}}>>({{address}})[0]"


def _row(name: str, doc: str, forms: tuple[Form, ...], example: str, exactness: str, cpp: str = "") -> Row:
    return Row(
        f"simt.{name}",
        cpp or f"asc_{name}",
        doc,
        forms=forms,
        dtypes={"T": _TYPES},
        exactness=exactness,
        effect="runs",
        example=example,
    )


def _load(name: str, doc: str) -> Row:
    form = Form("address: address T", accesses=(reads("address", "1"),), result="scalar T")
    return _row(name, doc, (form,), f"z[thread] = simt.{name}(x[thread:])", _CACHES)


def _store(name: str, doc: str) -> Row:
    form = Form("address: address T, val: number T", accesses=(writes("address", "1"),))
    return _row(name, doc, (form,), f"simt.{name}(z[thread:], x[thread])", _CACHES)


def _refresh(name: str, doc: str) -> Row:
    return _row(name, doc, (Form("address: address T"),), f"simt.{name}(x[thread:])", _CACHES)


ROWS = (
    _load("ldcg", "Loads an element from global memory, past the cache of data."),
    _load("ldca", "Loads an element from global memory, through the cache of data."),
    _store("stcg", "Stores an element in global memory, past the cache of data."),
    _store("stwt", "Stores an element in global memory and in the cache of data."),
    _refresh("dcci_single", "Drops the line of an address from the cache of data: the next load gets it from memory."),
    _refresh("dcci_entire", "Drops all lines of the cache of data: the next loads get them from memory."),
    _row(
        "load_volatile",
        "Loads an element that others may change: each call loads it anew.",
        tuple(
            Form(
                f"address: {kind} T",
                accesses=(reads("address", "1"),),
                result="scalar T",
                text=_TEXT.format(memory),
            )
            for kind, memory in _MEMORY.items()
        ),
        "z[thread] = simt.load_volatile(x[thread:])",
        _VOLATILE,
        cpp="volatile",
    ),
    _row(
        "store_volatile",
        "Stores an element that others wait for: each call stores it at once.",
        tuple(
            Form(
                f"address: {kind} T, val: number T",
                accesses=(writes("address", "1"),),
                text=f"{_TEXT.format(memory)} = {{val}}",
            )
            for kind, memory in _MEMORY.items()
        ),
        "simt.store_volatile(z[thread:], x[thread])",
        _VOLATILE,
        cpp="volatile",
    ),
)
