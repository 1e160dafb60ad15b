"""Functions that no call computes where tensors are placed by hand: made of sums, products, quotients and `exp`.

In: tiles. Out: calls in float32. tanh and erf are x * P(x^2) / Q(x^2) within limits beyond which float32 has 1: P and Q
were fitted for this file by least squares to math.tanh and math.erf; the quotient is off by at most 8 units in the last
place. sigmoid is 1 / (1 + exp(-x)). NaN stays NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.tile.compiler.buffers import LocalTile
from opwright.tile.compiler.conversions import Conversions


@dataclass(frozen=True)
class _Quotient:
    """x * P(x^2) / Q(x^2) for x from -limit to limit; coefficients from the lowest power on."""

    limit: float
    above: tuple[float, ...]
    below: tuple[float, ...]


_QUOTIENTS = {
    "erf": _Quotient(
        4.0,
        (1.12837911, 0.190397993, 0.052747611, 0.00376525964, 0.000284875539, 2.05015954e-06),
        (1.0, 0.502068579, 0.114105612, 0.0149684958, 0.00116245076, 3.80920974e-05),
    ),
    "tanh": _Quotient(
        9.1,
        (1.0, 0.133810863, 0.00349565898, 2.06101886e-05, 1.3356062e-08),
        (1.0, 0.467144012, 0.0258772559, 0.000328574824, 7.77716025e-07),
    ),
}
COMPOSED = ("sigmoid", *_QUOTIENTS)


class Composed(Conversions):
    """Adds calls of composed functions."""

    def composed(self, name: str, to: LocalTile, x: LocalTile) -> None:
        """One of COMPOSED, in float32."""
        compute = self._sigmoid if name == "sigmoid" else self._quotient
        if to.buffer.dtype == "float32":
            with self.buffers.beginning(to.buffer):
                compute(name, to, x)
        else:
            self.in_float32(to, [x], lambda wide, given: compute(name, wide, given[0]))

    def _sigmoid(self, name: str, to: LocalTile, x: LocalTile) -> None:
        flat = self.elementwise.flat
        flat("muls", to, [x], -1.0)
        flat("exp", to, [to])
        flat("adds", to, [to], 1.0)
        flat("reciprocal", to, [to])

    def _quotient(self, name: str, to: LocalTile, x: LocalTile) -> None:
        parts = _QUOTIENTS[name]
        flat = self.elementwise.flat
        inside, square = (self.temporary(x.layout, "float32", f"{name}_{word}") for word in ("x", "square"))
        with self.buffers.beginning(inside.buffer):
            self._limited(inside, x, parts.limit)
        with self.buffers.beginning(square.buffer):
            flat("mul", square, [inside, inside])
        self._polynomial(to, square, parts.above)
        flat("mul", to, [to, inside])
        below = self.temporary(x.layout, "float32", f"{name}_below")
        with self.buffers.beginning(below.buffer):
            self._polynomial(below, square, parts.below)
        flat("div", to, [to, below])
        self._limited(to, to, 1.0)

    def _polynomial(self, to: LocalTile, x: LocalTile, coefficients: tuple[float, ...]) -> None:
        """Coefficients from the lowest power on."""
        *others, highest = coefficients
        flat = self.elementwise.flat
        flat("muls", to, [x], highest)
        flat("adds", to, [to], others.pop())
        for coefficient in reversed(others):
            flat("mul", to, [to, x])
            flat("adds", to, [to], coefficient)

    def _limited(self, to: LocalTile, x: LocalTile, limit: float) -> None:
        """x between -limit and limit. The number comes first: of NaN and a number the calls give the second."""
        single = self.elementwise.with_single
        single("max", to, x, self.elementwise.number(-limit, "float32"), True)
        single("min", to, to, self.elementwise.number(limit, "float32"), True)
