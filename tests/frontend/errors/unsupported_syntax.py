"""Python that a kernel does not have."""

from opwright import asc


@asc.jit
def sums(n: int):
    squares = [i * i for i in range(n)]
    asc.printf("%d\n", squares[0])


sums[1](3)
