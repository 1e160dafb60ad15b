"""Whether tensors share memory: Python, C++ and a search through all bytes agree, and the layouts of caches are cheap.

Views are random: sizes, strides (also of 0), offsets and widths of elements. Undecided answers are allowed where a
search through all bytes decides, but never for the layouts that models have, whatever the number of their blocks.
"""

import itertools
import random
import shutil
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from opwright.frameworks.torch import memory  # noqa: E402

PAIRS = 4000
Pair = tuple[int, memory.Laid, memory.Laid]


def places(laid: memory.Laid) -> list[int]:
    shape, strides, width = laid
    return [width * sum(map(int.__mul__, strides, index)) for index in itertools.product(*map(range, shape))]


def really_meets(distance: int, a: memory.Laid, b: memory.Laid) -> bool:
    mine = {place + i for place in places(a) for i in range(a[2])}
    return any(distance + place + i in mine for place in places(b) for i in range(b[2]))


def really_repeats(laid: memory.Laid) -> bool:
    every = places(laid)
    return len(set(every)) < len(every)


def random_pairs() -> list[Pair]:
    chance = random.Random(7)

    def laid(width: int) -> memory.Laid:
        dims = chance.randint(0, 4)
        shape = [chance.choice((1, 2, 2, 3, 4)) for _ in range(dims)]
        strides = [chance.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24)) for _ in range(dims)]
        return shape, strides, width

    found = []
    for _ in range(PAIRS):
        width = chance.choice((1, 2, 4))
        a, b = laid(width), laid(width if chance.random() < 0.8 else chance.choice((1, 2, 4, 8)))
        if chance.random() < 0.4:  # two views of one buffer have the same strides
            b = (a[0], a[1], b[2])
        found.append((chance.randint(-40, 80) * (width if chance.random() < 0.8 else 1), a, b))
    return found


def interleaved(blocks: int) -> dict[str, Pair]:
    """Distance, key and value of each layout of a cache, and query and key of one product."""
    size, heads, width, element = 16, 8, 64, 2
    row, block = heads * width, size * heads * width
    dense = (row, width, 1)

    def both(shape: tuple[int, ...], strides: tuple[int, ...], distance: int) -> Pair:
        return distance * element, (shape, strides, element), (shape, strides, element)

    shape = (blocks, size, heads, width)
    query = ((blocks, 32, width), (48 * width, width, 1), element)
    key = ((blocks, heads, width), (48 * width, width, 1), element)
    return {
        "blocks, 2": both(shape, (2 * block, *dense), block),
        "2, blocks": both(shape, (block, *dense), blocks * block),
        "blocks, heads, twice the slots": both(shape, (2 * block, width, 2 * size * width, 1), size * width),
        "vLLM on a CPU": both((blocks, 2, 32, 64), (8192, 4096, 64, 1), 2048),
        "query and key": (32 * width * element, query, key),
        "every second": both((blocks,), (2,), 1),
        "columns": both((blocks, 3), (6, 2), 1),
    }


@pytest.mark.parametrize("blocks", [1, 2, 100, 1_000_000])
@pytest.mark.parametrize("name", interleaved(1))
def test_layouts_of_models(name: str, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact with a handful of tries, however many blocks there are; one element further they meet."""
    monkeypatch.setattr(memory, "_MOST_TRIES", 8)
    distance, a, b = interleaved(blocks)[name]
    assert memory.meets(distance, a, b) is False and memory.meets(-distance, b, a) is False
    assert memory.repeats(*a[:2]) is False
    step = -b[2]
    assert memory.meets(distance + step, a, b) is True
    if blocks <= 2:
        assert not really_meets(distance, a, b) and really_meets(distance + step, a, b)


def answers() -> list[tuple[bool | None, bool | None, bool | None]]:
    return [
        (memory.meets(*pair), memory.repeats(*pair[1][:2]), memory.repeats(*pair[2][:2])) for pair in random_pairs()
    ]


def test_random_views() -> None:
    undecided = 0
    for pair, (meets, *repeats) in zip(random_pairs(), answers(), strict=True):
        undecided += meets is None
        assert meets in (None, really_meets(*pair)), pair
        for laid, found in zip(pair[1:], repeats, strict=True):
            assert found in (None, really_repeats(laid)), laid
    assert undecided < PAIRS / 1000


def test_strides_below_zero() -> None:
    """PyTorch has none, others do."""
    reverse, forward = ([4], [-1], 4), ([4], [1], 4)
    assert memory.meets(12, forward, reverse) is True and memory.meets(16, forward, reverse) is True
    assert memory.meets(32, forward, reverse) is False and memory.meets(-4, forward, reverse) is False


def test_tensors() -> None:
    """Also of two storages over one memory, of complex numbers, and of none."""
    import numpy

    array = numpy.zeros(8, numpy.float32)
    a, b = torch.from_numpy(array[:5]), torch.from_numpy(array[4:])
    assert memory.shares_memory(a, b) and not memory.shares_memory(a[:4], b)
    pairs = torch.zeros(4, dtype=torch.complex64)
    assert not memory.shares_memory(torch.view_as_real(pairs)[:, 0], torch.view_as_real(pairs)[:, 1])
    assert memory.shares_memory(pairs, torch.view_as_real(pairs)[1:2, 1])
    assert not memory.shares_memory(a[:0], a) and not memory.overlaps_itself(a[:0].expand(3, 0))
    assert memory.overlaps_itself(a[:1].expand(3)) and not memory.overlaps_itself(
        torch.ones(6).as_strided((2, 2), (2, 3))
    )


def test_what_is_not_decided_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST_TRIES", 0)
    whole = torch.zeros(6, 7)
    first, second = whole.as_strided((3, 2), (4, 6), 0), whole.as_strided((3, 2), (4, 6), 1)
    assert memory.meets(4, (first.shape, first.stride(), 4), (second.shape, second.stride(), 4)) is None
    assert not memory.shares_memory(first, second) and memory.shares_memory(first, first)
    monkeypatch.setattr(memory, "_MAX_WORK", 0)
    assert memory.shares_memory(first, second)


def test_the_header(tmp_path: Path) -> None:
    """The C++ gives the same answers, undecided ones too."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        pytest.skip("there is no C++ compiler")
    include = Path(memory.__file__).parents[2] / "native" / "include"
    program = tmp_path / "overlap"
    flags = "-O1 -std=c++17 -Wall -Wextra -Werror".split()
    source = Path(__file__).with_name("overlap.cpp")
    subprocess.run([compiler, *flags, f"-I{include}", source, "-o", program], check=True)

    def text(laid: memory.Laid) -> str:
        return f"{laid[2]} {len(laid[0])} {' '.join(map(str, (*laid[0], *laid[1])))}"

    lines = "\n".join(f"{distance} {text(a)} {text(b)}" for distance, a, b in random_pairs())
    said = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    codes = {False: "0", True: "1", None: "2"}
    assert said == [*(" ".join(codes[one] for one in many) for many in answers()), "2"]
