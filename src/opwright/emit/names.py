"""Names in the text: the author's, made unique, and kept away from what C++ and Ascend C mean by them.

In: a wished name. Out: one that no other value of the kernel has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import SIMT
from opwright.ascendc.table import ROWS

_CPP = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq NULL GM_ADDR AscendC block_idx block_num main memcpy memset printf assert half floor_div floor_mod
range_turns opwright opwright_entry std linux unix ASCEND_IS_AIC ASCEND_IS_AIV g_coreType
"""
# A kernel is a C function; these have a meaning for every C++ compiler, and their headers may be included.
_C_LIBRARY = """
abort abs acos acosh aligned_alloc asin asinh assert atan atan2 atanh atexit atof atoi atol atoll bcmp bcopy bsearch
bzero calloc cbrt ceil cos cosh div erf erfc exit exp exp2 expm1 fabs ffs floor fma fmax fmin fmod free frexp gamma
getenv hypot ilogb index isalnum isalpha isblank iscntrl isdigit isfinite isgraph isinf islower isnan isprint ispunct
isspace isupper isxdigit j0 j1 jn labs ldexp ldiv lgamma llabs lldiv llrint llround log log10 log1p log2 logb longjmp
lrint lround malloc mblen memccpy memchr memcmp memmem memmove mempcpy modf nan nearbyint nextafter pow putchar puts
qsort raise rand read realloc remainder remquo rindex rint round scalb scalbln scalbn setjmp signal signbit
significand sin sincos sinh sqrt srand stpcpy stpncpy strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup
strdupa strerror strlen strncasecmp strncat strncmp strncpy strndup strndupa strpbrk strrchr strsep strspn strstr
strtod strtok strtol strtoul strxfrm system tan tanh tgamma time tolower toupper trunc write y0 y1 yn
"""
C_LIBRARY = frozenset(name + suffix for name in _C_LIBRARY.split() for suffix in ("", "f", "l"))
# Macros of <cstdint> and of the twin.
_MACRO = re.compile(r"U?INT\w*_(MAX|MIN|WIDTH|C)|(SIZE|PTRDIFF|SIG_ATOMIC|WCHAR|WINT)_(MAX|MIN|WIDTH)|OPWRIGHT_\w+")
RESERVED = (
    frozenset(_CPP.split())
    | {dtype.cpp for dtype in ELEMENTS.values()}
    | {value.name for text in ENUMS.values() if not text.scoped for value in text.python}
    # What threads call and know are global names of C, and a variable would hide them.
    | {row.cpp for row in ROWS.values() if row.space == SIMT}
    | {"gm_pointer", "ub_pointer", "dim3", "asc_vf_call"}
)


class Names:
    """Gives out names within one text, one function or one struct."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}  # the first number that may be free behind a name

    def inner(self) -> Names:
        """Names of a function: what the whole text has is taken."""
        names = Names()
        names._taken = set(self._taken)
        return names

    def take(self, wish: str, reserved: frozenset[str] = RESERVED) -> str:
        """A free name as near to `wish` as can be. Python allows letters in names that C++ compilers disagree on."""
        base = "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in wish)
        # C++ keeps names with a double underscore or a leading one for itself.
        while "__" in base:
            base = base.replace("__", "_")
        base = base.lstrip("_") or "value"
        if base in reserved or _MACRO.fullmatch(base) or base[0].isdigit():
            base = f"{base}_" if not base[0].isdigit() else f"v{base}"
        name, number = base, self._numbers.get(base, 1)
        while name in self._taken:
            name = f"{base}_{number}" if not base.endswith("_") else f"{base}{number}"
            number += 1
        self._taken.add(name)
        self._numbers[base] = max(1, number - 1)
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names taken in here are free again afterwards: what stands between braces ends with them."""
        taken, numbers = set(self._taken), dict(self._numbers)
        yield
        self._taken, self._numbers = taken, numbers
