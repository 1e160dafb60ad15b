"""All cases of the hazard corpus by name, for the tests that walk it."""

import hazard_between
import hazard_cores
import hazard_flags
import hazard_memory
import hazard_order
import hazard_queues
import hazard_state
import hazard_values
from hazard_case import Right, Wrong

THEMES = (
    hazard_between,
    hazard_cores,
    hazard_flags,
    hazard_memory,
    hazard_order,
    hazard_queues,
    hazard_state,
    hazard_values,
)
WRONG: dict[str, Wrong] = {name: case for theme in THEMES for name, case in theme.WRONG.items()}
RIGHT: dict[str, Right] = {name: case for theme in THEMES for name, case in theme.RIGHT.items()}
