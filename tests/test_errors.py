"""Every error: its whole message as a golden, short, about the user's code, and the same after a journey.

Each class of `opwright.errors` has a case here that raises it the way a user would meet it.
"""

import ast
import contextlib
import copy
import dataclasses
import inspect
import pickle
import re
import string
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opwright import asc, errors, host, tile
from opwright.ascendc.socs import SOCS
from opwright.emit.python.module import printed
from opwright.errors import Location, OpwrightError
from opwright.host.compiler.compile import compile_infer
from opwright.ir import ModuleOp, StringAttr
from opwright.ir.language import FuncOp, TripCountOp
from opwright.ir.types import INT
from opwright.kernel.options import Options
from opwright.kernel.source import source_of
from opwright.runtime.jit import JitFunction
from opwright.schema import parse
from opwright.settings import Settings, settings
from opwright.store.store import Store

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "opwright"
CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if inspect.isclass(value) and issubclass(value, OpwrightError) and value.__module__ == errors.__name__
}
TABLE = [1, 2]


def x(n: int = 64, dtype: object = np.float32) -> np.ndarray:
    return np.ones(n, dtype)


# Kernels that fail --------------------------------------------------------------------------------------------


LIMIT = 3


@asc.jit
def asserts():
    asc.static_assert(LIMIT > 10, "the limit is too low")


@asc.jit
def good(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(buf, x_gm, n)
    asc.data_copy(x_gm, buf, n)


@asc.jit
def copies(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    y_gm.set_global_buffer(y, 64)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(buf, x_gm, 64)
    asc.data_copy(y_gm, buf, 64)


@asc.jit
def has_no_cube_core():
    asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 64)


@asc.jit(kernel_type="vector")
def has_no_flags():
    asc.sync_all()


@asc.simt(max_threads=256)
def fills(x: asc.GlobalAddress):
    x[asc.simt.threadIdx.x] = 1


@asc.jit
def starts_threads(x: asc.GlobalAddress):
    asc.vf_call(fills, 64, x)


@asc.jit(soc="ascend950")
def starts_too_many(x: asc.GlobalAddress):
    asc.vf_call(fills, (32, 16), x)


@asc.jit(soc="ascend950")
def waits_for_threads():
    asc.simt.syncthreads()


@asc.jit
def tries(n: int):
    try:
        asc.trap()
    except ValueError:
        asc.trap()


@asc.jit
def misspells(n: int):
    count = n
    asc.set_flag(asc.HardEvent.MTE2_V, coutn)  # noqa: F821
    asc.wait_flag(asc.HardEvent.MTE2_V, count)


@asc.jit
def forgets(n: int):
    if n > 0:
        event = 1
    asc.set_flag(asc.HardEvent.MTE2_V, event)


@asc.jit
def changes(n: int):
    value = 1
    if n > 0:
        value = 0.5
    asc.printf("%f", value)


@asc.jit
def adds_text(n: int):
    asc.set_flag(asc.HardEvent.MTE2_V, n + "1")


@asc.jit
def adds_global(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.add(buf, x_gm, buf, 64)


@asc.jit
def adds_bytes():
    buf = asc.LocalTensor(asc.int8, asc.TPosition.VECCALC, 0, 64)
    asc.add(buf, buf, buf, 64)


@asc.jit
def breaks_a_rule():
    asc.set_flag(asc.HardEvent.MTE2_V, 99)


@asc.jit
def prints_too_little(n: int):
    asc.printf("%d of %d", n)


@asc.jit
def too_much():
    asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1 << 20)


@asc.jit
def reads_a_list(n: int):
    asc.set_flag(asc.HardEvent.MTE2_V, TABLE[0])


@asc.jit
def waits():
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)


@asc.jit
def leaves_a_mask():
    asc.set_vector_mask(8, asc.float32, asc.MaskMode.NORMAL)


@asc.jit
def adds_floats(a: asc.GlobalAddress):
    a_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a, 8)
    tile = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)
    asc.duplicate(tile, 1.0, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_add(asc.float32)
    asc.data_copy(a_gm, tile, 8)
    asc.set_atomic_none()


@asc.jit
def sets_twice():
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)


@asc.jit
def takes_from_an_empty_queue():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 64)
    queue.deque(asc.float32)


@asc.jit
def counts(x: asc.GlobalAddress, n: int):
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.adds(buf, buf, 1, n)


@asc.jit
def reads_nothing():
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.duplicate(local, 1.0, 32)
    asc.whole_reduce_sum(local, local, 64, 1, 1, 1, 8)


@asc.jit
def races(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(local, x_gm, 64)
    asc.adds(local, local, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, local, 64)


@asc.jit
def stops():
    asc.trap()


@asc.jit
def copies_a_tail(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    asc.data_copy(asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64), x_gm, n)


@asc.jit
def sets_and_copies(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    x_gm.set_value(3, 1.0)
    asc.data_copy(asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64), x_gm, 64)


@asc.jit
def squares(n: int):
    asc.printf("%d", n * n)


def warned(kernel: JitFunction, *arguments: object, cores: int = 1) -> None:
    """What a checked launch only warns of."""
    with pytest.warns(errors.CheckWarning):
        kernel.check[cores](*arguments)
    raise kernel.check.report().findings[0].error()


def no_source() -> None:
    scope: dict[str, object] = {"asc": asc}
    exec("@asc.jit\ndef made(n: int):\n    asc.printf('')\n", scope)
    scope["made"][1](1)


def read_only() -> None:
    array = x()
    array.flags.writeable = False
    good[1](array, 64)


def another_order() -> None:
    """The race is told first; this is what it does."""
    with contextlib.suppress(errors.RaceError):
        races.check(perturb=16)[1](x())
    raise races.check.report().findings[-1].error()


def grad() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    good[1](torch.ones(64, requires_grad=True), 64)


def negated() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    good[1](torch._neg_view(torch.ones(64)), 64)


def npu() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    stand_in = type("OnNpu", (torch.Tensor,), {"is_cpu": False, "device": torch.device("privateuseone:0")})
    good[1](torch.ones(64).as_subclass(stand_in), 64)


def meta() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    good[1](torch.ones(64, device="meta"), 64)


def takes_text(n: str):
    asc.printf("%d", n)


@dataclasses.dataclass
class Tiling:
    total: int
    rows: asc.uint8


@asc.jit
def takes_a_struct(tiling: Tiling):
    asc.printf("%d", tiling.rows)


@asc.jit
def scaled(value, factor):
    return value * factor


@asc.jit
def forgets_an_argument(n: int):
    asc.printf("%d", scaled(n))


def overlap() -> None:
    both = x(128)
    copies[1](both[:64], both[1:65])


def compile_failed() -> None:
    with settings.scope(cpu="no-such-cpu"):
        stops[1]()


def no_compiler() -> None:
    with settings.scope(compiler="no-such-compiler"):
        stops[1]()


def unsafe_cache(folder: Path) -> None:
    folder.chmod(0o777)
    Store(folder)


def cache_failed(folder: Path) -> None:
    (folder / "blobs").write_text("")
    Store(folder).save_blob(b"", ".so")


def bad_setting() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPWRIGHT_THREADS", "two")
        _ = Settings().threads


@asc.jit
def fills_what_it_watches():
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(1, 2, 4, is_vector_write=True, is_enable=True))
    asc.duplicate(a, 1.0, 64)


def leaves_before_a_barrier() -> None:
    @asc.simt
    def leaves(x: asc.GlobalAddress):
        i = asc.simt.threadIdx.x
        if i == 5:
            return
        asc.simt.syncthreads()
        x[i] = 1.0

    leaves[1, 64](x())


def shuffles_alone() -> None:
    @asc.simt
    def shuffles(x: asc.GlobalAddress):
        i = asc.simt.threadIdx.x
        if i == 5:
            x[i] = asc.simt.shfl(x[i], 0)
        asc.simt.syncthreads()

    shuffles[1, 64](x())


def given(error: OpwrightError) -> None:
    raise error


# Cases by class; those that only a fault of ours could raise are made by hand.
# Operators ----------------------------------------------------------------------------------------------------


def norm(**changed: object) -> object:
    """A call of an operator, and what is wrong with it."""
    import torch

    import opwright.ops

    right = {"x": torch.ones(2, 8), "weight": torch.ones(8), "epsilon": 1e-6}
    return opwright.ops.rms_norm(**{**right, **changed})


def refused_by(provider: str | int, **changed: object) -> object:
    import opwright

    with opwright.using("rms_norm", provider):
        return norm(**changed)


def doubles() -> object:
    import torch

    return torch.ones(2, 8, dtype=torch.float64)


def writes_with_a_gradient() -> object:
    import torch

    return norm(x=torch.ones(2, 8, requires_grad=True), out=torch.ones(2, 8))


def defines(schema: str) -> object:
    import torch

    from opwright.operators import operator

    return operator(schema, dtypes=(torch.float32,))


def defines_twice() -> object:
    import torch

    from opwright.operators import operator

    defines("test_errors::twice(Tensor x) -> Tensor")
    return operator("test_errors::twice(Tensor x, Tensor y) -> Tensor", dtypes=(torch.float32,))


def without_torch() -> object:
    import builtins
    import importlib.util

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
        return builtins.exec(compile((PACKAGE / "ops" / "__init__.py").read_text(), "ops", "exec"), {})


@asc.jit
def keeps_8_kb(n: int):
    a = asc.array(asc.int64, 1024)
    return a[n] + a[0]


@asc.jit
def keeps_16_kb(n: int):
    a = asc.array(asc.int64, 1024)
    return a[n] + keeps_8_kb(n)


@asc.jit
def full_stack(n: int):
    a = asc.array(asc.int64, 1024)
    b = asc.array(asc.int64, 1024)
    c = asc.array(asc.int8, 8)
    asc.printf("%d", a[n] + b[n] + c[0] + keeps_16_kb(n))


@asc.jit(outputs=("x",))
def writes_a_part(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(buf, 1.0, 64)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(x_gm, buf, 56)


@asc.jit
def sets_ahead(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    for i in range(2):
        buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, i * 256, 64)
        asc.data_copy(buf, x_gm, 64)
        asc.set_flag(asc.HardEvent.MTE2_V)
        asc.wait_flag(asc.HardEvent.MTE2_V)
        asc.adds(buf, buf, 1.0, 64)


def sets_again() -> None:
    """Told by the second turn."""
    sets_ahead.check[1](x())


CASES: dict[str, Callable[[], object]] = {
    "OperatorError": lambda: given(errors.OperatorError(message="text")),
    "BadValue": lambda: norm(variance_size=9),
    "BadType": lambda: norm(epsilon="small"),
    "NotSupported": writes_with_a_gradient,
    "ProviderRefused": lambda: refused_by("kernel", x=doubles()),
    "NoSuchOperator": lambda: __import__("opwright").explain("rms_nrm"),
    "NoSuchProvider": lambda: refused_by("asd"),
    "DefinedTwice": defines_twice,
    "BadDefinition": lambda: defines("rms_norm(Tensor x) -> Tensor"),
    "BadSchema": lambda: parse("mylib::scaled(Tensor x, flot factor) -> Tensor"),
    "NoTorch": without_torch,
    "OpwrightError": lambda: given(OpwrightError(message="something is wrong")),
    "KernelError": lambda: given(errors.KernelError(message="something is wrong with a kernel")),
    "NoSource": no_source,
    "SourceChanged": lambda: source_of(good.function, ["def other():\n", "    pass\n"] * 1000),
    "StaleCode": lambda: given(
        errors.StaleCode(name="kernel", file="kernels.py", line=4, cached="__pycache__/kernels.cpython-311.pyc")
    ),
    "NotAKernel": lambda: asc.jit(takes_text),
    "UnsupportedSyntax": lambda: tries.emit(1),
    "UnknownName": lambda: misspells.emit(1),
    "MaybeUnset": lambda: forgets.emit(1),
    "TypeChanged": lambda: changes.emit(1),
    "WrongType": lambda: adds_text.emit(1),
    "WrongCall": lambda: forgets_an_argument.emit(1),
    "NoForm": lambda: adds_global.emit("f32[64]"),
    "WrongDtype": lambda: adds_bytes.emit(),
    "RuleBroken": lambda: breaks_a_rule.emit(),
    "WrongFormat": lambda: prints_too_little.emit(1),
    "BeyondMemory": lambda: too_much.emit(),
    "WrongCore": lambda: has_no_cube_core.emit(),
    "NoCrossFlags": lambda: has_no_flags.emit(),
    "StackFull": lambda: full_stack.emit(1),
    "StaticAssertFailed": lambda: asserts.emit(),
    "WrongCaller": lambda: waits_for_threads.emit(),
    "NoThreads": lambda: starts_threads.emit("f32[64]", soc="ascend910b"),
    "BadThreads": lambda: starts_too_many.emit("f32[64]"),
    "OutsideKernel": lambda: asc.add(1, 2, 3, 4),
    "UnstableGlobal": lambda: reads_a_list.emit(1),
    "ArgumentError": lambda: good(x(), 64),
    "WrongArguments": lambda: good[1](x()),
    "BadField": lambda: takes_a_struct[1](Tiling(1, 300)),
    "NotAnArray": lambda: good[1]([1.0], 64),
    "NotContiguous": lambda: good[1](x(128)[::2], 64),
    "WrongRank": lambda: given(errors.WrongRank(kernel="softmax", name="x", rank=6, most=5)),
    "ReadOnlyArgument": read_only,
    "GradArgument": grad,
    "WrongByteOrder": lambda: good[1](x(64, ">f4"), 64),
    "UnsupportedDtype": lambda: good[1](x(64, np.float64), 64),
    "NotAStream": lambda: good[2, 2](x(), 64),
    "GridOutOfRange": lambda: good[0](x(), 64),
    "BadGrid": lambda: fills[(512, 256), 32](x()),
    "PartialOverlap": overlap,
    "NegatedArgument": negated,
    "NpuTensor": npu,
    "WrongDevice": meta,
    "BadOption": lambda: asc.jit(opt_level=4)(stops.function),
    "BadSetting": bad_setting,
    "UnknownSoc": lambda: good.emit("f32[64]", 64, soc="ascend310"),
    "RunError": lambda: given(
        errors.RunError(kernel="good", core="core 3", message="the twin could not get 4096 bytes of memory", hint="")
    ),
    "DeadlockError": lambda: waits[1](),
    "FlagError": lambda: sets_twice[1](),
    "FlagSetAgain": sets_again,
    "StateError": lambda: leaves_a_mask.check[1](),
    "QueueError": lambda: takes_from_an_empty_queue[1](),
    "OutOfRange": lambda: good[1](x(8), 64),
    "RuleError": lambda: counts[1](x(), -1),
    "TrapError": lambda: stops[1](),
    "DivergentBarrier": leaves_before_a_barrier,
    "MissingLanes": shuffles_alone,
    "RaceError": lambda: races.check[1](x()),
    "ScheduleDependent": another_order,
    "UninitialisedRead": lambda: reads_nothing.check[1](),
    "UnwrittenOutput": lambda: writes_a_part.check[1](x()),
    "WatchedAccess": lambda: fills_what_it_watches.check[1](),
    "CacheError": lambda: sets_and_copies.check[1](x()),
    "TruncatedCopy": lambda: warned(copies_a_tail, x(), 12),
    "FloatAtomic": lambda: warned(adds_floats, x(), cores=2),
    "ScalarOverflow": lambda: warned(squares, 1 << 33),
    "NoReport": lambda: asserts.check.report(),
    "NoCompiler": no_compiler,
    "CompileFailed": compile_failed,
    "KernelNotServed": lambda: given(
        errors.KernelNotServed(variant="total_float32", reason="it runs on cube cores", hint="use vector cores")
    ),
    "TargetTaken": lambda: given(errors.TargetTaken(name="twin", known="mine.Twin", new="opwright.twin.target.Twin")),
    "FrontEndTaken": lambda: given(
        errors.FrontEndTaken(name="asc", known="opwright.runtime.compile.AscFrontEnd", new="mine.FrontEnd")
    ),
    "UnknownFrontEnd": lambda: given(errors.UnknownFrontEnd(name="mine", known="asc")),
    "TargetRefused": lambda: given(errors.TargetRefused(kernel="vadd", target="emit", reason="has no checked mode")),
    "CorruptArtefact": lambda: given(errors.CorruptArtefact(path="/cache/blobs/0123.so")),
}


@asc.jit
def sums_without_a_pipe(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.reduce_sum(a, a, a, 64)


@asc.jit
def places_past_its_pipe(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 256)
    work = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4096, 64)
    asc.add(work, work, work, 64)


CASES["MixedPlacement"] = lambda: places_past_its_pipe.emit("f32[64]", soc="ascend910b")


@asc.jit
def sets_and_ends(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    x_gm.set_value(3, 1.0)


def never_cleans() -> None:
    sets_and_ends.check[1](x())
    raise sets_and_ends.check.report().uncleaned[0].error()


@asc.jit
def backwards(x: asc.StridedAddress):
    pass


CASES["BadStrides"] = lambda: backwards[1](x()[::-1])
CASES["UncleanedOutput"] = never_cleans
CASES["NeedsPipe"] = lambda: sums_without_a_pipe.emit("f32[64]", soc="ascend910b")


@asc.jit
def doubles_too_much():
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 0, 128)
    asc.duplicate(a, 60000.0, 128)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.add(a, a, a, 128)


def assumes() -> None:
    doubles_too_much.check[2]()
    raise doubles_too_much.check.report().assumed[0].error()


CASES["AssumedResult"] = assumes


@asc.jit
def fills_both():
    one = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    other = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 128, 64)
    asc.duplicate(one, 1.0, 64)
    asc.duplicate(other, 2.0, 64)
    asc.adds(one, one, 1.0, 64)


CASES["OverlapError"] = lambda: fills_both.check[1]()


def prints_what_is_no_python() -> None:
    """The count of a loop's iterations, which nothing loops over."""
    kernel = FuncOp("kernel", [("n", INT)])
    (n,) = kernel.body.block.args
    count = TripCountOp(n, n, n)
    count.attributes |= {"at": StringAttr("2:4"), "variable": StringAttr("count")}
    kernel.body.block.add_op(count)
    printed(ModuleOp([kernel]), SOCS["ascend910b"], Options())


CASES["NotPrintable"] = prints_what_is_no_python


def infers_by_a_comprehension(x: host.Tensor) -> host.Tensor:
    return host.dense(tuple(size + 1 for size in x.shape), x.dtype)


CASES["NotForHost"] = lambda: compile_infer("longer", infers_by_a_comprehension, {"x": "tensor"}, 1)


@tile.jit
def carries(x: tile.Tensor, y: tile.Tensor):
    total = tile.zeros((64,))
    for row in tile.parallel(x.shape[0]):
        total = total + x[row, tile.whole(x.shape[1], 64)]
    y[tile.span(0, 64)] = total


@tile.jit
def slices(x: tile.Tensor):
    for i in range(2):
        x[i : 4 * i + 2]


@tile.jit
def mixes_types(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 16):
        x[i] + y[i]  # where Python 3.10 sets the caret, too


@tile.jit
def mixes_shapes(x: tile.Tensor):
    weight = tile.full((32,), 0.5)
    for i in tile.parallel(x.shape[0], 16):
        x[i] * weight


@tile.jit
def reads_what_it_writes(x: tile.Tensor):
    for i in tile.parallel(x.shape[0], 16):
        x[i] = x[i] * x[0]


@tile.jit
def assumes_64(x: tile.Tensor):
    tile.assume(x.shape[0] % 64 == 0)


@tile.jit
def takes_32(x: tile.Tensor):
    tile.whole(x.shape[0], 32)


@tile.jit
def loads_rows(x: tile.Tensor):
    x[tile.span(0, 4), :]


@tile.jit
def calls_a_helper(x: tile.Tensor):
    tile.call(abs, x[tile.span(0, 4)], out=((4,), tile.float32))


@asc.jit
def sets_a_flag(x: asc.LocalTensor, y: asc.LocalTensor):
    asc.set_flag(asc.HardEvent.V_MTE3)


@tile.jit
def calls_a_helper_with_a_flag(x: tile.Tensor):
    for i in tile.parallel(x.shape[0], 4):
        x[i] = tile.call(sets_a_flag, x[i], out=((4,), tile.float32))


@tile.jit
def takes_much(x: tile.Tensor, SIZE: tile.constexpr = 1 << 20):
    for i in tile.parallel(x.shape[0], SIZE):
        x[i] = x[i] * 2.0


@tile.jit
def sums_rows_of_products(x: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        s = tile.dot(x[rows, cols], x[cols, cols]) * 2.0
        y[rows, cols] = s + s.sum(axis=0, keepdims=True)


@tile.jit
def goes_to_and_fro(x: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        w = x[cols, cols]
        a = tile.exp(tile.dot(x[rows, cols], w)).to(x.dtype)
        b = tile.exp(tile.dot(a, w)).to(x.dtype)
        c = tile.exp(tile.dot(b, w)).to(x.dtype)
        d = tile.exp(tile.dot(c, w)).to(x.dtype)
        e = tile.exp(tile.dot(d, w)).to(x.dtype)
        y[rows, cols] = tile.exp(tile.dot(e, tile.exp(w)))


CASES |= {
    "NotSplit": lambda: sums_rows_of_products.emit("f16[16, 16]", "f32[16, 16]"),
    "TooManyMessages": lambda: goes_to_and_fro.emit("f16[16, 16]", "f32[16, 16]"),
    "CarriedByParallel": lambda: carries.numpy(x(64).reshape(1, 64), x()),
    "NotForVector": lambda: calls_a_helper_with_a_flag.emit("f32[64]"),
    "NotAnIndex": lambda: slices.numpy(x()),
    "TileDtype": lambda: mixes_types.numpy(x(), x(dtype=np.int32)),
    "TileShape": lambda: mixes_shapes.numpy(x()),
    "WrittenAndRead": lambda: reads_what_it_writes.numpy(x()),
    "AssumptionBroken": lambda: assumes_64.numpy(x(100)),
    "SpanTooLong": lambda: takes_32.numpy(x()),
    "LastStride": lambda: loads_rows.numpy(x().reshape(8, 8).T),
    "TileNotBuilt": lambda: calls_a_helper.numpy(x()),
    "TileTooLarge": lambda: takes_much.emit("f32[64]"),
}
IN_FOLDER: dict[str, Callable[[Path], object]] = {"UnsafeCache": unsafe_cache, "CacheFailed": cache_failed}


def caught(name: str, tmp_path: Path) -> OpwrightError:
    if name not in CASES and name not in IN_FOLDER:
        pytest.fail(f"{name} has no case: add one to CASES that raises it as a user would meet it", pytrace=False)
    case = CASES.get(name) or (lambda: IN_FOLDER[name](tmp_path))
    with pytest.raises(CLASSES[name]) as raised:
        case()
    assert type(raised.value) is CLASSES[name]
    return raised.value


def steady(text: str, *folders: Path) -> str:
    """The message without what differs between machines and edits of this file."""
    for folder in folders:
        text = text.replace(str(folder), "<folder>")
    text = text.replace(__file__, "<file>")
    text = re.sub(r"<file>:\d+", "<file>:<line>", text)
    text = re.sub(r"\(line \d+\)", "(line <line>)", text)
    text = re.sub(r"(?<=, )lines( \d+,)+", "lines <lines>,", text)
    text = re.sub(r"^(?:\d+| +)(?= \|)", "  ", text, flags=re.MULTILINE)
    return re.sub(r"^\S*(?:g\+\+|clang).*(?= could not compile)", "<compiler>", text)


@pytest.mark.parametrize("run", [lambda: misspells.emit(1), lambda: waits[1](), lambda: good[1](x())])
def test_our_frames_are_hidden(run: Callable[[], object]) -> None:
    """The user sees the call and one frame of ours, not the way through the compiler; a debugger of ours sees all."""
    frames = []
    for debug in (0, 1):
        with settings.scope(debug=debug), pytest.raises(OpwrightError) as caught:
            run()
        files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
        frames.append(sum("opwright" in Path(file).parts for file in files))
    assert frames[0] == 1 < frames[1]


@pytest.mark.quick
def test_every_class_has_a_case() -> None:
    assert {*CASES, *IN_FOLDER} == CLASSES.keys()


@pytest.mark.parametrize("name", CLASSES)
def test_message(name: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    error = caught(name, tmp_path)
    text = str(error)
    lines = text.splitlines()
    assert len(lines) < 15
    assert all(line.strip() for line in lines)
    assert str(PACKAGE) not in text and "src/opwright" not in text
    assert "{" not in text and "None" not in text
    if name == "CompileFailed":  # the compiler's words are its own
        assert lines[0].endswith("could not compile a kernel:") and "no-such-cpu" in text
        text = "\n".join([lines[0], "<output>", lines[-1]])
    golden(f"errors/{name}.txt", steady(text, tmp_path) + "\n")


def places() -> list[str]:
    """Classes whose case has a place in the user's file."""
    made = ("OpwrightError", "KernelError", "RunError", "NoSource", "SourceChanged", "StaleCode", "OutsideKernel")
    return [
        name
        for name, kind in CLASSES.items()
        if issubclass(kind, (errors.KernelError, errors.RunError)) and name not in made
    ]


@pytest.mark.parametrize("name", places())
def test_place(name: str, tmp_path: Path) -> None:
    """Errors of a kernel and of a run show the file, the line and a caret below the place."""
    error = caught(name, tmp_path)
    assert error.at is not None
    assert error.at.file == __file__
    line = Path(__file__).read_text(encoding="utf-8").splitlines()[error.at.line - 1]
    shown = str(error).splitlines()
    index = next(i for i, text in enumerate(shown) if text.endswith(f"| {line}"))
    start = shown[index].index("| ") + 2
    assert shown[index + 1].index("^") == start + error.at.column
    assert shown[index].index("| ") == shown[index + 1].index("| ")
    assert not line[error.at.column].isspace()


@pytest.mark.parametrize("name", CLASSES)
def test_journeys(name: str, tmp_path: Path) -> None:
    """Errors go from a worker to its master by pickle: text, class, fields and place arrive."""
    error = caught(name, tmp_path)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        arrived = pickle.loads(pickle.dumps(error, protocol))
        assert type(arrived) is type(error)
        assert str(arrived) == str(error)
        assert (arrived.at, arrived.fields) == (error.at, error.fields)
    assert str(copy.copy(error)) == str(error)
    assert repr(error).startswith(f"{name}(")


def test_between_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from opwright import asc\n\n\n@asc.jit\ndef stops():\n    asc.trap()\n\n\ndef run(cores):\n"
        "    stops[cores]()\n\n\nif __name__ == '__main__':\n    import concurrent.futures, multiprocessing\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:\n"
        "        print(pool.submit(run, 2).exception(), type(pool.submit(run, 2).exception()).__name__)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True)
    place = f"  --> {script}:6:5\n  |\n6 |     asc.trap()\n  |     ^"
    assert done.stdout == f"stops, core 0: stopped by asc.trap()\n{place} TrapError\n"


# The machinery ------------------------------------------------------------------------------------------------


def fields(kind: type[OpwrightError]) -> set[str]:
    """The fields that a class's text and hint name."""
    return {name for _, name, _, _ in string.Formatter().parse(kind.text + kind.hint_text) if name}


def test_every_raise_gives_every_field() -> None:
    """A field left out would be a KeyError at the worst moment."""
    wrong, seen = [], set()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                kind = CLASSES.get(node.func.id)
                if kind is None:
                    continue
                seen.add(kind.__name__)
                names = {keyword.arg for keyword in node.keywords}
                if names != fields(kind):
                    wrong.append(f"{path.name}:{node.lineno}: {kind.__name__} {sorted(names ^ fields(kind))}")
    assert wrong == []
    # RunError and those below it are raised through a table, GradArgument through a range.
    run = {name for name, kind in CLASSES.items() if issubclass(kind, errors.RunError)}
    assert CLASSES.keys() - seen - run == {
        "OpwrightError",
        "KernelError",
        "OperatorError",
        "GradArgument",
    }


@pytest.mark.quick
def test_every_error_class_is_in_one_file() -> None:
    def walk(kind: type) -> set[type]:
        return {kind}.union(*map(walk, kind.__subclasses__()))

    assert {kind.__module__ for kind in walk(OpwrightError)} == {errors.__name__}


@pytest.mark.quick
def test_location() -> None:
    at = Location(__file__, 1, 3, (Location("a.py", 5, 0), Location("b.py", 6, 1)))
    text = str(OpwrightError(at, message="text"))
    first = Path(__file__).read_text(encoding="utf-8").splitlines()[0]
    assert text == (
        f"text\n  --> {__file__}:1:4\n  |\n1 | {first}\n  |    ^\n  called from b.py:6:2\n  called from a.py:5:1"
    )


@pytest.mark.quick
def test_location_in_a_file_that_is_gone(tmp_path: Path) -> None:
    text = str(OpwrightError(Location(str(tmp_path / "gone.py"), 7, 0), message="text"))
    assert text == f"text\n  --> {tmp_path}/gone.py:7:1"


@pytest.mark.quick
def test_caret_below_tabs(tmp_path: Path) -> None:
    path = tmp_path / "tabs.py"
    path.write_text("if x:\n\ty = z\n")
    text = str(OpwrightError(Location(str(path), 2, 5), message="text"))
    assert text.splitlines()[-1] == "  | \t    ^"


@pytest.mark.quick
def test_braces_in_fields() -> None:
    assert str(errors.ArgumentError(kernel="k", message="{kernel} {0} %s")) == "k: {kernel} {0} %s"
