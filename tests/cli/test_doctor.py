"""`opwright doctor`: sound machines and broken ones."""

import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opwright.errors import NoCompiler
from opwright.package import doctor, facts
from opwright.package.doctor import CHECKS, CheckResult
from opwright.settings import settings

Run = Callable[..., subprocess.CompletedProcess[str]]
Golden = Callable[[str, str], None]


def findings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    found = json.loads(done.stdout)
    assert [entry["check"] for entry in found] == list(CHECKS)
    for entry in found:
        assert list(entry) == ["check", "verdict", "evidence", "remedy"]
        assert entry["verdict"] in ("ok", "warning", "problem")
        assert entry["evidence"]
        assert bool(entry["remedy"]) == (entry["verdict"] != "ok")
    problems = [entry for entry in found if entry["verdict"] == "problem"]
    assert done.returncode == (1 if problems else 0)
    return {entry["check"]: entry for entry in found}


@pytest.fixture
def fresh() -> Iterator[None]:
    """The environment is read anew in the test and after it."""
    settings.reload()
    yield
    settings.reload()


def only(monkeypatch: pytest.MonkeyPatch, **checks: Callable[[], doctor.Found]) -> list[CheckResult]:
    monkeypatch.setattr(doctor, "CHECKS", checks)
    return doctor.examine()


def test_here(run: Run, tmp_path: Path) -> None:
    """The machine that runs the tests is sound."""
    cache = tmp_path / "cache"
    found = findings(run("doctor", "--json", OPWRIGHT_CACHE_DIR=str(cache), OPWRIGHT_DEBUG="2"))
    assert {name: entry["evidence"] for name, entry in found.items() if entry["verdict"] == "problem"} == {}
    assert "the twin uses " in found["compilers"]["evidence"]
    assert "compiled with the twin's library in " in found["twin"]["evidence"]
    assert found["CANN"]["evidence"] == "not found: the NPU target is not built yet; not needed for the twin"
    assert f"{cache} does not exist" in found["cache"]["evidence"]
    assert importlib.metadata.version("xdsl") in found["xDSL"]["evidence"]
    assert "libopwright_cpu: not compiled yet" in found["native operators"]["evidence"]
    assert found["other operators"]["evidence"] == "no other package has operators"
    # What was compiled for the check is gone.
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_broken_everywhere(run: Run, tmp_path: Path) -> None:
    """No compiler on PATH, a cache that others may write to, a setting that cannot be read, one that is none."""
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    environment = {
        "PATH": str(tmp_path),
        "OPWRIGHT_CACHE_DIR": str(cache),
        "OPWRIGHT_THREADS": "many",
        "OPWRIGHT_THREAD": "1",
        "OPWRIGHT_SOC": "ascend951",
    }
    found = findings(run("doctor", "--json", **environment))
    verdicts = {name for name, entry in found.items() if entry["verdict"] == "problem"}
    assert verdicts == {"settings", "threads", "compilers", "cache", "twin"}
    assert found["compilers"]["evidence"] == "g++: not found\nclang++: not found"
    assert found["compilers"]["remedy"] == "install g++ or clang++, or name one with OPWRIGHT_CXX"
    assert "mode 777" in found["cache"]["evidence"]
    assert "it may be written to by others" in found["cache"]["evidence"]
    assert f"chmod 700 {cache}" in found["cache"]["remedy"]
    assert "OPWRIGHT_SOC='ascend951': known are ascend910b" in found["settings"]["evidence"]
    assert "OPWRIGHT_THREADS='many'" in found["settings"]["evidence"]
    assert found["settings"]["remedy"] == "change or unset OPWRIGHT_SOC, OPWRIGHT_THREADS"
    assert found["native operators"]["verdict"] == "warning"
    assert "none: no C++ compiler found" in found["native operators"]["evidence"]
    table = run("doctor", **environment)
    assert table.returncode == 1
    assert table.stdout.splitlines()[-1] == f"{len(CHECKS)} checks: 5 problems, 1 warning"
    assert f"remedy: {found['compilers']['remedy']}" in " ".join(table.stdout.split())
    assert max(map(len, table.stdout.splitlines())) <= 100


@pytest.mark.quick
def test_a_check_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug() -> doctor.Found:
        raise KeyError("x")

    def ours() -> doctor.Found:
        raise NoCompiler(looked_for="g++")

    def system() -> doctor.Found:
        raise PermissionError(13, "Permission denied", "/x")

    found = only(monkeypatch, bug=bug, ours=ours, system=system, fine=lambda: ("ok", "good", ""))
    assert [one.verdict for one in found] == ["problem", "problem", "problem", "ok"]
    assert found[0].evidence == "the check failed: KeyError: 'x'"
    assert found[1] == CheckResult(
        "ours", "problem", "no C++ compiler found for the twin (looked for g++)", NoCompiler.hint_text
    )
    assert "Permission denied: '/x'" in found[2].evidence
    assert all(one.remedy for one in found[:3])


@pytest.mark.quick
def test_long_evidence_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = only(monkeypatch, long=lambda: ("problem", "line\n" * 50, "none"))
    assert found.evidence.splitlines() == ["line"] * 12 + ["... and 38 more lines"]


@pytest.mark.quick
def test_settings_that_are_none(monkeypatch: pytest.MonkeyPatch, fresh: None) -> None:
    monkeypatch.setenv("OPWRIGHT_THREAD", "1")
    verdict, evidence, remedy = doctor.check_settings()
    assert verdict == "warning"
    assert "not settings: OPWRIGHT_THREAD" in evidence
    assert "opwright env" in remedy


@pytest.mark.quick
def test_threads() -> None:
    with settings.scope(threads=4000):
        verdict, evidence, _ = doctor.check_threads()
    assert (verdict, evidence.split()[0]) == ("warning", "4000")
    with settings.scope(threads=1):
        assert doctor.check_threads()[0] == "ok"


@pytest.mark.quick
@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("0.74.0", ">=0.70,<0.75", True),
        ("0.75.0", ">=0.70,<0.75", False),
        ("0.75", ">=0.70,<0.75", False),
        ("0.69.9", ">=0.70,<0.75", False),
        ("0.70", ">=0.70.0", True),
        ("2.10.0+cpu", ">=2.10", True),
        ("2.9.1", ">=2.10", False),
        ("3", ">= 3.0", True),
        ("0.75.0rc1", "<0.75", False),
        ("1.0", "", True),
        ("1.0", "!=1.0", True),
    ],
)
def test_ranges(version: str, wanted: str, expected: bool) -> None:
    assert facts.within(version, wanted) is expected


@pytest.mark.quick
def test_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert facts.wanted_range("xdsl").startswith(">=0.")
    assert facts.wanted_range("nonesuch") == ""
    monkeypatch.setattr(doctor, "installed", lambda package: None)
    assert doctor.check_torch() == ("ok", "not found; not required: kernels take NumPy arrays", "")
    assert doctor.check_numpy()[:2] == ("problem", "not found")
    assert doctor.check_numpy()[2].startswith('pip install "numpy>=')
    monkeypatch.setattr(doctor, "installed", lambda package: "0.1")
    assert doctor.check_xdsl()[0] == "problem"
    assert doctor.check_torch()[0] == "warning"
    monkeypatch.setattr(doctor, "wanted_range", lambda package: "")
    assert doctor.check_xdsl() == ("ok", "0.1", "")


def test_python_and_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_python()[0] == "ok"
    monkeypatch.setattr(doctor.platform, "python_version", lambda: "3.9.2")
    assert doctor.check_python()[::2] == ("problem", "use Python >=3.10")
    monkeypatch.setattr(doctor.platform, "machine", lambda: "riscv64")
    assert doctor.check_system()[0] == "warning"
    monkeypatch.setattr(doctor.platform, "system", lambda: "Windows")
    assert doctor.check_system()[0] == "problem"


@pytest.mark.quick
def test_cann(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tool = tmp_path / "bisheng"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.setenv("ASCEND_TOOLKIT_HOME", str(tmp_path / "none"))
    verdict, evidence, _ = doctor.check_cann()
    assert verdict == "ok"
    assert f"bisheng at {tool}; CANN at {tmp_path / 'none'}, which does not exist; not used" in evidence


# Compilers and the twin


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_setting_names_no_compiler() -> None:
    with settings.scope(compiler="nonesuch-c++"):
        verdict, evidence, remedy = doctor.check_compilers()
    assert verdict == "problem"
    assert evidence.splitlines()[-1] == "nonesuch-c++: not found"
    assert remedy == "unset OPWRIGHT_CXX, or set it to an installed compiler"


def test_compilers_that_say_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "ANSWER_SECONDS", 0.2)
    assert doctor._version(str(script(tmp_path / "silent", "exit 0"))) == "prints no version"
    assert doctor._version(str(script(tmp_path / "slow", "exec sleep 5"))) == "does not answer (TimeoutExpired)"
    assert doctor._version(str(tmp_path / "none")) == "does not answer (FileNotFoundError)"


def test_files_beside_the_user_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.py").write_text("raise OSError\n")
    monkeypatch.chdir(tmp_path)
    with settings.scope(cache_dir="cache"):
        assert doctor.check_twin()[0] == "ok"


def test_a_compiler_that_fails(tmp_path: Path) -> None:
    compiler = script(tmp_path / "c++", 'echo "c++ 1.0"; echo "no licence" >&2; exit 1')
    with settings.scope(compiler=compiler, cache_dir=tmp_path / "cache"):
        verdict, evidence, remedy = doctor.check_twin()
    assert verdict == "problem"
    assert "could not compile" in evidence and "no licence" in evidence
    assert "OPWRIGHT_CXX" in remedy


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_compiler_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 10)  # a busy machine needs some of them to start it
    compiler = script(tmp_path / "c++", f"echo $$ > {tmp_path}/pid; sleep 60")
    with settings.scope(compiler=compiler, cache_dir=tmp_path / "cache"):
        verdict, evidence, _ = doctor.check_twin()
    assert (verdict, evidence) == ("problem", "a tiny kernel took more than 10 s")
    pid = int((tmp_path / "pid").read_text())
    # It was killed when the check returned; the kernel may take a moment to let it go.
    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("code", "evidence"),
    [
        ("import os; os.kill(os.getpid(), 4)", "a tiny kernel ended by SIGILL"),
        ("raise ImportError('no numpy')", "a tiny kernel failed: ImportError: no numpy"),
        ('print(\'{"compile": 1, "run": 1, "right": false}\')', "a tiny kernel gave a wrong result"),
        ("raise SystemExit(3)", "a tiny kernel failed: no output"),
    ],
)
def test_a_probe_that_fails(code: str, evidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code.py").write_text(code)
    python = script(tmp_path / "python", f"exec {sys.executable} {tmp_path}/code.py")
    monkeypatch.setattr(doctor.sys, "executable", str(python))
    with settings.scope(cache_dir=tmp_path / "cache"):
        found = doctor.check_twin()
    assert found[:2] == ("problem", evidence)
    assert found[2]


# The cache


def cache(path: Path) -> doctor.Found:
    with settings.scope(cache_dir=path):
        return doctor.check_cache()


@pytest.mark.quick
def test_a_good_cache(tmp_path: Path) -> None:
    root = tmp_path / "cache"
    (root / "kernels").mkdir(parents=True)
    (root / "blobs").mkdir()
    root.chmod(0o700)
    for name in ("a", "b"):
        (root / "kernels" / f"{name}.json").write_bytes(b"x" * 512)
    (root / "blobs" / "c.so").write_bytes(b"x" * 4096)
    verdict, evidence, _ = cache(root)
    assert verdict == "ok"
    assert "mode 700, writable\n5 KiB, 2 kernels; " in evidence
    assert f"owner {facts.owner_name(os.getuid())}" in evidence


@pytest.mark.quick
def test_a_cache_that_does_not_exist(tmp_path: Path) -> None:
    verdict, evidence, _ = cache(tmp_path / "a" / "b")
    assert verdict == "ok"
    assert "is made when the first kernel is compiled" in evidence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick
def test_quarantine(tmp_path: Path) -> None:
    (tmp_path / "quarantine").mkdir()
    (tmp_path / "quarantine" / "x").touch()
    tmp_path.chmod(0o700)
    verdict, evidence, remedy = cache(tmp_path)
    assert verdict == "warning"
    assert "1 in quarantine" in evidence and "quarantine" in remedy


@pytest.mark.quick
def test_little_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "free_bytes", lambda path: 1 << 20)
    verdict, evidence, _ = cache(tmp_path / "cache")
    assert verdict == "warning"
    assert evidence.endswith("1 MiB free")


@pytest.mark.quick
def test_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    verdict, evidence, _ = cache(tmp_path / "file")
    assert verdict == "problem"
    assert "it cannot be made: File exists" in evidence


@pytest.mark.quick
def test_a_cache_that_cannot_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)  # root may write everywhere
    tmp_path.chmod(0o500)
    try:
        verdict, evidence, _ = cache(tmp_path)
        assert verdict == "problem" and "not writable" in evidence
        verdict, evidence, _ = cache(tmp_path / "a" / "b")
        assert verdict == "problem" and f"{tmp_path} cannot be written to" in evidence
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.quick
def test_numbers_and_names() -> None:
    assert [facts.size_text(n) for n in (0, 1023, 2048, 5 << 20, 3 << 30)] == [
        "0 B",
        "1023 B",
        "2 KiB",
        "5 MiB",
        "3.0 GiB",
    ]
    assert facts.owner_name(3_999_999_999) == "3999999999"


def test_help(run: Run, golden: Golden) -> None:
    golden("opwright_doctor_help.txt", run("doctor", "--help", COLUMNS="80").stdout)
