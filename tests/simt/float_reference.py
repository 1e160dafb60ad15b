"""What the functions of floats mean, in types that are wider than float32: from NumPy and Python's math module."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Wide = np.longdouble
PI = 4 * np.arctan(Wide(1))
Reference = Callable[..., np.ndarray]


def each(function: Callable[[float], float], pole: float) -> Reference:
    """A function of Python, element by element; where it is not defined or too large it has the value of a pole."""

    def one(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return pole

    return lambda x: np.array([one(float(value)) for value in x], np.float64)


def turned(x: np.ndarray, quarters: int) -> np.ndarray:
    """The sine of pi (x + quarters / 2), by symmetries that are exact; those that are 0 have a sign of their own."""
    size = np.fmod(np.abs(x), 2)
    part = size * 2 - np.floor(size * 2)  # of a right angle
    number = (np.floor(size * 2) + quarters).astype(np.int64, copy=False) % 4
    angle = part * PI / 2
    near = np.where(part > 0.5, np.cos(PI / 2 - angle), np.sin(angle))
    far = np.where(part > 0.5, np.sin((1 - part) * PI / 2), np.cos(angle))
    return np.where(number % 2, far, near) * np.where(number < 2, 1, -1)


def sine_of_turn(x: np.ndarray) -> np.ndarray:
    number = np.isfinite(x)
    result = turned(np.where(number, x, 0), 0) * np.where(np.signbit(x), -1, 1)
    return np.where(number, np.where(result == 0, np.copysign(0, x), result), np.nan)


def cosine_of_turn(x: np.ndarray) -> np.ndarray:
    number = np.isfinite(x)
    result = turned(np.where(number, x, 0), 1)
    return np.where(number, np.where(result == 0, 0, result), np.nan)


def scaled_complement(x: np.ndarray) -> np.ndarray:
    """e^(x^2) erfc(x): beyond 20 by the asymptotic series."""
    near = np.exp(x * x) * each(math.erfc, math.nan)(x)
    inverse = 1 / (2 * x * x)
    series = 1 - inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse * (1 - 9 * inverse))))
    return np.where(x > 20, series / (x * np.sqrt(PI)), near)


def gamma(x: np.ndarray) -> np.ndarray:
    """Infinite at both zeros, and NaN at negative integers."""
    result = each(math.gamma, math.inf)(x)
    pole = (x < 0) & (np.floor(x) == x)
    return np.where(x == 0, np.copysign(np.inf, x), np.where(pole, np.nan, result))


ONE: dict[str, Reference] = {
    "expf": np.exp,
    "exp2f": np.exp2,
    "exp10f": lambda x: np.power(Wide(10), x),
    "expm1f": np.expm1,
    "logf": np.log,
    "log2f": np.log2,
    "log10f": np.log10,
    "log1pf": np.log1p,
    "sqrtf": np.sqrt,
    "rsqrtf": lambda x: 1 / np.sqrt(x),
    "cbrtf": np.cbrt,
    "rcbrtf": lambda x: 1 / np.cbrt(x),
    "sinf": np.sin,
    "cosf": np.cos,
    "tanf": np.tan,
    "sinpif": sine_of_turn,
    "cospif": cosine_of_turn,
    "tanpif": lambda x: sine_of_turn(x) / cosine_of_turn(x),
    "asinf": np.arcsin,
    "acosf": np.arccos,
    "atanf": np.arctan,
    "sinhf": np.sinh,
    "coshf": np.cosh,
    "tanhf": np.tanh,
    "asinhf": np.arcsinh,
    "acoshf": np.arccosh,
    "atanhf": np.arctanh,
    "erff": each(math.erf, math.nan),
    "erfcf": each(math.erfc, math.nan),
    "erfcxf": scaled_complement,
    "normcdff": lambda x: 0.5 * each(math.erfc, math.nan)(-x / np.sqrt(Wide(2))),
    "tgammaf": gamma,
    "lgammaf": each(math.lgamma, math.inf),
    "fabsf": np.abs,
    "saturatef": lambda x: np.where(x > 0, np.minimum(x, 1), 0),
    "floorf": np.floor,
    "ceilf": np.ceil,
    "truncf": np.trunc,
    "roundf": lambda x: np.copysign(np.floor(np.abs(x) + Wide(0.5)), x),
    "rintf": np.rint,
    "nearbyintf": np.rint,
    "logbf": lambda x: np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, np.frexp(x)[1] - 1 + 0 * x)),
}
TWO: dict[str, Reference] = {
    "powf": np.power,
    "hypotf": np.hypot,
    "rhypotf": lambda x, y: 1 / np.hypot(x, y),
    "fdividef": lambda x, y: x / y,
    "fmodf": np.fmod,
    "remainderf": lambda x, y: np.array([remainder(float(a), float(b)) for a, b in zip(x, y, strict=True)]),
    "fdimf": lambda x, y: np.where(x <= y, 0, x - y),
    "fmaxf": lambda x, y: ordered(x, y, np.fmax, np.signbit),
    "fminf": lambda x, y: ordered(x, y, np.fmin, lambda value: ~np.signbit(value)),
    "copysignf": np.copysign,
    "nextafterf": lambda x, y: np.nextafter(x.astype(np.float32), y.astype(np.float32)),
    "atan2f": lambda x, y: np.arctan2(y, x),  # the arguments of the others are x, y
}
MORE: dict[str, Reference] = {
    "norm3df": lambda x, y: np.hypot(np.hypot(x, y), Wide(2)),
    "rnorm3df": lambda x, y: 1 / np.hypot(np.hypot(x, y), Wide(2)),
    "norm4df": lambda x, y: np.hypot(np.hypot(x, y), np.hypot(Wide(2), Wide(-3))),
    "rnorm4df": lambda x, y: 1 / np.hypot(np.hypot(x, y), np.hypot(Wide(2), Wide(-3))),
}
# The nearest float, which is exact where the wide type holds the exact value.
EXACT = frozenset(
    "sqrtf fabsf saturatef floorf ceilf truncf roundf rintf nearbyintf logbf fdividef fmodf remainderf fdimf fmaxf "
    "fminf copysignf nextafterf".split()
)


def remainder(x: float, y: float) -> float:
    """As C has it: NaN where Python raises."""
    return math.remainder(x, y) if math.isfinite(x) and y == y and y != 0 else math.nan


def ordered(x: np.ndarray, y: np.ndarray, choose: Reference, is_after: Reference) -> np.ndarray:
    """Of two zeros the one that comes first."""
    both = (x == 0) & (y == 0)
    return np.where(both, np.where(is_after(x), y, x), choose(x, y))


def judge(call: str, got: np.ndarray, right: np.ndarray) -> None:
    """Within 1 ulp, and to the bit what is exact; signs, zeros, infinities and NaN exactly."""
    with np.errstate(all="ignore"):
        nearest = right.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(nearest), call)
    number = ~np.isnan(nearest)
    got, nearest, right = got[number], nearest[number], right[number]
    np.testing.assert_array_equal(np.signbit(got), np.signbit(nearest), call)
    finite = np.isfinite(nearest)
    np.testing.assert_array_equal(got[~finite], nearest[~finite], call)
    got, nearest, right = got[finite], nearest[finite], right[finite]
    with np.errstate(over="ignore"):  # the number after the largest one
        ulp = np.spacing(np.abs(nearest)).astype(Wide)
        error = np.abs(got.astype(Wide) - right) / ulp
    off = got != nearest if call in EXACT else error > 1
    first = int(off.argmax()) if off.any() else 0
    assert not off.any(), f"{call}: {off.sum()} off, the first gives {got[first]!r}, not {right[first]!r}"
