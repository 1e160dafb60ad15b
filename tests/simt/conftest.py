"""What tests of threads share with those of the rows: fixtures that note what tests show."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "ascendc"))
sys.path.insert(0, str(Path(__file__).parent))
from notes import asserted, compared, counting, ran

__all__ = ["asserted", "compared", "counting", "ran"]
