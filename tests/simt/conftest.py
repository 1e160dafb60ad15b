"""Lets the tests of this folder import kernels, programs, references and `by_hand` by their names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
