"""Names in the text: the author's, made unique, and kept away from what C++ and Ascend C mean by them.

In: a wished name. Out: one that no other value of the kernel has.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import PipeID

_CPP = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq NULL INT8_MAX INT16_MAX INT32_MAX INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX
INT64_MIN GM_ADDR AscendC block_idx block_num main memcpy memset printf assert half floor_div floor_mod
opwright opwright_entry std linux unix
"""
RESERVED = frozenset(_CPP.split()) | {dtype.cpp for dtype in DTYPES.values()} | {pipe.name for pipe in PipeID}


class Names:
    """Gives out names within one kernel."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wish: str) -> str:
        """A free name as near to `wish` as can be. Python allows letters in names that C++ compilers disagree on."""
        base = "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in wish)
        # C++ keeps names with a double underscore or a leading one for itself.
        while "__" in base:
            base = base.replace("__", "_")
        base = base.lstrip("_") or "value"
        if base in RESERVED or base[0].isdigit():
            base = f"{base}_" if not base[0].isdigit() else f"v{base}"
        name, number = base, 1
        while name in self._taken:
            name = f"{base}_{number}" if not base.endswith("_") else f"{base}{number}"
            number += 1
        self._taken.add(name)
        return name
