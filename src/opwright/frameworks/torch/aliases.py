"""Defines the operators of other projects that ours serve, where PyTorch does not have them yet.

In: the operators that are registered, with the schemas of other projects that they state. Out: these operators in
PyTorch. Each is the call of a form of ours, so that gradients, fakes and compiled code are those of the form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from opwright.frameworks.torch.register import Registered, registered
from opwright.operators._aliases import Also

_libraries: list[torch.library.Library] = []  # a definition ends with its library


def define_aliases() -> list[str]:
    """Defines the names of other projects that operators state with `also`, such as `torch.ops._C.rms_norm`.

    Only those that PyTorch does not have yet: import the other project first if it is there. Gives the names that were
    defined by this call.
    """
    defined = []
    for made in registered.values():
        for also in made.operator.also:
            if not _is_there(also):
                _define(made, also)
                defined.append(also.schema.qualified)
    return sorted(defined)


def _is_there(also: Also) -> bool:
    schema = also.schema
    known = torch._C._jit_get_schemas_for_operator(f"{schema.space}::{schema.name}")
    return any(one.overload_name == schema.overload for one in known)


def _define(made: Registered, also: Also) -> None:
    library = torch.library.Library(also.schema.space, "FRAGMENT")
    tag = getattr(torch.Tag, "pt2_compliant_tag", None)
    library.define(also.schema.text, tags=[tag] if tag else [])
    overload = next(overload for overload, form in made.forms.items() if form == also.form)
    library.impl(also.schema.text.partition("(")[0], _calling(overload, also), "CompositeImplicitAutograd")
    _libraries.append(library)


def _calling(overload: Any, also: Also) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        placed, named = also.call(args, kwargs)
        return overload(*placed, **named)

    return call
