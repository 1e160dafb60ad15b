"""What a kernel says of its TPipe: that it makes one, and the calls that need it.

In: every call as it is lowered, and C++ of the author's. Out: `Pipes`, which refuses a call that asks the TPipe for
room or event ids in a kernel that makes none: on the chip it would follow a pointer that points nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from opwright.ascendc.row import Form, Row
from opwright.ascendc.socs import Soc
from opwright.errors import Location, NeedsPipe

PIPE = "TPipe"
# C++ of the author's is not read, only searched.
MAKES_PIPE = re.compile(r"\bTPipe\s+\w")
_MAKE_ONE = "make a TPipe, and take tensors from its buffers: asc.TBuf, pipe.init_buffer, buffer.get"


class Pipes:
    """Notes of one compilation."""

    def __init__(self, soc: Soc) -> None:
        self.soc = soc
        self.is_made = False
        self.needed: NeedsPipe | None = None  # by the first call that needs one

    def note(self, row: Row, form: Form, name: str, at: Callable[[], Location]) -> None:
        """Notes a call, `name` in messages."""
        self.is_made |= row.name == PIPE
        instead = form.needs_tpipe.get(self.soc.name)
        if instead is not None and self.needed is None:
            way_out = f"{instead}; or {_MAKE_ONE}" if instead else _MAKE_ONE
            self.needed = NeedsPipe(at(), call=name, soc=self.soc.name, way_out=way_out)

    def note_text(self, code: str) -> None:
        """Notes C++ of the author's."""
        self.is_made |= bool(MAKES_PIPE.search(code))

    def check(self) -> None:
        """Refuses a call that needs a TPipe if nothing makes one."""
        if self.needed and not self.is_made:
            raise self.needed
