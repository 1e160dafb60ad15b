"""What `opwright doctor` says of the operators: their compiled libraries, and those of other packages."""

import hashlib
import json
from pathlib import Path

import pytest

from opwright.native import build
from opwright.package import doctor
from opwright.settings import settings
from opwright.store.store import Store


@pytest.mark.quick
def test_libraries_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are part of it as long as they are what it was made with."""
    monkeypatch.setattr(build, "INSIDE", tmp_path)
    monkeypatch.setattr(build, "MANIFEST", tmp_path / "manifest.json")
    monkeypatch.setattr(doctor, "installed", lambda package: "2.13.0")
    names = ("libopwright_cpu.so", "libopwright_torch.so")
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
    build.MANIFEST.write_text(json.dumps(hashes))
    lines = [f"{name.removesuffix('.so')}: part of the wheel, {tmp_path / name}" for name in names]
    assert doctor.check_native() == ("ok", "\n".join(lines), "")
    (tmp_path / names[1]).write_bytes(b"something else")
    verdict, evidence, remedy = doctor.check_native()
    assert (verdict, remedy) == ("warning", "reinstall opwright")
    assert evidence.splitlines()[0] == lines[0]
    assert f"libopwright_torch: none: {tmp_path / names[1]} is not what the wheel was made with" in evidence
    for damaged in ("{", "{}", "[]", "null"):
        build.MANIFEST.write_text(damaged)
        assert "libopwright_cpu: none: " in doctor.check_native()[1]


def test_libraries_that_were_compiled(tmp_path: Path) -> None:
    """A file stands in for the library: only where it lies matters here."""
    compiler = tmp_path / "c++"
    compiler.touch(mode=0o755)
    with settings.scope(compiler=compiler, cache_dir=tmp_path / "cache"):
        assert "libopwright_cpu: not compiled yet" in doctor.check_native()[1]
        assert not (tmp_path / "cache").exists()
        store = Store(tmp_path / "cache")
        blob = store.save_blob(b"library", ".so")
        store.save_manifest("native", build._key("cpu", ()), {"blob": blob})
        verdict, evidence, _ = doctor.check_native()
    assert verdict == "ok"
    assert f"libopwright_cpu: compiled on this machine, {store.blob(blob, '.so')}" in evidence


@pytest.mark.quick
def test_libraries_without_a_compiler() -> None:
    with settings.scope(compiler="nonesuch-c++"):
        verdict, evidence, remedy = doctor.check_native()
    assert verdict == "warning"
    assert "libopwright_cpu: none: no C++ compiler found" in evidence and "this is a source install" in evidence
    assert "PyTorch computes the operators: correct, but slower" in evidence
    assert remedy == "install g++ or clang++, or a wheel of opwright for this machine"


def other_package(folder: Path, name: str, text: str) -> None:
    """A package that names a module of operators."""
    (folder / f"{name}.py").write_text(text)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[opwright.operators]\n{name} = {name}\n")


def test_operators_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    other_package(tmp_path, "goodlib", "print('they may print what they like', end='')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    assert doctor.check_packages() == ("ok", "goodlib", "")
    other_package(tmp_path, "badlib", "import nonesuch\n")
    assert doctor.check_packages() == (
        "warning",
        "operators of badlib (badlib) are not there: ModuleNotFoundError: No module named 'nonesuch'",
        "reinstall the package of badlib, or report it to its authors",
    )
    other_package(tmp_path, "worselib", "import os\nos._exit(3)\n")
    verdict, evidence, _ = doctor.check_packages()
    assert (verdict, evidence) == ("problem", "importing opwright.ops failed: no output")
    monkeypatch.setattr(doctor, "installed", lambda package: None)
    assert doctor.check_packages()[:2] == ("ok", "badlib, goodlib, worselib; not loaded: PyTorch is not installed")
