"""libopwright_torch over a library of another package: every kind of argument, dtype, form and refusal.

The schemas are defined here, without the operators' Python: only the adapter and the library (adapter_library.cpp) are
between PyTorch's dispatcher and the results.
"""

import ctypes
import gc
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from foreign import compiled

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright.frameworks.torch import native  # noqa: E402
from opwright.schema.dtypes import DTYPES  # noqa: E402

EVERYTHING = (
    "(Tensor x, Tensor? y, Tensor[] rest, Tensor?[] holes, int a, int? b, float c, float? d, bool e, bool? f, str g, "
    "str? h, int[] i, int[]? j, float[] k, bool[] l, ScalarType? m, Device? n, ScalarType o)"
)
SIX = "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)"
NEW = -1


class Operator(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_uint32), ("argument_size", ctypes.c_uint32), ("name", ctypes.c_char_p))


class Table(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("package", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("operator_count", ctypes.c_int32),
        ("operators", ctypes.POINTER(ctypes.POINTER(Operator))),
    )


class Forms:
    """Registers forms of the operators of adapter_library.cpp in a namespace of PyTorch, and remembers their slots."""

    def __init__(self, path: Path) -> None:
        adapter = native.adapter()
        assert not isinstance(adapter, str), adapter
        self.adapter = adapter
        self.library = torch.library.Library("adapted", "DEF")
        opened = ctypes.CDLL(str(path))
        opened.opwright_library.restype = ctypes.POINTER(Table)
        table = opened.opwright_library().contents
        entries = [table.operators[i] for i in range(table.operator_count)]
        self.entries = {entry.contents.name.decode(): ctypes.addressof(entry.contents) for entry in entries}
        self.slots: dict[str, int] = {}

    def add(
        self, name: str, schema: str, entry: str, places: list[int], fallback: Callable[..., Any] | None = None
    ) -> Any:
        """Defines a form and lets the library serve it; refused calls go to `fallback`."""
        self.library.define(name + schema)
        refused = f"_{name.replace('.', '_')}_refused"
        self.library.define(refused + re.sub(r"\bstr\b", "int", schema))
        self.library.impl(refused, fallback or self.unexpected, "CompositeExplicitAutograd")
        words = ("adapted", name, f"adapted::{refused}")
        self.slots[name] = native.registered_slot(self.adapter, self.entries[entry], *words, places)
        packet, _, overload = name.partition(".")
        return getattr(getattr(torch.ops.adapted, packet), overload or "default")

    @staticmethod
    def unexpected(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("nothing should come here")

    def counts(self, name: str) -> tuple[int, int]:
        """Served and refused calls."""
        slot = self.slots[name]
        return self.adapter.opwright_torch_served(slot, 0), self.adapter.opwright_torch_refused(slot)


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return Forms(compiled(tmp_path_factory.mktemp("adapter"), "mylib", 2))


@pytest.fixture(scope="module")
def copy(forms: Forms) -> Any:
    return forms.add("copy", "(Tensor x) -> Tensor", "mylib::copy", [NEW], lambda x: x.clone())


# What arrives --------------------------------------------------------------------------------------------------------


def words(value: object) -> str:
    """What adapter_library.cpp writes for a value, found without it."""
    if isinstance(value, torch.Tensor):
        return f"{words(value.dtype)}{list(value.shape)}{list(value.stride())}"
    if isinstance(value, torch.dtype):
        known = DTYPES[str(value).removeprefix("torch.")]
        return f"{known.code}/{known.bits}"
    if isinstance(value, torch.device):
        return f"{ {'cpu': 1, 'cuda': 2, 'mps': 8, 'xpu': 14, 'meta': 0}[value.type] }:{value.index or 0}"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, list):
        return f"[{', '.join(map(words, value))}]"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


X, Y = torch.arange(6.0).reshape(2, 3).t(), torch.zeros(2, dtype=torch.int16)
CALLS: dict[str, list[Any]] = {
    "all given": [X, Y, [X, Y], [None, X, None], -7, 8, 0.5, 1.25, True, False, "some text", "", [1, -2], [3],
                  [0.5, -1.5], [True, False], torch.float16, torch.device("cuda", 1), torch.complex64],
    "none given": [X, None, [], [], 2**62, None, -0.5, None, False, None, "", None, [], None, [], [], None, None,
                   torch.bool],
    "much": [X, Y, [Y] * 300, [X, None] * 200, 1, 1, 1.0, 1.0, True, True, "ä" * 5000, "b", list(range(3000)),
             list(range(2000)), [0.5] * 2000, [True] * 3000, torch.uint8, torch.device("cpu"), torch.int64],
}  # fmt: skip


@pytest.fixture(scope="module")
def everything(forms: Forms) -> Any:
    return forms.add("everything", f"{EVERYTHING} -> {SIX}", "mylib::everything", [NEW] * 6)


@pytest.mark.parametrize("name", CALLS)
def test_every_kind(everything: Any, name: str) -> None:
    text, *numbers = everything(*CALLS[name])
    assert bytes(text.tolist()).decode() == "; ".join(map(words, CALLS[name]))
    assert [number.tolist() for number in numbers] == [[i, i] for i in range(1, 6)]


def test_results_into_given_tensors(forms: Forms) -> None:
    """Some results into tensors of the caller, the others new; tensors that stand behind the operator's own."""
    schema = f"{EVERYTHING[:-1]}, *, Tensor(a!) second, Tensor(b!) last) -> (Tensor, Tensor, Tensor, Tensor)"
    call = forms.add("everything.out", schema, "mylib::everything", [NEW, 19, NEW, NEW, NEW, 20])
    outs = torch.zeros(2, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    new = call(*CALLS["all given"], second=outs[0], last=outs[1])
    assert [one.tolist() for one in (*new[1:], *outs)] == [[i, i] for i in (2, 3, 4, 1, 5)]
    assert bytes(new[0].tolist()).decode() == "; ".join(map(words, CALLS["all given"]))


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(copy: Any, name: str) -> None:
    """Through the library and back, by bytes; strided too."""
    dtype = getattr(torch, name)
    numbers = torch.randint(0, 2, (12, 4 * dtype.itemsize), dtype=torch.uint8).view(dtype)
    for x in (numbers, numbers.t(), numbers[::5, 1:3]):
        result = copy(x)
        assert result.dtype == dtype and result.shape == x.shape and result.is_contiguous()
        assert torch.equal(result.view(torch.uint8), x.contiguous().view(torch.uint8))


def test_a_dtype_that_nobody_can_name(copy: Any) -> None:
    x = torch.zeros(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    with pytest.raises(RuntimeError, match=r"^copy: x has a dtype without a name here$"):
        copy(x)


# What is refused -----------------------------------------------------------------------------------------------------


def test_what_infer_refuses_is_thrown(forms: Forms, copy: Any) -> None:
    before = forms.counts("copy")
    with pytest.raises(RuntimeError, match=r"^copy: x must have a dimension$"):
        copy(torch.tensor(1.0))
    assert forms.counts("copy") == (before[0], before[1] + 1)
    assert forms.adapter.opwright_torch_thrown(b"copy: x must have a dimension") == 2
    assert forms.adapter.opwright_torch_thrown(b"copy: another text") == 0


def test_what_the_library_does_not_serve_goes_to_python(forms: Forms, copy: Any) -> None:
    x = torch.randn(2, 3, 4)
    before = forms.counts("copy")
    assert torch.equal(copy(x), x)
    assert forms.counts("copy") == (before[0], before[1] + 1)
    assert torch.equal(copy(x[0]), x[0])
    assert forms.counts("copy") == (before[0] + 1, before[1] + 1)


def test_texts_of_refused_calls(forms: Forms) -> None:
    """The fallback gets addresses of texts; what it says is thrown."""
    seen: list[object] = []
    adapter = forms.adapter

    def fallback(*args: Any, **kwargs: Any) -> Any:
        seen.append([None if address is None else native.text_at(adapter, address) for address in args[10:12]])
        adapter.opwright_torch_message(2, b"said in Python")
        return tuple(torch.empty(0) for _ in range(5))

    schema = f"{EVERYTHING[:-1]}, *, Tensor(a!) out) -> (Tensor, Tensor, Tensor, Tensor, Tensor)"
    call = forms.add("everything.one", schema, "mylib::everything", [NEW, NEW, NEW, NEW, NEW, 19], fallback)
    overlapping = torch.zeros(1, dtype=torch.int64).expand(2)
    for name in CALLS:
        with pytest.raises(RuntimeError, match=r"^said in Python$"):
            call(*CALLS[name], out=overlapping)
    assert seen == [[arguments[10], arguments[11]] for arguments in CALLS.values()]


@pytest.mark.parametrize("threads", [1, 4])
def test_a_fault_while_it_runs(forms: Forms, threads: int) -> None:
    """From any part, once, with its text; the call before and after it is served."""
    name = f"put_rows_{threads}"
    schema = "(Tensor(a!) cache, Tensor rows, Tensor places) -> ()"
    put_rows = forms.add(name, schema, "mylib::put_rows", [])
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        cache, rows = torch.zeros(9, 3), torch.randn(64, 3)
        with pytest.raises(RuntimeError, match=r"^put_rows: row 9 is out of range$"):
            put_rows(cache, rows, torch.arange(64).clamp(max=9))
        places = torch.tensor([4, 0])
        # What is legal is asked also where there is no result to infer.
        with pytest.raises(RuntimeError, match=r"^put_rows: rows are not as long as those of cache$"):
            put_rows(cache, rows[:2, :1], places)
        put_rows(cache, rows[:2], places)
        assert torch.equal(cache[places], rows[:2])
        assert forms.counts(name) == (1, 2)
    finally:
        torch.set_num_threads(before)


def test_each_provider_is_counted(forms: Forms) -> None:
    """The plan says who took the call."""
    either = forms.add("either", "(Tensor x) -> Tensor", "mylib::either", [NEW])
    for count in (2, 3, 5):
        either(torch.ones(count))
    found = [native.counts([forms.slots["either"]], name) for name in ("native", "kernel")]
    assert [one and one.served for one in found] == [1, 2]
    assert native.counts([forms.slots["either"]], "other") is None


def test_what_the_stable_abi_does_not_carry(forms: Forms) -> None:
    with pytest.raises(native.NotCarried, match=r"^PyTorch's stable ABI does not carry the argument s$"):
        forms.add("random", "(Tensor x, Scalar s, Generator? g=None) -> Tensor", "mylib::random", [NEW])


# What is written -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy_out(forms: Forms) -> Callable[..., bool]:
    """Whether Python is asked about a call of the out form; one that it is not asked about must be right."""
    asked: list[None] = []
    schema = "(Tensor x, *, Tensor(a!) out) -> ()"
    overload = forms.add("copy.out", schema, "mylib::copy", [1], lambda x, out: asked.append(None))

    def call(x: Any, out: Any) -> bool:
        expected, count = x.clone(), len(asked)
        overload(x, out=out)
        if len(asked) == count:
            assert torch.equal(out, expected)
        return len(asked) > count

    return call


def views() -> dict[str, tuple[Any, Any, bool]]:
    """Pairs of tensors, and whether they share elements otherwise than as a whole."""
    pool = torch.randn(4000)
    qkv, cache = pool[:240].view(10, 24), pool.view(-1)[: 5 * 2 * 8 * 6].view(5, 2, 8, 6)
    return {
        "q and k of one qkv": (qkv[:, :8], qkv[:, 8:16], False),
        "k and a part of q": (qkv[:, :8], qkv[:, 4:12], True),
        "itself": (qkv, qkv, False),
        "a transposed self": (pool[:64].view(8, 8), pool[:64].view(8, 8).t(), True),
        "caches [NB, 2, ...]": (cache[:, 0].reshape(5, 48), cache[:, 1].flatten(1), False),
        "caches [2, NB, ...]": (cache[0], cache[1], False),
        "even and odd": (pool[0:1000:2], pool[1:1000:2], False),
        "thirds and halves": (pool[0:900:3], pool[0:600:2], True),
        "thirds and halves that never meet": (pool[0:600:6], pool[1:601:6], False),
        "nothing": (pool[:0], pool[:0], False),
        "repeated": (pool[:6].view(2, 3), pool[:1].expand(2, 3), True),
    }


@pytest.mark.parametrize("name", views())
def test_overlaps_are_judged_by_elements(copy_out: Callable[..., bool], name: str) -> None:
    x, out, shares = views()[name]
    if x.ndim == 3:
        x, out = x.flatten(1), out.flatten(1)
    assert copy_out(x, out) == shares


def test_overlaps_of_random_views(copy_out: Callable[..., bool]) -> None:
    """Against the places that the views have, one by one."""
    random = torch.Generator().manual_seed(0)

    def draw(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=random))

    pool, numbers = torch.zeros(600), torch.arange(600)
    outcomes = set()
    for _ in range(2000):
        shape = [draw(1, 5) for _ in range(draw(1, 3))]
        pair = []
        for _ in range(2):
            strides, step = [0] * len(shape), 1
            for i in torch.randperm(len(shape), generator=random).tolist():
                step = strides[i] = step * draw(1, 4)
                step *= shape[i]
            pair.append((shape, strides, draw(0, 40)))
        x, out = (pool.as_strided(*one) for one in pair)
        a, b = (set(numbers.as_strided(*one).flatten().tolist()) for one in pair)
        shares = bool(a & b) and (pair[0] != pair[1])
        outcomes.add(shares)
        asked = copy_out(x, out)
        # Views that differ only along dimensions of one element are the same to the eye, not to the adapter.
        assert asked == shares, pair
    assert outcomes == {True, False}


def test_two_written_tensors(forms: Forms) -> None:
    asked: list[None] = []
    schema = f"{EVERYTHING[:-1]}, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor, Tensor, Tensor, Tensor)"

    def fallback(*args: Any, **kwargs: Any) -> Any:
        asked.append(None)
        return tuple(torch.empty(0) for _ in range(4))

    call = forms.add("everything.two", schema, "mylib::everything", [NEW, 19, 20, NEW, NEW, NEW], fallback)
    pool = torch.zeros(5, dtype=torch.int64)
    call(*CALLS["all given"], out0=pool[:2], out1=pool[2:4])
    assert pool.tolist() == [1, 1, 2, 2, 0] and not asked
    call(*CALLS["all given"], out0=pool[:2], out1=pool[1:3])
    call(*CALLS["all given"], out0=pool[:2], out1=pool[:2])
    assert len(asked) == 2


def test_arguments_that_are_written(forms: Forms) -> None:
    """They share nothing with others, not even as a whole; rows of one buffer that interleave share nothing."""
    asked: list[None] = []
    schema = "(Tensor(a!) cache, Tensor rows, Tensor places) -> ()"
    put_rows = forms.add("put_rows", schema, "mylib::put_rows", [], lambda *args: asked.append(None))
    pool, places = torch.arange(48.0).view(4, 2, 6), torch.tensor([3, 1])
    cache, rows = pool[:, 0], pool[:, 1]
    put_rows(cache, rows[:2], places)
    assert torch.equal(cache[places], rows[:2]) and not asked
    put_rows(cache, cache, places)
    put_rows(cache, cache[:2], places)
    put_rows(cache[:1].expand(4, 6), rows[:2], places)
    assert len(asked) == 3


def test_in_place(forms: Forms) -> None:
    """Copies on write are made before the library writes."""
    call = forms.add("copy_", "(Tensor(a!) x) -> ()", "mylib::copy", [0])
    x = torch.randn(4, 5)
    lazy = torch._lazy_clone(x) if hasattr(torch, "_lazy_clone") else x.clone()
    call(lazy)
    assert torch.equal(lazy, x) and lazy.data_ptr() != x.data_ptr()


# Memory --------------------------------------------------------------------------------------------------------------


def test_nothing_is_lost(everything: Any, copy: Any) -> None:
    """Calls that are served, refused and passed on keep no argument: weak references end, memory does not grow."""
    import resource
    import weakref

    def calls() -> list[Any]:
        x, y = torch.randn(3, 4), torch.randn(2, 3, 4)
        everything(x, y, [x, y], [None, y], *CALLS["all given"][4:])
        copy(x)
        copy(y)
        with pytest.raises(RuntimeError):
            copy(x[0, 0])
        storages = [x.untyped_storage(), y.untyped_storage()]
        return [weakref.ref(x), weakref.ref(y), *(storage._weak_ref() for storage in storages)]

    first, second, *storages = calls()
    gc.collect()
    assert first() is second() is None
    assert all(torch.UntypedStorage._expired(storage) for storage in storages)
    for storage in storages:
        torch.UntypedStorage._free_weak_ref(storage)
    long = [*CALLS["much"]]
    everything(*long)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(400):
        everything(*long)  # each has texts of 10 KB and lists of 100 KB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000
