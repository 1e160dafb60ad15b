"""Lets the tests of this folder import `happens_before` by its name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
