"""Matrices as they lie in the memories of the matrix unit, with NumPy, and numbers to fill them with.

In: a matrix and how wide a fractal is. Out: its elements in the order of the layout; padding is whatever `fill` says.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

NUMPY: dict[str, np.dtype] = {
    **{name: np.dtype(name) for name in ("float32", "float16", "int8", "uint8", "int32")},
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
OLD, NEW = "ascend910b", "ascend950"


def padded(matrix: np.ndarray, rows: int, columns: int, fill: np.ndarray | float = 0) -> np.ndarray:
    """The matrix in the corner of one whose sides are multiples."""
    m, n = matrix.shape
    whole = np.empty((-(-m // rows) * rows, -(-n // columns) * columns), matrix.dtype)
    whole[:] = np.resize(fill, whole.shape) if isinstance(fill, np.ndarray) else fill
    whole[:m, :n] = matrix
    return whole


def _split(whole: np.ndarray, rows: int, columns: int) -> np.ndarray:
    return whole.reshape(whole.shape[0] // rows, rows, whole.shape[1] // columns, columns)


def zz(matrix: np.ndarray, c0: int, fill: np.ndarray | float = 0) -> np.ndarray:
    """Rows of fractals of 16 x c0."""
    return _split(padded(matrix, 16, c0, fill), 16, c0).transpose(0, 2, 1, 3).ravel()


def nz(matrix: np.ndarray, c0: int, fill: np.ndarray | float = 0) -> np.ndarray:
    """Columns of fractals of 16 x c0."""
    return _split(padded(matrix, 16, c0, fill), 16, c0).transpose(2, 0, 1, 3).ravel()


def zn(matrix: np.ndarray, c0: int, fill: np.ndarray | float = 0) -> np.ndarray:
    """Rows of fractals of c0 x 16, each transposed."""
    return _split(padded(matrix, c0, 16, fill), c0, 16).transpose(0, 2, 3, 1).ravel()


def from_nz(elements: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The matrix that lies in L0C, in fractals of 16 x 16."""
    high, wide = -(-rows // 16), -(-columns // 16)
    whole = elements[: high * wide * 256].reshape(wide, high, 16, 16).transpose(1, 2, 0, 3)
    return whole.reshape(high * 16, wide * 16)[:rows, :columns]


def noise(shape: tuple[int, ...], dtype: np.dtype, seed: int) -> np.ndarray:
    """Random numbers of every sign, of sizes that let sums cancel."""
    random = np.random.default_rng(seed)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    return (random.standard_normal(shape) * 2.0 ** random.integers(-3, 4, shape)).astype(dtype)
