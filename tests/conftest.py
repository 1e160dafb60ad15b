"""What all tests share: golden files, a compile cache of the session's own, and the tally of tests/ascendc."""

import difflib
import os
import sys
from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

# Whoever starts a session with workers loads no other conftest than this one.
sys.path.insert(0, str(Path(__file__).parent / "ascendc"))
import tally
from signature_list import wrong_calls
from xdsl.dialects.builtin import ModuleOp

from opwright import passes
from opwright.emit.module import Emitted, emit
from opwright.frontend import compile
from opwright.ir import legality
from opwright.settings import settings

# Tests write a module again within a second; Python knows a compiled file by size and whole seconds.
sys.dont_write_bytecode = True


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files that tests compare with")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is installed on purpose (CI=true), a test that misses something fails, not skips."""
    report = yield
    if os.environ.get("CI") == "true" and report.skipped and "is not installed" in str(report.longrepr):
        report.outcome = "failed"
    return report


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: `text` must equal the file `golden/<name>` beside the test module."""
    folder = request.path.parent / "golden"
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        if not path.exists():
            pytest.fail(f"{path} does not exist; write it with --update-golden", pytrace=False)
        expected = path.read_bytes().decode()
        if text != expected:
            lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), f"golden/{name}", "now", lineterm="")
            difference = "\n".join(lines) or "only line ends differ"
            pytest.fail(f"{difference}\n\nIf this is meant, rewrite it with --update-golden.", pytrace=False)

    return compare


@pytest.fixture(scope="session", autouse=True)
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty compile cache at the start of a session, shared by its xdist workers."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # a worker's own folder lies in that of the session
    folder = base / "opwright-cache"
    folder.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPWRIGHT_CACHE_DIR", str(folder))
        settings.reload()  # a module of tests that registers operators has read it
        yield folder


@pytest.fixture(scope="session", autouse=True)
def every_stage_is_legal() -> Iterator[None]:
    """A kernel that any test compiles is legal before the passes and after each of them, which left nothing to do."""
    run = passes.run
    with pytest.MonkeyPatch.context() as patch:

        def checked(module: ModuleOp, without: Collection[str], watch: Callable[[str], None] | None = None) -> None:
            def after(name: str) -> None:
                legality.check(module)
                passes.in_order()[name].check(module)
                if watch is not None:
                    watch(name)

            legality.check(module)
            run(module, without, after)

        patch.setattr(passes, "run", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def every_text_agrees_with_the_list() -> Iterator[None]:
    """A text that any test emits has no call that the list of signatures does not allow."""
    with pytest.MonkeyPatch.context() as patch:

        def checked(module: ModuleOp, kernel_type: str | None = None) -> Emitted:
            emitted = emit(module, kernel_type)
            if wrong := wrong_calls(emitted.text):
                pytest.fail("\n".join([*wrong, emitted.text]), pytrace=False)
            return emitted

        patch.setattr(compile, "emit", checked)
        yield


# What these folders test does not depend on how hard the compiler tries, and -O1 takes half the time of -O3.
QUICK_BUILDS = ("asc", "check", "cli", "emit", "frontend", "ir", "passes", "runtime", "twin")
WHOLE_BUILDS = ("twin/numerics/", "runtime/test_cache.py")  # but these are about numbers, or about builds


@pytest.fixture(autouse=True)
def opt_level(request: pytest.FixtureRequest) -> Iterator[None]:
    """Kernels of most tests compile at level 1, unless OPWRIGHT_OPT_LEVEL says otherwise."""
    place = request.path.relative_to(Path(__file__).parent).as_posix()
    is_quick = place.startswith(tuple(f"{folder}/" for folder in QUICK_BUILDS))
    if "OPWRIGHT_OPT_LEVEL" in os.environ or place.startswith(WHOLE_BUILDS) or not is_quick:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPWRIGHT_OPT_LEVEL", "1")
        settings.reload()
        yield
    settings.reload()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its tally over; whoever started the session writes the evidence of all."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tally"] = tally.packed()
    else:
        tally.write()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Takes the tally of a worker; one that crashed has none."""
    if text := getattr(node, "workeroutput", {}).get("tally"):
        tally.add(text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the numbers of tests/ascendc rest on."""
    if any(tally.COUNTS.values()):
        terminalreporter.write_line(tally.line())
