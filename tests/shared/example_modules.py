"""The examples as modules.

In: the path of an example. Out: its module, loaded once in a process: an example may define an operator, and a second
module that defines it is refused.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def example(path: Path) -> ModuleType:
    """The module of an example."""
    name = f"example_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec and spec.loader
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
