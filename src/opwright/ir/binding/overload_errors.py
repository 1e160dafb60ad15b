"""Why no form of a call takes its arguments, in a few lines.

In: what each form complains about. Out: text, the closest form first. A form that complains about all that a closer one
does, and perhaps more, only counts: a call has up to a dozen forms, and one of them was meant.
"""

from __future__ import annotations

from collections.abc import Sequence

_MAX_LINES = 3
_MAX_COMPLAINTS = 3


def summary(refused: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Signatures with their complaints as the lines of a message. What only the SoC lacks comes first."""
    shown: list[tuple[str, Sequence[str]]] = []
    for signature, complaints in sorted(refused, key=lambda pair: (len(pair[1]), not pair[1][0].startswith("not on "))):
        fits_less = any(set(closer) <= set(complaints) for _, closer in shown)
        if not fits_less and len(shown) < _MAX_LINES:
            shown.append((signature, complaints))
    lines = [f"  ({signature}): {_sentence(complaints)}" for signature, complaints in shown]
    left = len(refused) - len(shown)
    more = f" ({left} more {'form fits' if left == 1 else 'forms fit'} no better)" if left else ""
    return "\n".join(lines) + more


def _sentence(complaints: Sequence[str]) -> str:
    more = len(complaints) - _MAX_COMPLAINTS
    return "; ".join([*complaints[:_MAX_COMPLAINTS], *([f"and {more} more"] if more > 0 else [])])
