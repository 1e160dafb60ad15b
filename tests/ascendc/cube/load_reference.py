"""What loads put where, in NumPy, by matrices and images: nothing here steps through fractals as the twin does.

In: arrays of bit patterns and the numbers of a call. Out: elements of the destination; `lanes` of them have 32 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def padded(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A matrix whose sides are multiples, with ones in all bits beside it."""
    ones = np.array(-1).astype(np.dtype(f"i{matrix.itemsize}")).view(matrix.dtype)
    sides = [(0, -side % unit) for side, unit in zip(matrix.shape, (rows, columns), strict=True)]
    return np.pad(matrix, sides, constant_values=ones)


def zz(matrix: np.ndarray, lanes: int) -> np.ndarray:
    """Rows of fractals, each by rows."""
    whole = padded(matrix, 16, lanes)
    m, k = whole.shape
    return whole.reshape(m // 16, 16, k // lanes, lanes).transpose(0, 2, 1, 3).reshape(-1)


def nz(matrix: np.ndarray, lanes: int) -> np.ndarray:
    """Columns of fractals, each by rows."""
    whole = padded(matrix, 16, lanes)
    m, k = whole.shape
    return whole.reshape(m // 16, 16, k // lanes, lanes).transpose(2, 0, 1, 3).reshape(-1)


def zn(matrix: np.ndarray, lanes: int) -> np.ndarray:
    """Rows of fractals, each by columns."""
    whole = padded(matrix, max(lanes, 16), 16)
    m, k = whole.shape
    return whole.reshape(m // lanes, lanes, k // 16, 16).transpose(0, 2, 3, 1).reshape(-1)


def zz_turned(matrix: np.ndarray, lanes: int) -> np.ndarray:
    """Rows of fractals of the transposed matrix."""
    return zz(padded(matrix, max(lanes, 16), 16).T, lanes)


def from_nz(elements: np.ndarray, rows: int, columns: int, lanes: int) -> np.ndarray:
    """The matrix that lies in Nz, with `rows` a multiple of 16."""
    blocks = elements[: rows * columns].reshape(columns // lanes, rows, lanes)
    return np.concatenate(list(blocks), axis=1)


def turned_squares(squares: np.ndarray, bits: int) -> np.ndarray:
    """Squares as they lie in fractals -> the fractals of the transposed ones, two for each square or one."""
    if bits == 32:
        whole = np.concatenate([squares[:, 0], squares[:, 1]], axis=2)
        turned = whole.transpose(0, 2, 1)
        return np.stack([turned[:, :, :8], turned[:, :, 8:]], axis=1)
    side = 32 if bits == 8 else 16
    turned = squares.reshape(-1, side, side).transpose(0, 2, 1)
    return turned.reshape(squares.shape)


@dataclass(frozen=True)
class Windows:
    """An image, a filter that goes over it, and which part of the matrix of windows is wanted."""

    height: int
    width: int
    channels: int
    k_extent: int
    m_extent: int
    k_start: int = 0
    m_start: int = 0
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)  # left, right, top, bottom
    strides: tuple[int, int] = (1, 1)  # w, h
    filters: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)

    def image(self, elements: np.ndarray, lanes: int) -> np.ndarray:
        """The image as [C][H][W], from blocks of channels in L1."""
        planes, taken = [], 0
        for first in range(0, self.channels, lanes):
            held = min(lanes, self.channels - first)
            size = self.height * self.width * held
            block = elements[taken : taken + size].reshape(self.height, self.width, held)
            planes.append(block.transpose(2, 0, 1))
            taken += size
        return np.concatenate(planes)

    def matrix(self, elements: np.ndarray, lanes: int, padding: int) -> np.ndarray:
        """All windows, as rows."""
        left, right, top, bottom = self.pads
        image = np.pad(
            self.image(elements, lanes),
            [(0, 0), (top, bottom), (left, right)],
            constant_values=elements.dtype.type(padding),
        )
        (stride_w, stride_h), (filter_w, filter_h), (step_w, step_h) = self.strides, self.filters, self.dilations
        reach_h, reach_w = (filter_h - 1) * step_h + 1, (filter_w - 1) * step_w + 1
        rows = []
        for y in range(0, image.shape[1] - reach_h + 1, stride_h):
            for x in range(0, image.shape[2] - reach_w + 1, stride_w):
                window = image[:, y : y + reach_h : step_h, x : x + reach_w : step_w]
                blocks = [window[c : c + lanes].transpose(1, 2, 0).reshape(-1) for c in range(0, self.channels, lanes)]
                rows.append(np.concatenate(blocks))
        return np.array(rows)

    def part(self, matrix: np.ndarray, m: int = 0, k: int = 0) -> np.ndarray:
        """The wanted part, moved; beyond the matrix all bits are ones."""
        ones = np.array(-1).astype(np.dtype(f"i{matrix.itemsize}")).view(matrix.dtype)
        part = np.full((self.m_extent, self.k_extent), ones)
        m, k = m + self.m_start, k + self.k_start
        found = matrix[m : m + self.m_extent, k : k + self.k_extent]
        part[: found.shape[0], : found.shape[1]] = found
        return part


def loaded(
    parts: Sequence[np.ndarray], down: bool, is_left: bool, turned: bool, is_3510: bool, lanes: int
) -> np.ndarray:
    """The elements that a load of windows writes, from the parts that its repeats have."""
    if not is_left or turned:
        joined = np.concatenate(parts, axis=0 if down else 1)
        return (zn if is_3510 or not is_left else zz_turned)(joined, lanes)
    return np.concatenate([(nz if is_3510 else zz)(part, lanes) for part in parts])
