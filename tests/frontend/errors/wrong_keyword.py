"""A misspelt keyword of a helper."""

from opwright import asc


@asc.jit
def scaled(value, factor=2):
    return value * factor


@asc.jit
def prints(n: int):
    asc.printf("%d\n", scaled(n, faktor=3))


prints[1](10)
