"""Where compiled code comes from: a wheel that brings it, a source install with a compiler, and one without."""

import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from environments import ROOT, Environment, alone, install, path_with_hasty_compiler

from opwright.store.sources import file_digests

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("hatchling", reason="hatchling is not installed")

TOOL = ROOT / "tools" / "build_wheel.py"
CALL = """
import torch, opwright, opwright.ops
x = torch.arange(24.0).reshape(3, 8)
y = opwright.ops.rms_norm(x, None, 1e-6)
assert torch.allclose(y, torch.nn.functional.rms_norm(x, (8,), eps=1e-6), atol=1e-6), y
found = opwright.explain("rms_norm", x, None, 1e-6)
print(found.provider, "|", found.artefact, "|", found.refused.get("native", ""))
"""


def build(outdir: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, **environment}
    command = [sys.executable, str(TOOL), "--outdir", str(outdir)]
    return subprocess.run(command, env=whole, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel with libraries and the ordinary one, made once in a session."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheels"
    with alone(folder):
        if not list(folder.glob("*any.whl")):
            done = build(folder, PATH=path_with_hasty_compiler(folder))
            assert done.returncode == 0, done.stdout + done.stderr
            assert [line.split()[0] for line in done.stdout.splitlines()] == ["[1/4]"] * 2 + ["[2/4]"] * 2 + [
                "[3/4]",
                "[4/4]",
            ]
            command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
            subprocess.run(command, cwd=ROOT, check=True, timeout=60, capture_output=True)
    (native,) = folder.glob("*manylinux*.whl")
    (pure,) = folder.glob("*any.whl")
    return {"native": native, "pure": pure}


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_wheel", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The wheel ------------------------------------------------------------------------------------------------------


def test_what_the_wheel_holds(wheels: dict[str, Path], tool: ModuleType, tmp_path: Path) -> None:
    """All of the ordinary wheel, the libraries with their hashes, and a tag that is true."""
    inside = {"libopwright_cpu.so", "libopwright_torch.so", "manifest.json"}
    with zipfile.ZipFile(wheels["native"]) as native, zipfile.ZipFile(wheels["pure"]) as pure:
        added = set(native.namelist()) - set(pure.namelist())
        assert set(pure.namelist()) <= set(native.namelist())
        assert added == {f"opwright/native/lib/{name}" for name in inside}
        assert json.loads(pure.read("opwright/store/digests.json")) == file_digests()
        libraries = {name: native.read(f"opwright/native/lib/{name}") for name in inside - {"manifest.json"}}
        hashes = json.loads(native.read("opwright/native/lib/manifest.json"))
        assert hashes == {name: hashlib.sha256(content).hexdigest() for name, content in libraries.items()}
        (about,) = (name for name in native.namelist() if name.endswith(".dist-info/WHEEL"))
        text = native.read(about).decode()
        record = native.read(about.replace("WHEEL", "RECORD")).decode()
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(record))}
        assert rows.keys() == set(native.namelist())
        for name in rows.keys() - {about.replace("WHEEL", "RECORD")}:
            content = native.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert rows[name] == (f"sha256={digest}", str(len(content)))
    tag = "-".join(wheels["native"].stem.split("-")[2:])
    assert "Root-Is-Purelib: false\n" in text and f"Tag: {tag}\n" in text and text.count("Tag: ") == 1
    glibc = tuple(int(number) for number in tag.split("_")[1:3])
    assert tag == f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    for name, content in libraries.items():
        (tmp_path / name).write_bytes(content)
        assert str(ROOT).encode() not in content
        # Of another reader than the tool's: the versions stand in the file as texts.
        texts = {part.decode() for part in content.split(b"\0") if part.startswith(b"GLIBC_2.")}
        assert all(tuple(map(int, one[6:].split(".")[:2])) <= glibc for one in texts)
        assert glibc >= tool.oldest_glibc(tool.needed(tmp_path / name))
    assert tool.needed(tmp_path / "libopwright_cpu.so").get("GLIBCXX", ()) <= (3, 4, 19)  # none, or as old as any
    assert not (ROOT / "src" / "opwright" / "native" / "lib").exists()


@pytest.mark.parametrize(
    ("needs", "glibc"),
    [
        ({}, (2, 17)),
        ({"GLIBC": (2, 14), "GLIBCXX": (3, 4, 19), "CXXABI": (1, 3, 7)}, (2, 17)),
        ({"GLIBC": (2, 2, 5), "CXXABI": (1, 3, 9)}, (2, 24)),
        ({"GLIBC": (2, 29), "GLIBCXX": (3, 4, 21)}, (2, 29)),
        ({"GLIBC": (2, 34), "GCC": (12, 0, 0)}, (2, 35)),
        ({"GLIBC": (2, 38)}, (2, 38)),
        ({"GLIBCXX": (3, 4, 40)}, None),
        ({"LIBFOO": (1,)}, None),
    ],
)
def test_tag(needs: dict[str, tuple[int, ...]], glibc: tuple[int, ...] | None, tool: ModuleType) -> None:
    if glibc is None:
        with pytest.raises(tool.WheelFailed):
            tool.oldest_glibc(needs)
    else:
        assert tool.oldest_glibc(needs) == glibc


def test_a_compile_error_is_no_wheel(tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\necho no licence >&2\nexit 1\n")
    compiler.chmod(0o755)
    done = build(tmp_path / "dist", OPWRIGHT_CXX=str(compiler))
    assert done.returncode == 1
    assert done.stderr.startswith("no wheel: c++ could not compile ") and "no licence" in done.stderr
    assert list(tmp_path.rglob("*.whl")) == []


# What is installed ------------------------------------------------------------------------------------------------


@pytest.fixture
def from_wheel(wheels: dict[str, Path], tmp_path: Path) -> Environment:
    return install(wheels["native"], tmp_path)


@pytest.fixture
def from_source(wheels: dict[str, Path], tmp_path: Path) -> Environment:
    return install(wheels["pure"], tmp_path)


def test_a_wheel_needs_no_compiler(from_wheel: Environment) -> None:
    done = from_wheel.python(CALL)
    library = from_wheel.package / "native" / "lib" / "libopwright_cpu.so"
    assert (done.stdout, done.stderr) == (f"native | {library}, part of the wheel | ", "")
    assert not (from_wheel.folder / "cache").exists()
    found = {entry["check"]: entry for entry in json.loads(from_wheel.run("opwright", "doctor", "--json").stdout)}
    assert found["native operators"]["verdict"] == "ok"
    assert f"libopwright_cpu: part of the wheel, {library}" in found["native operators"]["evidence"]
    # A single byte that is another.
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 1
    library.write_bytes(content)
    provider, _, reason = from_wheel.python(CALL).stdout.split(" | ")
    assert provider == "reference"
    assert reason == f"{library} is not what the wheel was made with; install it again"


def test_numpy_without_torch(from_wheel: Environment) -> None:
    """libopwright_cpu is plain C: NumPy will do."""
    done = from_wheel.python("""
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoTorch())
import numpy as np
from opwright.native.library import View, opened

library = opened()
print(library.library.source)
x = np.arange(1, 25, dtype=np.float32).reshape(3, 8)
y = np.full_like(x, np.nan)
views = [View(a.ctypes.data, str(a.dtype), a.shape, tuple(step // a.itemsize for step in a.strides)) for a in (x, y)]
library.run("opwright::rms_norm", [views[0], None, 1e-6, None], [views[1]])
np.testing.assert_allclose(y, x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-6), rtol=1e-6)
assert "torch" not in sys.modules
""")
    assert (done.stdout, done.stderr) == ("part of the wheel", "")


def test_source_with_a_compiler(from_source: Environment) -> None:
    """The first process compiles and says so in one line; the second finds what it made."""
    first = from_source.python(CALL, compiler=True)
    assert first.stderr.startswith("opwright: compiling the operators for this CPU with ")
    assert len(first.stderr.splitlines()) == 1
    assert first.stdout.startswith(f"native | {from_source.folder}/cache/blobs/")
    assert first.stdout.endswith(".so, compiled on this machine | ")
    second = from_source.python(CALL, compiler=True)
    assert (second.stdout, second.stderr) == (first.stdout, "")


def test_source_without_a_compiler(from_source: Environment) -> None:
    why = "no C++ compiler found for the twin (looked for g++, clang++), and this is a source install"
    done = from_source.python(CALL)
    provider, _, reason = done.stdout.split(" | ")
    assert (provider, reason, done.stderr) == ("reference", why, "")
    found = {entry["check"]: entry for entry in json.loads(from_source.run("opwright", "doctor", "--json").stdout)}
    assert found["native operators"]["verdict"] == "warning"
    assert f"libopwright_cpu: none: {why}" in found["native operators"]["evidence"]
    shown = from_source.run(
        "opwright", "explain", "rms_norm", "--arg", "x=f32[2,8]", "--arg", "weight=None", "--arg", "epsilon=1"
    )
    assert shown.stdout.startswith("rms_norm on cpu: reference\n") and f"  native: {why}\n" in shown.stdout
