"""Compiles host functions to a library, and runs many calls by it and by Python.

In: host functions with the kinds of their arguments, and calls as facts. Out: for each call a line: a code, and the
results or the message.
"""

import ctypes
import struct
import subprocess
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opwright import host
from opwright.host.compiler.compile import compile_infer
from opwright.twin.toolchain import find_compiler

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "src/opwright/native/include"
UNKNOWN = -(1 << 63)
SCALARS = [bool, int, float]  # as host::Scalar::Kind numbers them
CODES = {"type": 1, "value": 2, "unsupported": 3}
Infer = Callable[..., Any]
Launches = Callable[..., host.Launch]


class Library:
    """Host functions in C++."""

    def __init__(
        self,
        functions: Mapping[str, tuple[Infer, Mapping[str, str], int]],
        folder: Path,
        launches: Mapping[str, Launches] | None = None,
    ) -> None:
        self.functions, self.launches = functions, launches or {}
        texts = [
            compile_infer(name, infer, kinds, count, self.launches.get(name))
            for name, (infer, kinds, count) in functions.items()
        ]
        source = folder / "host_functions.cpp"
        ends = [f"HOST_RUN({name})" for name in functions] + [f"HOST_LAUNCH({name})" for name in self.launches]
        source.write_text("\n".join(['#include "driver.h"', *texts, *ends, ""]))
        flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{INCLUDE}", f"-I{HERE}"]
        subprocess.run([find_compiler(), *flags, str(source), "-o", str(source.with_suffix(".so"))], check=True)
        self._library = ctypes.CDLL(str(source.with_suffix(".so")))

    def run(self, name: str, calls: Sequence[Sequence[Any]]) -> list[str]:
        """What C++ makes of calls."""
        return self._run(getattr(self._library, f"run_{name}"), name, calls)

    def launch(self, name: str, calls: Sequence[Sequence[Any]], soc: host.Soc) -> list[str]:
        """What C++ launches for calls."""
        numbers = (soc.vector_cores, soc.cube_cores, soc.ub_bytes, soc.l1_bytes, soc.l0c_bytes)
        given = (soc.name.encode(), (ctypes.c_int64 * len(numbers))(*numbers))
        return self._run(getattr(self._library, f"launch_{name}"), name, calls, *given)

    def _run(self, run: Any, name: str, calls: Sequence[Sequence[Any]], *more: Any) -> list[str]:
        kinds = list(self.functions[name][1].values())
        texts: dict[str, int] = {}
        words, starts = array("q"), array("q")
        for call in calls:
            starts.append(len(words) + len(calls))
            packed = [_words(value, kind, texts) for value, kind in zip(call, kinds, strict=True)]
            at = len(packed)
            for one in packed:
                words.append(at)
                at += len(one)
            for one in packed:
                words.extend(one)
        data = (ctypes.c_int64 * (len(starts) + len(words))).from_buffer(starts + words)
        known = (ctypes.c_char_p * max(1, len(texts)))(*(text.encode() for text in texts))
        run.restype = ctypes.c_char_p
        return run(data, ctypes.c_int64(len(calls)), known, *more).decode().split("\n")[:-1]


def by_python(infer: Infer, calls: Sequence[Sequence[Any]]) -> list[str]:
    """What Python makes of calls."""
    return [_line(lambda call=call: _results(infer(*call))) for call in calls]


def launched(infer: Infer, launch: Launches, calls: Sequence[Sequence[Any]], soc: host.Soc) -> list[str]:
    """What Python launches for calls."""

    def found(call: Sequence[Any]) -> str:
        made = launch(*call, *_listed(infer(*call)), soc)
        return f"{made.kernel} {made.blocks}{list(made.arguments)}{made.workspace}"

    return [_line(lambda call=call: found(call)) for call in calls]


def _line(found: Callable[[], str]) -> str:
    try:
        return f"0 {found()}"
    except host.Refusal as refusal:
        return f"{CODES[refusal.kind]} {refusal.text}"
    except (IndexError, ArithmeticError, TypeError, ValueError, AttributeError):
        return "4 "


def _listed(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else () if found is None else (found,)


def _results(found: Any) -> str:
    return "".join(f"{one.dtype}{list(one.shape)}{list(one.strides)}" for one in _listed(found))


def _words(value: Any, kind: str, texts: dict[str, int]) -> list[int]:
    if kind.endswith("?"):
        return [0] if value is None else [1, *_words(value, kind[:-1], texts)]
    if isinstance(value, host.Tensor):
        device = texts.setdefault(value.device, len(texts))
        sizes = [_number(one) for one in (*value.shape, *value.strides)]
        return [value.ndim, value.dtype.code, value.dtype.bits, device, *sizes]
    if isinstance(value, host.Dtype):
        return [value.code, value.bits]
    if isinstance(value, str):
        return [texts.setdefault(value, len(texts))]
    if kind == "scalar":
        return [SCALARS.index(type(value)), *_words(value, "", texts)]
    if isinstance(value, float):
        return list(struct.unpack("q", struct.pack("d", value)))
    if isinstance(value, host.Generator):
        return [value.seed, value.offset]
    if kind in ("tensors", "floats"):
        return [len(value), *(word for one in value for word in _words(one, kind[:-1], texts))]
    if isinstance(value, tuple):
        return [len(value), *map(_number, value)]
    return [_number(value)]


def _number(value: Any) -> int:
    return UNKNOWN + int(value.of.split()[1]) if isinstance(value, host.Unknown) else int(value)
