"""Words for the faults of the state of a core: masks, atomic copies and scales.

In: a fault's name with its details. Out: class, message and way out of the user's error.
"""

from __future__ import annotations

from opwright.ascendc.enums import AtomicDtype
from opwright.errors import RuleError, StateError
from opwright.twin.faults import Words

# What opwright::SetState numbers.
_STATES = (
    "the mode of the mask",
    "the mask",
    "whether copies are atomic",
    "the settings of loads of images",
)


def state_words(name: str, details: dict[str, int], call: str) -> Words:
    """Class, message and way out of a fault at a call; it has no name in C++ of the author's."""
    match name:
        case "UNSET_STATE":
            state, who = _STATES[details["state"]], f"asc.{call}" if call else "this call"
            message = f"{who} depends on {state}, which here is what the kernel before left on this core"
            return StateError, message, "call asc.init_soc_state(), or make the asc.TPipe, before anything else"
        case "MASK_MODE":
            message = "in counter mode the mask of this call would be taken for a number of elements"
            return RuleError, message, "call asc.set_mask_norm() first, or pass is_set_mask=False"
        case "MASK_COUNT":
            message = "in counter mode this call takes its count from the mask register, which does not hold one"
            return RuleError, message, "call asc.set_vector_mask(count, dtype, asc.MaskMode.COUNTER) first"
        case "ATOMIC_TYPE":
            kind = AtomicDtype(details["type"]).name
            message = f"copies to global memory are set to {kind}, which is not the element type of this copy"
            return RuleError, message, "call asc.set_atomic_none() first, or use a tensor of the type that was set"
        case "DEQUANT":
            arguments = "(vdeq, vdeq_info)" if details["wants_tensor"] else "(scale, offset, sign_mode)"
            message = f"this call needs what asc.set_deq_scale{arguments} sets, but that was not the last to set any"
            return RuleError, message, f"call asc.set_deq_scale{arguments} first, or pass another is_vec_deq"
        case "RESULT_WORDS":
            message = "this mode takes a word for each column, but no tensor of them was named"
            return (
                RuleError,
                message,
                "call asc.set_fix_pipe_config(words) first, or pass cbuf_workspace to asc.fixpipe",
            )
        case "RESULT_MATRICES":
            message = "rows are wanted, but how many matrices there are was not set"
            return RuleError, message, "call asc.set_fixpipe_nz2nd_flag(1, 0, 0) first: one matrix"
        case "NO_VECTOR_CORE":
            message = f"vector core {details['sub_block']} of the group is not there"
            return RuleError, message, 'use @asc.jit(kernel_type="mix_1_2"), or mix_1_1 for vector core 0 alone'
        case "ATOMIC_LEFT":
            message = "atomic copies are still on when the core ends"
            return StateError, message, "call asc.set_atomic_none() at the end: what is left disturbs the next kernel"
        case _:
            left, call = ("counter mode is", "set_mask_norm") if details["counts"] else ("a mask is", "reset_mask")
            message = f"{left} still set when the core ends"
            return StateError, message, f"call asc.{call}() at the end: what is left disturbs the next kernel"
