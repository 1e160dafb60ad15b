"""Lets the tests of the matrix unit find the models beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
