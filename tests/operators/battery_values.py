"""The battery's checks of what a call computes, and of what it must leave alone.

In: an operator, a provider and a dtype. Each check says in its name what it is about; see battery.py for the rest.
"""

import itertools

import torch
from battery import (
    FLOATS,
    Operator,
    Values,
    call,
    call_by,
    cases,
    clones,
    close,
    is_taken,
    made_of,
    main_dtype,
    mapped,
    present,
    reference,
    require,
    results,
    significant_strides,
    tensors_of,
    whole_storage,
    words,
)
from battery_layouts import layouts_of, specials_of
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from opwright.operators._twin import functional


def check_values(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """All cases, also the large ones, agree with the reference."""
    for values in cases(operator, dtype, large=True):
        if is_taken(operator, provider, values):
            wanted = reference(operator, clones(values))
            close(operator, provider, call_by(operator, provider, values), wanted, f"for {words(values)}")


def check_oracle(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """The reference agrees with the operator's oracle, which computes it in another way. All of ours have one."""
    fault = (
        f"has no @{operator.name}.oracle: write one that computes the same in float64 in another way, such as loops of "
        "Python, and not by the formula of the reference"
    )
    require("oracle" in operator.functions, operator, "reference", fault)
    for values in cases(operator, dtype):
        run = functional(operator) if operator.is_writing else operator.functions["reference"]
        found = results(run(*values))
        wanted = results(operator.functions["oracle"](*values))
        likes = [like.to(got.dtype) for got, like in zip(found, wanted, strict=True)]
        close(operator, "reference", found, likes, f"by its oracle, for {words(values)}")


def check_rows(operator: Operator) -> None:
    """A part of the rows gives that part of the results: what vmap and DTensor rely on. For those that name `rows`."""
    for values in cases(operator, main_dtype(operator)):
        places = [i for i, one in enumerate(operator.schema.arguments) if one.name in operator.rows]
        whole = results(call(operator, values))
        for dim in range(min(values[i].ndim for i in places) - 1):
            for begin in range(values[places[0]].shape[dim]):
                given = tuple(v.narrow(dim, begin, 1) if i in places else v for i, v in enumerate(values))
                what = f"for row {begin} of dimension {dim} alone, of {words(values)}"
                close(operator, "default", call(operator, given), [one.narrow(dim, begin, 1) for one in whole], what)


def check_takes_calls(operator: Operator, provider: str) -> None:
    """A provider takes one case at least."""
    taken = [is_taken(operator, provider, values) for dtype in operator.dtypes for values in cases(operator, dtype)]
    require(any(taken), operator, provider, "takes none of the operator's cases")


def check_stale_contents(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """A call that looks like the one before, but holds other numbers, gets its own results: also in the same memory."""
    for first, second in zip(cases(operator, dtype), cases(operator, dtype, seed=1), strict=True):
        if not is_taken(operator, provider, first):
            continue
        wanted = reference(operator, clones(second))
        call_by(operator, provider, first)
        what = f"when a call of the same geometry {words(first)} came before it with other contents"
        close(operator, provider, call_by(operator, provider, second), wanted, what)
        for kept, new in zip(tensors_of(first), tensors_of(second), strict=True):
            kept.copy_(new)
        what = f"when the contents of {words(first)} have changed since the last call"
        close(operator, provider, call_by(operator, provider, first), wanted, what)


def check_layouts(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """Strides and offsets do not change what is computed."""
    for values in cases(operator, dtype):
        for name, given in layouts_of(operator, values):
            if is_taken(operator, provider, given):
                wanted = reference(operator, clones(given))
                what = f"for tensors that are {name}: {words(given)}"
                close(operator, provider, call_by(operator, provider, given), wanted, what)


def check_special_numbers(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """NaN, infinities, zeros of both signs and denormals go the reference's way."""
    for values in cases(operator, dtype):
        for name, given in specials_of(operator, values):
            if is_taken(operator, provider, given):
                wanted = reference(operator, clones(given))
                close(operator, provider, call_by(operator, provider, given), wanted, f"with {name} in {words(given)}")


def check_error(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """The largest error against float64 is at most twice that of the reference in the dtype."""
    for values in cases(operator, dtype, large=True):
        if not is_taken(operator, provider, values):
            continue
        wide = mapped(lambda tensor: tensor.double() if tensor.dtype in FLOATS else tensor, values)
        found = results(call_by(operator, provider, values))
        for got, eager, exact in zip(found, reference(operator, values), reference(operator, wide), strict=True):
            if got is None or got.dtype not in FLOATS or got.numel() == 0:
                continue
            own, eagers = (float((one.double() - exact.double()).abs().max()) for one in (got, eager))
            allowed = 2 * eagers + operator.tolerance.get(got.dtype, (0.0, 0.0))[0]
            fault = f"is {own:.3g} away from float64, and the reference {eagers:.3g}, for {words(values)}"
            require(own <= allowed, operator, provider, fault)


def _all_layouts(operator: Operator, dtype: torch.dtype) -> list[tuple[str, Values]]:
    made = [[("dense", values), *layouts_of(operator, values)] for values in cases(operator, dtype)]
    return list(itertools.chain.from_iterable(made))


def check_undeclared_writes(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """A call changes no byte of its arguments' memory, and no version."""
    for name, given in _all_layouts(operator, dtype):
        if not is_taken(operator, provider, given):
            continue
        before = [(whole_storage(tensor).clone(), tensor._version) for tensor in tensors_of(given)]
        call_by(operator, provider, given)
        for tensor, (memory, version) in zip(tensors_of(given), before, strict=True):
            what = f"an argument that it does not declare as written ({name}): {words(given)}"
            require(torch.equal(whole_storage(tensor), memory), operator, provider, f"writes into {what}")
            require(tensor._version == version, operator, provider, f"raises the version of {what}")


def check_fake(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """What is traced has the shape, dtype, strides and device of what is computed."""
    mode = FakeTensorMode()
    for name, given in _all_layouts(operator, dtype):
        if not is_taken(operator, provider, given):
            continue
        real = results(call_by(operator, provider, given))
        with mode:
            placed, named = operator.schema.split(mapped(mode.from_tensor, given))
            traced = results(made_of(operator).overload("stated")(*placed, **named))
        fault = "gives another number of results than its fake"
        require(len(present(real)) == len(present(traced)), operator, provider, f"{fault} for {words(given)}")
        for got, said in zip(present(real), present(traced), strict=True):
            for what in ("shape", "dtype", "device"):
                fault = f"gives {what} {getattr(got, what)}, but its fake says {getattr(said, what)}"
                require(getattr(got, what) == getattr(said, what), operator, provider, f"{fault} ({name})")
            fault = f"gives strides {list(got.stride())}, but its fake says {list(said.stride())}"
            is_alike = significant_strides(got) == significant_strides(said)
            require(is_alike, operator, provider, f"{fault} for {words(given)} ({name})")


def check_aliases(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """No result lies in an argument's memory, or in another result's."""
    for name, given in _all_layouts(operator, dtype):
        if not is_taken(operator, provider, given):
            continue
        found = present(call_by(operator, provider, given))
        for number, got in enumerate(found):
            for other in (*tensors_of(given), *found[:number]):
                require(
                    not _is_one_storage(got, other),
                    operator,
                    provider,
                    f"returns an alias: a result shares the memory of {words((other,))} ({name})",
                )


def _is_one_storage(a: Tensor, b: Tensor) -> bool:
    return a.untyped_storage().nbytes() > 0 and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
