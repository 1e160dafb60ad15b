"""The lines in which a function of `opwright.ops` calls a form of its operator, and the names that they use.

In: a form, and what stands for its arguments. Out: lines of Python, for a template of a function. A call is the
dispatcher's as any other, with two shortcuts. It does not pass through the overload, which costs a quarter of a small
call. And where the kernel at the Autograd key, which is Python, would only pass the call on, that key is excluded, as
PyTorch's own kernels exclude it for what they call: no argument requires a gradient, there is no level of forward mode
and no transform of torch.func. Then what the call writes gets its new version here; so it does in inference mode, where
that kernel is not asked.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.operators._forms import Form
from opwright.operators._operator import Operator
from opwright.schema import Argument, Base

# Only overloads ask for __torch_function__, and torch.compile knows nothing else.
_WITHOUT_KERNEL = """
if _is_traced() or _is_overridden({splatted}):
    return _{kind}({passed})
return _call(_{kind}_handle, {passed})
"""

_RETURNING = """
if _is_traced() or _is_overridden({splatted}):
    return _{kind}({passed})
if _is_inference() or {asks}:
    return _call(_{kind}_handle, {passed})
try:
    _exclude(_AUTOGRAD, True)
    return _call(_{kind}_handle, {passed})
finally:
    _exclude(_AUTOGRAD, False)
"""

_WRITING = """
if _is_traced() or _is_overridden({splatted}):
    _rest = _{kind}({passed})
elif not (_inference := _is_inference()) and ({asks}):
    _rest = _call(_{kind}_handle, {passed})
else:
    try:
        if not _inference:
            _exclude(_AUTOGRAD, True)
        _rest = _call(_{kind}_handle, {passed})
    finally:
        if not _inference:
            _exclude(_AUTOGRAD, False)
        _raise_versions({written})
"""

# The Autograd kernel has something to do, or it is excluded already.
_ASKS = (
    "_is_excluded(_AUTOGRAD) or _forward._current_level >= 0 or _is_transformed()"
    " or (_is_grad_enabled() and _requires_grad({tensors}))"
)


def _lists(value: object) -> list[Any] | tuple[Any, ...]:
    """The entries of a list; what is none has no entries here, and is refused elsewhere."""
    return value if isinstance(value, (list, tuple)) else ()


NAMES: dict[str, Any] = {
    "_AUTOGRAD": torch._C.DispatchKey.AutogradFunctionality,
    "_call": torch._C._dispatch_call_boxed,
    "_exclude": torch._C._dispatch_tls_set_dispatch_key_excluded,
    "_forward": forward_ad,
    "_is_excluded": torch._C._dispatch_tls_is_dispatch_key_excluded,
    "_is_grad_enabled": torch._C.is_grad_enabled,
    "_is_inference": torch.is_inference_mode_enabled,
    "_is_overridden": torch._C._has_torch_function_variadic,
    "_is_traced": torch.compiler.is_dynamo_compiling,
    "_is_transformed": torch._C._are_functorch_transforms_active,
    "_lists": _lists,
    "_raise_versions": torch._C._increment_version,
    "_requires_grad": torch._C._any_requires_grad,
}


def names_in(form: Form, overload: Any) -> dict[str, Any]:
    """The names in the lines of one form."""
    own = {"": overload, "_handle": overload._handle, "_written": form.written()}
    return {f"_{form.kind}{suffix}": value for suffix, value in own.items()}


def lines_of(operator: Operator, form: Form, given: Mapping[str, str], indent: int) -> str:
    """Lines that return what a form gives; those of a form that writes leave it in `_rest`.

    given: an expression for each argument that is not called as itself.
    """
    arguments = [(argument, given.get(argument.name, argument.name)) for argument in form.schema.arguments]
    passed = ", ".join(f"{one.name}={text}" if one.keyword_only else text for one, text in arguments)
    tensors = [(one, text) for one, text in arguments if one.kind.startswith("Tensor")]
    words = {
        "kind": form.kind,
        "passed": passed,
        "splatted": ", ".join(text if one.is_tensor else f"*_lists({text})" for one, text in tensors),
        "asks": _ASKS.format(tensors=", ".join(text for _, text in tensors)),
        "written": _written(form, [pair for pair in arguments if pair[0].is_written], passed),
    }
    template = _WRITING if form.is_writing else _WITHOUT_KERNEL if operator.gradient == "none" else _RETURNING
    return textwrap.indent(template.strip("\n").format(**words), " " * indent)


def _written(form: Form, written: list[tuple[Argument, str]], passed: str) -> str:
    """What a call writes."""
    if all(isinstance(one.type, Base) for one, _ in written):
        return f"({', '.join(text for _, text in written)},)"
    return f"_{form.kind}_written({passed})"
