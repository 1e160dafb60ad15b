"""The kernels that serve an operator: which ones there are, for which data types of their tensors.

In: a kernel, and for each variant the data types of its tensors. Out: `Variant`s; `host.Launch.kernel` is the name of
one. A tensor of a kernel is called like the operator's argument, or like the result in `launch`.
Refuses variants of another number of tensors, and two of one name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opwright.schema.dtypes import Dtype

if TYPE_CHECKING:
    from opwright.kernel.function import KernelFunction

_EXAMPLES: dict[str, object] = {"int": 1, "float": 1.0, "bool": True, "number": 1}


@dataclass(frozen=True)
class Variant:
    """A kernel for data types of its tensors, by the names of its parameters. ranks: their dimensions, if it asks."""

    name: str
    kernel: KernelFunction
    tensors: Mapping[str, Dtype]
    ranks: tuple[int, ...] | None
    constants: Mapping[str, object]

    def described(self) -> dict[str, object]:
        """Arguments that it is compiled for: descriptions of tensors, and numbers that stand for any others."""
        ranks = dict(zip(self.tensors, self.ranks or (1,) * len(self.tensors), strict=True))
        given = dict(self.constants)
        for one in self.kernel.binder.parameters:
            if one.name in self.tensors:
                given[one.name] = f"{self.tensors[one.name].name}[{', '.join(['16'] * ranks[one.name])}]"
            elif one.kind in _EXAMPLES:
                given[one.name] = _EXAMPLES[one.kind]
        return given


def variant_name(kernel: str, dtypes: Sequence[Dtype]) -> str:
    """What a kernel is called for data types of its tensors."""
    return "_".join([kernel, *map(str, dtypes)])


def variants_of(
    kernel: KernelFunction,
    variants: Sequence[Sequence[Dtype]],
    ranks: Sequence[int] | None,
    constants: Mapping[str, object],
) -> dict[str, Variant]:
    """Variants of a kernel by name; ValueError says what is wrong with them."""
    tensors = [one.name for one in kernel.binder.parameters if one.kind == "address"]
    made: dict[str, Variant] = {}
    for dtypes in variants:
        for what, count in (("data types", len(dtypes)), ("ranks", len(tensors if ranks is None else ranks))):
            if count != len(tensors):
                raise ValueError(f"{count} {what}, but {kernel.__name__} has {len(tensors)} tensors")
        name = variant_name(kernel.__name__, dtypes)
        if name in made:
            raise ValueError(f"two variants {name}")
        known = None if ranks is None else tuple(ranks)
        made[name] = Variant(name, kernel, dict(zip(tensors, dtypes, strict=True)), known, constants)
    return made
