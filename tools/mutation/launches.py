"""Collects launches: of the examples, the tests, the kernels whose text is golden and the right ones of the hazards.

In: the repository. Out: one `Launch` for each kernel and its constants: the one that shows most of those that are
clean on the checked twin and short enough to be judged by brute force; and how many were left out, and why. Of a test
with many parameters some are run, from the first to the last. Every launch made here is a checked one.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from unittest import mock

import numpy as np
import pytest

from mutation.judge import Launch, Run, build, compiled, load, run
from mutation.mutants import orders_by_words, uses_sync
from opwright.ascendc.dtypes import parse
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.check.launcher import checked
from opwright.errors import OpwrightError, RaceError, RunError, UninitialisedRead
from opwright.frontend.compile import LoweredProgram
from opwright.kernel.stable import exact
from opwright.runtime.checked import CheckedLauncher
from opwright.runtime.jit import JitFunction
from opwright.runtime.launching import Launcher
from opwright.runtime.simt import SimtLauncher
from opwright.tile.host import cores_of
from opwright.twin.launch import Kernel

ROOT = Path(__file__).parents[2]
GOLDEN = "tests/emit/kernels.py"
HAZARDS = "tests/twin/hazards/hazards.py"
MOST_EVENTS = 6000  # of a launch: the brute force looks at all pairs of them
ENOUGH_EVENTS = 600
MOST_BYTES = 1 << 22  # of its arguments: they are kept
MOST_LAUNCHES = 16  # that are looked at for one kernel
MOST_PARAMETERS = 6  # of a test: mostly element types and SoCs, which change nothing about order
# Tests of what the documentation shows, and folders whose kernels run in other processes or not at all.
_PAGES = ("tests/ascendc/test_examples.py", "tests/test_guide.py")
_WITHOUT_LAUNCHES = ("asc", "cli", "emit", "library")
_IN_OTHER_PROCESSES = ("test_aarch64", "test_cache", "test_import", "test_interrupt", "test_mutate_sync", "test_smoke")
_WITH_ROWS_OF_THEIR_OWN = ("test_one_row",)  # which are gone when its kernels are mutated
_WORDS = re.compile(r"set_flag|pipe_barrier|sync_all|enque")
_SPEC = re.compile(r"(\w+)\[(\d+)\]")


@dataclass
class Original:
    """A launch that is clean, with what it gives."""

    launch: Launch
    program: LoweredProgram
    kernel: Kernel
    run: Run

    @property
    def rank(self) -> tuple[int, int]:
        """Many events of one core show most: what one turn of a loop leaves behind, the next ones meet.

        But the brute force takes the square of their number: beyond some, fewer are better.
        """
        events = self.run.events
        if len(events) > ENOUGH_EVENTS:
            return -1, -len(events)
        return (int(np.bincount(events["core"]).max()) if len(events) else 0), len(events)


@dataclass(eq=False)
class Recorder:
    """Stands in the place of launches; keeps the best one of each kernel."""

    only: str = ""
    origin: str = ""
    best: dict[object, Original] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)  # why -> how many launches
    _seen: dict[object, int] = field(default_factory=dict)
    _kernels: dict[object, tuple[LoweredProgram, Kernel]] = field(default_factory=dict)
    _kept: list[JitFunction] = field(default_factory=list)  # so that no other one gets the same id

    def launch(
        self, kernel: JitFunction, cores: int, arguments: tuple[object, ...], keywords: dict[str, object], fast: bool
    ) -> None:
        """Runs a launch on the checked twin, and raises what it should; a `fast` one knows nothing of order."""
        bound = kernel.binder.bind(arguments, keywords)
        key = (id(kernel), kernel.soc().name, *(exact(value) for value in bound.constants.values()))
        launch = Launch(self.origin, kernel, cores, arguments, keywords)
        built = self._kernels.get((key, bound.kinds))
        if built is None:
            self._kept.append(kernel)
            program = compiled(launch)
            with tempfile.TemporaryDirectory() as folder:
                build(launch, [program], Path(folder))
                built = self._kernels[key, bound.kinds] = (program, load(launch, program, Path(folder)))
        program, loaded = built
        if not cores:  # a kernel over tiles: as many as it has iterations
            most = KERNEL_TYPES[program.kernel_type].cores(kernel.soc())
            cores = cores_of(program.host, dict(zip(bound.names, bound.slots, strict=True)), most)
        self._seen[key] = self._seen.get(key, 0) + 1
        size = sum(memory[1] for memory in bound.memories if memory is not None)
        if self.only in launch.name:
            if not uses_sync(program.ir):
                self.skipped["nothing to remove"] += 1
            elif orders_by_words(program.ir):
                self.skipped["cores ordered by words in global memory"] += 1
            elif self._seen[key] > MOST_LAUNCHES:
                self.skipped[f"more than {MOST_LAUNCHES} of one kernel"] += 1
            elif size > MOST_BYTES:
                self.skipped[f"arguments of more than {MOST_BYTES} bytes"] += 1
            else:
                self._consider(key, Launch(self.origin, kernel, cores, *copy.deepcopy((arguments, keywords))), built)
        for error in checked(loaded, cores, bound).errors():
            if not (fast and issubclass(error.kind, (RaceError, UninitialisedRead))):
                raise error.error()

    def _consider(self, key: object, launch: Launch, built: tuple[LoweredProgram, Kernel]) -> None:
        """Keeps a launch if it can be judged and shows more than the one that was kept."""
        program, loaded = built
        got = run(launch, loaded)
        original = Original(launch, program, loaded, got)
        if got.findings:
            self.skipped["findings without a removal"] += 1
        elif got.lost or len(got.events) > MOST_EVENTS:
            self.skipped[f"more than {MOST_EVENTS} events"] += 1
        elif key not in self.best or original.rank > self.best[key].rank:
            self.best[key] = original

    def originals(self) -> list[Original]:
        """The launches to mutate; kernels that differ in nothing but their names count once."""
        distinct = {(_nameless(one.program), str(one.launch.kernel.options)): one for one in self.best.values()}
        return list(distinct.values())

    @contextlib.contextmanager
    def instead(self) -> Iterator[None]:
        """Every launch comes here."""

        as_it_is, checked_as_it_is = Launcher.__call__, CheckedLauncher.__call__

        def plain(launcher: Launcher, *arguments: object, **keywords: object) -> None:
            if isinstance(launcher, SimtLauncher):
                self.skipped["threads alone"] += 1
                as_it_is(launcher, *arguments, **keywords)
                return
            self.launch(launcher.kernel, launcher.cores, arguments, keywords, True)

        def when_checked(launcher: CheckedLauncher, *arguments: object, **keywords: object) -> None:
            if isinstance(launcher.launcher, SimtLauncher):
                self.skipped["threads alone"] += 1
                checked_as_it_is(launcher, *arguments, **keywords)
                return
            self.launch(launcher.check.kernel, launcher.launcher.cores, arguments, keywords, False)

        with (
            mock.patch.object(Launcher, "__call__", plain),
            mock.patch.object(CheckedLauncher, "__call__", when_checked),
        ):
            yield

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """A launch that is refused is left out, and counted; one that fails was counted when it was looked at."""
        try:
            yield
        except RunError:
            pass
        except OpwrightError as error:
            self.skipped[f"refused: {type(error).__name__}"] += 1

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Called by pytest: of a test with many parameters some are run, from the first to the last."""
        by_test: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            by_test[item.nodeid.partition("[")[0]].append(item)
        for found in by_test.values():
            if len(found) > MOST_PARAMETERS:
                chosen = np.linspace(0, len(found) - 1, MOST_PARAMETERS).astype(int)
                self.skipped["tests with further parameters"] += len(found) - MOST_PARAMETERS
                found[:] = [found[place] for place in chosen]
        items[:] = [item for found in by_test.values() for item in found]

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Called by pytest: which file launches from now on."""
        self.origin = item.path.relative_to(ROOT).as_posix()


def collect(only: str, part: int = 0, parts: int = 1) -> tuple[list[Original], Counter[str]]:
    """All originals of files and kernels whose name contains `only`; how many launches were left out, by reason.

    Of `parts` processes that share the files, this is number `part`, from 0.
    """
    recorder = Recorder(only)
    file = only.partition(":")[0]
    # Examples of operators hold no kernels of their own, or none with more than barriers.
    examples = [
        path
        for path in sorted((ROOT / "examples").glob("[0-9]*.py"))
        if "opwright.ops" not in path.read_text(encoding="utf-8")
    ]
    files = [path for path in (*examples, ROOT / GOLDEN, ROOT / HAZARDS, *_test_files()) if file in _name(path)]
    mine = files[part::parts]
    tests = [path for path in mine if path.name.startswith("test_")]
    # Plugins of the environment would only get in the way, and what tests print is of no use here.
    with (
        recorder.instead(),
        mock.patch.dict(os.environ, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        contextlib.ExitStack() as stack,
    ):
        for path in (path for path in mine if path in examples):
            recorder.origin = _name(path)
            with contextlib.suppress(SystemExit):
                _load(path).main()
        if ROOT / GOLDEN in mine:
            recorder.origin = GOLDEN
            _launch_golden(recorder)
        if ROOT / HAZARDS in mine:
            recorder.origin = HAZARDS
            _launch_hazards(recorder, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        if tests:
            options = ["-q", "-m", "not slow", f"--rootdir={ROOT}"]
            options += ["-p", "no:cacheprovider", "-p", "opwright.check.plugin"]
            code = pytest.main([*options, *map(str, tests)], plugins=[recorder])
            # Tests may fail here, with launches in the hands of another; but they must have been found.
            assert code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), code
    return recorder.originals(), recorder.skipped


def _test_files() -> list[Path]:
    """Test modules with kernels that have flags, barriers or queues, in themselves or in what they load."""

    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py"))}
    kernels = [path for path, text in texts.items() if path.stem.endswith("_kernels") and _WORDS.search(text)]

    def has_kernels(path: Path) -> bool:
        loaded = any(one.parent == path.parent and one.stem in texts[path] for one in kernels)
        return loaded or _name(path) in _PAGES or ("asc.jit" in texts[path] and bool(_WORDS.search(texts[path])))

    return [
        path
        for path in texts
        if path.name.startswith("test_")
        and path.parent.name not in _WITHOUT_LAUNCHES
        and path.stem not in (*_IN_OTHER_PROCESSES, *_WITH_ROWS_OF_THEIR_OWN)
        and has_kernels(path)
    ]


def _launch_golden(recorder: Recorder) -> None:
    """The kernels of the golden texts, with arrays as their descriptions say."""
    for kernel, arguments, soc in _load(ROOT / GOLDEN).CASES.values():
        filled = tuple(_array(argument) for argument in arguments)
        with mock.patch.dict(os.environ, {"OPWRIGHT_SOC": soc}), recorder.counted():
            recorder.launch(kernel, 1, filled, {}, True)


def _launch_hazards(recorder: Recorder, folder: Path) -> None:
    """The right kernels of the hazard corpus; each has a folder of its own, because its text is read later."""
    with mock.patch.object(sys, "path", [str((ROOT / HAZARDS).parent), *sys.path]):
        hazards, hazard_case = (importlib.import_module(name) for name in ("hazards", "hazard_case"))
    for number, case in enumerate(hazards.RIGHT.values()):
        (folder / str(number)).mkdir()
        kernel, _ = hazard_case.load(folder / str(number), case)
        with recorder.counted():
            recorder.launch(kernel, case.cores, hazard_case.arguments(case), {}, False)


def _nameless(program: LoweredProgram) -> str:
    """The text of a kernel under a name that all have."""
    return re.sub(rf"\b{program.name}\b", "kernel", program.text)


def _array(argument: object) -> object:
    """An array for "f16[512]"; anything else is itself."""
    match = _SPEC.fullmatch(argument) if isinstance(argument, str) else None
    if match is None:
        return argument
    import ml_dtypes

    name = parse(match[1]).name
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    return (np.arange(int(match[2])) % 7 + 1).astype(dtype)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"mutated_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
