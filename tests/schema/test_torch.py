"""The parser against PyTorch's own: names, types, defaults and aliases are the same wherever both read a schema."""

import ctypes
import keyword
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from listed import LLM, MUL, OWN
from random_schemas import schema as random_schema
from refused import READ_BY_PYTORCH, REFUSED

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright.errors import BadSchema  # noqa: E402
from opwright.schema import Alias, Base, List, Optional, Schema, Type, parse  # noqa: E402
from opwright.schema.dtypes import DTYPES, OTHER_NAMES, Dtype  # noqa: E402
from opwright.schema.types import aliases  # noqa: E402

# PyTorch's schemas that are refused, by the beginning of the reason.
ONLY_IN_PYTORCH = {
    "'...'": "any number of arguments or results: interpreter's own operations",
    "the type": "TorchScript's objects, dictionaries, futures and classes, and PyTorch's streams and storages",
    "there is no type t": "type variables of TorchScript's lists",
    "an argument cannot be a tuple": "parts of TorchScript's dictionaries",
    "two arguments are called posinf": "a mistake in static_runtime::clamp_nan_to_num",
}


def name_in_torch(of: Type) -> str:
    if isinstance(of, Base):
        return {"Scalar": "number", "SymInt": "int"}.get(of.name, of.name)
    return f"{'List' if isinstance(of, List) else 'Optional'}[{name_in_torch(of.of)}]"


def plain(value: Any) -> Any:
    """A default as PyTorch has it."""
    if isinstance(value, Dtype):
        return value.number
    if isinstance(value, torch.device):
        return str(value)
    return tuple(value) if isinstance(value, list) else value


def same_type(ours: Type, theirs: Any) -> None:
    assert name_in_torch(ours) == str(theirs.real_type)
    outer = ours.of if isinstance(ours, Optional) else ours
    assert (outer.size if isinstance(outer, List) else None) == theirs.N
    found = theirs.alias_info
    if found is None:
        assert not aliases(ours)
    else:
        own = outer.alias or Alias((), ())
        assert (found.before_set, found.after_set) == (set(own.before), set(own.after))
        assert found.is_write == aliases(ours)[-1].writes  # of the outermost that there is


def shown(schema: Any) -> str:
    """What PyTorch writes, with the names of alias sets in order: beyond the fields, SymInt and aliases of elements."""
    text = re.sub(r"\w+(\|\w+)+", lambda found: "|".join(sorted(found[0].split("|"))), str(schema))
    return re.sub(r"(float\? \w+=-?\d+)(?=[,)])", r"\1.", text)  # it keeps an integer for what is a float


def check(ours: Schema, text: str) -> None:
    """PyTorch reads the same from the text and from what we write for it, and it is what we have read."""
    theirs = torch._C.parse_schema(text)
    assert shown(torch._C.parse_schema(str(ours))) == shown(theirs)
    assert ours.qualified == ".".join(filter(None, (theirs.name, theirs.overload_name)))
    for own, other in zip(ours.arguments, theirs.arguments, strict=True):
        assert (own.name, own.keyword_only, own.has_default) == (
            other.name,
            other.kwarg_only,
            other.has_default_value(),
        )
        if own.has_default:
            assert plain(own.default) == plain(other.default_value)
            assert own.kind != "Scalar" or type(own.default) is type(other.default_value)
        same_type(own.type, other)
    for result, returned in zip(ours.results, theirs.returns, strict=True):
        assert result.name == returned.name
        same_type(result.type, returned)


def test_the_comparison_sees_a_difference() -> None:
    texts = ["f(int x) -> ()", "f(SymInt x) -> ()", "f(Tensor(a!)[] x) -> ()", "f(Tensor(b!)[] x) -> ()"]
    for ours in texts:
        for theirs in texts:
            if ours != theirs:
                with pytest.raises(AssertionError):
                    check(parse(ours), theirs)


@pytest.mark.parametrize("text", [*LLM, *MUL, *OWN])
def test_listed(text: str) -> None:
    check(parse(text), text)


def test_random() -> None:
    rng = random.Random(3)
    for _ in range(1000):
        made = random_schema(rng)
        check(made, str(made))


def test_all_that_torch_has() -> None:
    refused: Counter[str] = Counter()
    # In a process of its own: tests register schemas.
    code = "import torch; print(*{str(schema) for schema in torch._C._jit_get_all_schemas()}, sep='\\0')"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    texts = sorted(listed.strip("\n").split("\0"))
    for text in texts:
        try:
            ours = parse(text)
        except BadSchema as error:
            reason = str(error.fields["reason"])
            refused[next(start for start in ONLY_IN_PYTORCH if reason.startswith(start))] += 1
        else:
            check(ours, text)
    assert len(texts) > 3000 and refused.total() < len(texts) / 8
    assert refused.keys() <= ONLY_IN_PYTORCH.keys()


@pytest.mark.parametrize("text", REFUSED)
def test_refused_by_both(text: str) -> None:
    try:
        torch._C.parse_schema(text)
    except (RuntimeError, IndexError):  # the latter for numbers
        assert text not in READ_BY_PYTORCH
    else:
        assert text in READ_BY_PYTORCH


def reads(parser: Callable[[str], object], text: str) -> bool:
    try:
        parser(text)
    except (RuntimeError, BadSchema):
        return False
    return True


@pytest.mark.parametrize("word", [*keyword.kwlist, *keyword.softkwlist, "NoneType", "Tensor", "int", "self", "inf"])
def test_words_that_are_no_names(word: str) -> None:
    shapes = "{}() -> ()|{}::f() -> ()|f.{}() -> ()|f(Tensor {}) -> ()|f() -> (Tensor {})|f(Tensor({}!) x) -> ()"
    for shape in shapes.split("|"):
        text = shape.format(word)
        assert reads(parse, text) == reads(torch._C.parse_schema, text), text


def test_fresh_sets() -> None:
    """PyTorch calls them $0 and $1, and writes nothing that it could read again."""
    theirs = torch._C.parse_schema("f(Tensor! x, Tensor!? y) -> ()").arguments
    ours = parse("f(Tensor! x, Tensor!? y) -> ()").arguments
    assert [one.is_written for one in ours] == [one.alias_info.is_write for one in theirs] == [True, True]


# Data types -----------------------------------------------------------------------------------------------------------


def in_dlpack(dtype: Any) -> tuple[int, int]:
    """Code and bits of an exported tensor, from its DLTensor."""
    capsule = torch.empty(1, dtype=dtype).__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return tuple(ctypes.string_at(pointer(capsule, b"dltensor"), 22)[20:22])


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("name", DTYPES)
def test_dtype(name: str) -> None:
    dtype, theirs = DTYPES[name], getattr(torch, name)
    assert dtype.bits == 8 * theirs.itemsize
    assert (dtype.code, dtype.bits) == in_dlpack(theirs)
    (argument,) = torch._C.parse_schema(f"f(ScalarType x={name}) -> ()").arguments
    assert argument.default_value == dtype.number


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_other_name(name: str) -> None:
    assert getattr(torch, name) is getattr(torch, OTHER_NAMES[name].name)
