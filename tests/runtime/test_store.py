"""What a look-up needs, what a change of our own sources has compiled again, and layers that are only read."""

import functools
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import opwright
from opwright.errors import UnsafeCache
from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Layer, Store
from opwright.twin import machine
from opwright.twin.target import Twin

pytestmark = pytest.mark.unchecked(reason="is about builds, not about kernels")

Python = Callable[..., subprocess.CompletedProcess[str]]
PACKAGE = Path(opwright.__file__).parent

KERNEL = """
import numpy as np
from opwright import asc

STEP = 3

@asc.jit
def stored(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm.set_global_buffer(z, 64)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(buf, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(buf, buf, STEP, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 64)

def run(kernel):
    x = np.arange(64, dtype=np.float32)
    z = np.full_like(x, -1)
    kernel[1](x, z)
    return (z - x)[0]
"""
LEVEL = "1"
MAIN = "\nprint(int(run(stored)))\n"


@pytest.fixture
def python(python: Python) -> Python:
    """As for all tests here, but always with one level, whatever that of a test is."""
    return functools.partial(python, OPWRIGHT_OPT_LEVEL=LEVEL)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that a process of its own has filled with the kernel above."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "module.py").write_text(KERNEL + MAIN, encoding="utf-8")
    environment = {**os.environ, "OPWRIGHT_CACHE_DIR": str(folder / "cache"), "OPWRIGHT_OPT_LEVEL": LEVEL}
    subprocess.run([sys.executable, str(folder / "module.py")], env=environment, check=True, timeout=120)
    return folder / "cache"


@pytest.fixture
def layer(tmp_path: Path, filled: Path) -> Path:
    """A copy of a filled store."""
    return Path(shutil.copytree(filled, tmp_path / "layer"))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(KERNEL + MAIN, encoding="utf-8")
    return path


@pytest.fixture
def nothing(tmp_path: Path) -> str:
    """A PATH without any program."""
    folder = tmp_path / "nothing"
    folder.mkdir()
    return str(folder)


def compiled(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Kernels that a process with OPWRIGHT_DEBUG=1 says that it compiled."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("opwright: compiled ")]
    return [line.split()[2].rstrip(":") for line in lines]


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


# What a look-up needs -----------------------------------------------------------------------------------------


def test_a_kernel_without_a_compiler(script: Path, python: Python, filled: Path, nothing: str) -> None:
    before = contents(filled)
    done = python(script, PATH=nothing, OPWRIGHT_CXX="", OPWRIGHT_CACHE_DIR=str(filled), OPWRIGHT_DEBUG="1")
    assert (done.stdout, compiled(done)) == ("3\n", [])
    assert contents(filled) == before


def test_an_operator_without_a_compiler(tmp_path: Path, python: Python, nothing: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import torch, opwright.ops\n"
        "from opwright.native.build import cpu_library, torch_library\n"
        "x = torch.linspace(-2, 2, 64)\n"
        "z = torch.ops.opwright.silu_and_mul(x)\n"
        "assert torch.allclose(z, torch.nn.functional.silu(x[:32]) * x[32:], atol=1e-6)\n"
        "from pathlib import Path\n"
        "print(cpu_library().source, '|', torch_library(Path(torch.__file__).parent).source)\n",
        encoding="utf-8",
    )
    assert python(path).stdout == "compiled on this machine | compiled on this machine\n"
    done = python(path, PATH=nothing)
    assert done.stdout == "compiled on this machine | compiled on this machine\n" and done.stderr == ""


def test_a_hit_writes_nothing_that_it_needs(script: Path, python: Python, layer: Path) -> None:
    """A disk that takes no byte more; digests of sources, which a checkout keeps, are not there yet."""
    shutil.rmtree(layer / "sources")
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    script.write_text(full + script.read_text(encoding="utf-8"), encoding="utf-8")
    done = python(script, OPWRIGHT_CACHE_DIR=str(layer), OPWRIGHT_DEBUG="1")
    assert (done.stdout, compiled(done)) == ("3\n", [])
    assert [path for path in layer.glob("sources/*") if path.suffix == ".json"] == []


OPENED = """
import sys

opened = []

def note(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        folder, _, name = arguments[0].rpartition("/")
        # A module is one file, whether Python has it compiled or not.
        opened.append(f"{folder.removesuffix('/__pycache__')}/{name.partition('.')[0]}")

sys.addaudithook(note)
"""


def test_files_that_a_hit_opens(tmp_path: Path, python: Python, filled: Path) -> None:
    """All files of ours count, of the store and of the package, and every file that is neither Python's nor NumPy's.

    Left out are the script itself and /proc/cpuinfo, which is on no disk.

    A look-up is what happens from the launch to the result: it reads manifests and blobs and imports modules. What
    `from opwright import asc` and `@asc.jit` import is counted with it in the second number.
    """
    path = tmp_path / "module.py"
    launch = """
begin = len(opened)
result = run(stored)
others = (sys.base_prefix, np.__path__[0], "/proc/", __file__.removesuffix(".py"))
ours = [name for name in opened if not name.startswith(others)]
looked_up = {name for name in opened[begin:] if name in ours}
print(int(result), len(looked_up), len(set(ours)), *sorted(looked_up), sep="\\n")
"""
    path.write_text(OPENED + KERNEL + launch, encoding="utf-8")
    python(path, OPWRIGHT_CACHE_DIR=str(filled))  # whatever a process writes once
    step, looked_up, whole, *names = python(path, OPWRIGHT_CACHE_DIR=str(filled)).stdout.splitlines()
    assert step == "3"
    assert int(looked_up) <= 20, names
    assert int(whole) <= 40
    assert sum("/cache/" in name for name in names) == 5, names  # sources, index, kernel, its object, the library


def test_a_compiler_that_is_gone(script: Path, tmp_path: Path, python: Python) -> None:
    """What it made stays right: its identity is that of the build, not of what is on the machine now."""
    wrapper = tmp_path / "cxx"
    wrapper.write_text('#!/bin/sh\nexec g++ "$@"\n')
    wrapper.chmod(0o755)
    environment = {"OPWRIGHT_CXX": str(wrapper), "OPWRIGHT_DEBUG": "1", "OPWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    assert compiled(python(script, **environment)) == ["stored"]
    wrapper.unlink()
    assert compiled(python(script, **environment)) == []


def test_other_machines_and_compilers_have_keys_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Twin().identity(Mode.FAST)
    assert Twin().identity(Mode.FAST) == here != Twin().identity(Mode.CHECKED)
    assert Twin().identity(Mode.PERTURBED) == Twin().identity(Mode.CHECKED) == Twin().identity(Mode.RECORDED)
    with settings.scope(compiler="clang++"):
        assert Twin().identity(Mode.FAST) != here
    with settings.scope(cpu="x86-64-v2"):
        plain = Twin().identity(Mode.FAST)
    monkeypatch.setattr(machine, "cpu_features", lambda: "flags: another")
    assert Twin().identity(Mode.FAST) != here
    with settings.scope(cpu="x86-64-v2"):
        assert Twin().identity(Mode.FAST) == plain  # a CPU with this name of features has them


# Changes of our own sources -----------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package that may be changed; PYTHONPATH names the folder that holds it."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, tmp_path / "copy" / "opwright", ignore=ignored))


def test_docstrings_and_comments_recompile_nothing(script: Path, python: Python, layer: Path, copied: Path) -> None:
    environment = {"OPWRIGHT_CACHE_DIR": str(layer), "OPWRIGHT_DEBUG": "1", "PYTHONPATH": str(copied.parent)}
    places = ["check/html.py", "frontend/compile.py", "ascendc/vec_unary.py", "runtime/compile.py", "twin/target.py"]
    for place in [*places, "kernel/program.py", "ir/language.py", "store/store.py", "operators/rms_norm.py"]:
        path = copied / place
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"""')
        path.write_text(text.replace('"""', '"""Said otherwise.\n\n', 1) + "\n# A comment.\n", encoding="utf-8")
    done = python(script, **environment)
    assert (done.stdout, compiled(done)) == ("3\n", [])
    assert ", front end " not in done.stderr
    # Code counts: the front end runs again. It makes the same text, so that the compiler does not.
    path = copied / "frontend" / "compile.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nADDED = 1\n", encoding="utf-8")
    done = python(script, **environment)
    assert (done.stdout, compiled(done)) == ("3\n", [])
    assert ", front end " in done.stderr


def libraries(store: Path) -> int:
    """How many libraries of the twin were compiled into a store."""
    return sum("library" in json.loads(path.read_bytes()) for path in (store / "objects").iterdir())


def test_a_header_recompiles_what_includes_it(tmp_path: Path, python: Python, copied: Path, cache_dir: Path) -> None:
    """The kernel that uses the chapter, not the other one, and never the library of the checked mode.

    The store of all tests, with that library in it, is a layer: what is compiled here goes to a store of its own.
    """
    path = tmp_path / "module.py"
    other = KERNEL[KERNEL.index("@asc.jit") : KERNEL.index("def run")].replace("stored", "other")
    calls = [
        "greatest = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 1024, 64)",
        "asc.whole_reduce_max(greatest, buf, 64, 1, 1, 1, 8)",
        "asc.exp(buf, buf, 64)",
    ]
    other = other.replace("asc.adds(buf, buf, STEP, 64)", "\n    ".join(calls))
    path.write_text(KERNEL + "\n" + other + "\nrun(stored)\nrun(other)\n", encoding="utf-8")
    environment = {"OPWRIGHT_CHECK": "1", "OPWRIGHT_DEBUG": "1"}
    python(path, **environment)
    own = tmp_path / "own"
    environment |= {"OPWRIGHT_CACHE_DIR": str(own), "OPWRIGHT_CACHE_LAYERS": str(cache_dir)}
    environment |= {"PYTHONPATH": str(copied.parent)}
    assert compiled(python(path, **environment)) == []
    include = copied / "twin" / "include" / "opwright"
    for header in (include / "generated" / "calls" / "vec_unary.h", include / "vec_reduce.h"):
        header.write_text(header.read_text() + "// Changed.\n")
        assert compiled(python(path, **environment)) == ["other"], header
    assert libraries(own) == 0 < libraries(cache_dir)
    assert compiled(python(path, **environment)) == []


def test_what_a_header_leaves_valid_needs_no_compiler(
    script: Path, python: Python, layer: Path, copied: Path, nothing: str
) -> None:
    header = copied / "twin" / "include" / "opwright" / "vec_reduce.h"
    header.write_text(header.read_text() + "// Changed.\n")
    environment = {"PATH": nothing, "OPWRIGHT_CXX": "", "PYTHONPATH": str(copied.parent), "OPWRIGHT_DEBUG": "1"}
    done = python(script, OPWRIGHT_CACHE_DIR=str(layer), **environment)
    assert (done.stdout, compiled(done)) == ("3\n", [])
    # What must be compiled says what it misses.
    text = script.read_text(encoding="utf-8").replace("asc.adds(", "asc.muls(")
    script.write_text(text, encoding="utf-8")
    done = python(script, check=False, OPWRIGHT_CACHE_DIR=str(layer), **environment)
    assert "no C++ compiler found for the twin (looked for g++, clang++)" in done.stderr


# Layers -------------------------------------------------------------------------------------------------------


def test_a_kernel_of_a_layer(script: Path, tmp_path: Path, python: Python, layer: Path, nothing: str) -> None:
    before = contents(layer)
    own = tmp_path / "own"
    layers = os.pathsep.join([str(tmp_path / "not there"), str(layer)])
    environment = {"OPWRIGHT_CACHE_DIR": str(own), "OPWRIGHT_CACHE_LAYERS": layers, "OPWRIGHT_DEBUG": "1"}
    done = python(script, PATH=nothing, **environment)
    assert (done.stdout, compiled(done)) == ("3\n", [])
    assert contents(layer) == before
    assert {path.name for path in own.iterdir()} <= {"sources"}


@pytest.mark.parametrize("kind", ["index", "kernels", "blobs"])
def test_a_damaged_file_of_a_layer(kind: str, script: Path, tmp_path: Path, python: Python, layer: Path) -> None:
    for path in (layer / kind).iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    before = contents(layer)
    own = tmp_path / "own"
    environment = {"OPWRIGHT_CACHE_DIR": str(own), "OPWRIGHT_CACHE_LAYERS": str(layer), "OPWRIGHT_DEBUG": "1"}
    done = python(script, **environment)
    # What a compiler made is found by its recipe where only a manifest is damaged.
    assert (done.stdout, compiled(done)) == ("3\n", ["stored"] if kind == "blobs" else [])
    assert contents(layer) == before
    assert len(list((own / "kernels").iterdir())) == 1 and not (own / "quarantine").exists()
    assert compiled(python(script, **environment)) == []


def test_a_layer_hides_nothing(script: Path, tmp_path: Path, python: Python, layer: Path) -> None:
    """Programs of the store itself and of a layer stay found side by side, though each has an index of its own."""
    environment = {"OPWRIGHT_CACHE_DIR": str(tmp_path / "own"), "OPWRIGHT_DEBUG": "1"}
    text = script.read_text(encoding="utf-8")
    branching = text.replace("asc.adds(buf, buf, STEP, 64)", "asc.adds(buf, buf, STEP if STEP != 4 else MORE, 64)")
    layers: dict[str, str] = {}
    for step, made in ((3, ["stored"]), (4, ["stored"]), (3, []), (4, [])):
        script.write_text(branching.replace("STEP = 3", f"STEP = {step}\nMORE = 9"), encoding="utf-8")
        done = python(script, **environment, **layers)
        assert (done.stdout, compiled(done)) == ("9\n" if step == 4 else "3\n", made)
        if not layers:
            # From here on what was built first is in a layer, whose index knows of STEP only.
            shutil.copytree(tmp_path / "own", tmp_path / "first")
            layers = {"OPWRIGHT_CACHE_LAYERS": str(tmp_path / "first")}
            shutil.rmtree(tmp_path / "own")


@pytest.mark.parametrize("place", ["", "blobs", "index"])
def test_a_layer_that_others_may_write_to(place: str, tmp_path: Path, layer: Path) -> None:
    (layer / place).chmod(0o777)
    (key,) = (path.stem for path in (layer / "index").iterdir())
    (blob,) = (path.stem for path in (layer / "blobs").glob("*.cpp"))
    with pytest.raises(UnsafeCache, match="may be written to by others"):
        store = Store(tmp_path / "own", [layer])
        list(store.manifests("index", key))
        store.find_blob(blob, ".cpp")


def test_a_layer_of_root_or_of_somebody_else(tmp_path: Path, layer: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    Store(tmp_path / "own", [layer])
    os.chown(layer, 12345, -1)
    with pytest.raises(UnsafeCache, match="belongs to user 12345, neither to you nor to root"):
        Store(tmp_path / "own", [layer])


def test_a_layer_that_may_not_be_read(layer: Path) -> None:
    """It counts as absent. Root may read everything, so that the test is somebody else for a moment."""
    (key,) = (path.stem for path in (layer / "index").iterdir())
    (blob,) = (path.stem for path in (layer / "blobs").glob("*.cpp"))
    open_to_us = Layer(layer)
    assert open_to_us.manifest("index", key) and open_to_us.blob(blob, ".cpp")
    layer.chmod(0)
    try:
        os.seteuid(os.getuid() or 65534)
        for closed in (open_to_us, Layer(layer)):
            assert (closed.manifest("index", key), closed.blob(blob, ".cpp")) == (None, None)
    finally:
        os.seteuid(os.getuid())
        layer.chmod(0o700)


@pytest.mark.parametrize("kind", ["file", "loop"])
def test_a_layer_that_is_no_directory(kind: str, tmp_path: Path) -> None:
    layer = tmp_path / kind
    if kind == "file":
        layer.write_text("")
    else:
        layer.symlink_to(layer)
    store = Store(tmp_path / "own", [layer])
    assert (list(store.manifests("index", "key")), store.find_blob("blob", ".cpp")) == ([], None)


def test_a_file_of_a_layer_that_may_not_be_read(tmp_path: Path, layer: Path) -> None:
    """A link to nowhere stands for it."""
    (path,) = (layer / "index").iterdir()
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    assert stat.S_ISLNK(path.lstat().st_mode)
    assert list(Store(tmp_path / "own", [layer]).manifests("index", path.stem)) == []
