"""Products in the order of the twin, by NumPy alone: k ascending, one rounding a step."""

from fractions import Fraction

import numpy as np


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c of float32, rounded once.

    The product is exact in float64. The sum may be rounded there; that harms only where it comes down in the middle
    between two float32: then what was lost decides.
    """
    with np.errstate(all="ignore"):
        product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        total = product + addend
        part = total - product
        lost = (product - (total - part)) + (addend - part)
        near = total.astype(np.float32)
        beyond = np.nextafter(near, np.where(total > near, np.inf, -np.inf).astype(np.float32))
        is_middle = (total != near) & (total - near == beyond.astype(np.float64) - total)
        decided = np.nextafter(total, np.where(lost > 0, np.inf, -np.inf))
        return np.where(is_middle & (lost != 0), decided, total).astype(np.float32)


def float_product(a: np.ndarray, b: np.ndarray, start: np.ndarray) -> np.ndarray:
    """start + a x b of matrices of float32."""
    total = start
    for k in range(a.shape[1]):
        total = fused(*np.broadcast_arrays(a[:, k : k + 1], b[k : k + 1, :]), total)
    return total


def exact(a: float, b: float, c: float) -> np.float32:
    """The same for one step of finite numbers, by fractions: the nearest of all float32, the even one of two."""
    wanted = Fraction(a) * Fraction(b) + Fraction(c)
    near = np.float32(float(wanted))
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return min(around, key=lambda x: (abs(Fraction(float(x)) - wanted), int(x.view(np.uint32)) & 1))
