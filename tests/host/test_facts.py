"""Facts of tensors and sizes that are unknown: arithmetic, conditions, strides, refusals."""

import random
import subprocess
import sys

import pytest

from opwright import host
from opwright.errors import BadType, BadValue, NotSupported
from opwright.host.sizes import Maybe

N = host.Unknown("dimension 1 of x")
M = host.Unknown("dimension 0 of y")


@pytest.mark.quick
def test_arithmetic_with_an_unknown_size_is_unknown() -> None:
    for made in (N + 1, 1 - N, N * 0, N // 2, 7 % N, -N, abs(N), *divmod(N, 3), host.min(3, N), host.max(N, 3)):
        assert isinstance(made, host.Unknown)
        assert made.of == N.of
    assert (N + M).of == N.of
    assert (M * N).of == M.of
    assert f"{N} {[3, N]}" == "? [3, ?]"


@pytest.mark.quick
def test_a_condition_is_unknown_unless_the_rest_decides() -> None:
    for made in (N == 3, N != 3, N < 3, 3 <= N, N > M, N >= N, (N > 0) & True, True & (N > 0), (N > 0) | False):
        assert isinstance(made, Maybe)
        host.require(made, "nobody knows")  # type: ignore[arg-type]
    assert ((N > 0) & False) is False
    assert (False & (N > 0)) is False
    assert ((N > 0) | True) is True
    assert (True | (N > 0)) is True


@pytest.mark.quick
def test_a_branch_on_an_unknown_size_is_refused() -> None:
    for branch in (lambda: bool(N > 3), lambda: bool(N), lambda: range(N), lambda: float(N), lambda: min(N, 3)):
        with pytest.raises(host.Refusal, match=r"^needs to know dimension 1 of x$"):
            branch()
    with pytest.raises(NotSupported, match=r"^f: needs to know dimension 1 of x$"), host.errors_of("f"):
        bool(N == 0)


@pytest.mark.quick
def test_shapes_are_compared_without_a_branch() -> None:
    shape = host.Shape((2, N))
    assert (shape == (3, 4)) is False
    assert (shape != (3, 4)) is True
    assert ((2, 4, 5) == shape) is False
    assert isinstance(shape == (2, 4), Maybe)
    assert isinstance(shape != (2, 4), Maybe)
    assert (host.Shape((2, 3)) == (2, 3)) is True
    assert isinstance(shape[:1], host.Shape)
    assert shape[:1] == (2,)


@pytest.mark.quick
def test_strides_of_unknown_sizes() -> None:
    made = host.dense((2, N, 4), host.float32)
    assert [str(stride) for stride in made.strides] == ["?", "4", "1"]
    assert [str(stride) for stride in host.like(host.Tensor(host.uint8, (2, N), (N, 1), "cpu")).strides] == ["?", "?"]


@pytest.mark.quick
def test_refusals_have_the_class_and_the_words_of_the_operator() -> None:
    x = host.Tensor(host.int8, (2,), (1,), "cpu")
    y = host.Tensor(host.int8, (2,), (1,), "meta")
    with pytest.raises(BadType, match=r"^f: x cannot be int8; it may be float16, float32$"), host.errors_of("f"):
        host.require_dtype("x", x, (host.float16, host.float32))
    with pytest.raises(BadValue, match=r"^f: y is on meta, but x on cpu$"), host.errors_of("f"):
        host.require_device("y", y, "x", x)
    near = r"^f: mode is 'Slwo', but must be 'fast' or 'slow'; did you mean 'slow'\?$"
    with pytest.raises(BadValue, match=near), host.errors_of("f"):
        host.require_choice("mode", "Slwo", ("fast", "slow"))
    host.require_choice("mode", "slow", ("fast", "slow"))


def test_strides_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = random.Random(0)
    for _ in range(3000):
        rank = rng.randint(0, 5)
        x = torch.empty([rng.choice((0, 1, 1, 2, 3, 4)) for _ in range(rank)])
        if rng.random() < 0.5:
            x = torch.empty_strided(x.shape, [rng.choice((0, 1, 2, 3, 4, 6, 12)) for _ in range(rank)])
        x = x.permute(rng.sample(range(rank), rank))
        if rank and rng.random() < 0.3:
            x = x.narrow(dim := rng.randrange(rank), 0, x.shape[dim] // 2)
        x = x.expand([rng.choice((1, 3)) if size == 1 else size for size in x.shape])
        facts = host.Tensor(host.float32, x.shape, x.stride(), "cpu")
        assert host.like(facts).strides == torch.empty_like(x).stride(), (x.shape, x.stride())
        assert host.dense(facts.shape, host.float32).strides == x.new_empty(x.shape).stride()


def test_a_trace_is_asked_for_no_value_without_a_branch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    shapes = ShapeEnv()
    size = shapes.create_unbacked_symint()
    torch._check(size >= 2)
    made = host.dense((*host.Shape((4, size))[:1], host.min(size, 3) + size // 2), host.float32)
    host.require(made.shape == (4, size), "only run time knows")
    host.require(made.shape != (4, 5), "only run time knows")
    host.require((size > 100) | (size == 7), "only run time knows")


def test_it_imports_neither_torch_nor_the_compiler() -> None:
    code = "import sys, opwright.host; print(sorted({'torch', 'xdsl', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
