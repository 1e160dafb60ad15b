"""Why no form of a call takes its arguments, in a few lines.

In: what each form complains about. Out: text, the closest form first. Forms that complain about the same share a line,
and forms that are far off only a number: a call has up to a dozen forms, and one of them was meant.
"""

from __future__ import annotations

from collections.abc import Sequence

_MOST_LINES = 4
_MOST_COMPLAINTS = 3


def told(refused: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Signatures with their complaints as the lines of a message."""
    by_reason: dict[str, list[str]] = {}
    for signature, complaints in sorted(refused, key=lambda pair: len(pair[1])):
        by_reason.setdefault(_sentence(complaints), []).append(signature)
    lines = []
    for reason, signatures in list(by_reason.items())[:_MOST_LINES]:
        more = f" and {len(signatures) - 1} more" if len(signatures) > 1 else ""
        lines.append(f"  ({signatures[0]}){more}: {reason}")
    left = sum(map(len, list(by_reason.values())[_MOST_LINES:]))
    return "\n".join([*lines, *([f"  and {left} more, which fit less"] if left else [])])


def _sentence(complaints: Sequence[str]) -> str:
    more = len(complaints) - _MOST_COMPLAINTS
    return "; ".join([*complaints[:_MOST_COMPLAINTS], *([f"and {more} more"] if more > 0 else [])])
