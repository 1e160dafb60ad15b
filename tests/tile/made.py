"""What tests of the language share: tiles that hold an array."""

import numpy as np

from opwright import tile


def tile_of(array: np.ndarray, shape: tuple[int, ...] | None = None) -> tile.Tile:
    """A tile that holds an array; `shape`: its sizes, if it is larger."""
    if np.ndim(array) == 0:
        return tile.full((), float(array))
    spans = tuple(tile.span(0, size, stop=there) for size, there in zip(shape or array.shape, array.shape, strict=True))
    return tile.Tensor("x", array)[spans]


def floats(*shape: int, dtype: object = np.float32, seed: int = 0) -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).standard_normal(shape)).astype(dtype)
