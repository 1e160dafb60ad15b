"""Messages and hints of faults of which one pair of texts does not do: by an enumeration, or by yes and no.

Out: templates as `incident.py` fills them in, for `faults.py`.
"""

from __future__ import annotations

from opwright.twin.enumerations import BufferState, ListFault, SliceRule

Texts = tuple[str, str]  # message and hint, or the templates of both

LISTS: dict[int, Texts] = {
    ListFault.OFFSET: (
        "this is not a list of tensors: its addresses start at byte {value}, its descriptions end at {max}",
        "make the list with asc.list_of_tensors",
    ),
    ListFault.LENGTH: (
        "the list is read up to byte {value}, and length says that it has {max}",
        "give the bytes of the list",
    ),
    ListFault.COUNT: (
        "shape_size says {value} tensors, and the list has {max}",
        "give the number of tensors, or leave it out",
    ),
    ListFault.INDEX: ("tensor {value} of a list that has {max}", "tensors count from 0"),
    ListFault.EXTENTS: (
        "the tensor has {value} extents, and the array holds {max}",
        "give set_shape_addr a longer asc.array",
    ),
    ListFault.STRANGER: (
        "tensor {value} of the list is not an argument of the kernel",
        "give the launch the tensors as arguments too",
    ),
}


def _slices(rule: str, hint: str) -> Texts:
    return f"asc.{{call}}: {{operand:operand}}: {rule}, got {{value}}", hint


SLICES: dict[int, Texts] = {
    SliceRule.DIMS: _slices(
        "dim_value must lie between 1 and the number of slices in the list", "pass one slice for each dimension"
    ),
    SliceRule.END: _slices("end_index must not be below start_index", "end_index is the last index of the slice"),
    SliceRule.SHAPE: _slices("end_index must be below shape_value", "shape_value is the length of the whole dimension"),
    SliceRule.BURST: _slices(
        "burst_len of all but the first slice must be 1", "pieces lie in the first, innermost dimension"
    ),
    SliceRule.BLOCKS: _slices(
        "pieces on the chip must start at multiples of 32 bytes",
        "choose start_index, stride and shape_value accordingly",
    ),
    SliceRule.PIECES: _slices(
        "both lists must describe the same number of pieces, with equal burst_len", "count the pieces of each dimension"
    ),
}

# Of a tensor used in a state in which it must not be; -1: the pipe was reset since.
USES: dict[int, Texts] = {
    -1: (
        "{operand:operand} was taken before the pipe was reset or destroyed, or its pool reset",
        "take another from a queue or TBuf after init_buffer",
    ),
    BufferState.FREE: ("{operand:operand} was freed", "call free_tensor after its last use"),
    BufferState.ENQUEUED: (
        "{operand:operand} waits in the queue",
        "use what deque() gives: it waits until the tensor is ready",
    ),
}


def scales(arguments: str) -> Texts:
    """The scales of a conversion are not those that it takes."""
    call = f"asc.set_deq_scale({arguments})"
    return (
        f"this call needs what {call} sets, but that was not the last to set any",
        f"call {call} first, or pass another is_vec_deq",
    )


def left(what: str, call: str) -> Texts:
    """Something is set for the next kernel."""
    return (
        f"{what} still set when the core ends",
        f"call asc.{call}() at the end: what is left disturbs the next kernel",
    )
