"""`explain`: who serves a call, who would not and why, and from what file.

In: an operator's name and the arguments of a call. Out: an `Explanation`; nothing is computed. Refuses a call that is
wrong, with the error that the call itself would raise.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from opwright.errors import NotSupported, OperatorError, ProviderRefused
from opwright.frameworks.torch.loading import operator_named
from opwright.frameworks.torch.native import library_of
from opwright.frameworks.torch.register import registered
from opwright.frameworks.torch.serve import NATIVE, check, check_outs, choose, device_of, fake, order_of, refusal, view
from opwright.frameworks.torch.using import in_use
from opwright.native.library import CpuLibrary
from opwright.operators._forms import Into
from opwright.operators._operator import KERNEL, Operator, as_tuple
from opwright.settings import settings


@dataclass(frozen=True)
class Explanation:
    """Which provider serves a call, what stands behind it, and how the operator's kernel would be launched.

    order: who is asked, in order. refused: why those before or after it do not take the call. artefact and sha256: the
    file that the provider's code comes from. chosen_by: order, using or OPWRIGHT_PROVIDERS. copies: what is copied for
    the provider; "" if nothing is. launch: of the operator's kernel on the SoC of the settings: soc, kernel, blocks,
    arguments behind its tensors, bytes of workspace; or soc and refused, why no kernel takes it; {} if the operator
    states none.
    """

    operator: str
    device: str
    provider: str
    chosen_by: str
    order: tuple[str, ...]
    refused: dict[str, str]
    artefact: str
    sha256: str
    copies: str
    launch: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as `opwright explain --json` prints it."""
        return asdict(self)

    def __str__(self) -> str:
        by = {"order": "", "using": " (by opwright.using)"}.get(self.chosen_by, f" (by {self.chosen_by})")
        lines = [f"{self.operator} on {self.device}: {self.provider}{by}", f"  from {self.artefact}"]
        if self.sha256:
            lines.append(f"  sha256 {self.sha256}")
        if self.copies:
            lines.append(f"  copies {self.copies}")
        for name in self.order:
            if name != self.provider:
                lines.append(f"  {name}: {self.refused.get(name, 'takes this call, but is asked later')}")
        if "refused" in self.launch:
            lines.append("  on {soc}: no kernel takes it: {refused}".format(**self.launch))
        elif self.launch:
            lines.append("  on {soc}: {kernel} on {blocks} cores".format(**self.launch))
            lines.append("    numbers {arguments}; {workspace:,} bytes of scratch memory".format(**self.launch))
        return "\n".join(lines)


def explain(name: str, *args: Any, **kwargs: Any) -> Explanation:
    """Who would serve `opwright.ops.<name>(*args, **kwargs)` in this thread, why not the others, and what is copied."""
    operator = operator_named(name)
    values = operator.schema.complete(*_bound(operator, args, kwargs))
    check(operator, values)
    outs = _outs(operator, kwargs.get("out"))
    if outs:
        check_outs(operator, values, outs)
    device = device_of(operator, values)
    refused = {}
    order = order_of(operator, device)
    for provider in order:
        found = operator.providers.get(provider)
        if found is None:
            reason: str | None = operator.absent.get(provider, "this machine does not have it")
        else:
            reason = refusal(operator, found, values)
        if reason:
            refused[provider] = reason
    mode = in_use(registered[operator.schema.qualified])
    chosen = mode.provider(device) if mode else choose(operator, values)
    if chosen.name in refused:
        raise ProviderRefused(operator=operator.name, provider=chosen.name, reason=refused[chosen.name])
    by = "using" if mode else "OPWRIGHT_PROVIDERS" if operator.label in settings.providers else "order"
    artefact, sha256 = _artefact(operator, chosen.name)
    copies = _copies(operator, chosen.name, values, outs)
    plan = _launch(operator, values)
    return Explanation(operator.label, device, chosen.name, by, order, refused, artefact, sha256, copies, plan)


def _copies(operator: Operator, provider: str, values: Sequence[Any], outs: Sequence[Into]) -> str:
    """What would be copied. Results without memory, yet, lie as they should."""
    cpu = library_of(operator) if provider in (NATIVE, KERNEL) else ""
    name = operator.schema.qualified
    if not isinstance(cpu, CpuLibrary) or name not in cpu.schemas or provider not in cpu.providers(name):
        return "the results to out: this provider makes new ones" if outs else ""
    if any(isinstance(one, Tensor) and one.is_meta for one in values):
        return ""  # a call that is only described
    results = [one.tensor for one in outs] if outs else [_like(one) for one in fake(operator, values)]
    try:
        is_copied = cpu.copies(name, [view(one) for one in values], [view(one) for one in results], provider)
    except NotSupported:  # the plan leaves it to the next provider
        return ""
    return "tensors: they do not lie as this provider takes them" if is_copied else ""


def _like(described: Tensor) -> Tensor:
    return torch.empty_strided(described.shape, described.stride(), dtype=described.dtype)


def _outs(operator: Operator, out: Any) -> list[Into]:
    """The tensors that results would be written into."""
    given = () if out is None else as_tuple(out)
    return [Into(name, i, one) for i, (name, one) in enumerate(zip(operator.out_names, given, strict=False))]


def _launch(operator: Operator, values: Sequence[Any]) -> dict[str, Any]:
    """How the operator's kernel would be launched, on an NPU or on the twin."""
    if "launch" not in operator.functions:
        return {}
    results = fake(operator, values)
    try:
        return {"soc": settings.soc, **asdict(operator.launch_for(*values, *results, soc=settings.soc))}
    except OperatorError as error:
        return {"soc": settings.soc, "refused": error.fields["message"]}


def _bound(operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call by the names of the schema. Refuses arguments that the function would not take."""
    from opwright.frameworks.torch.loading import function_for

    inspect.signature(function_for(operator)).bind(*args, **kwargs)
    own = {second: name for name, second in operator.synonyms.items()}
    return args, {own.get(name, name): value for name, value in kwargs.items() if name != "out"}


def _artefact(operator: Operator, provider: str) -> tuple[str, str]:
    cpu, qualified = library_of(operator) if provider in (NATIVE, KERNEL) else "", operator.schema.qualified
    if isinstance(cpu, CpuLibrary) and qualified in cpu.schemas and provider in cpu.providers(qualified):
        return f"{cpu.library.path}, {cpu.library.source}", cpu.library.sha256
    found = operator.providers[provider]
    if provider == KERNEL and operator.kernels:  # launched from Python
        source = "".join(dict.fromkeys(one.kernel.source.text for one in operator.kernels.values()))
    else:
        source = inspect.getsource(found.run)
    return found.where, hashlib.sha256(source.encode()).hexdigest()
