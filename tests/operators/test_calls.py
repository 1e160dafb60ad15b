"""Calls that the battery does not make: wrong outputs, constants, refusals, kernels under the checked twin, AMCT."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import opwright
import opwright.ops
from opwright import host
from opwright.errors import BadDefinition, BadType, BadValue, CheckWarning, NotSupported, ProviderRefused
from opwright.formats import hifloat8
from opwright.hifloat8_tensor import HiFloat8Tensor
from opwright.operators import operator
from opwright.operators._operator import cases_of, operators
from opwright.settings import settings

NAMES = sorted(path.stem for path in Path(opwright.operators.__file__).parent.glob("[!_]*.py"))


def test_constants_are_written_for_whoever_has_gradients() -> None:
    """An operator without a gradient takes what requires one, but not into what is a part of a graph."""
    x = torch.randn(8, requires_grad=True)
    codes = torch.full((8,), 0xA5, dtype=torch.uint8)
    assert torch.equal(opwright.ops.encode_to_hifloat8(x, out=codes), opwright.ops.encode_to_hifloat8(x))
    values = torch.full((8,), float("nan"), requires_grad=True)
    with pytest.raises(NotSupported, match="has no gradient"):
        opwright.ops.decode_from_hifloat8(codes, torch.float32, out=values)


@pytest.mark.parametrize("provider", ["native", "reference"])
def test_the_dispatcher_raises_what_operators_raise(provider: str) -> None:
    """A RuntimeError with the first line of our error, whoever is registered, in a process of its own."""
    code = f"""
import torch, opwright.ops
from opwright.settings import settings
x, weight = torch.ones(2, 8), torch.ones(9)
for call in (torch.ops.opwright.rms_norm, torch.ops.opwright.rms_norm_):
    try:
        call(x, weight, 1e-6)
    except RuntimeError as error:
        print(type(error).__name__, str(error).splitlines()[0])
try:
    opwright.ops.rms_norm(x, weight, 1e-6)
except ValueError as error:
    print(type(error).__name__, error)
assert settings.providers == {{"rms_norm": {provider!r}}}
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "OPWRIGHT_PROVIDERS": f"opwright::rms_norm={provider}"},
        timeout=120,
        check=True,
    )
    text = "rms_norm: weight must have the shape [8] of a row of x, not [9]"
    assert done.stdout.splitlines() == [f"RuntimeError {text}"] * 2 + [f"BadValue {text}"]


def test_wrong_outputs() -> None:
    x = torch.ones(2, 4)
    for out, name in (([1], "list"), (3, "int")):
        with pytest.raises(BadType, match=f"rms_norm: out must be a tensor, not {name}"):
            opwright.ops.rms_norm(x, None, 1e-6, out=out)
    codes, scale = torch.empty(2, 4, dtype=torch.uint8), torch.empty(2, 1)
    for out in ((codes,), (codes, scale, scale), codes, (codes, None)):
        with pytest.raises(BadType, match="out must be a tuple of 2 tensors"):
            opwright.ops.dynamic_quantize_to_hifloat8(x, [1, -1], out=out)
    with pytest.raises(BadValue, match="out1 must have the shape"):
        opwright.ops.dynamic_quantize_to_hifloat8(x, [1, -1], out=(codes, scale[:1]))


def test_a_list_that_is_none_of_integers() -> None:
    with pytest.raises(BadType, match="block_size must be a list of integers"):
        opwright.ops.hifloat8_scale(torch.ones(2, 4), [1, 1.5])


def test_explain_refuses_what_the_call_refuses() -> None:
    x = torch.ones(2, 4, dtype=torch.float64)
    with opwright.using("rms_norm", "kernel"):
        for function in (opwright.ops.rms_norm, lambda *args: opwright.explain("rms_norm", *args)):
            with pytest.raises(ProviderRefused, match="has no variant for float64"):
                function(x, None, 1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"gradient": "exat"}, "has the gradient 'exat'"),
        ({"writes": {"y": 0}}, "writes into y, which is none of its arguments"),
        ({"writes": {"n": 0}}, "writes into n, which is no tensor"),
        ({"writes": {"x": 2}}, "writes result 2 into x, but has 2"),
        ({"writes": {"x": 0, "z": 0}}, "writes one result into two arguments"),
        ({"synonyms": {"y": "other"}}, "has a synonym of y, which is none of its arguments"),
        ({"synonyms": {"n": "out"}}, "has the synonym out, which is another argument's name"),
        ({"synonyms": {"n": "is"}}, "has the synonym 'is', which is no name in Python"),
        ({"synonyms": {"x": "input"}}, "has a synonym of x, but z behind it has no default"),
    ],
)
def test_definitions_that_cannot_be(options: dict[str, object], text: str) -> None:
    with pytest.raises(BadDefinition, match=text):
        operator("calls::pair(Tensor x, Tensor z, int n) -> (Tensor, Tensor)", dtypes=(torch.float32,), **options)


def test_an_argument_has_two_names() -> None:
    x, weight = torch.randn(3, 8), torch.ones(8)
    wanted = torch.nn.functional.rms_norm(x, [8], weight, 0.5)
    compiled = torch.compile(lambda x: opwright.ops.rms_norm(x, weight, eps=0.5), backend="eager", fullgraph=True)
    for made in (
        opwright.ops.rms_norm(x, weight, eps=0.5),
        opwright.ops.rms_norm(x, weight, eps=0.5, variance_size=8, out=torch.empty_like(x)),
        opwright.ops.rms_norm(x=x, weight=weight, epsilon=0.5),
        opwright.ops.rms_norm_(x.clone(), weight, eps=0.5),
        compiled(x),
    ):
        torch.testing.assert_close(made, wanted)
    assert opwright.explain("rms_norm", x, weight, eps=0.5) == opwright.explain("rms_norm", x, weight, 0.5)
    for function in (opwright.ops.rms_norm, opwright.ops.rms_norm_):
        with pytest.raises(BadType, match="eps is another name of epsilon: give one of them"):
            function(x, weight, 1e-6, eps=1e-6)
        with pytest.raises(BadType, match="epsilon is missing, which may be called eps"):
            function(x, weight)


def test_another_name_of_an_argument_that_has_a_default() -> None:
    made = operator(
        "calls::scaled(Tensor x, *, float factor=2) -> Tensor", dtypes=(torch.float32,), synonyms={"factor": "by"}
    )
    made.infer(lambda x, factor: host.dense(x.shape, x.dtype))
    made.reference(lambda x, factor: x * factor)
    function = opwright.ops.register(made)
    assert [function(torch.ones(1), **given).item() for given in ({}, {"by": 3}, {"factor": 4})] == [2, 3, 4]


def test_native_is_not_that_of_another_operator() -> None:
    """B1: an operator of another package that has the name of one of ours does not get its C++."""
    made = operator(
        "calls::silu_and_mul(Tensor input) -> Tensor",
        dtypes=(torch.float32,),
        providers={"cpu": ("native", "reference")},
    )

    def half(x: torch.Tensor, value: float) -> torch.Tensor:
        return torch.full((*x.shape[:-1], x.shape[-1] // 2), value)

    made.infer(lambda x: host.dense((*x.shape[:-1], x.shape[-1] // 2), x.dtype))
    made.reference(lambda x: half(x, 42.0))
    function = opwright.ops.register(made)
    x = torch.ones(1, 4)
    assert function(x).tolist() == [[42.0, 42.0]]
    with opwright.using("calls::silu_and_mul", "reference"):
        assert function(x).tolist() == [[42.0, 42.0]]
    with (
        pytest.raises(ProviderRefused, match="its package names no library"),
        opwright.using("calls::silu_and_mul", "native"),
    ):
        function(x)


@pytest.mark.parametrize("name", [name for name in NAMES if "kernel" in operators()[f"opwright::{name}"].orders["cpu"]])
def test_kernels_are_clean(name: str) -> None:
    """Every kernel of an operator runs on the checked twin, where any finding is an error."""
    found = operators()[f"opwright::{name}"]
    ran = 0
    function = getattr(opwright.ops, found.name)
    for case in cases_of(found, found.dtypes[0]):
        provider = found.providers["kernel"]
        values = found.schema.complete(case.args, case.kwargs)
        if case.large or ran == 3 or values[0].numel() < 2:
            continue
        with settings.scope(check=True), opwright.using(found.name, "kernel"), warnings.catch_warnings():
            warnings.simplefilter("error", CheckWarning)
            try:
                function(*case.args, **case.kwargs)
            except ProviderRefused:
                continue
        ran += 1
    assert ran and provider.counts.served >= ran


# NumPy --------------------------------------------------------------------------------------------------------

MANY = 1 << 20


def test_large_arrays_by_the_library() -> None:
    numbers = (np.random.default_rng(0).standard_normal(MANY) * 1000).astype(np.float32)
    wanted = np.concatenate([hifloat8.encode(part) for part in np.split(numbers, 4)])
    assert np.array_equal(hifloat8.encode(numbers), wanted)
    assert np.array_equal(hifloat8.encode(numbers.astype(">f4")), wanted)
    values = hifloat8.decode(wanted)
    assert np.array_equal(values, np.concatenate([hifloat8.decode(part) for part in np.split(wanted, 4)]))
    assert np.array_equal(hifloat8.decode(wanted, ">f4"), values)


def test_large_arrays_that_cannot_be_written() -> None:
    numbers = np.ones(MANY, np.float32)
    fixed = np.zeros(MANY, np.uint8)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match=r"read-only|writ"):
        hifloat8.encode(numbers, out=fixed)
    assert not fixed.any()


def test_a_result_beside_its_numbers() -> None:
    """An output that lies in the memory of the input."""
    room = np.random.default_rng(0).standard_normal(MANY + 1).astype(np.float32)
    wanted = hifloat8.encode(room[1:].copy())
    assert np.array_equal(hifloat8.encode(room[1:], out=room.view(np.uint8)[:MANY]), wanted)


# Others -------------------------------------------------------------------------------------------------------


def test_a_tensor_of_codes_is_not_shared() -> None:
    tensor = HiFloat8Tensor.from_float(torch.randn(4, 8), [1, -1])
    with pytest.raises(NotImplementedError, match="share_memory_ does not take a HiFloat8Tensor"):
        tensor.share_memory_()


def test_amct() -> None:
    """AMCT's operators, in a process of their own: their rule, in torch.compile, and twice is once too often."""
    code = """
import torch, opwright.compat.amct, opwright.ops, sys
x = torch.tensor([1.0, 1e6, float("inf"), float("nan"), -2.5])
codes = torch.ops.amct.encode_to_hifloat8(x)
assert torch.equal(codes, opwright.ops.encode_to_hifloat8(x, overflow="saturate"))
assert codes.tolist() == [0x08, 0x6E, 0x6F, 0x80, 0x92], codes
values = torch.ops.amct.decode_from_hifloat8(codes)
assert values.dtype == torch.bfloat16 and values.tolist()[:2] == [1.0, 32768.0]
assert torch.ops.amct.decode_from_hifloat8(codes, torch.float32).dtype == torch.float32
from opwright.compat.amct import decode_from_hifloat8, encode_to_hifloat8
assert torch.equal(encode_to_hifloat8(x), codes) and torch.equal(encode_to_hifloat8(input=x), codes)
assert decode_from_hifloat8(codes)[:3].tolist() == values[:3].tolist()
assert decode_from_hifloat8(codes, torch.float32).dtype == decode_from_hifloat8(codes, dtype=torch.float32).dtype
assert decode_from_hifloat8(codes).dtype == torch.bfloat16
compiled = torch.compile(lambda a: encode_to_hifloat8(a * 1), backend="aot_eager", fullgraph=True)
assert torch.equal(compiled(x), codes)
compiled = torch.compile(lambda a: torch.ops.amct.encode_to_hifloat8(a * 1), backend="aot_eager", fullgraph=True)
assert torch.equal(compiled(x), codes)
del sys.modules["opwright.compat.amct"]
try:
    import opwright.compat.amct
except opwright.errors.BadDefinition as error:
    print(str(error).splitlines()[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "amct::encode_to_hifloat8, defined at opwright.compat.amct, exists already" in done.stdout
