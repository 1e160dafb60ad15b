"""A misspelt variable."""

from opwright import asc


@asc.jit
def prints(length: int):
    half = length // 2
    asc.printf("%d\n", half + lenght)  # noqa: F821


prints[1](10)
