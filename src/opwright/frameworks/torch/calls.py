"""`calls`: what each provider has done with the calls of each operator, since the process began or the last reset.

In: nothing. Out: `Calls`, which prints as a table. Calls that a library serves without Python are counted there, by
atomic counters; those that Python serves under a lock. So threads may call, count and reset at once.
"""

from __future__ import annotations

import threading

from opwright.frameworks.torch.register import counts, registered
from opwright.operators._operator import Counts

_lock = threading.Lock()
_before: dict[tuple[str, str], Counts] = {}  # at the last reset, by operator and provider


class Calls(dict[str, dict[str, Counts]]):
    """By operator and provider the calls that were served, refused and copied; without those that were never asked."""

    def __str__(self) -> str:
        lines: list[tuple[str, ...]] = [("operator", "provider", "served", "refused", "copied")]
        for operator, providers in self.items():
            for provider, found in providers.items():
                lines.append((operator, provider, *(f"{n:,}" for n in (found.served, found.refused, found.copied))))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts, numbers = widths[:2], widths[2:]
        return "\n".join(
            "  ".join([*map(str.ljust, line[:2], texts), *map(str.rjust, line[2:], numbers)]) for line in lines
        )


def calls(reset: bool = False) -> Calls:
    """How many calls each provider of each operator has served, refused and copied tensors for.

    served: calls that it computed. refused: calls that it was asked for and did not take, so that the next one was, or
    that were wrong. copied: served calls in which tensors were copied, before or behind it, because it does not take
    them as they lie. reset: the next call of `calls` counts from here.
    """
    found = Calls()
    with _lock:
        for qualified, made in sorted(registered.items()):
            for name in made.operator.providers:
                now, key = counts(made, name), (qualified, name)
                since = now - _before.get(key, Counts())
                if reset:
                    _before[key] = now
                if since != Counts():
                    found.setdefault(made.operator.label, {})[name] = since
    return found
