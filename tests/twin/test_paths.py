"""Forms that C++ cannot tell apart: which of them become one function, and what it looks at."""

import re
from dataclasses import replace

import pytest

from opwright.ascendc.row import Form, Function, dtypes
from opwright.twin.paths import Path, groups, render
from opwright.twin.wrappers import Wrapper

pytestmark = pytest.mark.quick

LINE = "opwright::Line line = opwright::Line(__builtin_LINE())"


def path(signature: str, pipe: str = "PIPE_MTE1", mask: str = "mask", only: tuple[str, ...] = ()) -> Path:
    """A form with a local, a global and an array operand."""
    kinds = {"T": dtypes(a2=only, a5=only)} if only else {}
    form = Form(signature, pipe=pipe, meaning=Function("moves"), dtypes=kinds)
    parameters = (
        "const LocalTensor<T>& dst",
        "const GlobalTensor<T>& src",
        f"const uint64_t (&{mask})[2]",
        LINE,
    )
    before = ("const opwright::At at(line);",)
    wrapper = Wrapper("__aicore__ inline", "void", "Move", ("typename T",), parameters, before, "", pipe, "", "", "")
    return Path(form, wrapper)


UB, L1, L0 = (f"dst: {kind} T, src: global T, mask: array uint64" for kind in ("ub", "l1", "l0"))


def test_forms_of_one_memory_stay_as_they_are() -> None:
    other = path(UB)
    assert groups([other, replace(other, wrapper=replace(other.wrapper, name="Other"))]) == []


def test_names_do_not_tell_forms_apart() -> None:
    (group,) = groups([path(UB), path(L1, mask="lanes")])
    assert len(group) == 2


def test_types_do() -> None:
    wide = path(L1)
    wide = replace(wide, wrapper=replace(wide.wrapper, parameters=("const LocalTensor<U>& dst", LINE)))
    assert [len(group) for group in groups([path(UB), wide, path(L0)])] == [2, 1]


def test_what_the_function_looks_at() -> None:
    own, choice = render(groups([path(UB), path(L1, only=("float16", "float32")), path(L0, pipe="PIPE_M")]))
    # What is done alike is there once.
    assert re.findall(r" (Move_\w+)\(", own) == ["Move_0_0", "Move_0_2"]
    assert "{opwright::bit(opwright::Memory::UB)}, {opwright::bit(opwright::Memory::L1)}" in choice
    assert "{opwright::bit(opwright::Memory::L0A) | opwright::bit(opwright::Memory::L0B)}" in choice
    assert "may_lie(memories[0])) {" in choice
    assert "may_lie(memories[1]) && opwright::is_one_of<T, half, float>) {" in choice
    called = re.findall(r"lie\(memories\[(\d)\], dst\)\) return paths::(\w+)<T>\(dst, src, mask, line\);", choice)
    assert called == [("0", "Move_0_0"), ("1", "Move_0_0"), ("2", "Move_0_2")]
    assert "fail_memory(line, memories, operands, dst);" in choice and "operands[] = {0};" in choice
