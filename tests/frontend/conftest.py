"""What the tests of the front end share: their harness, which they import by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
