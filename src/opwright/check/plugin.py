"""A pytest plugin: kernels that a test launches run on the checked twin.

In: `@pytest.mark.opwright_check` on a test, or `--opwright-check` for all. Out: the test fails with the first error
that the checked twin finds. `@pytest.mark.opwright_check(False)` takes a test out, for kernels wrong on purpose.
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
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Checks what the test launches from its own thread."""
    mark = item.get_closest_marker(MARK)
    wanted = item.config.getoption("--opwright-check") if mark is None else not mark.args or bool(mark.args[0])
    if not wanted and mark is None:
        yield
        return
    from opwright.settings import settings  # only a test that has to do with kernels needs it

    with settings.scope(check=bool(wanted)):
        yield
