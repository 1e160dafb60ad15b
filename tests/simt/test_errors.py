"""What functions of threads cannot say, and kernels about them: the right error, at the right place, with a way out.

Each case is the body of a function of threads, of a kernel of threads or of a kernel for cores; » is where the error
must point. All messages are in golden/errors.txt.
"""

import importlib.util
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opwright import asc, errors
from opwright.asc import simt
from opwright.errors import OpwrightError

HEAD = """\
from dataclasses import dataclass

import numpy
from opwright import asc
from opwright.asc import simt


class Own:
    def __init__(self):
        self.field = 1


@dataclass(frozen=True)
class Plan:
    count: int


def plain(a):
    return a


@asc.jit
def for_cores(a: int):
    return a + 1


@simt
def for_threads(a: int):
    return a + 1


@simt
def fill(y: asc.LocalTensor, n: int):
    y[simt.threadIdx.x] = n


@simt(max_threads=256)
def few(x: asc.GlobalAddress):
    x[simt.threadIdx.x] = 1


@simt
def gives(x: asc.GlobalAddress):
    return x[0]


@simt
def itself(a: int):
    return itself(a - 1)


@simt
def keeps_600_bytes(a: int):
    values = asc.array(asc.float32, 150)
    values[a] = a
    return values[0]


@simt
def keeps_700_bytes(a: int):
    values = asc.array(asc.float32, 25)
    values[a] = a
    return values[0] + keeps_600_bytes(a)


"""
# x, y: f32[256]; i: i32[256]; n: int; r: float. In a function that a kernel starts `local` is f32 in UB.
OF_THREADS = """\
@simt
def run(x: asc.GlobalAddress, i: asc.GlobalAddress, local: asc.LocalTensor, n: int, r: float):
{body}


@asc.jit(soc="ascend950")
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, i: asc.GlobalAddress, n: int, r: float):
    asc.vf_call(run, 32, x, i, asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64), n, r)
"""
OF_CORES = """\
@asc.jit(soc="{soc}", kernel_type="mix_1_1")
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, i: asc.GlobalAddress, n: int, r: float):
{body}
"""
PURE = """\
@simt
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, i: asc.GlobalAddress, n: int, r: float):
{body}
"""
S, N, W, F, C, R = "UnsupportedSyntax", "UnknownName", "WrongType", "NoForm", "WrongCaller", "RuleBroken"
LOCAL = "y_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)\n"

# name -> (text around, body, error)
CASES = {
    # Who calls what.
    "call of cores": (OF_THREADS, "»asc.get_block_idx()", C),
    "vector call": (PURE, "»asc.add(x, x, x, 64)", C),
    "tensor in a thread": (OF_THREADS, "»asc.GlobalTensor()", C),
    "threads start threads": (OF_THREADS, "»asc.vf_call(few, 32, x)", C),
    "helper of cores": (OF_THREADS, "n = »for_cores(n)", C),
    "plain function": (PURE, "n = »plain(n)", S),
    "own class": (OF_THREADS, "»Own()", S),
    "C++ as it stands": (PURE, '»asc.inline("x = 1;")', S),
    "other library": (PURE, "n = »numpy.gcd(n, n)", "UnstableGlobal"),
    "barrier in a kernel": (OF_CORES, "»simt.syncthreads()", C),
    "index in a kernel": (OF_CORES, "n = »simt.threadIdx.x", C),
    "warp size in a kernel": (OF_CORES, "n = »simt.warpSize", C),
    "function of threads called": (OF_CORES, "n = »for_threads(n)", C),
    "recursion": (PURE, "itself(n)", S),
    # Names.
    "unknown name": (PURE, "»simt.syncthread()", N),
    "unknown axis": (PURE, "n = »simt.threadIdx.w", N),
    "variable called": (PURE, "n = »simt.threadIdx()", S),
    "index without an axis": (PURE, "n = »simt.threadIdx + 1", W),
    # Elements.
    "float as an index": (PURE, "»y[r] = 1.0", F),
    "two indices": (PURE, "n = int(»x[n, n])", F),
    "float into integers": (PURE, "»i[n] = r", F),
    "literal into integers": (PURE, "»i[n] = 0.5", R),
    "too large": (PURE, "»i[n] = 1 << 40", R),
    "address as a value": (PURE, "»y[n] = x", F),
    "end of a slice": (PURE, "a = »x[0:n]", S),
    "setting a slice": (PURE, "»x[0:] = 1.0", S),
    "method of a tensor": (OF_THREADS, "r = »local.get_value(n)", S),
    "addresses are not added": (PURE, "a = »x + y", F),
    "address in a branch": (OF_THREADS, "a = x\nif n > 3:\n    »a = local", "TypeChanged"),
    "index of an address in a kernel": (OF_CORES, "r = »x[n]", S),
    # Memory.
    "shared under a kernel": (OF_THREADS, "tile = »simt.shared(asc.float32, 64)", S),
    "shared in a loop": (PURE, "for k in range(3):\n    tile = »simt.shared(asc.float32, 64)", S),
    "shared length of the run": (PURE, "tile = »simt.shared(asc.float32, n)", F),
    "shared nothing": (PURE, "tile = »simt.shared(asc.float32, 0)", R),
    "shared too much": (PURE, "a = simt.shared(asc.int8, 1)\nb = »simt.shared(asc.int64, 27648)", "BeyondMemory"),
    "shared without a type": (PURE, "tile = »simt.shared(64)", F),
    "arrays of a thread": (PURE, "a = asc.array(asc.int64, 100)\nb = »asc.array(asc.float32, 100)", S),
    "arrays of a thread and of what it calls": (PURE, "a = asc.array(asc.int64, 100)\nb = »keeps_700_bytes(n)", S),
    "arrays behind what it calls": (PURE, "b = keeps_700_bytes(n)\na = »asc.array(asc.int64, 100)", S),
    # Starting threads.
    "no function": (OF_CORES, "»asc.vf_call(plain, 32, x)", "WrongCall"),
    "helper started": (OF_CORES, "»asc.vf_call(for_cores, 32, n)", "WrongCall"),
    "too few arguments": (OF_CORES, "»asc.vf_call(few)", "WrongCall"),
    "missing argument": (OF_CORES, "»asc.vf_call(few, 32)", "WrongCall"),
    "surplus argument": (OF_CORES, "»asc.vf_call(few, 32, x, n)", "WrongCall"),
    "wrong keyword": (OF_CORES, "»asc.vf_call(few, 32, z=x)", "WrongCall"),
    "no threads": (OF_CORES, "»asc.vf_call(few, 0, x)", "BadThreads"),
    "negative threads": (OF_CORES, "»asc.vf_call(few, (-1, -4), x)", "BadThreads"),
    "too many threads": (OF_CORES, "»asc.vf_call(few, 257, x)", "BadThreads"),
    "too many along one axis": (OF_CORES, "»asc.vf_call(few, (n, 512), x)", "BadThreads"),
    "four axes": (OF_CORES, "»asc.vf_call(few, (1, 1, 1, 1), x)", "WrongCall"),
    "no axes": (OF_CORES, "»asc.vf_call(few, (), x)", "WrongCall"),
    "float of threads": (OF_CORES, "»asc.vf_call(few, r, x)", "WrongCall"),
    "True threads": (OF_CORES, "»asc.vf_call(few, True, x)", "WrongCall"),
    "local for global": (OF_CORES, LOCAL + "»asc.vf_call(few, 32, y_local)", "WrongCall"),
    "global for local": (OF_CORES, "»asc.vf_call(fill, 32, x, n)", "WrongCall"),
    "number for an address": (OF_CORES, "»asc.vf_call(few, 32, n)", "WrongCall"),
    "float for an int": (OF_CORES, LOCAL + "»asc.vf_call(fill, 32, y_local, r)", "WrongCall"),
    "tensor in L1": (
        OF_CORES,
        "a = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 64)\n»asc.vf_call(fill, 32, a, n)",
        "WrongCall",
    ),
    "tensor without memory": (OF_CORES, "a = asc.GlobalTensor()\n»asc.vf_call(few, 32, a)", "WrongCall"),
    "result": (OF_CORES, "asc.vf_call(gives, 32, x)", S),
}


def compiled(around: str, body: str, folder: Path, soc: str = "ascend950") -> object:
    """The kernel of a case."""
    text = HEAD + around.format(body=textwrap.indent(body.replace("»", ""), "    "), soc=soc)
    path = folder / "case.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("case_of_threads", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def failing(name: str, folder: Path) -> OpwrightError:
    around, body, kind = CASES[name]
    kernel = compiled(around, body, folder)
    with pytest.raises(OpwrightError) as caught:
        kernel.emit("f32[256]", "f32[256]", "i32[256]", 3, 0.5)
    assert type(caught.value) is getattr(errors, kind), caught.value
    return caught.value


@pytest.mark.quick
@pytest.mark.parametrize("name", [name for name, (_, body, _) in CASES.items() if "»" in body])
def test_place(name: str, tmp_path: Path) -> None:
    around, body, _ = CASES[name]
    error = failing(name, tmp_path)
    before = around[: around.index("{body}")]
    before = HEAD + before + textwrap.indent(body, "    ").partition("»")[0]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2])
    assert error.at is not None
    assert (error.at.line, error.at.column) == (line, column)
    assert error.hint


@pytest.mark.quick
def test_messages(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    lines = []
    for name in CASES:
        error = failing(name, tmp_path)
        lines.append(f"[{name}] {type(error).__name__}: {error.message}\n    hint: {error.hint}\n")
    golden("errors.txt", "".join(lines).replace(str(tmp_path), "FOLDER"))


@pytest.mark.quick
@pytest.mark.parametrize("soc", ["ascend910b", "ascend910_93"])
def test_socs_without_threads(soc: str, tmp_path: Path) -> None:
    kernel = compiled(OF_CORES, "asc.vf_call(few, 32, x)", tmp_path, soc)
    given = ("f32[256]", "f32[256]", "i32[256]", 3, 0.5)
    with pytest.raises(errors.NoThreads, match=f"{soc} has no unit that runs them"):
        kernel.emit(*given)
    pure = compiled(PURE, "y[n] = r", tmp_path)
    with pytest.raises(errors.NoThreads, match=f"kernel needs threads, and {soc}"):
        pure.emit(*given, soc=soc)


# Marks and launches -------------------------------------------------------------------------------------------


@simt
def adds(x: asc.GlobalAddress, n: int):
    x[simt.threadIdx.x] += n


@simt
def with_tensor(y: asc.LocalTensor):
    y[0] = 1.0


ONES = np.ones(64, np.float32)
REFUSED = {
    "max_threads too large": (lambda: simt(max_threads=4096)(adds.function), errors.BadOption, "from 1 to 2048"),
    "max_threads of no threads": (lambda: simt(max_threads=0)(adds.function), errors.BadOption, "from 1 to 2048"),
    "max_threads not an integer": (lambda: simt(max_threads=32.0)(adds.function), errors.BadOption, "an integer"),
    "unknown SoC": (lambda: simt(soc="ascend311")(adds.function), errors.UnknownSoc, "ascend311"),
    "not a function": (lambda: simt(3), errors.NotAKernel, "not a plain function"),
    "a lambda": (lambda: simt(lambda x: x), errors.NotAKernel, "lambda"),
    "called": (lambda: adds(ONES, 1), errors.ArgumentError, r"adds\[8, 256\]"),
    "no block": (lambda: adds[8], errors.ArgumentError, r"kernel\[grid, block\]"),
    "three parts": (lambda: adds[8, 8, 8], errors.ArgumentError, r"kernel\[grid, block\]"),
    "float": (lambda: adds[8.0, 8], errors.ArgumentError, "an integer"),
    "truth": (lambda: adds[True, 8], errors.ArgumentError, "an integer"),
    "four axes": (lambda: adds[(1, 1, 1, 1), 8], errors.ArgumentError, "up to three"),
    "no axes": (lambda: adds[(), 8], errors.ArgumentError, "up to three"),
    "empty grid": (lambda: adds[0, 8], errors.BadGrid, "a grid of 0 blocks"),
    "negative grid": (lambda: adds[(-2, -2), 8], errors.BadGrid, "-2 x -2"),
    "large grid": (lambda: adds[(256, 256), 8], errors.BadGrid, "256 x 256 blocks"),
    "empty block": (lambda: adds[8, 0], errors.BadThreads, "0 threads"),
    "large block": (lambda: adds[8, (32, 33)], errors.BadThreads, "32 x 33 = 1056 threads"),
    "checked": (lambda: adds.check[8], errors.ArgumentError, r"kernel\[grid, block\]"),
    "missing argument": (lambda: adds[1, 8](ONES), errors.WrongArguments, "'n' is missing"),
    "tensor as an argument": (lambda: with_tensor[1, 8](ONES), errors.WrongArguments, "only helpers take one"),
    "outside": (lambda: simt.syncthreads(), errors.OutsideKernel, "simt.syncthreads"),
    "index outside": (lambda: simt.threadIdx.x, errors.OutsideKernel, "simt.threadIdx.x"),
    "starting outside": (lambda: asc.vf_call(adds, 8, ONES, 1), errors.OutsideKernel, "vf_call"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.quick
def test_unknown_names_of_the_namespace() -> None:
    with pytest.raises(AttributeError, match="syncwarp"):
        simt.syncwarp
    with pytest.raises(AttributeError, match="w"):
        simt.threadIdx.w


# The run ------------------------------------------------------------------------------------------------------


@simt
def divides(x: asc.GlobalAddress, n: int):
    x[simt.threadIdx.x] = 100 // (n - simt.threadIdx.x)


@simt
def asserts(n: int):
    assert simt.threadIdx.x < n, "more threads than work"


@simt
def outside(x: asc.GlobalAddress, n: int):
    x[simt.threadIdx.x + n] = 1.0


@asc.jit(soc="ascend950")
def starts(x: asc.GlobalAddress, n: int):
    asc.vf_call(outside, n, x, 32)


@pytest.mark.parametrize(
    ("launch", "kind", "line", "words"),
    [
        (lambda: divides[1, 8](np.zeros(8, np.int32), 5), errors.TrapError, divides, "division by zero"),
        (lambda: asserts[1, 8](5), errors.TrapError, asserts, "more threads than work"),
        (lambda: outside[1, 64](np.zeros(64, np.float32), 1), errors.OutOfRange, outside, "element 64 of x"),
        (lambda: starts[1](np.zeros(64, np.float32), 64), errors.OutOfRange, outside, "element 64"),
    ],
)
def test_stops_in_the_run(launch, kind, line, words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        launch()
    source = line.source
    assert caught.value.at is not None
    assert caught.value.at.line == source.first_line + 2


def test_threads_of_the_run() -> None:
    """How many there are is tested in the run where only the run knows it."""
    for threads in (0, -3, 1025, 1 << 40):
        with pytest.raises(errors.RunError, match="threads") as caught:
            starts[1](np.zeros(64, np.float32), threads)
        assert caught.value.at is not None
        assert caught.value.at.line == starts.source.first_line + 2
