"""Which name was meant.

In: a name that is unknown, and those that are known. Out: a question for a message, "" if no name is similar.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question about the most similar name, if there is a similar one."""
    near = difflib.get_close_matches(name, list(known), n=3)
    # Of equally similar names the first by the alphabet.
    best = min(near, key=lambda other: (-difflib.SequenceMatcher(None, other, name).ratio(), other), default="")
    return f"did you mean '{best}'?" if best else ""


def or_similar(name: str, known: Iterable[str]) -> str:
    """What stands behind a complaint about a name, if there is a similar one."""
    question = did_you_mean(name, known)
    return f"; {question}" if question else ""
