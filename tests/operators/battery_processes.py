"""The battery's check of operators in fresh processes: see first_use.py, which runs there.

In: operators, the module that defines them if they are not the package's own, and a folder. Out: see battery.py.
Operators share a process: what it costs is importing PyTorch, once for each scenario.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from battery import Operator, Values, cases, close, has_elements, is_taken, main_dtype, reference

SCRIPT = Path(__file__).parent / "first_use.py"
SECONDS = 400


def _chosen(operator: Operator) -> dict[str, Values]:
    """The last case with elements that each provider takes."""
    chosen = {}
    for provider in operator.orders.get("cpu", ("reference",)):
        for values in cases(operator, main_dtype(operator)):
            if has_elements(values) and is_taken(operator, provider, values):
                chosen[provider] = values
    return chosen


def check_first_use(operators: Sequence[Operator], folder: Path, module: str = "") -> None:
    """Threads at first use, a fork after it, and every OPWRIGHT_PROVIDERS: the results are the references'."""
    chosen = {operator.schema.qualified: _chosen(operator) for operator in operators}
    names = {one.schema.qualified: [argument.name for argument in one.schema.arguments] for one in operators}
    asked = {
        "module": module,
        "calls": {
            name: {provider: dict(zip(names[name], values, strict=True)) for provider, values in found.items()}
            for name, found in chosen.items()
        },
        "results": str(folder / "results.pt"),
    }
    torch.save(asked, folder / "asked.pt")
    environment = {name: text for name, text in os.environ.items() if name != "OPWRIGHT_PROVIDERS"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SCRIPT.parent), environment.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder / "asked.pt")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"operators cannot be used in a fresh process:\n{done.stderr}"
    assert not done.stdout, f"{done.stdout.strip()}\n{done.stderr}"
    found = torch.load(folder / "results.pt", weights_only=True)
    for operator in operators:
        for provider, values in chosen[operator.schema.qualified].items():
            got = found[operator.schema.qualified][provider]
            close(operator, provider, got, reference(operator, values), "in a fresh process")
