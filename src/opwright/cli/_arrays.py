"""Arrays as words of the command line: f32[64], f32[64]:zeros, i32[64]:0..9, @x.npy.

In: the text after --arg NAME=. Out: `Described`: the description that gives the types, and the array itself when a
command launches. Refuses unknown contents, contents that do not fit the element type, and files other than .npy.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opwright.ascendc.dtypes import DTYPES, DataType, parse
from opwright.kernel.arguments import array_described

if TYPE_CHECKING:
    import numpy

_LARGEST = 7  # of random integers, which are often indices
_RANGE = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)")
_FORMS = "f32[64] (random), f32[64]:zeros, f32[64]:ones, f32[64]:arange, i32[64]:0..9 (integers from 0 to 9) or @x.npy"
HELP = (
    "An argument: a number, or an array TYPE[LENGTH] such as f16[4096]. Arrays hold random numbers unless they say"
    " otherwise: f32[64]:zeros, :ones, :arange, i32[64]:0..9 (integers from 0 to 9), or @x.npy (a file). Repeatable."
)


class Described(str):
    """A description such as "f16[4096]", with what the array holds.

    contents: "random", "zeros", "ones", "arange", "LOW..HIGH"; an array of NumPy that was read from a file.
    """

    contents: Any

    def made(self, name: str, dtype: DataType, random: numpy.random.Generator) -> object:
        """The array; `name` is that of the argument."""
        if not isinstance(self.contents, str):
            return self.contents
        described = array_described(self)
        assert described is not None
        length = math.prod(described[1])
        try:
            return _typed(name, dtype, _numbers(name, dtype, length, self.contents, random))
        except (MemoryError, OverflowError, ValueError):
            raise click.UsageError(f"--arg {name}={self}: not enough memory for {length} elements") from None


def read_array(name: str, text: str) -> Described:
    """The array that a text describes; whether the description itself is right is asked where arguments are bound."""
    if text.startswith("@"):
        return _from_file(name, text[1:])
    description, colon, contents = text.partition(":")
    array = Described(description)
    array.contents = contents if colon else "random"
    if colon and contents not in ("zeros", "ones", "arange") and not _RANGE.fullmatch(contents):
        raise click.UsageError(f"--arg {name}={text}: an array is {_FORMS}")
    if bounds := _RANGE.fullmatch(contents):
        _refuse_range(name, description, int(bounds[1]), int(bounds[2]))
    return array


def _refuse_range(name: str, description: str, low: int, high: int) -> None:
    """Refuses a range that is empty or that the element type does not have."""
    described = array_described(description)
    try:
        dtype = parse(described[0]) if described else None
    except ValueError:
        dtype = None
    if dtype is None:
        return  # it is refused as a description
    if not dtype.is_int():
        raise click.UsageError(f"--arg {name}: a range LOW..HIGH is for integers, and {dtype.name} is not an integer")
    least, most = dtype.limits
    if low > high:
        raise click.UsageError(f"--arg {name}: the range {low}..{high} is empty; write {high}..{low}")
    if low < least or high > most:
        raise click.UsageError(f"--arg {name}: {low}..{high} does not fit {dtype.name}, which has {least}..{most}")


def _numbers(name: str, dtype: DataType, length: int, contents: str, random: numpy.random.Generator) -> Any:
    """The elements in a type of NumPy that has them all."""
    import numpy

    if bounds := _RANGE.fullmatch(contents):
        return random.integers(int(bounds[1]), int(bounds[2]), size=length, dtype=dtype.name, endpoint=True)
    if contents == "random":
        if dtype.is_int():
            return random.integers(_LARGEST, size=length, endpoint=True)
        return random.standard_normal(length, "float32")
    if contents == "arange":
        most = dtype.limits[1] if dtype.is_int() else {"float16": 65504}.get(dtype.name, math.inf)
        if length - 1 > most:
            raise click.UsageError(f"--arg {name}: arange goes to {length - 1}, and the largest {dtype.name} is {most}")
        return numpy.arange(length, dtype="int64" if dtype.is_int() else "float32")
    return numpy.full(length, contents == "ones", "float32")


def _typed(name: str, dtype: DataType, numbers: Any) -> object:
    """The same numbers in the element type; NumPy by itself has no bfloat16."""
    if dtype.name != "bfloat16":
        return numbers.astype(dtype.name)
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        try:
            import torch
        except ModuleNotFoundError:
            raise click.UsageError(f"--arg {name}: NumPy has no bfloat16; install torch or ml_dtypes") from None
        return torch.from_numpy(numbers).to(torch.bfloat16)
    return numbers.astype(ml_dtypes.bfloat16)


def _from_file(name: str, file: str) -> Described:
    """An array that numpy.save wrote."""
    import numpy

    try:
        with Path(file).open("rb") as stream:
            values = numpy.lib.format.read_array(stream, allow_pickle=False)
    except OSError as error:
        raise click.UsageError(f"--arg {name}=@{file}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"--arg {name}=@{file} is not an array that numpy.save wrote: {error}") from None
    values = numpy.ascontiguousarray(values, values.dtype.newbyteorder("="))
    if values.dtype.name not in DTYPES:
        known = ", ".join(dtype for dtype in DTYPES if dtype != "bfloat16")
        raise click.UsageError(f"--arg {name}=@{file} has elements of {values.dtype}; a file may have {known}")
    array = Described(f"{values.dtype.name}[{','.join(map(str, values.shape))}]")
    array.contents = values
    return array
