"""No call keeps memory: neither one that is served, nor one that goes on to the reference, nor one that is refused.

A process's memory must not grow over many calls, each small, nor what malloc has given out, which is known to the
byte: what was free before may hide a leak for a while. The slow tests make ten times as many calls.
"""

import contextlib
import ctypes
import gc
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright.ops  # noqa: E402
from opwright.errors import OpwrightError  # noqa: E402
from opwright.frameworks.torch.serve import check  # noqa: E402
from opwright.operators import Case, Facts, Operator  # noqa: E402
from opwright.operators._operator import cases_of, operators  # noqa: E402

OPERATORS = {one.name: one for one in operators().values() if one.schema.space == "opwright"}
WARM_UP = 10_000
MIB = 1 << 20
# How many calls, and by how much memory may grow.
SERVED = {"few": (30_000, MIB), "many": (1_000_000, 4 * MIB)}
ELSEWHERE = {"few": (3_000, MIB // 4), "many": (100_000, MIB)}
NOISE = MIB // 16  # of malloc, for caches of PyTorch and Python
SIZES = ["few", pytest.param("many", marks=pytest.mark.slow)]


def resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class _MallInfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "free", "small", "mapped", "mapped_bytes", "x", "y", "used_bytes", "free_bytes", "keep")
    )


def allocated() -> int:
    """Bytes that malloc has given out and not got back; 0 where the C library is too old to say so."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        return 0
    library.mallinfo2.restype = _MallInfo
    found = library.mallinfo2()
    return int(found.used_bytes + found.mapped_bytes)


def growth(call: Callable[[], object], count: int) -> tuple[int, int]:
    """By how much memory, and what malloc gave out, grow over so many calls, after a warm-up."""

    def repeat(times: int) -> None:
        for _ in range(times):
            call()

    repeat(min(count, WARM_UP))
    gc.collect()
    before = (resident(), allocated())
    repeat(count)
    gc.collect()
    return resident() - before[0], allocated() - before[1]


def keeps_nothing(call: Callable[[], object], count: int, most: int) -> None:
    in_memory, given_out = growth(call, count)
    assert in_memory <= most
    assert given_out <= NOISE


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that start meanwhile have stacks of their own."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def elements(case: Case) -> int:
    return max(value.numel() for value in (*case.args, *case.kwargs.values()) if isinstance(value, torch.Tensor))


def cases(operator: Operator) -> Iterator[Case]:
    """Calls of an operator that compute something, small ones first."""
    found = [case for dtype in operator.dtypes for case in cases_of(operator, dtype) if not case.large]
    return iter(sorted((case for case in found if elements(case) > 0), key=elements))


def is_native(operator: Operator, case: Case) -> bool:
    """Whether the compiled library takes a call."""
    native = operator.providers.get("native")
    values = operator.schema.complete(case.args, case.kwargs)
    return native is not None and native.supports(*(Facts.of(value) for value in values)) is None


def variants(operator: Operator, case: Case) -> Iterator[Case]:
    """A call, and calls like it with another dtype for one tensor, as long as they are right."""
    yield case
    for i, value in enumerate(case.args):
        for dtype in operator.dtypes:
            if isinstance(value, torch.Tensor) and value.dtype != dtype:
                changed = Case(*case.args[:i], value.to(dtype), *case.args[i + 1 :], **case.kwargs)
                with contextlib.suppress(OpwrightError):
                    check(operator, operator.schema.complete(changed.args, changed.kwargs))
                    yield changed


def with_texts(operator: Operator, case: Case) -> Case | None:
    """The same call with every text given that it may leave out; None if the operator takes no text."""
    values = dict(
        zip(
            (one.name for one in operator.schema.arguments),
            operator.schema.complete(case.args, case.kwargs),
            strict=True,
        )
    )
    texts = {one.name: values[one.name] for one in operator.schema.arguments if one.kind == "str"}
    if not texts:
        return None
    names = [one.name for one in operator.schema.arguments]
    # New texts, so that none of them is kept alive by this module.
    placed = {names[i]: value for i, value in enumerate(case.args)}
    return Case(**{**placed, **case.kwargs, **{name: "".join(text) for name, text in texts.items()}})


def caller(operator: Operator, case: Case) -> Callable[[], object]:
    function = getattr(opwright.ops, operator.name)
    return lambda: function(*case.args, **case.kwargs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OPERATORS)
def test_served(name: str, size: str) -> None:
    operator, (count, most) = OPERATORS[name], SERVED[size]
    found = list(cases(operator))
    case = next((case for case in found if is_native(operator, case)), found[0])
    for one in filter(None, (case, with_texts(operator, case))):
        if not is_native(operator, one):
            count = ELSEWHERE[size][0]  # PyTorch takes its time
        keeps_nothing(caller(operator, one), count, most)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OPERATORS)
def test_passed_on(name: str, size: str) -> None:
    """A call that the compiled library leaves to the reference."""
    operator, (count, most) = OPERATORS[name], ELSEWHERE[size]
    found = (one for case in cases(operator) for one in variants(operator, case))
    case = next((case for case in found if not is_native(operator, case)), None)
    if case is None:
        pytest.skip("the compiled library takes every call")
    keeps_nothing(caller(operator, case), count, most)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OPERATORS)
def test_refused(name: str, size: str) -> None:
    """Calls that are wrong, one after the other."""
    operator, (count, most) = OPERATORS[name], ELSEWHERE[size]
    calls = [caller(operator, case) for _, case in operator.functions["mistakes"]()]

    def all_of_them() -> None:
        for call in calls:
            with contextlib.suppress(OpwrightError):
                call()
                raise AssertionError("a call that is wrong was served")

    keeps_nothing(all_of_them, max(count // len(calls), 500), most)


@pytest.mark.skipif(not allocated(), reason="malloc does not say what it gave out")
def test_a_leak_is_seen() -> None:
    """The least that malloc gives out, in a tenth of all calls."""
    library, calls = ctypes.CDLL(None), itertools.count()
    _, given_out = growth(lambda: next(calls) % 10 or library.malloc(1), SERVED["few"][0])
    assert given_out > NOISE
