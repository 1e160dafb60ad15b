"""Where a line of a kernel's text comes from. Kept in the manifest, so that a cached kernel still knows its lines."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """ "line:column" in a function's source, the call made there, its form, and why it stops if it is a stop.

    function: 0 for the kernel; helpers count from 1, as the manifest's list of functions does.
    settled: of a call that has rules, the parameters with what the text settles: an element type, or a mode.
    """

    at: str
    call: str = ""
    form: int = 0
    reason: str = ""
    function: int = 0
    settled: tuple[tuple[str, str], ...] = ()


class Called(NamedTuple):
    """A function of a kernel: where it is found from the kernel ("" for the kernel), and from where it is called.

    callers: pairs of a function's number and "line:column" in it.
    """

    path: str
    callers: tuple[tuple[int, str], ...] = ()
