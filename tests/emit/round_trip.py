"""A kernel printed as Python and read back: its text before and after.

The pass `share` is left out: it would take names that the printer makes up for the author's.
"""

import importlib.util
from pathlib import Path

from opwright.emit.python.module import Printed, printed
from opwright.frontend.compile import compile_function
from opwright.ir import ModuleOp
from opwright.kernel.program import Request
from opwright.runtime.jit import JitFunction
from opwright.settings import settings


def print_kernel(request: Request) -> tuple[Printed, str]:
    """A kernel as Python, and its Ascend C text."""
    found: list[Printed] = []

    def watch(stage: str, module: ModuleOp) -> None:
        if stage == "ir":
            found.append(printed(module, request.soc, request.options))

    with settings.scope(without="share"):
        text = compile_function(request, watch).text
    return found[0], text


def read_back(folder: Path, name: str, text: str) -> JitFunction:
    """The kernel of a printed text, from a file of its own."""
    path = folder / f"printed_{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = vars(module)[name]
    assert isinstance(kernel, JitFunction)
    return kernel


def text_after(folder: Path, request: Request, python: str) -> str:
    """The Ascend C text of a printed kernel, for the same arguments."""
    kernel = read_back(folder, request.function.__name__, python)
    assert kernel.options == request.options
    with settings.scope(without="share"):
        return compile_function(
            Request(kernel.function, kernel.source, request.types, {}, request.soc, kernel.options)
        ).text
