"""Floats of 8 and 4 bits with a sign, an exponent and a mantissa: float8 e4m3fn and e5m2, float4 e2m1 and e1m2.

In: `FORMATS[name]` with arrays. Out: `decode` gives float32 of codes, `encode` the codes of numbers. Codes are uint8,
one to a byte; `nibbles` packs those of 4 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from opwright.formats.rounding import Array, Overflow, Round, nearest_index, settled


@dataclass(frozen=True)
class SmallFloat:
    """One format. `last` is the code of the largest number; `infinity` and `nan` are codes, -1 where it has none."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    last: int
    infinity: int
    nan: int

    @property
    def bits(self) -> int:
        """Of a code."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @cached_property
    def magnitudes(self) -> Array:
        """The values of the codes from 0 to the largest number, in order."""
        return np.array([self.value_of(code) for code in range(self.last + 1)])

    def value_of(self, code: int) -> float:
        """The value of a code without its sign."""
        exponent, mantissa = divmod(code, 1 << self.mantissa_bits)
        fraction = mantissa / (1 << self.mantissa_bits)
        return fraction * 2.0 ** (1 - self.bias) if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - self.bias)

    @cached_property
    def values(self) -> Array:
        """The value of every code, as float32."""
        half = 1 << (self.bits - 1)
        positive = np.full(half, np.nan)
        positive[: self.last + 1] = self.magnitudes
        if self.infinity >= 0:
            positive[self.infinity] = np.inf
        return np.concatenate([positive, -positive]).astype(np.float32)

    def decode(self, codes: Array) -> Array:
        """The values of codes."""
        found: Array = self.values[codes]
        return found

    def encode(self, numbers: Array, how: Round = "even", overflow: Overflow = "inf") -> Array:
        """The codes of numbers.

        What is too big becomes infinity or, without one, NaN; with `overflow` "saturate" the largest number, but not
        infinity itself; with "saturate_all" that too, and NaN becomes 0. A format without NaN always does the last.
        """
        exact = np.asarray(numbers).astype(np.float64)
        beyond = self.value_of(self.last + 1)
        if self.nan < 0:
            overflow = "saturate_all"
        instead = self.infinity if self.infinity >= 0 else self.last + 1
        codes = nearest_index(exact, self.magnitudes, beyond, how)
        # Without an infinity the code after the largest number is NaN's.
        codes = np.where(codes > self.last, instead, codes)
        codes = settled(exact, codes, self.last, instead, max(self.nan, 0), overflow)
        sign = np.signbit(exact) & ~(np.isnan(exact) & (overflow == "saturate_all"))
        signed: Array = codes | (sign.astype(np.uint8) << (self.bits - 1))
        return signed


FORMATS: dict[str, SmallFloat] = {
    made.name: made
    for made in (
        SmallFloat("float8_e4m3", 4, 3, 7, last=0x7E, infinity=-1, nan=0x7F),
        SmallFloat("float8_e5m2", 5, 2, 15, last=0x7B, infinity=0x7C, nan=0x7E),
        SmallFloat("float4_e2m1", 2, 1, 1, last=7, infinity=-1, nan=-1),
        SmallFloat("float4_e1m2", 1, 2, 1, last=7, infinity=-1, nan=-1),
    )
}
