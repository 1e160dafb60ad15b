"""`infer` of every operator, as Python and as C++: the same results, errors and messages for random calls."""

import collections
import importlib
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed")

from compiled import Library, by_python, launched

import opwright.operators
from opwright import host
from opwright.ascendc.socs import SOCS
from opwright.host.compiler.compile import compile_infer
from opwright.host.kinds import kinds_of
from opwright.operators._hifloat8_host import OVERFLOWS, scale_shape
from opwright.operators._infer import dtype_of, facts_of
from opwright.operators._operator import OWN, Operator, cases_of, operators
from opwright.schema.dtypes import DTYPES

CALLS = 10_000
FLOATS = (15.0, 1e-6, 0.0, -1.0, 2.0**-126, 1e-38, 3.4028234663852886e38, 1e16, 1e39, math.inf, -math.inf, math.nan)
LETTERS = ("", "a", "S", "_", "é", "'", '"', "\n", "\x7f", "\\", "界")
for _file in Path(opwright.operators.__file__).parent.glob("[!_]*.py"):
    importlib.import_module(f"opwright.operators.{_file.stem}")
OPERATORS = {made.name: made for made in operators().values() if made.schema.space == OWN}
LAUNCHES = {name: made.functions["launch"] for name, made in OPERATORS.items() if "launch" in made.functions}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    parts = {
        name: (made.functions["infer"], kinds_of(made.schema), len(made.schema.results))
        for name, made in OPERATORS.items()
    }
    return Library(parts, tmp_path_factory.mktemp("host"), LAUNCHES)


@pytest.mark.parametrize("name", OPERATORS)
def test_random_calls(name: str, library: Library) -> None:
    calls = list(_calls(OPERATORS[name], random.Random(name)))
    found = library.run(name, calls)
    wanted = by_python(OPERATORS[name].functions["infer"], calls)
    differing = [(mine, its) for mine, its in zip(wanted, found, strict=True) if mine != its]
    assert not differing, differing[:5]
    codes = collections.Counter(line[0] for line in wanted)
    assert codes["0"] > CALLS // 20, codes  # not one kind of outcome only
    assert codes["1"] > CALLS // 100, codes
    assert len(set(wanted)) > CALLS // 100, codes


@pytest.mark.parametrize("name", LAUNCHES)
def test_random_launches(name: str, library: Library) -> None:
    calls = list(_calls(OPERATORS[name], random.Random(name)))
    seen = set()
    for soc in map(host.soc_named, SOCS):
        found = library.launch(name, calls, soc)
        wanted = launched(OPERATORS[name].functions["infer"], LAUNCHES[name], calls, soc)
        differing = [(mine, its) for mine, its in zip(wanted, found, strict=True) if mine != its]
        assert not differing, (soc, differing[:5])
        assert len({line for line in wanted if line[0] == "0"}) > 20
        seen.add(tuple(wanted))
    assert len(seen) > 1  # SoCs have different cores


@pytest.mark.parametrize("name", ["rms_norm", "hifloat8_scale"])
def test_text(name: str, golden: Callable[[str, str], None]) -> None:
    made = OPERATORS[name]
    golden(f"{name}.cpp", compile_infer(name, made.functions["infer"], kinds_of(made.schema), 1, LAUNCHES.get(name)))


def _calls(made: Operator, rng: random.Random) -> Iterator[list[Any]]:
    kinds = kinds_of(made.schema)
    dtypes = [dtype_of(dtype) for dtype in made.dtypes]
    legal = list(_legal(made))
    for i in range(CALLS):
        call: dict[str, Any] = dict(rng.choice(legal)) if i % 2 else {}
        kept = set(kinds) - set(rng.sample(sorted(kinds), rng.choice((0, 1, 1, 1)))) if call else set()
        call = {name: value for name, value in call.items() if name in kept}
        for name, kind in kinds.items():
            if name in kept:
                continue
            is_none = kind.endswith("?") and rng.random() < 0.3
            call[name] = None if is_none else _value(name, kind.removesuffix("?"), call, dtypes, rng)
        yield [call[name] for name in kinds]


def _legal(made: Operator) -> Iterator[dict[str, Any]]:
    """The calls that an operator is tested with, as `infer` sees them: few random ones of many tensors are legal."""
    names = [argument.name for argument in made.schema.arguments]
    for dtype in made.dtypes:
        for case in cases_of(made, dtype):
            values = made.schema.complete(case.args, case.kwargs)
            yield dict(zip(names, map(facts_of, made.schema.arguments, values), strict=True))


def _value(name: str, kind: str, call: dict[str, Any], dtypes: list[host.Dtype], rng: random.Random) -> Any:
    first = next((one for one in call.values() if isinstance(one, host.Tensor)), None)
    sizes = (0, 1, 2, 3, 4, 5, 7, 8, 16, 33)
    if kind == "tensor":
        shape = tuple(rng.choice(sizes) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 4, 9))))
        if first is not None and rng.random() < 0.7:  # one that may fit
            shape = tuple(first.shape[-1:])
            if name == "scale":
                block = tuple(rng.choice((-1, 1, 2)) for _ in first.shape)
                call["block_size"], shape = block, scale_shape(first.shape, block)
        right = [host.float32] if name == "scale" else dtypes
        dtype = rng.choice(right) if rng.random() < 0.9 else rng.choice(list(DTYPES.values()))
        return _tensor(name, dtype, shape, rng)
    if kind == "shape":
        if name in call and rng.random() < 0.9:
            return host.Shape(call[name])
        rank = first.ndim if rng.random() < 0.9 else rng.randint(0, 10)
        entries = (-1, -1, 1, 1, 2, 3, 5) if rng.random() < 0.95 else (-1, 1, 0, -2)
        return host.Shape(rng.choice(entries) for _ in range(rank))
    if kind == "dtype":
        return rng.choice((host.float16, host.float32) if rng.random() < 0.8 else list(DTYPES.values()))
    if kind == "text":
        return _text(rng)
    if kind == "truth":
        return rng.random() < 0.5
    if kind == "float":
        return rng.choice((*FLOATS, rng.uniform(-1, 99), 10 ** rng.uniform(-40, 40)))
    assert kind == "int", kind
    return rng.choice((0, -1, 1, 2, 3, 8, 1 << 40, rng.randint(0, 40)))


def _tensor(name: str, dtype: host.Dtype, shape: tuple[Any, ...], rng: random.Random) -> host.Tensor:
    known = tuple(
        host.Unknown(f"dimension {dim} of {name}") if isinstance(size, host.Unknown) or rng.random() < 0.03 else size
        for dim, size in enumerate(shape)
    )
    layout: Any = host.dense(known, dtype).strides
    if all(isinstance(size, int) for size in known) and rng.random() < 0.5:
        layout = [rng.choice((0, 1, 2, 4, 8, 64, 100)) for _ in shape]
        if rng.random() < 0.5:
            order = rng.sample(range(len(shape)), len(shape))
            strides = host.dense([shape[dim] for dim in order], dtype).strides
            layout = [strides[order.index(dim)] for dim in range(len(shape))]
    return host.Tensor(dtype, known, layout, "cpu" if rng.random() < 0.97 else rng.choice(("meta", "cuda:1")))


def _text(rng: random.Random) -> str:
    text = rng.choice(OVERFLOWS)
    chance = rng.random()
    if chance < 0.6:
        return text
    if chance > 0.9:
        return "".join(chr(rng.choice((rng.randint(1, 255), rng.randint(32, 126)))) for _ in range(rng.randint(0, 20)))
    letters = list(text)
    for _ in range(rng.randint(1, 6)):
        place = rng.randint(0, len(letters))
        letters[place : place + rng.randint(0, 2)] = rng.choice(LETTERS)
    return "".join(letters).upper() if rng.random() < 0.2 else "".join(letters)
