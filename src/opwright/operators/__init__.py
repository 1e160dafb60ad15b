"""The operators, one file each, and what a file says of its operator: see `operator`.

Files that begin with an underscore are shared by operators. Importing this package defines nothing and needs PyTorch;
`import opwright.ops` registers every operator of this folder and of other packages.
"""

from __future__ import annotations

from opwright.operators._operator import Case, Facts, Operator, operator

__all__ = ["Case", "Facts", "Operator", "operator"]
