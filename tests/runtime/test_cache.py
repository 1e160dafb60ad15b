"""The store of compiled kernels: what is compiled again and what is not, and what happens to bad files."""

import errno
import hashlib
import importlib.util
import itertools
import json
import math
import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opwright.errors import BadSetting, CacheFailed, CompileFailed, NoCompiler, TrapError, UnsafeCache, UnstableGlobal
from opwright.settings import settings
from opwright.store.store import Store

pytestmark = pytest.mark.unchecked(reason="is about builds, not about kernels")

Python = Callable[..., subprocess.CompletedProcess[str]]

KERNEL = """
import numpy as np
from opwright import asc

STEP = 3

@asc.jit
def plus(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    if n == 0:
        asc.trap()  # <trap>
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(buf, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(buf, buf, STEP, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, n)
"""

LAUNCH = '''
def step_of(kernel):
    """What the kernel adds."""
    x = np.arange(64, dtype=np.int32)
    z = np.full_like(x, -1)
    kernel[1](x, z, 64)
    (step,) = set(z - x)
    return int(step)
'''

MAIN = """
if __name__ == "__main__":
    print(step_of(plus))
"""

# Manifests of a store with one kernel: one of each, but two objects and lists of headers, for the twin's library too.
KINDS = ("index", "programs", "kernels", "includes", "objects", "sources", "toolchains")
_numbers = itertools.count()


def load(path: Path, text: str) -> ModuleType:
    """A module of its own from a text."""
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"cached_{next(_numbers)}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that a process of its own has filled with the kernel above."""
    folder = tmp_path_factory.mktemp("template")
    path = folder / "module.py"
    path.write_text(KERNEL + LAUNCH + MAIN, encoding="utf-8")
    environment = {**os.environ, "OPWRIGHT_CACHE_DIR": str(folder / "cache")}
    subprocess.run([sys.executable, str(path)], env=environment, check=True, timeout=60, capture_output=True)
    return folder / "cache"


@pytest.fixture
def seeded(tmp_path: Path, template: Path) -> Path:
    """A cache with the twin's library, which takes a while to compile, and no kernel."""
    folder = tmp_path / "cache"
    shutil.copytree(template, folder)
    for kind in ("index", "programs", "kernels", "locks"):
        shutil.rmtree(folder / kind)
    for path in (folder / "objects").iterdir():
        if "text" in json.loads(path.read_bytes()):
            path.unlink()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """An empty cache for this process."""
    folder = tmp_path / "cache"
    with settings.scope(cache_dir=folder):
        yield folder


def kernels(store: Path) -> dict[str, dict[str, object]]:
    """The kernels in a store: manifests by name of file."""
    folder = store / "kernels"
    return {path.name: json.loads(path.read_bytes()) for path in folder.iterdir()} if folder.exists() else {}


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def compiled(done: subprocess.CompletedProcess[str]) -> int:
    """How many kernels a process with OPWRIGHT_DEBUG=1 says that it compiled."""
    return done.stderr.count("opwright: compiled ")


# What is compiled again ---------------------------------------------------------------------------------------


def test_lines_above_a_kernel_do_not_count(tmp_path: Path, python: Python, seeded: Path) -> None:
    trap = "\nplus[1](np.zeros(8, np.int32), np.zeros(8, np.int32), 0)\n"
    environment = {"OPWRIGHT_CACHE_DIR": str(seeded), "OPWRIGHT_DEBUG": "1"}
    path = tmp_path / "module.py"
    for inserted in (0, 10):
        path.write_text("# moved\n" * inserted + KERNEL + trap, encoding="utf-8")
        done = python(path, check=False, **environment)
        assert compiled(done) == (1 if inserted == 0 else 0), done.stderr
        lines = path.read_text(encoding="utf-8").splitlines()
        (line,) = [i for i, text in enumerate(lines, 1) if text.endswith("# <trap>")]
        assert f"{path}:{line}:9" in done.stderr
        assert f"{line} |         asc.trap()  # <trap>" in done.stderr
    assert len(kernels(seeded)) == 1


def test_lines_above_a_kernel_in_one_process(tmp_path: Path, store: Path) -> None:
    for inserted in (0, 10):
        module = load(tmp_path / f"module{inserted}.py", "# moved\n" * inserted + KERNEL + LAUNCH)
        with pytest.raises(TrapError) as caught:
            module.plus[1](np.zeros(8, np.int32), np.zeros(8, np.int32), 0)
        lines = (tmp_path / f"module{inserted}.py").read_text(encoding="utf-8").splitlines()
        assert lines[caught.value.at.line - 1].endswith("# <trap>")
        assert len(kernels(store)) == 1


def test_a_kernel_whose_own_text_changes_is_compiled_again(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "a.py", KERNEL + LAUNCH)
    assert module.step_of(module.plus) == 3
    module = load(tmp_path / "b.py", KERNEL.replace("STEP, n)", "STEP + 1, n)") + LAUNCH)
    assert module.step_of(module.plus) == 4
    assert len(kernels(store)) == 2


def test_a_changed_global(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    for step, count in ((3, 1), (4, 2), (3, 2), (4, 2)):
        module.STEP = step
        assert module.step_of(module.plus) == step
        assert module.step_of(module.plus) == step
        assert len(kernels(store)) == count


def test_a_changed_global_across_processes(tmp_path: Path, python: Python, seeded: Path) -> None:
    environment = {"OPWRIGHT_CACHE_DIR": str(seeded), "OPWRIGHT_DEBUG": "1"}
    path = tmp_path / "module.py"
    for step, expected in ((3, 1), (4, 1), (3, 0), (4, 0)):
        path.write_text(KERNEL.replace("STEP = 3", f"STEP = {step}") + LAUNCH + MAIN, encoding="utf-8")
        done = python(path, **environment)
        assert done.stdout == f"{step}\n"
        assert compiled(done) == expected


def test_a_global_that_becomes_equal_but_not_the_same(tmp_path: Path, store: Path) -> None:
    """0.0 == -0.0 and 1 == True, but a kernel made from one is not made from the other."""
    text = """
        import numpy as np
        from opwright import asc

        VALUE = 0.0
        PAIR = (1, 2)

        @asc.jit
        def fill(z: asc.GlobalAddress):
            z_gm = asc.GlobalTensor()
            z_gm.set_global_buffer(z, 16)
            buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 16)
            asc.duplicate(buf, VALUE, 8)
            asc.duplicate(buf[8:], PAIR[0] / 4, 8)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(z_gm, buf, 16)

        def bits():
            z = np.full(16, np.nan, np.float32)
            fill[1](z)
            return z[[0, 8]].tolist()
    """
    module = load(tmp_path / "module.py", text)
    for value in (0.0, -0.0, 0.0):
        module.VALUE = value
        got, quarter = module.bits()
        assert (got, math.copysign(1, got), quarter) == (0, math.copysign(1, value), 0.25)
    module.PAIR = (2.0, 2)
    assert module.bits()[1] == 0.5


def test_a_global_enumeration_whose_value_changes(tmp_path: Path, store: Path) -> None:
    text = (
        "import enum\n" + KERNEL.replace("STEP = 3", "class Mode(enum.IntEnum):\n    A = 3\n\nSTEP = Mode.A") + LAUNCH
    )
    for value in (3, 4):
        module = load(tmp_path / f"module{value}.py", text.replace("A = 3", f"A = {value}"))
        assert module.step_of(module.plus) == value


def test_a_global_through_a_module(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ModuleType("opwright_test_config")
    config.STEP = 5
    monkeypatch.setitem(sys.modules, "opwright_test_config", config)
    text = KERNEL.replace("STEP = 3", "import opwright_test_config as config").replace("STEP", "config.STEP") + LAUNCH
    module = load(tmp_path / "module.py", text)
    for step, count in ((5, 1), (6, 2), (5, 2)):
        config.STEP = step
        assert module.step_of(module.plus) == step
        assert len(kernels(store)) == count
    config.UNRELATED = 1
    assert module.step_of(module.plus) == 5
    assert len(kernels(store)) == 2


def test_a_closure_cell(tmp_path: Path, store: Path) -> None:
    body = textwrap.indent(KERNEL.split("STEP = 3")[1], "    ")
    text = f"{KERNEL.split('STEP = 3')[0]}\ndef make(STEP):{body}\n    return plus\n{LAUNCH}"
    module = load(tmp_path / "module.py", text)
    made = [module.make(step) for step in (7, 8, 7)]
    assert [module.step_of(kernel) for kernel in made] == [7, 8, 7]
    assert [module.step_of(kernel) for kernel in made] == [7, 8, 7]
    assert len(kernels(store)) == 2


@pytest.mark.parametrize("value", ["[3]", "np.array(3)", "{'a': 3}", "object()", "np.int32(3)"])
def test_a_global_without_a_stable_hash(value: str, tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL.replace("STEP = 3", f"STEP = {value}") + LAUNCH)
    with pytest.raises(UnstableGlobal, match=r"'STEP' is a .*a kernel can only use numbers") as caught:
        module.step_of(module.plus)
    assert "hint: pass it as an argument" in str(caught.value)
    assert kernels(store) == {}
    module.STEP = 9
    assert module.step_of(module.plus) == 9


def test_a_global_that_loses_its_stable_hash(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    assert module.step_of(module.plus) == 3
    module.STEP = [3]
    with pytest.raises(UnstableGlobal):
        module.step_of(module.plus)


def test_the_key_is_the_same_everywhere(tmp_path: Path, python: Python) -> None:
    """Neither the seed of hashes, nor the directory, nor the name and place of the file, nor what else is imported."""
    extra = "import decimal, opwright.frontend.compile, opwright.twin.build"
    before = ""
    for number, (seed, first) in enumerate((("0", ""), ("1", extra))):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        path = folder / f"module{number}.py"
        path.write_text(f"{first}\n{before}" + KERNEL + LAUNCH + MAIN, encoding="utf-8")
        cache = folder / "cache"
        assert python(path, cwd=folder, PYTHONHASHSEED=seed, OPWRIGHT_CACHE_DIR=str(cache)).stdout == "3\n"
        before = "OTHER = 1\n" * 7
    names, others = (
        {name for kind in KINDS for name in files(tmp_path / folder / kind)}
        for folder in ("folder0/cache", "folder1/cache")
    )
    assert len(names) == 10  # the toolchain twice: by its compiler, and as the last one that was used
    assert names == others


def test_options_and_socs_are_part_of_the_key(tmp_path: Path, store: Path) -> None:
    text = KERNEL + LAUNCH
    marks = ["@asc.jit", '@asc.jit(soc="ascend910_93")', '@asc.jit(soc="ascend950")', "@asc.jit(may_overlap=True)"]
    for count, mark in enumerate(marks, 1):
        module = load(tmp_path / f"module{count}.py", text.replace("@asc.jit", mark))
        assert module.step_of(module.plus) == 3
        assert len(kernels(store)) == count


# What is stored -----------------------------------------------------------------------------------------------


def test_manifest_and_text(tmp_path: Path, store: Path) -> None:
    """The text that is printed, hashed, kept and handed to the compiler is one and the same."""
    seen = tmp_path / "seen"
    seen.mkdir()
    wrapper = tmp_path / "cxx"
    wrapper.write_text(
        '#!/bin/sh\nfor word in "$@"; do case "$word" in *entry.cpp) '
        f'cp "${{word%entry.cpp}}kernel.cpp" {seen}/;; esac; done\n'
        'exec g++ "$@"\n'
    )
    wrapper.chmod(0o755)
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with settings.scope(compiler=str(wrapper)):
        assert module.step_of(module.plus) == 3
    (handed,) = seen.iterdir()
    ((name, manifest),) = kernels(store).items()
    digest = hashlib.sha256(handed.read_bytes()).hexdigest()
    emitted = module.plus.emit("i32[64]", "i32[64]", 64)
    assert digest == manifest["text"] == hashlib.sha256(emitted.encode()).hexdigest()
    assert (store / "blobs" / f"{digest}.cpp").read_bytes() == handed.read_bytes()
    assert manifest["name"] == "plus" and manifest["soc"] == "ascend910b"
    assert manifest["captures"] and "STEP" in manifest["captures"]
    assert manifest["types"] == [["x", "int32"], ["z", "int32"], ["n", "int"]]
    assert manifest["argument_use"] == {"x": [True, False], "z": [False, True]}
    # The source map: the text's line of Trap leads to the Python line of asc.trap(), counted from the kernel's start.
    lines = handed.read_text().splitlines()
    (trap,) = [i for i, line in enumerate(lines, 1) if "Trap()" in line]
    source = KERNEL[KERNEL.index("@asc.jit") :].splitlines()
    line, column = map(int, manifest["places"][str(trap)][0].split(":"))
    assert source[line - 1][column:].startswith("asc.trap()")
    assert str(tmp_path) not in (store / "kernels" / name).read_text()
    blob = store / "blobs" / f"{manifest['blobs']['aiv.so']}.so"
    assert hashlib.sha256(blob.read_bytes()).hexdigest() == manifest["blobs"]["aiv.so"]


def test_files_and_their_modes(tmp_path: Path, python: Python) -> None:
    """All is below the cache directory, nothing is a pickle, nobody else may read or write it."""
    home = tmp_path / "home"
    home.mkdir()
    path = tmp_path / "module.py"
    path.write_text(KERNEL + LAUNCH + MAIN, encoding="utf-8")
    before = files(tmp_path)
    cache = tmp_path / "deep" / "cache"
    environment = {"HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    old = os.umask(0)
    try:
        python(path, OPWRIGHT_CACHE_DIR=str(cache), **environment)
    finally:
        os.umask(old)
    new = files(tmp_path) - before
    assert new and all(name.startswith("deep/cache/") for name in new)
    assert {Path(name).parts[2] for name in new} == {*KINDS, "blobs", "locks"}
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    for found in cache.rglob("*"):
        assert stat.S_IMODE(found.stat().st_mode) in (0o700, 0o600), found
        if found.suffix == ".json":
            json.loads(found.read_bytes())
        elif found.is_file():
            assert found.suffix in (".so", ".cpp", "") and not found.read_bytes().startswith(b"\x80")
    assert files(cache / "work") == set()


def test_default_directory(tmp_path: Path, python: Python) -> None:
    path = tmp_path / "module.py"
    path.write_text("from opwright.settings import settings; print(settings.cache_dir)", encoding="utf-8")

    def where(**environment: str) -> str:
        return python(path, OPWRIGHT_CACHE_DIR="", **environment).stdout.strip()

    assert where(HOME="/home/x", XDG_CACHE_HOME="") == "/home/x/.cache/opwright"
    assert where(XDG_CACHE_HOME="/xdg") == "/xdg/opwright"
    assert python(path, OPWRIGHT_CACHE_DIR="~/c", HOME="/home/x").stdout.strip() == "/home/x/c"


# Bad files and directories ------------------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path: Path, python: Python, template: Path) -> tuple[Path, Callable[[], int]]:
    """A filled cache, and a new process that uses it: its number of compilations."""
    path = tmp_path / "module.py"
    path.write_text(KERNEL + LAUNCH + MAIN, encoding="utf-8")
    cache = tmp_path / "cache"
    shutil.copytree(template, cache)

    def again() -> int:
        done = python(path, OPWRIGHT_CACHE_DIR=str(cache), OPWRIGHT_DEBUG="1")
        assert done.stdout == "3\n"
        return compiled(done)

    return cache, again


def kernel_blob(cache: Path) -> Path:
    ((_, manifest),) = kernels(cache).items()
    return cache / "blobs" / f"{manifest['blobs']['aiv.so']}.so"


def test_a_filled_cache_compiles_nothing(built: tuple[Path, Callable[[], int]]) -> None:
    cache, again = built
    before = {path: (cache / path).stat().st_mtime_ns for path in files(cache)}
    assert again() == 0
    assert {path: (cache / path).stat().st_mtime_ns for path in files(cache)} == before


def test_corrupt_blob_of_a_kernel(built: tuple[Path, Callable[[], int]]) -> None:
    cache, again = built
    blob = kernel_blob(cache)
    good = blob.read_bytes()
    bad = good[:-1] + bytes([good[-1] ^ 1])
    blob.write_bytes(bad)
    assert again() == 1
    assert [path.read_bytes() for path in (cache / "quarantine").iterdir()] == [bad]
    blob = kernel_blob(cache)
    assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.stem
    assert again() == 0


@pytest.mark.parametrize("kind", ["index", "kernels", "sources"])
def test_corrupt_manifest_of_a_kernel(kind: str, built: tuple[Path, Callable[[], int]]) -> None:
    """It is written again; what a compiler made is still there, so that none is started."""
    cache, again = built
    (path,) = (cache / kind).iterdir()
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2])
    assert again() == 0
    assert [path.read_bytes() for path in (cache / "quarantine").iterdir()] == [good[: len(good) // 2]]
    assert set(json.loads(path.read_bytes())) == set(json.loads(good))
    assert again() == 0


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"{",
        b"[1]",
        b"3",
        b"null",
        b"\xff\xfe\x00",
        b"{}",
        b'{"a": 1}',
        b'{"a": 1, "sha256": "0"}',
        b'{"sha256": []}',
    ],
    ids=repr,
)
def test_manifest_that_is_none(bad: bytes, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save_manifest("kernels", "key", {"a": 1})
    assert store.manifest("kernels", "key") == {"a": 1}
    (tmp_path / "kernels" / "key.json").write_bytes(bad)
    assert store.manifest("kernels", "key") is None
    assert [path.read_bytes() for path in (tmp_path / "quarantine").iterdir()] == [bad]
    assert files(tmp_path / "kernels") == set()
    store.save_manifest("kernels", "key", {"a": 2})
    assert store.manifest("kernels", "key") == {"a": 2}


def test_a_changed_manifest_is_found(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save_manifest("kernels", "key", {"blobs": {"aiv": "1234"}})
    path = tmp_path / "kernels" / "key.json"
    path.write_text(path.read_text().replace("1234", "1235"))
    assert store.manifest("kernels", "key") is None


@pytest.mark.parametrize("bad", [b"", b"good", b"goodx", b"other"], ids=repr)
def test_blob_with_another_content(bad: bytes, tmp_path: Path) -> None:
    store = Store(tmp_path)
    name = store.save_blob(b"gooda", ".so")
    path = store.blob(name, ".so")
    assert path is not None and path.read_bytes() == b"gooda"
    path.write_bytes(bad)
    assert store.blob(name, ".so") is None
    assert [path.read_bytes() for path in (tmp_path / "quarantine").iterdir()] == [bad]
    assert store.blob(name, ".so") is None
    assert store.save_blob(b"gooda", ".so") == name
    assert store.blob(name, ".so") == path


def test_missing_blob(built: tuple[Path, Callable[[], int]]) -> None:
    cache, again = built
    kernel_blob(cache).unlink()
    assert again() == 1
    assert again() == 0


def test_emptied_while_in_use(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    assert module.step_of(module.plus) == 3
    shutil.rmtree(store)
    assert module.step_of(module.plus) == 3
    module.STEP = 4
    assert module.step_of(module.plus) == 4
    assert stat.S_IMODE(store.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_directory_that_others_may_write_to(mode: int, tmp_path: Path, store: Path) -> None:
    store.mkdir()
    store.chmod(mode)
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with pytest.raises(UnsafeCache, match="may be written to by others") as caught:
        module.step_of(module.plus)
    assert str(store) in str(caught.value) and "chmod 700" in str(caught.value)
    assert files(store) == set()


def test_directory_of_somebody_else(tmp_path: Path, store: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    store.mkdir(mode=0o700)
    os.chown(store, 12345, -1)
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with pytest.raises(UnsafeCache, match="belongs to user 12345, not to you"):
        module.step_of(module.plus)
    assert files(store) == set()


def test_directory_that_others_may_read(tmp_path: Path, store: Path) -> None:
    store.mkdir()
    store.chmod(0o755)
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    assert module.step_of(module.plus) == 3


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_directory_that_cannot_be_made(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with settings.scope(cache_dir=tmp_path / below), pytest.raises(UnsafeCache, match="cannot be made"):
        module.step_of(module.plus)


def full(*arguments: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_full_disk(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", full)
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with pytest.raises(CacheFailed, match=rf"{store} cannot be written to: No space left on device") as caught:
        module.step_of(module.plus)
    assert "OPWRIGHT_CACHE_DIR" in str(caught.value)


def test_disk_that_is_full_in_a_workspace(store: Path) -> None:
    with pytest.raises(CacheFailed, match="No space left"), Store(store).workspace():
        full()
    with pytest.raises(PermissionError), Store(store).workspace():
        raise PermissionError(errno.EACCES, "of a program that a build runs")


@pytest.mark.parametrize("kind", ["blobs", "index", "locks", "work", "quarantine"])
def test_folder_that_cannot_be_made(kind: str, store: Path) -> None:
    made = Store(store)
    (store / kind).write_text("")
    with pytest.raises(CacheFailed, match="cannot be written to: File exists"):
        match kind:
            case "blobs":
                made.save_blob(b"content", ".so")
            case "index":
                made.save_manifest(kind, "key", {})
            case "locks":
                made.building("key").__enter__()
            case "work":
                made.workspace().__enter__()
            case _:
                made.quarantine(store / "file")


# Several processes --------------------------------------------------------------------------------------------


def test_processes_at_once_on_an_empty_cache(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(KERNEL + LAUNCH + MAIN, encoding="utf-8")
    cache = tmp_path / "cache"
    environment = {**os.environ, "OPWRIGHT_CACHE_DIR": str(cache), "OPWRIGHT_DEBUG": "1"}
    command = [sys.executable, str(path)]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) for _ in range(4)]
    done = [(process, *process.communicate(timeout=60)) for process in running]
    assert [(process.returncode, out) for process, out, _ in done] == [(0, "3\n")] * 4, done
    assert sum(err.count("opwright: compiled ") for _, _, err in done) == 1
    assert len(kernels(cache)) == 1 and len(files(cache / "objects")) == 2
    assert not (cache / "quarantine").exists()


def test_a_lock_does_not_outlive_its_builder(tmp_path: Path) -> None:
    """A process forked while a kernel is built shares the builder's handle; the lock must not stay with it."""
    first, second = Store(tmp_path / "cache"), Store(tmp_path / "cache")
    shared = []
    with first.building("key"):
        # What a fork does to the handle, without a fork.
        (handle,) = [
            int(fd.name) for fd in Path("/proc/self/fd").iterdir() if fd.exists() and "locks/key" in str(fd.readlink())
        ]
        shared.append(os.dup(handle))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("opwright.store.store.LOCK_SECONDS", 0.2)
            begin = time.monotonic()
            with second.building("key"):
                assert time.monotonic() - begin < 0.1
    finally:
        os.close(shared[0])


# The compiler -------------------------------------------------------------------------------------------------


def test_no_compiler(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with settings.scope(compiler="no-such-compiler"), pytest.raises(NoCompiler, match="looked for no-such-compiler"):
        module.step_of(module.plus)


@pytest.mark.parametrize("command", ["false", "true"])
def test_something_that_is_no_compiler(command: str, tmp_path: Path, python: Python) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        KERNEL + LAUNCH + "\nfrom opwright.errors import CompileFailed\n"
        "try:\n    step_of(plus)\nexcept CompileFailed as error:\n    print(error)\n",
        encoding="utf-8",
    )
    done = python(path, OPWRIGHT_CXX=command, OPWRIGHT_CACHE_DIR=str(tmp_path / "cache"))
    assert "could not compile a kernel" in done.stdout
    assert "check OPWRIGHT_CXX" in done.stdout
    assert done.stderr == ""
    assert kernels(tmp_path / "cache") == {}


def test_the_most_that_a_compiler_tries(tmp_path: Path, store: Path) -> None:
    """A level below the kernel's own is another build with the same result; one above changes nothing."""
    module = load(tmp_path / "module.py", KERNEL.replace("@asc.jit", "@asc.jit(opt_level=1)") + LAUNCH)
    for level, builds in (("3", 1), ("2", 1), ("1", 1), ("0", 2)):
        with settings.scope(opt_level=level):
            assert module.step_of(module.plus) == 3
        assert len(kernels(store)) == builds
    assert len({manifest["blobs"]["aiv.so"] for manifest in kernels(store).values()}) == 2
    for level in ("4", "-1", "fast"):
        with pytest.raises(BadSetting, match="takes 0, 1, 2 or 3"), settings.scope(opt_level=level):
            pass


def test_unknown_instruction_set(tmp_path: Path, store: Path) -> None:
    module = load(tmp_path / "module.py", KERNEL + LAUNCH)
    with settings.scope(cpu="no-such-cpu"), pytest.raises(CompileFailed, match="no-such-cpu") as caught:
        module.step_of(module.plus)
    assert "OPWRIGHT_CPU" in str(caught.value)
    assert kernels(store) == {}
    assert module.step_of(module.plus) == 3


def test_a_blob_with_other_content_makes_way(tmp_path: Path) -> None:
    """Its manifest is gone too, so that nobody has looked at it since."""
    store = Store(tmp_path / "store")
    name = store.save_blob(b"right", ".so")
    (tmp_path / "store" / "blobs" / f"{name}.so").write_bytes(b"wrong")
    assert store.save_blob(b"right", ".so") == name
    path = store.blob(name, ".so")
    assert path is not None and path.read_bytes() == b"right"


def test_folders_and_links_in_place_of_files(tmp_path: Path) -> None:
    """They count as absent; a lock that is a link would be one for every key."""
    store = Store(tmp_path / "store")
    name = store.save_blob(b"right", ".so")
    store.save_manifest("kernels", "key", {"a": 1})
    for path in (store.root / "blobs" / f"{name}.so", store.root / "kernels" / "key.json"):
        path.unlink()
        path.mkdir()
    assert store.blob(name, ".so") is None and store.manifest("kernels", "key") is None
    (store.root / "locks").mkdir(exist_ok=True)
    for key in ("one", "two"):
        (store.root / "locks" / key).symlink_to(tmp_path / "nothing")
    with store.building("one"), store.building("two"):
        assert not (tmp_path / "nothing").exists()
