"""What all tests share: golden files, a compile cache of the session's own, and the tally of tests/ascendc."""

import difflib
import gc
import os
import sys
from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

# Whoever starts a session with workers loads no other conftest than this one.
sys.path.insert(0, str(Path(__file__).parent / "shared"))
sys.path.insert(0, str(Path(__file__).parent / "ascendc"))
import guard
import tally
from signature_list import wrong_calls
from xdsl.dialects.builtin import ModuleOp

from opwright import passes
from opwright.emit.module import Emitted, emit
from opwright.frontend import compile
from opwright.ir import legality
from opwright.settings import settings

KEPT_STORE = Path(__file__).parents[1] / "build" / "test-store"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files that tests compare with")


def pytest_configure() -> None:
    """Keeps compiled tests for the next session, whatever the environment says: making them takes seconds."""
    sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """`pytest -m quick` takes two processors, as -n 2 would: it is what a developer waits for."""
    option = config.option
    is_free = getattr(option, "numprocesses", 0) is None and not option.usepdb and not option.collectonly
    if option.markexpr == "quick" and is_free and "PYTEST_XDIST_WORKER" not in os.environ:
        option.numprocesses = 2


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Does not import what a choice of marks leaves out: importing all tests takes longer than the quick ones."""
    marks = config.getoption("markexpr")
    if marks == "quick" and collection_path.suffix == ".py":
        return True if "pytest.mark.quick" not in collection_path.read_text(encoding="utf-8") else None
    if "not unchecked" in marks and (shared := collection_path / "conftest.py").exists():
        return True if "pytest.mark.unchecked" in shared.read_text(encoding="utf-8") else None
    return None


def pytest_collection_finish(session: pytest.Session) -> None:
    """No module with quick tests imports torch, which takes longer than most of them."""
    gc.freeze()  # what is loaded stays; looking through it again and again took 4 % of the time of tests/tile
    # Tests write modules again within a second, and Python knows a compiled file by size and whole seconds.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if session.config.getoption("markexpr") == "quick" and "torch" in sys.modules:
        raise pytest.UsageError("a module with quick tests imports torch; take its marks away")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    with guard.watching(item):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    with guard.watching(item):
        yield


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
def cache_dir() -> Iterator[Path]:
    """The store of compiled kernels, shared by the workers of a session and kept for the next one.

    CI empties it at its start. A test that needs an empty one makes its own.
    """
    KEPT_STORE.parent.mkdir(exist_ok=True)
    KEPT_STORE.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPWRIGHT_CACHE_DIR", str(KEPT_STORE))
        settings.reload()  # a module of tests that registers operators has read it
        yield KEPT_STORE


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


# Numbers do not depend on how hard the compiler tries, and -O0 takes a third of the time of -O3. These tests are about
# numbers or builds and compile as users do; tools/nightly.sh runs those of calls, operators and examples at -O3, too.
WHOLE_BUILDS = (
    "twin/numerics/",
    "runtime/test_cache.py",
    "native/",
    "simt/",
    "smoke/",
)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Kernels of most tests and of their fixtures compile at level 0, unless OPWRIGHT_OPT_LEVEL is set."""
    place = item.path.relative_to(Path(__file__).parent).as_posix()
    compiles_nothing = item.get_closest_marker("quick") is not None
    if compiles_nothing or "OPWRIGHT_OPT_LEVEL" in os.environ or place.startswith(WHOLE_BUILDS):
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPWRIGHT_OPT_LEVEL", "0")
        settings.reload()
        try:
            return (yield)
        finally:
            patch.undo()
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
