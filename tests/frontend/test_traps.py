"""Traps for a compiler of Python kernels, by name. Each gives right code, compared with CPython, or a typed error.

M1 to M15: programs that such a compiler is known to turn into wrong code without a word. L1 to L6: programs that are
right and are known to be refused.
"""

import enum
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from harness import Program, load

from opwright import asc, errors
from opwright.ascendc import enums
from opwright.ascendc.enums import ENUMS, ConstantsText
from opwright.settings import settings
from opwright.twin.build import INCLUDE

VALUES = (-7, -2, -1, 0, 1, 2, 5, 9)
PAIRS = [(n, m) for n in VALUES for m in (-3, -1, 1, 2, 4)]

HEAD = """\
from opwright import asc

"""
# x is global memory of 64 float32; a and b are tensors of 64 float32, i of int32, h of float16, in UB.
TENSORS = """

@asc.jit
def kernel(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 512, 64)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 768, 64)
"""


def test_m1_a_condition_is_computed_before_every_turn(tmp_path: Path) -> None:
    Program(tmp_path, "i = 0\nwhile i < n:\n    m += i\n    i += 1\nSHOW(i)\nSHOW(m)", "n: int, m: int").agree(*PAIRS)


CONSTANTS = """
@asc.jit
def helper(v, K: asc.ConstExpr[int]):
    return v * 10 + K


@asc.jit
def run(n: int):
    asc.printf("%d %d %d\\n", helper(n, 1), helper(n, 2), helper(n, K=1))
"""


def test_m2_a_helper_with_two_constants_is_two_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load(tmp_path, HEAD + CONSTANTS).run[1](3)
    assert capsys.readouterr().out == "31 32 31\n"


def test_m3_two_helpers_of_one_name_are_two_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        load(tmp_path, f"{HEAD}@asc.jit\ndef helper(v):\n    return v + {number}\n", f"trap_m3_{number}")
    text = "import trap_m3_1 as one\nimport trap_m3_2\nfrom trap_m3_2 import helper\n\n\n@asc.jit\ndef run(n: int):\n"
    text += '    asc.printf("%d %d %d\\n", one.helper(n), helper(n), trap_m3_2.helper(n))\n'
    load(tmp_path, HEAD + text).run[1](10)
    assert capsys.readouterr().out == "11 12 12\n"


def test_m4_a_swap_in_a_loop(tmp_path: Path) -> None:
    body = "for i in range(k):\n    n, m = m, n\nSHOW(n)\nSHOW(m)"
    Program(tmp_path, body, "n: int, m: int, k: int").agree((1, 2, 0), (1, 2, 1), (1, 2, 4), (3, 9, 5))


def test_m5_a_swap_of_expressions(tmp_path: Path) -> None:
    Program(tmp_path, "n, m = m + 0, n + 0\nSHOW(n)\nSHOW(m)", "n: int, m: int").agree(*PAIRS)


def test_m6_a_loop_that_counts_down(tmp_path: Path) -> None:
    body = """
    total = 0
    for i in range(n, 0, -1):
        total = total * 3 + i
    for i in range(n, m, m):
        total = total * 5 + i
    SHOW(total)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*PAIRS)


def test_m7_an_integer_and_a_float_make_a_float(tmp_path: Path) -> None:
    body = "SHOWF(n + 0.5)\nSHOWF(0.5 * n)\nSHOW(n > 0.5)\nSHOW(0.5 > n)\nSHOW(n == 0.5)"
    Program(tmp_path, body, "n: int").agree(*((n,) for n in VALUES))


def test_m8_division_rounds_down_in_the_run_and_before_it(tmp_path: Path) -> None:
    body = """
    SHOW(n // m)
    SHOW(n % m)
    SHOW(-7 // 2 + n * 0)
    SHOW(-7 % 2 + n * 0)
    SHOW(n // 2)
    SHOW(n % -4)
    SHOWF(n / m)
    SHOWF(7 / 2)
    """
    program = Program(tmp_path, body, "n: int, m: int")
    program.agree(*PAIRS)
    assert program.twin(-7, 2) == ([-4, 1, -4, 1, -4, -3], [-3.5, 3.5])


def test_m9_integers_have_64_bits(tmp_path: Path) -> None:
    body = "SHOW(n * m)\nSHOW(n * 4 + m)\nSHOW((1 << 31) * m)\nSHOW(n << 20)\nSHOW(-n // 3)"
    big = ((1 << 31, 3), (1 << 33, -5), ((1 << 32) + 7, 1 << 20), (-(1 << 40), 1 << 22))
    Program(tmp_path, body, "n: int, m: int").agree(*big)


def test_m9_offsets_beyond_2_to_the_31_are_not_cut(tmp_path: Path) -> None:
    """2**32 elements further on must be refused, not be the first again."""
    text = f"""{HEAD}
@asc.jit
def kernel(x: asc.GlobalAddress, offset: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm[offset:], 8)


@asc.jit
def by_address(x: asc.GlobalAddress, offset: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, 8)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 8)
"""
    module = load(tmp_path, text)
    for kernel in (module.kernel, module.by_address):
        kernel[1](np.zeros(64, np.float32), 56)
        for offset in (1 << 30, 1 << 31, 1 << 32, -(1 << 32)):
            with pytest.raises(errors.OutOfRange):
                kernel[1](np.zeros(64, np.float32), offset)


def test_m10_and_does_not_evaluate_what_python_would_not(tmp_path: Path) -> None:
    body = "SHOW((n != 0) and (m // n > 1))\nSHOW(n == 0 or m % n == 1)\nSHOW(m // n if n else -1)"
    Program(tmp_path, body, "n: int, m: int").agree(*PAIRS)


# Constants that are structs have no number in C++.
OF_NUMBERS = [name for name, text in ENUMS.items() if text.cpp and not isinstance(text, ConstantsText)]


def test_m11_m12_enums_have_the_values_of_the_header(tmp_path: Path) -> None:
    """The compiler says what each name of the header is; the Python value must be that."""
    source = tmp_path / "values.cpp"
    lines = []
    for name in OF_NUMBERS:
        text = ENUMS[name]
        assert len(list(text.python)) == len(text.python.__members__) > 0, f"a value of {name} has two names"
        lines += [
            f'static_assert(static_cast<int>({text.spell(value)}) == {value.value}, "{name}");' for value in text.python
        ]
    source.write_text("\n".join(['#include "kernel_operator.h"', *lines]))
    command = ["g++", "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.quick
def test_m11_m12_every_enum_is_in_the_one_table() -> None:
    public = {value for value in vars(enums).values() if isinstance(value, type) and issubclass(value, enum.Enum)}
    assert {text.python for text in ENUMS.values()} == public - {enum.Enum}
    assert all(getattr(asc, name) is text.python for name, text in ENUMS.items())


@pytest.mark.quick
def test_m11_the_values_of_the_cache_modes() -> None:
    """As the manual of Ascend C has them: 0 turns the cache off. A list of Python names has 0 and 1 swapped."""
    assert {mode.name: mode.value for mode in asc.CacheMode} == {
        "CACHE_MODE_DISABLE": 0,
        "CACHE_MODE_NORMAL": 1,
        "CACHE_MODE_LAST": 2,
        "CACHE_MODE_PERSISTENT": 4,
    }
    assert {mode.name: mode.value for mode in asc.CacheRwMode} == {"READ": 1, "WRITE": 2, "RW": 3}


@pytest.mark.quick
def test_m12_a_mode_that_is_not_built_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(errors.UnknownName, match=r"asc\.QuantMode_t' is not defined"):
        load(tmp_path, HEAD + TENSORS + "    asc.printf('%d', asc.QuantMode_t.NoQuant)\n").kernel.emit("f32[64]")


@pytest.mark.unchecked(reason="compiles into a store of its own: the checked library once more")
def test_m13_a_global_that_changes_gives_a_new_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "LIMIT = 1\n\n\n@asc.jit\ndef helper():\n    return LIMIT * 10\n\n\n@asc.jit\ndef run():\n"
    module = load(tmp_path, HEAD + text + '    asc.printf("%d %d\\n", LIMIT, helper())\n')
    with settings.scope(cache_dir=tmp_path / "cache"):
        for value in (1, 2, 1, 3):
            module.LIMIT = value
            module.run[1]()
    assert capsys.readouterr().out == "1 10\n2 20\n1 10\n3 30\n"


def test_m14_text_keeps_its_letters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "a\nb\t\"quoted\" 'single' \\ back\\nslash ??/ trigraph é 名 %% \x07 \x7f 1\r"
    load(tmp_path, f"{HEAD}\n\n@asc.jit\ndef run():\n    asc.printf({words!r})\n").run[1]()
    assert capsys.readouterr().out == words.replace("%%", "%")


# M15: what must be refused, and how.
REFUSED = {
    "4 MB in UB": ("asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1 << 20)", "BeyondMemory", "4194304 of UB"),
    "copy in global memory": ("asc.data_copy(x_gm, x_gm, 8)", "NoForm", "no path from GM to GM"),
    "count of -5": ("asc.add(a, a, b, -5)", "RuleBroken", "between 0 and 2147483647, got -5"),
    "copy count of -5": ("asc.data_copy(a, x_gm, -5)", "RuleBroken", "got -5"),
    "event id 99": ("asc.set_flag(asc.HardEvent.MTE2_V, 99)", "RuleBroken", "between 0 and 7, got 99"),
    "add on global tensors": ("asc.add(x_gm, x_gm, x_gm, 8)", "NoForm", "dst must be a local tensor in UB"),
    "mmad on VECIN": ("asc.mmad(a, a, b, 8)", "UnknownName|NoForm", "mmad"),
    "stride 300 in 8 bits": (
        "asc.add(a, a, b, 64, 1, asc.BinaryRepeatParams(1, 1, 1, 300, 8, 8))",
        "RuleBroken",
        "dst_rep_stride is a uint8, got 300",
    ),
    "exp of int32": ("asc.exp(i, i, 8)", "WrongDtype", "it takes float16, float32"),
    "sqrt of int32": ("asc.sqrt(i, i, 8)", "WrongDtype", "it takes float16, float32"),
    "float32 to float16 by a copy": ("asc.data_copy(h, x_gm, 16)", "NoForm", "src holds float32"),
    "copy of 3 elements": ("asc.data_copy(a, x_gm, 3)", "RuleBroken", "multiple of 32 bytes"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_m15_is_refused(name: str, tmp_path: Path) -> None:
    line, kinds, words = REFUSED[name]
    module = load(tmp_path, f"{HEAD}{TENSORS}    {line}\n")
    with pytest.raises(errors.KernelError) as caught:
        module.kernel.emit("f32[64]")
    message = str(caught.value)
    assert type(caught.value).__name__ in kinds.split("|"), message
    assert words in message and "\nhint: " in message, message
    assert line in message


def test_m15_counts_and_events_of_the_run(tmp_path: Path) -> None:
    text = f"""{HEAD}
@asc.jit
def adds(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.add(a, a, a, n)


@asc.jit
def sets(n: int):
    asc.set_flag(asc.HardEvent.MTE2_V, n)
    asc.wait_flag(asc.HardEvent.MTE2_V, n)
"""
    module = load(tmp_path, text)
    with pytest.raises(errors.RuleError, match="count must lie between 0 and"):
        module.adds[1](np.zeros(8, np.float32), -5)
    with pytest.raises(errors.RuleError, match="event_id must lie between 0 and 7, got 99"):
        module.sets[1](99)


def test_m15_strides_of_the_run(tmp_path: Path) -> None:
    """A stride that 8 bits cannot hold stops the core; it does not become 44."""
    body = "    asc.duplicate(a, 1.0, 64)\n    asc.duplicate(b, 2.0, 64)\n"
    body += "    asc.add(a, a, b, 64, 1, asc.BinaryRepeatParams(1, 1, 1, n, 8, 8))\n"
    made = load(tmp_path, HEAD + TENSORS.replace("GlobalAddress):", "GlobalAddress, n: int):") + body)
    made.kernel[1](np.zeros(64, np.float32), 255)
    with pytest.raises(errors.RunError, match=r"does not fit its type \(it would become 44\)"):
        made.kernel[1](np.zeros(64, np.float32), 300)


def test_m15_a_flag_left_set_is_an_error(tmp_path: Path) -> None:
    made = load(tmp_path, HEAD + TENSORS + "    asc.set_flag(asc.HardEvent.MTE2_V, 3)\n")
    with pytest.raises(errors.FlagError, match="MTE2_V"):
        made.kernel[1](np.zeros(64, np.float32))


@pytest.mark.parametrize("times", [1, 127, 128, 255])
def test_l1_repeat_times_up_to_255(times: int, tmp_path: Path) -> None:
    """Each repeat adds 8 bytes of int16 to the next 4 elements: strides of one block, a mask of four."""
    text = f"""{HEAD}
@asc.jit
def run(x: asc.GlobalAddress, times: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16 * 256)
    a = asc.LocalTensor(asc.int16, asc.TPosition.VECIN, 0, 16 * 256)
    asc.data_copy(a, x_gm, 16 * 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(a, a, a, 4, times, asc.BinaryRepeatParams(1, 1, 1, 1, 1, 1))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, a, 16 * 256)
"""
    x = np.arange(16 * 256, dtype=np.int16).reshape(256, 16)
    expected = x.copy()
    expected[:times, :4] *= 2
    load(tmp_path, text).run[1](x, times)
    assert np.array_equal(x, expected)


LEGAL: dict[str, tuple[str, str, list[tuple]]] = {
    "l2_unsigned_arithmetic": (
        """
        u = asc.number(n, asc.uint8)
        v: asc.uint16 = m
        w: asc.uint64 = 7
        SHOW(u + v)
        SHOW(u - v)
        SHOW(u * 3 // (v + 1))
        SHOW(int(w * 5 + asc.number(9, asc.uint64)))
        SHOW(u % 7 < v)
        """,
        "n: int, m: int",
        PAIRS,
    ),
    "l3_minus_a_float": ("SHOWF(-x)\nSHOWF(-x * -1.5)\nSHOWF(-(x + 1))", "x: float", [(0.5,), (-2.0,), (0.0,)]),
    "l4_not_a_constant": (
        "if not LIMIT:\n    n = 0\nSHOW(not LIMIT)\nSHOW(not 0 and n > 1)\nSHOW(n)",
        "n: int",
        [(0,), (3,)],
    ),
    "l5_natural_accumulators": (
        """
        m = 0
        x = 0.0
        most = -1
        for i in range(n):
            m += 1
            x += 0.5
            if i * i % 5 > most:
                most = i * i % 5
        SHOW(m)
        SHOW(most)
        SHOWF(x)
        """,
        "n: int",
        [(0,), (1,), (6,)],
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal(name: str, tmp_path: Path) -> None:
    Program(tmp_path, *LEGAL[name][:2]).agree(*LEGAL[name][2])


def test_l6_a_helper_with_two_dtypes(tmp_path: Path) -> None:
    text = f"""{HEAD}
@asc.jit
def doubled(gm, local, count):
    asc.data_copy(local, gm, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(local, local, local, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gm, local, count)


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 16)
    doubled(x_gm, asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 16), 16)
    doubled(y_gm, asc.LocalTensor(y.dtype, asc.TPosition.VECIN, 64, 16), 16)
"""
    module = load(tmp_path, text)
    for dtypes in ((np.float32, np.int16), (np.float16, np.float32), (np.int32, np.int32)):
        x, y = (np.arange(16).astype(dtype) for dtype in dtypes)
        expected = x * 2, y * 2
        module.run[1](x, y)
        assert np.array_equal(x, expected[0]) and np.array_equal(y, expected[1])


@pytest.mark.quick
def test_every_trap_has_its_test(request: pytest.FixtureRequest) -> None:
    names: list[Callable] = [name for name in globals() if name.startswith("test_")]
    found = {int(number) for name in names for number in re.findall(r"_m(\d+)(?=_)", name)}
    assert found == set(range(1, 16))
