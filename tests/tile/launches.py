"""Launches of every kernel over tiles that the examples and `tile_kernels.py` have: small, with several iterations.

In: nothing. Out: `LAUNCHES`: a kernel's name with the file's -> a `Launch`, whose shapes give every loop at least
2 x slots + 1 iterations on one core. A kernel of an example without a launch here fails `test_mutants.py`.
"""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import dot_kernels
import ml_dtypes
import numpy as np
import tile_kernels

from opwright import tile

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_tile_*.py"))


@dataclass(frozen=True)
class Launch:
    """Arrays and numbers of a launch, made anew for every one."""

    kernel: tile.TileKernel
    make: Callable[[Callable[..., np.ndarray]], list]
    constants: dict[str, int] = field(default_factory=dict)
    also: Callable[[Callable[..., np.ndarray]], list] | None = None  # what only other shapes come to

    def arguments(self, dtype: type = np.float32, also: bool = False) -> list:
        """Arguments: the same numbers every time."""
        generator = np.random.default_rng(0)
        make = self.also if also else self.make
        assert make is not None
        return make(lambda *shape, dtype=dtype: generator.standard_normal(shape).astype(dtype))


def _softmax(numbers: Callable[..., np.ndarray]) -> list:
    return [numbers(13, 70), numbers(13, 70)]


def _softmax_long(numbers: Callable[..., np.ndarray]) -> list:
    return [numbers(3, 300), numbers(3, 300)]


def _layer_norm(numbers: Callable[..., np.ndarray]) -> list:
    return [numbers(13, 70), numbers(13, 70), numbers(70), numbers(70), numbers(13, 70), numbers(13, 70), 1e-5]


def _quantize(numbers: Callable[..., np.ndarray]) -> list:
    return [numbers(13, 64), np.zeros((13, 64), np.int8), np.zeros(13, np.float32)]


def _cache_write(numbers: Callable[..., np.ndarray]) -> list:
    slots = np.array([0, 3, -1, 5, 7, 9, 11, -1, 2, 4, 6], np.int32)
    return [numbers(11, 3, 7), numbers(5, 4, 3, 7), slots]


def _cache_read(numbers: Callable[..., np.ndarray]) -> list:
    table, lengths = np.array([[4, 0, 2], [1, 3, 0], [2, 2, 2]], np.int32), np.array([9, 4, 11], np.int32)
    return [numbers(5, 4, 21), table, lengths, numbers(3, 12, 21)]


def _batched(numbers: Callable[..., np.ndarray]) -> list:
    """Some sums are empty, between others that are not."""
    counts = np.array([(32, 90), (20, 90), (31, 0), (32, 90), (7, 70), (32, 0), (32, 90)], np.int64)
    a, b = numbers(7, 32, 90, dtype=np.float16), numbers(7, 90, 80, dtype=np.float16)
    return [a, b, numbers(7, 32, 80, dtype=np.float32), counts]


def _linear_gelu(depth: int) -> Callable[[Callable[..., np.ndarray]], list]:
    def make(numbers: Callable[..., np.ndarray]) -> list:
        shapes = (131, depth), (depth, 64), (64,), (131, 64)
        return [numbers(*shape, dtype=np.float16) for shape in shapes]

    return make


def _attention(*keys: int) -> Callable[[Callable[..., np.ndarray]], list]:
    def make(numbers: Callable[..., np.ndarray]) -> list:
        queries = (33, 1, 17)
        q_starts, k_starts = (np.cumsum([0, *lengths]).astype(np.int32) for lengths in (queries, keys))
        plan = np.array([(seq, row) for seq, n in enumerate(queries) for row in range(0, n, 32)], np.int32)
        shapes = (q_starts[-1], 2, 24), (k_starts[-1], 1, 24), (k_starts[-1], 1, 24), (q_starts[-1], 2, 24)
        return [*(numbers(*shape, dtype=np.float16) for shape in shapes), q_starts, k_starts, plan, 0.2]

    return make


# By the names of the kernels, which examples and `tile_kernels.py` share.
_MADE: dict[str, tuple[Callable[..., list], dict[str, int], Callable[..., list] | None]] = {
    "add": (lambda numbers: [numbers(357) for _ in range(3)], {"BLOCK": 32}, None),
    "softmax": (_softmax, {"COLS": 80, "ROWS": 2}, None),
    "softmax_long": (_softmax_long, {"COLS": 64}, None),
    "add_layer_norm": (_layer_norm, {"COLS": 80, "ROWS": 2}, None),
    "quantize_rows": (_quantize, {"COLS": 64, "ROWS": 2}, None),
    "cache_write": (_cache_write, {"H": 4, "D": 8}, None),
    "cache_read": (_cache_read, {"PAGE": 4, "W": 24}, None),
    "batched": (_batched, {"STAGES": 2, "BN": 16}, None),
    "transpose": (lambda numbers: [numbers(40, 70), numbers(70, 40)], {"B": 16}, None),
    "linear_gelu": (_linear_gelu(130), {"BM": 32, "BN": 32, "BK": 32}, _linear_gelu(0)),
    "attention": (_attention(170, 5, 100), {"CAUSAL": True, "D": 32, "BM": 32, "BN": 32}, _attention(0, 40, 0)),
}
BF16 = ml_dtypes.bfloat16


def loaded(path: Path) -> ModuleType:
    """A module of a file; its kernels are read from there when they are compiled."""
    spec = importlib.util.spec_from_file_location(f"launched_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def kernels_of(module: ModuleType) -> dict[str, tile.TileKernel]:
    """Its kernels over tiles by name."""
    return {name: one for name, one in vars(module).items() if isinstance(one, tile.TileKernel)}


def _launches() -> dict[str, Launch]:
    known = {f"{path.stem}:{name}": one for path in EXAMPLES for name, one in kernels_of(loaded(path)).items()}
    shown = {name.partition(":")[2] for name in known}
    own = kernels_of(tile_kernels).items()
    known |= {f"tile_kernels:{name}": one for name, one in own if name not in shown and name in _MADE}
    known["dot_kernels:batched"] = dot_kernels.batched
    return {name: Launch(one, *_MADE[one.__name__]) for name, one in known.items() if one.__name__ in _MADE}


LAUNCHES = _launches()
