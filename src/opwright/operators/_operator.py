"""What one file says of its operator, and the table of all that were defined.

In: a schema, and functions that are given to it by decorators: `infer` says what is wrong with a call and what its
results look like, `reference` is the contract in plain PyTorch, `backward` the gradient, `provider` another way to
compute it, `oracle`, `cases` and `mistakes` what it is tested with, `timed` what is measured. All get the arguments in
the order of the schema, those with defaults filled in. Out: an `Operator`. Registering it is the frameworks' business.
Refuses two operators of one name, and names of the namespace opwright from outside of the package.
"""

from __future__ import annotations

import keyword
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar, get_args

import torch
from torch import Tensor

from opwright import host
from opwright.errors import BadDefinition, BadSchema, BadValue, DefinedTwice
from opwright.host.variants import variants_of
from opwright.kernel.function import KernelFunction
from opwright.operators import _gradient, _infer, _kernels
from opwright.operators._aliases import Also, CannotMap, also_of
from opwright.operators._forms import Form, forms_of, is_writing, out_names, reason_against, reason_against_writes
from opwright.schema import Schema, parse

Function = TypeVar("Function", bound=Callable[..., Any])
Gradient = Literal["exact", "straight_through", "none"]
_OPTIONS = (
    f"a gradient is one of {', '.join(get_args(Gradient))}; "
    'writes are like {"x": 0}, synonyms like {"epsilon": "eps"}'
)
OWN = "opwright"
KERNEL = "kernel"  # the provider that runs the operator's kernel

# vLLM's table, which others have taken over: absolute and relative error by dtype.
TOLERANCE = {
    torch.float64: (1e-8, 1e-8),
    torch.float32: (1e-5, 1.3e-6),
    torch.float16: (1e-3, 1e-3),
    torch.bfloat16: (1e-3, 1.6e-2),
}


@dataclass(frozen=True)
class Facts:
    """What a predicate may see of a tensor: all but its values."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str

    def tensor(self) -> Tensor:
        """A tensor of these facts, on the device "meta"."""
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device="meta")

    @classmethod
    def of(cls, value: object) -> object:
        """A tensor's facts, those of each tensor of a list; anything else as it is."""
        if isinstance(value, (list, tuple)) and any(isinstance(one, Tensor) for one in value):
            return tuple(map(cls.of, value))
        if not isinstance(value, Tensor):
            return value
        return cls(value.dtype, tuple(value.shape), tuple(value.stride()), value.device.type)


@dataclass(frozen=True)
class Counts:
    """Calls that a provider served, those that it did not take, and those that it served with copies of tensors."""

    served: int = 0
    refused: int = 0
    copied: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.served + other.served, self.refused + other.refused, self.copied + other.copied)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.served - other.served, self.refused - other.refused, self.copied - other.copied)


_SERVED, _REFUSED, _COPIED = Counts(served=1), Counts(refused=1), Counts(copied=1)
_counting = threading.Lock()


@dataclass
class Provider:
    """One way to compute an operator. `supports` gets facts and gives the reason why it does not take a call."""

    name: str
    run: Callable[..., Any]
    supports: Callable[..., str | None]
    where: str
    counts: Counts = field(default_factory=Counts)  # of calls that came through Python

    def count(self, kind: Literal["served", "refused", "copied"]) -> None:
        """Counts one call; threads may do it at once."""
        with _counting:
            self.counts += {"served": _SERVED, "refused": _REFUSED, "copied": _COPIED}[kind]


class Case:
    """The arguments of one call that a test makes; `large` ones are made less often."""

    def __init__(self, *args: Any, large: bool = False, **kwargs: Any) -> None:
        self.args, self.kwargs, self.large = args, kwargs, large


@dataclass
class Operator:
    """One operator."""

    schema: Schema
    where: str
    dtypes: tuple[torch.dtype, ...]
    gradient: Gradient
    orders: Mapping[str, tuple[str, ...]]
    writes: Mapping[str, int]  # of the form in place: arguments, and the result that is written into each
    rows: tuple[str, ...]  # tensors whose rows are computed alone: what vmap and DTensor need to know
    tolerance: Mapping[torch.dtype, tuple[float, float]]
    module: str
    library: Path | None = None  # of its package; without one, the operators of opwright have ours
    also: tuple[Also, ...] = ()  # schemas of other projects that it serves
    constants: tuple[str, ...] = ()  # tensors that have no gradient
    saves: tuple[str, ...] | None = None  # tensors that its backward gets: arguments and results; None: all arguments
    synonyms: Mapping[str, str] = field(default_factory=dict)  # second names of arguments of its function in Python
    providers: dict[str, Provider] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)  # providers that this machine does not have, and why
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    kernels: dict[str, host.Variant] = field(default_factory=dict)  # by the names that `launch` gives

    @property
    def name(self) -> str:
        """Its name without the namespace, with that of its overload if it has one."""
        return self.schema.qualified.removeprefix(f"{self.schema.space}::")

    @property
    def function_name(self) -> str:
        """What its function is called in Python."""
        return self.name.replace(".", "_")

    @property
    def label(self) -> str:
        """What people call it: its name, with the namespace if it is another package's."""
        return self.name if self.schema.space == OWN else self.schema.qualified

    @cached_property
    def forms(self) -> list[Form]:
        """All forms: as stated; if that returns new tensors, with outputs; and in place if there are writes."""
        return forms_of(self.schema, self.writes)

    @cached_property
    def is_writing(self) -> bool:
        """Whether the form that is stated writes into its arguments."""
        return is_writing(self.schema)

    @cached_property
    def out_names(self) -> tuple[str, ...]:
        """What the written arguments of the out form are called."""
        return out_names(self.schema)

    @cached_property
    def gradients(self) -> _gradient.Gradients:
        """Which of its tensors have gradients, and which its backward gets."""
        return _gradient.gradients_of(self.schema, self.constants, self.saves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it in PyTorch, from a backward: such a call can be differentiated again, or says why it cannot."""
        if "call" not in self.functions:
            hint = "import opwright.ops, or give it to opwright.ops.register, before it is called"
            raise BadDefinition(name=self.schema.qualified, where=self.where, reason="is not registered yet", hint=hint)
        return self.functions["call"](*args, **kwargs)

    def _keep(self, kind: str) -> Callable[[Function], Function]:
        def decorate(function: Function) -> Function:
            self.functions[kind] = function
            return function

        return decorate

    def infer(self, function: Function) -> Function:
        """What is wrong with a call, and what its results look like, over facts: see `opwright.host`."""
        return self._keep("infer")(function)

    def launch(self, function: Function) -> Function:
        """Which kernel a call runs, on how many cores, over facts of arguments and results and a `host.Soc`."""
        return self._keep("launch")(function)

    def kernel(
        self,
        kernel: KernelFunction,
        variants: Sequence[Sequence[host.Dtype]],
        ranks: Sequence[int] | None = None,
        **constants: object,
    ) -> None:
        """A kernel that `launch` names, for each variant with the dtypes of its tensors; the library has them compiled.

        ranks: dimensions of its tensors, of a kernel over tiles. constants: values of its constants.
        """
        try:
            self.kernels |= variants_of(kernel, variants, ranks, constants)
        except ValueError as error:
            hint = "a variant has the data type of each tensor of the kernel, in its order"
            raise BadDefinition(name=self.name, where=self.where, reason=f"has {error}", hint=hint) from None
        code = kernel.function.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        run, supports = partial(_kernels.run, self), partial(_kernels.refusal, self)
        self.providers[KERNEL] = Provider(KERNEL, run, supports, place)

    def backward(self, function: Function) -> Function:
        """Gradients of the tensors that are no constants.

        It gets the gradients of the results, which of those tensors need one, all arguments, and results that it saves.
        It is plain PyTorch, and may call operators: `my_operator(x, ...)`.
        """
        return self._keep("backward")(function)

    def vmap(self, function: Function) -> Function:
        """Moves a batch into the arguments: gets its size, for each argument its dimension or None, the arguments."""
        return self._keep("vmap")(function)

    def cases(self, function: Function) -> Function:
        """Calls to test it with: gets a dtype and a generator of random numbers."""
        return self._keep("cases")(function)

    def timed(self, function: Function) -> Function:
        """A call to measure: gets a dtype, a number of rows as a hidden layer has them, and random numbers."""
        return self._keep("timed")(function)

    def mistakes(self, function: Function) -> Function:
        """Calls that it must refuse, each with a name."""
        return self._keep("mistakes")(function)

    def reference(self, function: Function) -> Function:
        """The contract in plain PyTorch, its docstring that of the operator; also the last provider."""
        self._keep("reference")(function)
        return self.provider("reference")(function)

    def oracle(self, function: Function) -> Function:
        """The same numbers in another way, such as loops of Python: what the reference is tested with.

        It gets the arguments of a call and gives its results as float64; of an operator that writes, what is written.
        """
        return self._keep("oracle")(function)

    def provider(
        self, name: str, supports: Callable[..., str | None] = lambda *_: None
    ) -> Callable[[Function], Function]:
        """Another way to compute it."""

        def decorate(function: Function) -> Function:
            code = function.__code__
            place = f"{code.co_filename}:{code.co_firstlineno}"
            self.providers[name] = Provider(name, function, supports, place)
            return function

        return decorate

    # What a call is refused with -----------------------------------------------------------------------------------

    def check(self, values: Sequence[Any]) -> None:
        """Raises what `infer` refuses a call for."""
        _infer.check(self.name, self.schema.arguments, self.functions["infer"], values)

    def fake(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Tensors like the results of a call that was checked, without values; None for one that is absent."""
        if not self.schema.results:
            return ()
        return _infer.fake(self.schema.arguments, self.functions["infer"], values)

    def launch_for(self, *values: Any, soc: str = "") -> host.Launch:
        """What `launch` says of a call: all arguments, then the results. soc: that of the settings, unless given."""
        with host.errors_of(self.name):
            return _infer.launch(self.schema, self.functions["launch"], values, soc)

    def refuse(self, message: str) -> NoReturn:
        """Raises BadValue."""
        raise BadValue(operator=self.name, message=message)

    def require(self, condition: bool, message: str) -> None:
        """Raises BadValue unless the condition holds."""
        if not condition:
            self.refuse(message)


_defined: dict[str, Operator] = {}
_lock = threading.RLock()


def operators() -> dict[str, Operator]:
    """All operators that were defined so far, by qualified name, in the order of their names."""
    with _lock:
        return {name: _defined[name] for name in sorted(_defined)}


def operator(
    schema: str,
    *,
    dtypes: tuple[torch.dtype | host.Dtype, ...],
    gradient: Gradient = "none",
    providers: Mapping[str, tuple[str, ...]] | None = None,
    writes: Mapping[str, int] | None = None,
    rows: tuple[str, ...] = (),
    tolerance: Mapping[torch.dtype, tuple[float, float]] | None = None,
    library: str | Path | None = None,
    also: tuple[str, ...] = (),
    constants: tuple[str, ...] = (),
    saves: tuple[str, ...] | None = None,
    synonyms: Mapping[str, str] | None = None,
) -> Operator:
    """Defines an operator by its schema: one that returns new tensors, or one that writes into its arguments.

    dtypes: of its first tensor that does not point. gradient: "exact", "straight_through" or "none". providers: by
    device type the names in the order in which they are asked; the reference serves every other device. writes: for a
    form `f_` of an operator that returns new tensors, by the name of an argument the index of the result that is
    written into it. rows: tensors that take any number of dimensions in front of the last; each row is computed alone.
    tolerance: what the tests allow, by dtype; {} for none.
    library: the compiled library of your package, for the provider "native"; it follows opwright/abi.h and has the
    operator by its qualified name. manifest.json beside it has its SHA-256 by name.
    also: schemas of other projects that it serves, which `opwright.ops.define_aliases` defines.
    constants: tensors without a gradient, such as tables and positions; a call refuses one that requires a gradient.
    saves: what a graph keeps for the backward: tensors among the arguments, and results that the schema names, such as
    `-> (Tensor y, Tensor rstd)`; all arguments, unless given.
    synonyms: by the name of an argument another one that its function takes too, by name only: {"epsilon": "eps"}.

    The functions of an operator that writes (`Tensor(a!) x`) write into the tensors that they are given; its `infer`
    returns facts of new results only, or nothing.
    """
    frame = sys._getframe(1)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    module = str(frame.f_globals.get("__name__", ""))
    name = schema.partition("(")[0]
    try:
        parsed = parse(schema)
    except BadSchema as error:
        reason = f"has a schema that cannot be read: {error.fields['reason']}"
        raise BadDefinition(error.at, name=name, where=where, reason=reason, hint=error.hint) from None
    if reason := reason_against(parsed):
        hint = 'write it as PyTorch does: "mylib::scaled(Tensor x, float factor) -> Tensor"'
        raise BadDefinition(name=name, where=where, reason=reason, hint=hint)
    if reason := _reason_against_options(parsed, gradient, writes or {}, synonyms or {}):
        raise BadDefinition(name=name, where=where, reason=reason, hint=_OPTIONS)
    if reason := _gradient.reason_against(parsed, gradient, constants, saves):
        hint = 'name arguments as the schema does; it names results so: "-> (Tensor y, Tensor rstd)"'
        raise BadDefinition(name=name, where=where, reason=reason, hint=hint)
    is_own = module.startswith(f"{OWN}.operators.")
    if not is_own and parsed.space in ("", OWN):
        reason = "would be in the namespace opwright, which only the package itself fills"
        hint = f'give it a namespace of your own: "mylib::{parsed.name}(...)"'
        raise BadDefinition(name=name, where=where, reason=reason, hint=hint)
    if is_own:
        parsed = replace(parsed, space=OWN)
    made = Operator(
        parsed,
        where,
        tuple(_infer.torch_dtype(dtype) if isinstance(dtype, host.Dtype) else dtype for dtype in dtypes),
        gradient,
        providers or {"cpu": ("reference",)},
        writes or {},
        rows,
        TOLERANCE if tolerance is None else tolerance,
        module,
        None if library is None else Path(library).absolute(),
    )
    made.constants, made.saves, made.synonyms = constants, saves, synonyms or {}
    made.also = tuple(_also(made, name, text) for text in also)
    with _lock:
        known = _defined.get(parsed.qualified)
        if known is None:
            _defined[parsed.qualified] = made
            return made
        if known.module != module or known.schema != parsed:
            raise DefinedTwice(name=parsed.qualified, first=known.where, second=where)
        return known  # the module was reloaded: its functions take the place of the old ones


def _also(made: Operator, name: str, text: str) -> Also:
    try:
        return also_of(text, made.forms)
    except CannotMap as error:
        reason = f"cannot serve {text}: {error}"
        hint = (
            "arguments have the names of the operator's, or its order; what is written is one of writes, or an output"
        )
        raise BadDefinition(name=name, where=made.where, reason=reason, hint=hint) from None


def _reason_against_options(
    schema: Schema, gradient: str, writes: Mapping[str, int], synonyms: Mapping[str, str]
) -> str:
    if gradient not in get_args(Gradient):
        return f"has the gradient {gradient!r}"
    if gradient != "none" and is_writing(schema):
        return "writes into its arguments, so it has no gradient: state the form that returns new tensors, with writes"
    if gradient != "none" and any(argument.kind in ("Tensor[]", "Tensor?[]") for argument in schema.arguments):
        return "has a gradient and a list of tensors, which operators cannot have together"
    return reason_against_writes(schema, writes) or _reason_against_synonyms(schema, synonyms)


def _reason_against_synonyms(schema: Schema, synonyms: Mapping[str, str]) -> str:
    names = [argument.name for argument in schema.arguments]
    for name, second in synonyms.items():
        if name not in names:
            return f"has a synonym of {name}, which is none of its arguments"
        if second in (*names, "out") or list(synonyms.values()).count(second) > 1:
            return f"has the synonym {second}, which is another argument's name"
        if not second.isidentifier() or keyword.iskeyword(second):
            return f"has the synonym {second!r}, which is no name in Python"
        behind = schema.arguments[names.index(name) + 1 :]
        if required := [one.name for one in behind if not (one.has_default or one.keyword_only)]:
            return f"has a synonym of {name}, but {required[0]} behind it has no default"
    return ""


def as_tuple(results: Any) -> tuple[Any, ...]:
    """What a function of an operator gives, also where it is one tensor."""
    return results if isinstance(results, tuple) else (results,)


def cases_of(found: Operator, dtype: torch.dtype, seed: int = 0) -> Iterator[Case]:
    """The calls that an operator is tested with, for one dtype."""
    made: Iterator[Case] = found.functions["cases"](dtype, torch.Generator().manual_seed(seed))
    return made
