"""Helpers: `@asc.jit` functions that kernels call, one function of the text for each choice of types and constants."""

import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from harness import load

from opwright import asc, errors
from opwright.settings import settings

HEAD = """\
from opwright import asc


"""
Printed = pytest.CaptureFixture[str]


def module(folder: Path, text: str, name: str = "") -> ModuleType:
    return load(folder, HEAD + textwrap.dedent(text), name)


def refused(folder: Path, helpers: str, body: str, kind: type[errors.OpwrightError]) -> errors.OpwrightError:
    """The error of a kernel of n: int and x: float with this body."""
    text = textwrap.dedent(helpers) + "\n\n@asc.jit\ndef run(n: int, x: float):\n" + textwrap.indent(body, "    ")
    made = module(folder, text + "\n")
    with pytest.raises(kind) as caught:
        made.run.emit(1, 0.5)
    return caught.value


# What a helper gives back -------------------------------------------------------------------------------------

RESULTS = """
@asc.jit
def nothing(v):
    if v > 3:
        return
    asc.printf("small ")


@asc.jit
def constant():
    return 12


@asc.jit
def label(v):
    return "text", 7, v


@asc.jit
def pair(v, w):
    return w, (v, 1)


@asc.jit
def sign(v):
    if v < 0:
        return -1
    elif v == 0:
        return 0
    for i in range(3):
        if v == i:
            return 10 + i
    while True:
        v -= 1
        if v % 7 == 0:
            return v


@asc.jit
def either(v):
    if v > 0:
        return 1.5
    else:
        return 2


@asc.jit
def narrow(v):
    small = asc.number(v, asc.int8)
    if v > 1000:
        return small
    return v


@asc.jit
def outer(v):
    return pair(sign(v), constant())[0] + sign(v - 1)


@asc.jit
def run(n: int):
    nothing(n)
    text, seven, same = label(n)
    first, (second, third) = pair(n, seven)
    table = asc.array(asc.int32, constant())
    asc.printf("%d %d %d %d\\n", sign(n), outer(n), narrow(n), len(table))
    asc.printf("%d %d %d %d %f\\n", first, second, third, same, either(n))
"""


def python_results(n: int) -> str:
    def sign(v: int) -> int:
        if v < 0:
            return -1
        return v if v == 0 else 10 + v if v < 3 else max(w for w in range(v) if w % 7 == 0)

    small = "" if n > 3 else "small "
    narrow = (n + 128) % 256 - 128 if n > 1000 else n
    either = 1.5 if n > 0 else 2.0
    return f"{small}{sign(n)} {12 + sign(n - 1)} {narrow} 12\n7 {n} 1 {n} {either:f}\n"


@pytest.mark.parametrize("n", [-5, 0, 1, 2, 3, 4, 20, 2000])
def test_results(n: int, tmp_path: Path, capsys: Printed) -> None:
    module(tmp_path, RESULTS).run[1](n)
    assert capsys.readouterr().out == python_results(n)


REFUSED = {
    "recursion": ("@asc.jit\ndef f(v):\n    return f(v - 1)", "f(n)", "UnsupportedSyntax", "f calling itself"),
    "recursion of two": (
        "@asc.jit\ndef f(v):\n    return g(v)\n\n\n@asc.jit\ndef g(v):\n    return f(v)",
        "f(n)",
        "UnsupportedSyntax",
        "f calling itself",
    ),
    "missing return": (
        "@asc.jit\ndef f(v):\n    if v > 1:\n        return v",
        "f(n)",
        "UnsupportedSyntax",
        "returns a value on some paths but not on others",
    ),
    "loop that may not return": (
        "@asc.jit\ndef f(v):\n    for i in range(v):\n        return i",
        "f(n)",
        "UnsupportedSyntax",
        "returns a value on some paths",
    ),
    "two types": (
        "@asc.jit\ndef f(v):\n    if v > 1:\n        return v\n    return 0.5",
        "f(n)",
        "TypeChanged",
        "'the result' was int and becomes float",
    ),
    "value and none": (
        "@asc.jit\ndef f(v):\n    if v > 1:\n        return v\n    return",
        "f(n)",
        "TypeChanged",
        "'the result' was int and becomes None",
    ),
    "tuples of two lengths": (
        "@asc.jit\ndef f(v):\n    if v > 1:\n        return v, v\n    return v, v, v",
        "f(n)",
        "TypeChanged",
        "a tuple of 2",
    ),
    "two texts": (
        "@asc.jit\ndef f(v):\n    if v > 1:\n        return 'a'\n    return 'b'",
        "f(n)",
        "TypeChanged",
        "was str 'a' and becomes str 'b'",
    ),
    "array as a result": (
        "@asc.jit\ndef f():\n    return asc.array(asc.int8, 3)",
        "f()",
        "UnsupportedSyntax",
        "returning",
    ),
    "plain function": ("def f(v):\n    return v", "f(n)", "UnsupportedSyntax", "a plain Python function"),
    "too many arguments": ("@asc.jit\ndef f(v):\n    return v", "f(n, n)", "WrongCall", "takes 1 arguments, got 2"),
    "unknown keyword": ("@asc.jit\ndef f(v):\n    return v", "f(n, w=1)", "WrongCall", "has no argument 'w'"),
    "argument twice": ("@asc.jit\ndef f(v):\n    return v", "f(n, v=1)", "WrongCall", "got 'v' twice"),
    "missing argument": ("@asc.jit\ndef f(v):\n    return v", "f()", "WrongCall", "argument 'v' is missing"),
    "constant wanted": (
        "@asc.jit\ndef f(v: asc.ConstExpr[int]):\n    return v",
        "f(n)",
        "WrongCall",
        "argument 'v' must be a constant, got int",
    ),
    "int wanted": ("@asc.jit\ndef f(v: int):\n    return v", "f(x)", "WrongCall", "must be int, got float"),
    "tensor wanted": (
        "@asc.jit\ndef f(v: asc.LocalTensor):\n    pass",
        "f(n)",
        "WrongCall",
        "must be asc.LocalTensor, got int",
    ),
    "tensor without memory": (
        "@asc.jit\ndef f(v):\n    pass",
        "f(asc.GlobalTensor())",
        "WrongCall",
        "a global tensor that has its buffer",
    ),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    helpers, body, kind, words = REFUSED[name]
    error = refused(tmp_path, helpers, body, errors.KernelError)
    assert type(error).__name__ == kind, error
    assert words in str(error), error
    assert error.at is not None and "\nhint: " in str(error)


# What a helper knows ------------------------------------------------------------------------------------------


def test_types_and_defaults(tmp_path: Path, capsys: Printed) -> None:
    """An annotation makes a value of the run of that type, no annotation keeps a constant a constant."""
    text = """
    @asc.jit
    def f(v: float, w: int = 4, k: asc.ConstExpr[int] = 2, d=asc.int16, b: asc.int8 = 1):
        table = asc.array(d, k)
        return v / w * len(table) + b


    @asc.jit
    def run(n: int):
        asc.printf("%f %f %f %f\\n", f(n), f(1, 2), f(n > 0, k=3, w=n), f(2, 1, 5, asc.float32, n * 256 + 3))
    """
    module(tmp_path, text).run[1](8)
    assert capsys.readouterr().out == f"{8 / 4 * 2 + 1:f} {1 / 2 * 2 + 1:f} {1 / 8 * 3 + 1:f} {2 * 5 + 3:f}\n"


@pytest.mark.quick
def test_one_function_for_each_choice(tmp_path: Path) -> None:
    text = """
    @asc.jit
    def f(v, k):
        return v + k


    @asc.jit
    def run(n: int, x: float):
        asc.printf("%d %d %d %d %f", f(n, 1), f(2 * n, 1), f(n, 2), f(n, n), f(x, 1))
    """
    emitted = module(tmp_path, text).run.emit(1, 0.5)
    assert [line for line in emitted.splitlines() if line.startswith("__aicore__ inline")] == [
        "__aicore__ inline int64_t f(int64_t v) {",
        "__aicore__ inline int64_t f_1(int64_t v) {",
        "__aicore__ inline int64_t f_2(int64_t v, int64_t k) {",
        "__aicore__ inline float f_3(float v) {",
    ]


def test_true_and_one_are_two_constants(tmp_path: Path, capsys: Printed) -> None:
    text = """
    @asc.jit
    def f(k):
        return 1.0 / k


    @asc.jit
    def g(k):
        return k


    @asc.jit
    def run(n: int):
        asc.printf("%f %f\\n", f(0.0 + n), f(-0.0 * n))
        asc.printf("%d %d %f\\n", g(True) + n, g(1) + n, g(1.0) + n)
    """
    module(tmp_path, text).run[1](1)
    assert capsys.readouterr().out == "1.000000 -inf\n2 2 2.000000\n"


def test_closures_and_globals_of_each_helper(tmp_path: Path, capsys: Printed) -> None:
    """A name means what it means where the helper stands, not where it is called."""
    module(tmp_path, "STEP = 100\n\n\n@asc.jit\ndef far(v):\n    return v + STEP\n", "helpers_far")
    text = """
    import helpers_far
    from helpers_far import far

    STEP = 1


    def adding(by):
        @asc.jit
        def add(v):
            return v + by + STEP

        return add


    add_2, add_30 = adding(2), adding(30)


    @asc.jit
    def run(n: int):
        STEP = 5
        asc.printf("%d %d %d %d %d\\n", far(n), helpers_far.far(n), add_2(n), add_30(n), STEP)
    """
    module(tmp_path, text).run[1](0)
    assert capsys.readouterr().out == "100 100 3 31 5\n"


@pytest.mark.unchecked(reason="compiles into a store of its own: the checked library once more")
@pytest.mark.parametrize("cached", [False, True])
def test_what_a_helper_reads_is_part_of_the_kernel(cached: bool, tmp_path: Path, capsys: Printed) -> None:
    """Its globals, those of its helpers, and its text; in this process and in a store that another one filled."""
    inner = "LIMIT = {limit}\n\n\n@asc.jit\ndef inner(v):\n    return v {operator} LIMIT\n"
    outer = "import helpers_inner\n\n\n@asc.jit\ndef outer(v):\n    return helpers_inner.inner(v) * 2\n\n\n"
    outer += '@asc.jit\ndef run(n: int):\n    asc.printf("%d\\n", outer(n))\n'
    expected = []
    with settings.scope(cache_dir=tmp_path / "cache"):
        made = None
        for limit, operator in ((1, "+"), (2, "+"), (2, "-"), (1, "+")):
            found = module(tmp_path, inner.format(limit=limit, operator=operator), "helpers_inner")
            if made is None or cached:
                made = module(tmp_path, outer, "helpers_outer")
            else:
                made.helpers_inner = found
            made.run[1](10)
            expected.append(f"{2 * eval(f'10 {operator} {limit}')}\n")
    assert capsys.readouterr().out == "".join(expected)
    kernels = list((tmp_path / "cache" / "kernels").iterdir())
    assert len(kernels) == 3, "the fourth is the first again"


# Memory through helpers ---------------------------------------------------------------------------------------

MEMORY = """
@asc.jit
def tensor_of(address, length):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(address, length)
    return gm


@asc.jit
def half_of(local):
    return local[16:]


@asc.jit
def move(target: asc.GlobalAddress, source, buffer: asc.LocalTensor):
    asc.data_copy(buffer, source, 16)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(tensor_of(target + 16, 16), buffer, 16)


@asc.jit
def fill(array, value):
    for i in range(len(array)):
        array[i] = value + i
    return array[-1]


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 32)
    asc.duplicate(local, 0, 32)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    move(y, tensor_of(x, 32), half_of(local))
    table = asc.array(asc.int16, 3)
    last = fill(table, 5)
    asc.duplicate(local, table[0] * 100 + table[1] * 10 + last, 16)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(tensor_of(y, 16), local, 16)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(local, tensor_of(z, 16), 16)
"""


def test_addresses_tensors_and_arrays(tmp_path: Path) -> None:
    made = module(tmp_path, MEMORY)
    x, y, z = np.arange(32, dtype=np.float32), np.full(32, np.nan, np.float32), np.zeros(16, np.float32)
    for array in (x, z):
        array.flags.writeable = False  # helpers only read these
    made.run[1](x, y, z)
    assert y.tolist() == [567.0] * 16 + list(range(16))
    y.flags.writeable = False
    with pytest.raises(errors.ReadOnlyArgument, match="argument y"):
        made.run[1](x, y, z)


# Faults in helpers --------------------------------------------------------------------------------------------

FAULTS = """
@asc.jit
def quotient(v, w):
    return v // w


@asc.jit
def middle(v, w):
    return quotient(v, w) + 1


@asc.jit
def one_way(n: int):
    asc.printf("%d", middle(7, n))


@asc.jit
def two_ways(n: int):
    asc.printf("%d", middle(7, n) + middle(9, n) + quotient(n, n))


@asc.jit
def from_two(n: int):
    asc.printf("%d", middle(n, n))
    asc.printf("%d", middle(n + 1, n))
"""


def place(made: ModuleType, words: str, occurrence: int = 0) -> str:
    """file:line:column of words in a module."""
    text = Path(str(made.__file__)).read_text()
    at = -1
    for _ in range(occurrence + 1):
        at = text.index(words, at + 1)
    line = text[:at].count("\n") + 1
    return f"{made.__file__}:{line}:{at - text.rfind(chr(10), 0, at)}"


def test_a_fault_shows_the_line_of_the_helper_and_the_calls(tmp_path: Path) -> None:
    made = module(tmp_path, FAULTS)
    with pytest.raises(errors.TrapError, match="division by zero") as caught:
        made.one_way[1](0)
    assert str(caught.value).splitlines()[1:] == [
        f"  --> {place(made, 'v // w')}",
        "  |",
        "7 |     return v // w",
        "  |            ^",
        f"  called from {place(made, 'quotient(v, w) + 1')}",
        f"  called from {place(made, 'middle(7, n)')}",
    ]


def test_a_fault_that_several_calls_lead_to(tmp_path: Path) -> None:
    made = module(tmp_path, FAULTS)
    with pytest.raises(errors.TrapError, match="division by zero") as caught:
        made.from_two[1](0)
    shown = str(caught.value).splitlines()[5:]
    first, second = place(made, "middle(n, n)"), place(made, "middle(n + 1, n)")
    assert shown == [
        f"  called from {place(made, 'quotient(v, w) + 1')}",
        f"  called from one of {first}, {second}",
    ]


@pytest.mark.quick
def test_an_error_in_a_helper_shows_the_calls(tmp_path: Path) -> None:
    helpers = """
    @asc.jit
    def inner(v):
        return v ** 2


    @asc.jit
    def outer(v):
        return inner(v)
    """
    error = refused(tmp_path, helpers, "asc.printf('%d', outer(n))", errors.WrongType)
    assert error.at is not None
    assert [call.line - error.at.line for call in error.at.calls] == [10, 5]
    assert str(error).count("called from") == 2


def test_a_helper_is_a_kernel_too(capsys: Printed) -> None:
    shows[1](4)
    calls[1](4)
    assert capsys.readouterr().out == "4\n5\n"


@asc.jit
def shows(n: int):
    asc.printf("%d\n", n)


@asc.jit
def calls(n: int):
    shows(n + 1)
