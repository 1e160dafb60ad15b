"""Lets the tests of this folder import `perturbing`, and the corpus of races, by their names."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "hazards")]
