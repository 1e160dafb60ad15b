"""What tests read in the code that Inductor has written."""

import re

# What stands behind the function that computes: of PyTorch 2.13 on, and before.
_BEHIND = re.compile(r"^def (?:get_args|benchmark_compiled_module)\(", re.MULTILINE)


def body_of(code: str) -> str:
    """The function that computes."""
    end = _BEHIND.search(code)
    assert end is not None, code
    return code[code.index("def call(") : end.start()]


def buffers_in(body: str) -> list[tuple[int, ...]]:
    """The sizes of the buffers that it makes."""
    made = re.findall(r"\w+ = empty_strided_cpu\(\(([\d, ]+)\)", body)
    return [tuple(int(size) for size in shape.split(",") if size.strip()) for shape in made]
