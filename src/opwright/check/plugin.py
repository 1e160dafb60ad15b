"""A pytest plugin: kernels that a test launches run on the checked twin.

In: `@pytest.mark.opwright_check` on a test, or `--opwright-check` for all. Out: the test fails with the first error
that the checked twin finds. `@pytest.mark.opwright_check(False)` takes a test out, for kernels wrong on purpose. What
its fixtures launch counts, too; a fixture that several tests share counts for the first of them. Threads that a test
starts are not covered: a setting holds for its own thread (`OPWRIGHT_CHECK=1` covers them).
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

MARK = "opwright_check"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    group = parser.getgroup("opwright")
    group.addoption(
        "--opwright-check",
        action="store_true",
        help="run every kernel that a test launches on opwright's checked twin",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the mark known."""
    config.addinivalue_line(
        "markers", f"{MARK}(wanted=True): run the kernels of this test on opwright's checked twin, or not"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Checks what the test launches, its fixtures included, from the thread that runs it."""
    mark = item.get_closest_marker(MARK)
    wanted = bool(item.config.getoption("--opwright-check")) if mark is None else _wanted(mark)
    if not wanted and mark is None:
        return (yield)
    from opwright.settings import settings  # only a test that has to do with kernels needs it

    with settings.scope(check=wanted):
        return (yield)


def _wanted(mark: pytest.Mark) -> bool:
    """What a mark asks for: `opwright_check`, `opwright_check(False)` or `opwright_check(wanted=False)`."""
    return bool(mark.kwargs.get("wanted", mark.args[0] if mark.args else True))
