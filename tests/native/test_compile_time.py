"""How long the compiler takes for the object of one changed operator, in CPU time."""

import resource
import subprocess
from pathlib import Path

import pytest

from opwright.native.build import FLAGS, baseline
from opwright.native.sources import INCLUDE, operator_units
from opwright.twin.toolchain import find_compiler

FLOOR = 8.0  # seconds on the machine of the floors, where the yardstick takes
YARDSTICK_SECONDS = 5.2
YARDSTICK = """
#include <regex>
bool is_word(const std::string& text) { return std::regex_match(text, std::regex("[a-z]+( [a-z]+)*")); }
"""
LARGEST = "operator_rotary_embedding"


def seconds(source: Path) -> float:
    """What the compiler takes for a file."""
    command = [
        find_compiler(),
        *FLAGS,
        *baseline(),
        f"-I{INCLUDE}",
        "-c",
        str(source),
        "-o",
        str(source.with_suffix(".o")),
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def over_the_floor(names: list[str], folder: Path) -> dict[str, float]:
    """Objects that take longer than the floor: seconds as they would be on the machine of the floors."""
    yardstick = folder / "yardstick.cpp"
    yardstick.write_text(YARDSTICK)
    found = {}
    for unit in operator_units((2,)):
        if unit.name in names or (not names and unit.kernel_flags is None):
            source = folder / f"{unit.name}.cpp"
            source.write_text(unit.text)
            # Right before it: other users of the machine slow both down alike.
            found[unit.name] = YARDSTICK_SECONDS / seconds(yardstick) * seconds(source)
    assert found.keys() >= set(names)
    return {name: took for name, took in found.items() if took > FLOOR}


def test_the_object_of_the_largest_operator(tmp_path: Path) -> None:
    assert over_the_floor([LARGEST], tmp_path) == {}


@pytest.mark.slow
def test_the_objects_of_all_operators(tmp_path: Path) -> None:
    assert over_the_floor([], tmp_path) == {}
