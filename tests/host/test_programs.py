"""Host functions of many kinds, as Python and as C++: the same results, errors and messages for random calls."""

import collections
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compiled import Library, by_python, launched
from host_programs import LAUNCHES, NAMES, PROGRAMS

from opwright import host
from opwright.ascendc.socs import SOCS
from opwright.schema.dtypes import DTYPES

CALLS = 2000
FLOATS = (0.0, -0.0, 1.0, 1e22, 1e-5, 1e-4, 0.1, 123456789.125, 1e16, math.inf, -math.inf)
# The codes that a program must have shown: 0 taken, 1 type, 2 value, 3 unsupported, 4 a fault.
SHOWN = {
    **{"numbers": "0", "unknown": "023", "names": "0", "texts": "012", "helpers": "02", "faults": "04"},
    **{"lists": "023", "tensors": "0124", "arguments": "024", "nothing": "02", "launched": "02"},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(PROGRAMS, tmp_path_factory.mktemp("host"), LAUNCHES)


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_calls(name: str, library: Library) -> None:
    rng = random.Random(name)
    calls = list(_calls(rng))
    if name == "tensors":
        calls = [[_alike(call[0], rng), rng.randint(-3, 3)] for call in calls]
    elif name == "arguments":
        calls = [[call[0], *_others(rng)] for call in calls]
    elif name == "nothing":
        calls = [[call[0], rng.randint(0, 3)] for call in calls]
    elif name == "launched":
        calls = [[call[0], rng.randint(0, 3), call[4]] for call in calls]
    found, wanted = library.run(name, calls), by_python(PROGRAMS[name][0], calls)
    differing = [(call, mine, its) for call, mine, its in zip(calls, wanted, found, strict=True) if mine != its]
    assert not differing, (len(differing), differing[:3])
    codes = collections.Counter(line[0] for line in wanted)
    assert set(SHOWN[name]) <= {code for code, count in codes.items() if count > CALLS // 100}, codes


@pytest.mark.parametrize("soc", SOCS)
def test_random_launches(soc: str, library: Library) -> None:
    rng = random.Random(soc)
    calls = [[call[0], rng.randint(-3, 3), call[4]] for call in _calls(rng)]
    found = library.launch("launched", calls, host.soc_named(soc))
    wanted = launched(PROGRAMS["launched"][0], LAUNCHES["launched"], calls, host.soc_named(soc))
    differing = [(call, mine, its) for call, mine, its in zip(calls, wanted, found, strict=True) if mine != its]
    assert not differing, (len(differing), differing[:3])
    codes = collections.Counter(line[0] for line in wanted)
    assert {"0", "2", "3"} <= {code for code, count in codes.items() if count > CALLS // 100}, codes
    assert len(set(wanted)) > CALLS // 50


def test_numbers_beyond_64_bits_are_refused(library: Library) -> None:
    call = next(_calls(random.Random(0)))
    call[3] = 1 << 62
    assert library.run("numbers", [call]) == ["3 a number goes beyond 64 bits"]


def _calls(rng: random.Random) -> Iterator[list[Any]]:
    for _ in range(CALLS):
        x, y = (_tensor(name, rng) for name in ("x", "y"))
        if rng.random() < 0.5:
            y = host.Tensor(y.dtype, x.shape, x.layout, y.device)
            if any(isinstance(size, host.Unknown) for size in x.shape):
                y = _tensor("y", rng)
        yield [
            x,
            y,
            host.Shape(rng.randint(-3, 9) for _ in range(rng.randint(0, 12))),
            rng.choice((rng.randint(-20, 20), rng.randint(-1000, 1000))),
            rng.choice((None, rng.randint(-9, 9))),
            rng.choice((*FLOATS, rng.gauss(0, 1), 10 ** rng.uniform(-9, 25))),
            rng.choice((*NAMES, "", "other", "it's", "both '\"")),
            rng.random() < 0.5,
        ]


def _alike(first: host.Tensor, rng: random.Random) -> tuple[host.Tensor, ...]:
    """A few tensors of one rank, but for some."""
    first = host.Tensor(rng.choice(host.FLOATS), first.shape, first.layout, "cpu")
    known = [one for one in (_tensor("xs", rng) for _ in range(9)) if one.ndim == first.ndim and rng.random() < 0.3]
    return (first, *known)[rng.choice((0, 0, 0, 1)) :]


def _others(rng: random.Random) -> list[Any]:
    """What `arguments` takes behind its tensor."""
    scalars = (True, False, 0, 3, -7, 1 << 62, 0.5, -2.75, 1e16, math.inf, math.nan)
    return [
        rng.choice(scalars),
        rng.choice((None, *scalars)),
        tuple(rng.choice((*FLOATS, 0.25, 1.75)) for _ in range(rng.randint(0, 3))),
        tuple(rng.random() < 0.8 for _ in range(rng.randint(0, 5))),
        rng.choice((None, host.Generator(rng.randint(-(2**63), 2**63 - 1), rng.randint(-1, 9)))),
        rng.choice(("cpu", "npu", "npu:1", "it's")),
    ]


def _tensor(name: str, rng: random.Random) -> host.Tensor:
    shape = [rng.choice((0, 1, 2, 3, 4, 5, 40)) for _ in range(rng.randint(0, 4))]
    known: list[Any] = [
        host.Unknown(f"dimension {dim} of {name}") if rng.random() < 0.08 else size for dim, size in enumerate(shape)
    ]
    dtype = rng.choice(list(DTYPES.values()))
    return host.Tensor(dtype, known, host.dense(known, dtype).strides, rng.choice(("cpu", "it's")))


@pytest.mark.quick
def test_names_of_dtypes_are_those_of_the_header() -> None:
    """The header makes names from DLPack's code and bits; `shown` is compared by the programs, for every dtype."""
    text = (Path(__file__).parents[2] / "src/opwright/native/include/opwright/host_text.h").read_text()
    for dtype in DTYPES.values():
        assert dtype.name.startswith(("int", "uint", "float", "bfloat", "complex", "bool")), dtype
        assert dtype.code < 7 or f'"{dtype.name}"' in text
