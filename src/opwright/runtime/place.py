"""Where a line of a kernel's text comes from. Kept in the manifest, so that a cached kernel still knows its lines."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """ "line:column" in the kernel's source, the call made there, its form, and why it stops if it is a stop."""

    at: str
    call: str = ""
    form: int = 0
    reason: str = ""
