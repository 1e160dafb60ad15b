"""Random schemas, made as data: what `parse` has to read is what `str` writes for them."""

import random
import string
from collections.abc import Callable

from opwright.schema import Alias, Argument, Base, List, Optional, Result, Schema, Type
from opwright.schema.defaults import IN_LISTS, Element, Value
from opwright.schema.dtypes import DTYPES
from opwright.schema.model import REQUIRED
from opwright.schema.types import BASES

CHARACTERS = string.printable + "äß漢"
NUMBERS = (0, 1, -1, 7, 2**31, 2**63 - 1, -(2**63))
FLOATS = (0.0, 1.0, -1.0, 0.1, 1e-6, 1e16, -2.5e-300, 1.7976931348623157e308, 15.0)


def _float(rng: random.Random) -> float:
    return rng.choice((*FLOATS, rng.uniform(-10, 10), rng.gauss(0, 1) * 10.0 ** rng.randrange(-30, 30)))


ELEMENTS: dict[str, Callable[[random.Random], Element]] = {
    "int": lambda rng: rng.choice(NUMBERS),
    "SymInt": lambda rng: rng.choice(NUMBERS),
    "float": _float,
    "bool": lambda rng: rng.random() < 0.5,
    "complex": lambda rng: complex(0, _float(rng)),
    "Scalar": lambda rng: rng.choice((rng.choice(NUMBERS), _float(rng), True, complex(0, _float(rng)))),
    "str": lambda rng: "".join(rng.choices(CHARACTERS, k=rng.randrange(8))),
    "ScalarType": lambda rng: rng.choice(list(DTYPES.values())),
    "Layout": lambda rng: rng.randrange(4),
    "MemoryFormat": lambda rng: rng.randrange(4),
    "Device": lambda rng: rng.choice(("cpu", "cpu:0", "meta")),
}


def name(rng: random.Random) -> str:
    letters = string.ascii_letters + "_"
    return rng.choice(letters) + "".join(rng.choices(letters + string.digits, k=rng.randrange(6))) + "_"


def alias(rng: random.Random) -> Alias | None:
    if rng.random() < 0.7:
        return None

    def names() -> tuple[str, ...]:
        return ("*",) if rng.random() < 0.2 else tuple(sorted(rng.sample("abcd", rng.randrange(1, 3))))

    before = names()
    return Alias(before, names() if rng.random() < 0.3 else before, rng.random() < 0.5)


def kind(rng: random.Random, depth: int = 0) -> Type:
    shape = rng.random()
    if depth == 2 or shape < 0.5:
        return Base(rng.choice(BASES), alias(rng))
    of = kind(rng, depth + 1)
    if shape < 0.75:
        return of if isinstance(of, Optional) else Optional(of)
    element = of.of if isinstance(of, Optional) else of
    if isinstance(element, List) and element.size is not None:
        return of
    return List(of, rng.choice((None, None, 1, 2, 3)), alias(rng))


def default(rng: random.Random, of: Type) -> Value:
    """A default of a type; raises LookupError if it can have none."""
    if isinstance(of, Optional):
        return None if isinstance(of.of, List) or rng.random() < 0.5 else default(rng, of.of)
    if isinstance(of, Base):
        return ELEMENTS[of.name](rng)
    if not (isinstance(of.of, Base) and of.of.name in IN_LISTS):
        raise LookupError
    return tuple(ELEMENTS[of.of.name](rng) for _ in range(rng.randrange(4)))


def schema(rng: random.Random) -> Schema:
    """A schema of up to eight arguments."""
    arguments: list[Argument] = []
    first_default, first_star = rng.randrange(9), rng.randrange(9)
    for place in range(rng.randrange(9)):
        of, found = kind(rng), REQUIRED
        if place >= first_default:
            try:
                found = default(rng, of)
            except LookupError:
                of, found = Optional(Base("Tensor")), None
        arguments.append(Argument(f"{name(rng)}{place}", of, found, place >= first_star))
    results = tuple(Result(kind(rng), rng.choice(("", name(rng)))) for _ in range(rng.randrange(4)))
    space, overload = rng.choice(("", name(rng))), rng.choice(("", f"o{name(rng)}"))
    return Schema(space, name(rng), overload, tuple(arguments), results)
