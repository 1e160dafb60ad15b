"""Constants that the host computes from shapes and types: functions marked `@kernel.sizes`.

In: such a function, and the tensors that it asks for, as far as it may look at them. Out: constants by name. Refuses
names that are no constants of the kernel.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import ArgumentError
from opwright.kernel.arguments import ArgumentBinder, BoundArguments
from opwright.tile.parameters import Kind

Sizes = Callable[..., Mapping[str, Any]]


def parameters_of_sizes(sizes: Sizes) -> list[str]:
    """The tensors that it asks for."""
    return list(inspect.signature(sizes).parameters)


def sizes_for(kernel: str, sizes: Sizes, kinds: Mapping[str, Kind], tensors: Mapping[str, object]) -> dict[str, Any]:
    """The constants that it gives for tensors."""
    found = dict(sizes(**tensors))
    for name in found:
        if kinds.get(name) is not Kind.CONSTANT:
            raise ArgumentError(kernel=kernel, message=f"sizes gives {name!r}, which is none of its constants")
    return found


@dataclass(frozen=True)
class TensorFacts:
    """What the host knows of a tensor before a launch."""

    shape: tuple[int, ...]
    dtype: DataType


class TileBinder(ArgumentBinder):
    """Binds arguments, and constants that are computed from them. Shapes that were seen before are remembered."""

    sizes: Sizes | None = None

    def __init__(self, of: ArgumentBinder, kinds: Mapping[str, Kind]) -> None:
        super().__init__(of.kernel, of.parameters)
        self.kinds = kinds
        self._remembered: dict[object, dict[str, Any]] = {}

    def mark(self, sizes: Sizes) -> None:
        """Takes constants from a function from now on."""
        self.sizes = sizes
        self._remembered.clear()

    def bind(self, arguments: Any, keywords: Mapping[str, object], described: bool = False) -> BoundArguments:
        """Checks everything that can be known before the kernel is."""
        if self.sizes is not None:
            keywords = self._with_sizes(self.sizes, arguments, keywords, described)
        return super().bind(arguments, keywords, described)

    def _with_sizes(
        self, sizes: Sizes, arguments: Any, keywords: Mapping[str, object], described: bool
    ) -> Mapping[str, object]:
        given = dict(zip((one.name for one in self.parameters), arguments, strict=False)) | dict(keywords)
        wanted = parameters_of_sizes(sizes)
        if not all(name in given for name in wanted):
            return keywords  # what is missing is refused with the other arguments
        views = [self._view(name, given[name], described) for name in wanted]
        key = tuple((view.element, view.shape) for view in views)
        if key not in self._remembered:
            facts = [TensorFacts(view.shape, DTYPES[view.element]) for view in views]
            tensors = dict(zip(wanted, facts, strict=True))
            self._remembered[key] = sizes_for(self.kernel, sizes, self.kinds, tensors)
        found = {name: value for name, value in self._remembered[key].items() if name not in given}
        return {**found, **keywords}
