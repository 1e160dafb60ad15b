"""What the chapters of functions that threads call share: a row that gives a number, and the arrays of examples.

In: a name, what it gives, a signature. Out: a `Row`. In examples `thread` is the index of the thread, and a letter is
an array, by its element type: one that is read and one that is written.
"""

from __future__ import annotations

from opwright.ascendc.row import Form, Row

SOURCE = {
    "float32": "x",
    "float16": "h",
    "bfloat16": "f",
    "uint16": "g",
    "int32": "m",
    "uint32": "u",
    "int64": "a",
    "uint64": "t",
}
TARGET = {
    "float32": "z",
    "float16": "s",
    "bfloat16": "e",
    "uint16": "d",
    "int32": "n",
    "uint32": "w",
    "int64": "p",
    "uint64": "o",
}


def example(name: str, source: str, target: str, more: str = "") -> str:
    """A call on an element of one array, whose result goes to another."""
    return f"{TARGET[target]}[thread] = simt.{name}({SOURCE[source]}[thread]{more})"


def row(
    name: str,
    gives: str,
    signature: str,
    shown: str,
    exactness: str = "exact",
    result: str = "float32",
    cpp: str = "",
    nonnegative: bool = False,
) -> Row:
    """A function of numbers: it gives a number and does nothing else."""
    return Row(
        f"simt.{name}",
        cpp or name,
        f"Gives {gives}.",
        forms=(Form(signature, result=result),),
        exactness=exactness,
        effect="value",
        nonnegative=nonnegative,
        example=shown,
    )
