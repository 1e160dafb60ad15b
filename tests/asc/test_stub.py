"""The stub as an editor uses it: pyright takes right kernels, and finds the mistakes that people make."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from opwright import asc
from opwright.ascendc import words
from opwright.ascendc.row import NAMESPACES, SIMT
from opwright.ascendc.table import ROWS

STUB = Path(asc.__file__).with_suffix(".pyi")

RIGHT = '''\
"""What people write."""

from dataclasses import dataclass

from opwright import asc
from opwright.asc import simt

TILE = 64 * asc.float32.sizeof()


@dataclass
class Tiling:
    tile: asc.int32
    scale: asc.float16
    big: bool


@asc.jit
def middle(low: int, high: int) -> int:
    return (low + high) // 2


@asc.jit
def first(low, high):
    return low if low < high else high


@asc.jit(soc="ascend910b")
def right(x: asc.GlobalAddress, n: int, narrow: asc.int32, scale: float, tile: asc.ConstExpr[int], tiling: Tiling):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + n)
    x_gm.set_global_buffer(x + narrow, tile * 2)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, asc.ceildiv(tile, 2))
    other = asc.LocalTensor(x.dtype, addr=tiling.tile, tile_size=narrow)
    wide: asc.int64 = 3
    for i in asc.range(0, n, tiling.tile):
        asc.adds(local[i:], other(i), tiling.scale, tiling.tile + 1)
        asc.adds(dst=local, src=other, scalar=scale, count=1 + narrow)
        asc.data_copy(local, x_gm[wide:], middle(i, n))
        asc.adv.ceil(local, other, count=narrow, is_reuse_source=True)
    for i in asc.static_range(2):
        asc.set_flag(asc.HardEvent.MTE2_V, i)
        asc.wait_flag(asc.HardEvent.MTE2_V, first(i, 3))
    table = asc.array(asc.float32, (0.5, narrow, n))
    table[n] = asc.number(n, asc.uint8) + tiling.tile
    asc.inline("$0 += 1;", (n,), before_function=False)
    if x.dtype == asc.float16 and x.dtype.sizeof() == asc.half.sizeof():
        asc.printf("%d %f", narrow, scale)


@simt
def twice(number: float) -> float:
    return number * 2.0


@simt(max_threads=2048)
def threads(x: asc.GlobalAddress, y: asc.LocalTensor, n: int):
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x % simt.warpSize
    while i < n:
        y[i] = twice(x[i]) + x[i:][0]
        y[i] += 1
        i += simt.gridDim.y
    tile = simt.shared(asc.float32, 256)
    tile[0] = y[n] + tile[1:][n]
    simt.syncthreads()


@asc.jit(soc="ascend950")
def starts(x: asc.GlobalAddress, n: int):
    y = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.vf_call(threads, 1024, x, y[8:], n)
    asc.vf_call(threads, (32, n), x, y, n=3)
    y[3] = y[4]


threads[8, (4, 4)](None, None, 64)
threads.check[8, 256](None, None, 64)
right[8](None, 64, 3, 1.0, 64, Tiling(tile=64, scale=2.0, big=True))
right.emit("f16[64]", soc="ascend950")
'''

# Each line is a mistake of its own, and the only one in its line.
WRONG = [
    "asc.ad(local, local, local, 64)",  # misspelt
    "asc.add(local, local, 64)",  # an argument is missing
    "asc.add(local, local, local, 64, 64)",
    "asc.add(local, x_gm, local, 64)",  # global memory
    'asc.adds(local, local, "2", 64)',
    "asc.adds(local, local, 2, 6.5)",  # a count is an integer
    "asc.adds(local, local, 2, cuont=64)",
    "asc.set_flag(asc.PipeID.PIPE_V, 0)",  # another enumeration
    "asc.set_flag(asc.HardEvent.MTE2_X, 0)",
    "asc.LocalTensor(float, asc.TPosition.VECIN, 0, 64)",  # a Python type
    "asc.data_copy(x_gm, x_gm, 64)",  # no form
    "local.set_global_buffer(x)",
    "x_gm.set_global_bufer(x)",
    "local + local",
    "asc.int32.size()",
    "asc.jit(sco='ascend950')",
    "text: asc.int32 = 'a'",
    "asc.number(n, int)",
    "middle('a', 2)",  # a helper keeps its parameters
    "middle(1, 2).dtype",  # and its result
    "asc.adv.cel(local, local)",  # a module within
    "asc.adv.ceil(local, x_gm)",
    "asc.simt.syncthread()",
    "asc.simt.syncthreads(3)",
    "asc.simt.threadIdx.w",
    "asc.simt.threadIdx.x()",
    "asc.simt(thread_count=3)",
    "asc.simt.shared(float, 3)",
    "asc.vf_call(middle)",
    "asc.vf_call(middle, 'x', x)",
]
AROUND = '''\
"""What people mistype."""

from opwright import asc


@asc.jit
def middle(low: int, high: int) -> int:
    return (low + high) // 2


@asc.jit
def wrong(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
'''


def judge(file: Path) -> dict[int, str]:
    """Line -> what pyright says about it, as it comes: with nobody's settings."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(file)]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {entry["range"]["start"]["line"] + 1: entry["message"] for entry in found}


def test_right_kernels_pass(tmp_path: Path) -> None:
    file = tmp_path / "right.py"
    file.write_text(RIGHT)
    assert judge(file) == {}


def test_mistakes_are_found(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(AROUND + "".join(f"    {line}\n" for line in WRONG))
    found = judge(file)
    first = len(AROUND.splitlines()) + 1
    assert [line for number, line in enumerate(WRONG, first) if number not in found] == []
    assert min(found) >= first
    assert "ad" in found[first]


def test_every_form_is_shown_and_explained() -> None:
    """As many definitions as forms that differ in Python, with the row's words for each."""
    files = {"": "__init__", SIMT: "_simt"}
    trees = {space: ast.parse(STUB.with_stem(files.get(space, space)).read_text()) for space in ("", *NAMESPACES)}
    for name, row in ROWS.items():
        tree, owner = trees[row.space], row.owner.rpartition(".")[2]
        if words.is_class(row):
            owner = row.short
        if row.space == SIMT:
            owner = "Simt"
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        body = classes[owner].body if owner else tree.body
        own = "__init__" if words.is_class(row) else row.short
        defined = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == own]
        docs = [ast.get_docstring(node, clean=False) or "" for node in defined]
        elements = own == "__getitem__"  # what stands between brackets may be a slice or an index
        assert len(defined) == len({words.signature(row, form) for form in row.forms}) + elements, name
        assert all(doc.startswith(row.doc) for doc in docs), name
        for form in row.forms:
            named = [
                f"{parameter.name}: " for parameter in form.parameters if parameter.name != "self" and not row.fields
            ]
            named += [f"{variable}: {words.describe_dtype(kinds)}" for variable, kinds in row.dtypes_of(form).items()]
            assert any(all(text in doc for text in named) for doc in docs), (name, form.signature)


def test_every_name_is_in_the_stub() -> None:
    tree = ast.parse(STUB.read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            named |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            named.add(node.target.id)
        if isinstance(node, ast.ImportFrom):
            named |= {alias.asname for alias in node.names if alias.asname}
    assert set(asc.__all__) <= named
