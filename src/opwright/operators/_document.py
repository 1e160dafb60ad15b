"""The page of each operator, made from its definition.

In: the operators of the package. Out: Markdown by the name of its page: one for each, and `operators` with all.
"""

from __future__ import annotations

import inspect

from opwright.operators._operator import OWN, Operator, operators

_GRADIENTS = {
    "exact": "exact: reverse and forward mode, any order, `torch.func` too",
    "straight_through": "straight through: what comes in goes out",
    "none": "none: results never require a gradient",
}


def pages() -> dict[str, str]:
    """All pages, by name."""
    own = [found for found in operators().values() if found.schema.space == OWN]
    listed = {f"operators/{found.name}": _page(found) for found in own}
    rows = [f"| [`{one.name}`](operators/{one.name}.md) | {_first(one)} |" for one in own]
    head = (
        "# Operators\n\nEvery operator is in `opwright.ops` and in `torch.ops.opwright`. How they are used: "
        "[Operators in PyTorch](../guide/operators.md). Not run on an NPU.\n\n| operator | what it does |\n|---|---|\n"
    )
    tree = "\n".join(f"operators/{one.name}" for one in own)
    return {**listed, "operators": head + "\n".join(rows) + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"}


def _doc(found: Operator) -> str:
    return inspect.getdoc(found.functions["reference"]) or ""


def _first(found: Operator) -> str:
    return _doc(found).splitlines()[0]


def _page(found: Operator) -> str:
    dtypes = ", ".join(str(dtype).removeprefix("torch.") for dtype in found.dtypes)
    synonyms = [f"- `{second}` is another name of `{one}` in `opwright.ops`" for one, second in found.synonyms.items()]
    orders = "; ".join(f"{device}: {', '.join(names)}" for device, names in found.orders.items())
    return "\n".join(
        [
            f"# {found.name}\n",
            f"{_doc(found)}\n",
            "```text",
            *(form.schema.text for form in found.forms),
            "```\n",
            f"- dtypes: {dtypes}",
            *synonyms,
            f"- gradient: {_GRADIENTS[found.gradient]}",
            f"- providers, in the order in which they are asked: {orders}; any other device: reference",
            "- not run on an NPU\n",
        ]
    )
