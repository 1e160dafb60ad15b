"""What a kernel cannot say is refused with the right error, at the right line and column, with a way out.

Each case is the body of a kernel; the part between » and « is where the error must point. Arguments: x, y are f32[256],
i is i32[256], n is an int, r a float.
"""

import importlib.util
import textwrap
from pathlib import Path

import pytest

from opwright import errors
from opwright.ascendc.table import ROWS
from opwright.ir.binding.overload_errors import summary

pytestmark = pytest.mark.quick

HEAD = """\
import enum
import math
from math import sqrt

import numpy as np

from opwright import asc

LIMIT = 10
TABLE = [1, 2]
N_TILES = 4


class Mode(enum.Enum):
    FAST = 1

    @property
    def cost(self):
        return LIMIT


MODE = Mode.FAST


@asc.jit(kernel_type="mix_1_1")
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, i: asc.GlobalAddress, n: int, r: float):
"""
# What most calls need.
TENSORS = """\
x_gm = asc.GlobalTensor()
x_gm.set_global_buffer(x, 256)
i_gm = asc.GlobalTensor()
i_gm.set_global_buffer(i, 256)
a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
h = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 512, 64)
w = asc.LocalTensor(asc.int16, asc.TPosition.VECIN, 640, 64)
"""
S, N, W, F, R, P = "UnsupportedSyntax", "UnknownName", "WrongType", "NoForm", "RuleBroken", "WrongFormat"

# name: (body, error, words that the message must have)
_ROOT = "asc.duplicate(t, x, 1); asc.pipe_barrier(asc.PipeID.PIPE_V); asc.sqrt(t, t, 1); asc.set_flag"
_RSQRT = _ROOT.replace("sqrt", "rsqrt")
SYNTAX = {
    "square root by a power": ("k = »r ** 0.5", W, _ROOT),
    "inverse square root by a power": ("k = »r ** -0.5", W, _RSQRT),
    "power of the run": ("k = »r ** r", W, "asc.adv.power(u, t, e, 1)"),
    "power of turns": ("k = »r ** n", W, "multiply in a loop instead"),
    "negative power": ("k = »r ** -2", W, "divide 1.0 by the product"),
    "square of an integer": ("k = »n ** 2", W, "multiply instead"),
    "square root of math": ("k = »math.sqrt(r)", S, _ROOT),
    "square root of math by its name": ("k = »sqrt(r)", S, _ROOT),
    "square root of NumPy": ("k = »np.sqrt(r)", S, _ROOT),
    "square root of a number": ("k = »asc.sqrt(r)", F, _ROOT),
    "logarithm of math": ("k = »math.log(r)", S, "asc.ln(t, t, 1)"),
    "tangent of NumPy": ("k = »np.tanh(r)", S, "asc.adv.tanh(u, t, 1)"),
    "power by its name": ("k = »pow(r, 0.5)", S, _ROOT),
    "power of math": ("k = »math.pow(r, -0.5)", S, _RSQRT),
    "power of NumPy": ("k = »np.power(r, r)", S, "asc.adv.power(u, t, e, 1)"),
    "floor of a quotient": ("k = »math.floor(n / 64)", S, "of integers write n // 64"),
    "ceiling of a quotient": ("k = »math.ceil(n / 64)", S, "asc.ceildiv(n, 64) or -(-n // 64)"),
    "whole part": ("k = »math.trunc(r)", S, "write int(x)"),
    "round of Python": ("k = »round(r)", S, "write int(x + 0.5)"),
    "absolute value of math": ("k = »math.fabs(r)", S, "write abs(x)"),
    "maximum of NumPy": ("k = »np.maximum(r, 1.0)", S, "write max(x, y)"),
    "print of Python": ("»print(n)", S, 'asc.printf("n = %d'),
    "data type of NumPy": ("k = asc.LocalTensor(»np.float16, asc.TPosition.VECIN, 0, 64)", S, "write asc.float16"),
    "while else": ("»while n > 0:\n    n -= 1\nelse:\n    n = 3", S, "else after a loop"),
    "break in static_range": ("for k in asc.static_range(3):\n    »break", S, "break in asc.static_range"),
    "continue in static_range": ("for k in asc.static_range(3):\n    »continue", S, "continue in asc.static_range"),
    "static_range of the run": ("for k in »asc.static_range(n):\n    pass", S, "runtime bounds"),
    "static_range of many": ("for k in »asc.static_range(1000):\n    pass", S, "1000 iterations"),
    "static_assert": ('»asc.static_assert(1 > 2, "no")', "StaticAssertFailed", "assertion failed: no"),
    "static_assert of the run": ("»asc.static_assert(n > 2)", S, "runtime values"),
    "assert that cannot hold": ("»assert 1 > 2", "StaticAssertFailed", "1 > 2"),
    "unset after while": ("while n > 0:\n    t = n\n    n -= 1\nn = »t", "MaybeUnset", "'t' may have no value"),
    "unset beside break": (
        "for v in range(n):\n    if v == 2:\n        t = 1\n        break\n    n = »t",
        "MaybeUnset",
        "'t' may have no value",
    ),
    "return value": ("»return n", S, "a result of a kernel"),
    "nested def": ("»def inner():\n    pass", S, "nested function"),
    "import": ("»import os", S, "import"),
    "from import": ("»from os import path", S, "import"),
    "class": ("»class A:\n    pass", S, "'classdef'"),
    "with": ("»with n:\n    pass", S, "'with'"),
    "try": ("»try:\n    pass\nfinally:\n    pass", S, "'try'"),
    "raise": ("»raise ValueError", S, "asc.trap()"),
    "del": ("»del n", S, "'delete'"),
    "global": ("»global LIMIT", S, "'global'"),
    "match": ("»match n:\n    case _:\n        pass", S, "'match'"),
    "annotated variable": ("k: »str = 3", S, "'str' as the type of a variable"),
    "annotation that does not fit": ("»k: asc.int8 = 300", W, "an int8 at run time does not take 300"),
    "annotated again": ("k = n\nfor t in range(3):\n    »k: float = 1.0", "TypeChanged", "was int and becomes"),
    "list": ("k = »[1, n]", S, "a list"),
    "dict": ("k = »{}", S, "a dict"),
    "set": ("k = »{1}", S, "a set"),
    "lambda": ("k = »lambda: 1", S, "lambda"),
    "list comprehension": ("k = »[v for v in range(3)]", S, "comprehension"),
    "generator": ("k = max(»(v for v in range(3)))", S, "generator"),
    "f-string": ('k = »f"{n}"', S, "f-string"),
    "f-string of a float without digits": ('asc.printf(f"{»r}")', "WrongFormat", "how many digits"),
    "f-string with zeros before a float": ('asc.printf(f"{»r:08.2f}")', "WrongFormat", "{x:10.3f}"),
    "f-string of a constant of many digits": ('asc.printf(f"{»1 / 3}")', "WrongFormat", "say how many digits: {x:.6f}"),
    "f-string of a truth value": ('asc.printf(f"{»n > 1}")', "WrongFormat", "cannot print bool"),
    "f-string in hexadecimal": ('asc.printf(f"{»n:x}")', "WrongFormat", "a runtime integer as 'x'"),
    "f-string with !r": ('asc.printf(f"{»n!r}")', "WrongFormat", "!r"),
    "walrus": ("if »(k := n) > 1:\n    pass".replace("»(", "(»"), S, "':='"),
    "complex": ("k = »1j", S, "a complex number cannot"),
    "bytes": ("k = »b'a'", S, "a bytes literal cannot"),
    "range to the end of 64 bits": ("for k in »range(2**63 - 5, 2**63 - 1, 3):\n    pass", S, "the ends of 64 bits"),
    "range down to the end": ("for k in »range(5 - 2**63, -(2**63), -4):\n    pass", S, "the ends of 64 bits"),
    "range with a step beyond 64 bits": ("for k in »range(0, n, 2**63):\n    pass", S, "the ends of 64 bits"),
    "range with a large step": ("for k in »range(0, 2**63 - 1, 2**62):\n    pass", S, "the ends of 64 bits"),
    "a sum of many parts": ("»k = n" + " + n" * 1500, S, "this deep"),
    "a nest of many branches": (
        "»if n == 0:\n    pass\n" + "".join(f"elif n == {v}:\n    asc.trap()\n" for v in range(1, 320)),
        S,
        "nest of branches this deep",
    ),
    "starred call": ("»asc.printf(*n)", S, "* and **"),
    "keyword star": ("»asc.printf(**n)", S, "* and **"),
    "starred target": ("k, »*rest = (1, 2)", S, "this assignment"),
    "expression statement": ("»n + 1", S, "this"),
    "ellipsis": ("»...", S, "this"),
    "loop over a list": ("»for k in TABLE:\n    pass", S, "range(start, stop, step)"),
    "loop over a tuple": ("»for k in (1, 2):\n    pass", S, "range(start, stop, step)"),
    "loop with else": ("»for k in range(n):\n    pass\nelse:\n    pass", S, "else after a loop"),
    "loop with two names": ("»for k, v in range(n):\n    pass", S, "range"),
    "range without arguments": ("»for k in range():\n    pass", S, "this form of range"),
    "range of four": ("»for k in range(1, 2, 3, 4):\n    pass", S, "this form of range"),
    "range of a float": ("for k in range(»r):\n    pass", S, "range takes integers"),
    "range with step 0": ("for k in »range(0, 9, 0):\n    pass", S, "a step of 0"),
    "in": ("if »n in (1, 2):\n    pass", S, "'in' and 'is'"),
    "is": ("if »n is None:\n    pass", S, "'in' and 'is'"),
    "matrix product": ("k = »n @ n", S, "operator"),
    "matrix product in place": ("»n @= 2", S, "operator"),
    "calling a function": ("k = »math.floor(r)", S, "calling math.floor"),
    "calling a number": ("k = »LIMIT(3)", S, "calling LIMIT"),
    "min of one": ("k = »min(n)", S, "this form of min"),
    "min with a key": ("k = »min(n, 2, key=abs)", S, "this form of min"),
    "int with a base": ("k = »int(n, 2)", S, "this form of int"),
    "attribute of a number": ("k = »n.real", S, "attribute 'real'"),
    "wrong number of names": ("»a, b, c = (1, 2)", S, "3 names"),
    "index of a tuple in the run": ("k = »(1, 2)[n]", S, "constant"),
    "index beyond a tuple": ("k = »(1, 2)[2]", S, "constant"),
}
NAMES = {
    "unknown name": ("k = »lenght", N, "set it before"),
    "near name": ("length = 3\nk = »lenght", N, "did you mean 'length'?"),
    "near global": ("k = »N_TILE", N, "did you mean 'N_TILES'?"),
    "unknown call": ("»asc.ad(n)", N, "did you mean 'add'?"),
    "unknown enum value": ("asc.set_flag(»asc.HardEvent.MTE2_VV)", N, "MTE2_V"),
    "unknown method": ("x_gm = asc.GlobalTensor()\n»x_gm.set_global_bufer(x)", N, "set_global_buffer"),
    "size of an address": ("k = »x.size", N, "it has dtype"),
    "size of a tensor": ("q = asc.GlobalTensor()\nk = »q.shape", N, "it has dtype, set_global_buffer"),
    "property of an enum": ("k = »MODE.cost", N, "it has name, value"),
    "unknown attribute of a type": ("k = »asc.float32.itemsize", N, "sizeof"),
    "set further down": ("k = »later\nlater = 3", N, "set it before"),
    "hides a global": ("k = »LIMIT\nLIMIT = 3", N, "name of this kernel"),
    "list as a global": ("k = »TABLE", "UnstableGlobal", "list"),
    "set in one branch": ("if n > 1:\n    k = 3\nm = »k", "MaybeUnset", "before the branch"),
    "set in a loop": ("for v in range(n):\n    k = 3\nm = »k", "MaybeUnset", "before the branch"),
    "loop variable afterwards": ("for v in range(n):\n    pass\nm = »v", "MaybeUnset", "'v'"),
    "set in a branch of a branch": (
        "if n > 1:\n    if n > 2:\n        k = 1\nelse:\n    k = 2\nm = »k",
        "MaybeUnset",
        "'k'",
    ),
    "unset in the other turn": ("for v in range(n):\n    if v > 0:\n        m = »k\n    k = v", N, "'k'"),
}
TYPES = {
    "int becomes float": ("k = 1\nif n > 1:\n    »k = 0.5", "TypeChanged", "'k' was int and becomes float"),
    "int becomes float in a loop": ("k = 0\nfor v in range(n):\n    »k += r", "TypeChanged", "was int"),
    "branches disagree": ("if n > 1:\n    k = 1\nelse:\n    »k = r\nasc.printf('%d', k)", "TypeChanged", "'k'"),
    "bool becomes int": ("k = n > 1\nif n > 1:\n    »k = n", "TypeChanged", "was bool"),
    "tensor becomes number": ("k = x\nif n > 1:\n    »k = n", "TypeChanged", "GlobalAddress of float32"),
    "tensor of another type": ("k = x\nif n > 1:\n    »k = i", "TypeChanged", "GlobalAddress of int32"),
    "float is the loop variable": ("v = 0.5\nfor »v in range(n):\n    pass", "TypeChanged", "'v' was float"),
    "string in a branch": ("k = 'a'\n»if n > 1:\n    k = 'b'", S, "str 'a'"),
    "tuple in a loop": ("k = (n, n)\n»for v in range(n):\n    k = (v, v)", S, "a tuple of 2"),
    "float floor division": ("k = »r // 2", W, "divide integers"),
    "float remainder": ("k = »n % 0.5", W, "remainder of integers"),
    "float bits": ("k = »r & 1", W, "integers or truth values"),
    "float inverted": ("k = »~r", W, "invert an integer"),
    "shift by too much": ("k = »n << 64", W, "an integer by 0 to 63 bits"),
    "negative shift": ("k = »n >> -1", W, "an integer by 0 to 63 bits"),
    "float shift": ("k = »r << 1", W, "an integer by 0 to 63 bits"),
    "power": ("k = »n ** 2", W, "multiply"),
    "division by 0": ("k = »n // 0", W, "divisor of 0"),
    "remainder by 0": ("k = »n % 0", W, "divisor of 0"),
    "float division by 0": ("k = »r / 0", W, "divisor of 0"),
    "constant division by 0": ("k = »1 / 0", W, "division by zero"),
    "adding a string": ("k = »n + 'a'", W, "str 'a'"),
    "adding None": ("k = »n + None", W, "None"),
    "constants that do not add": ("k = »1 + 'a'", W, "Python says"),
    "minus an address": ("k = »x - 1", W, "GlobalAddress"),
    "address as a condition": ("»if x:\n    pass".replace("»if x", "if »x"), W, "a condition"),
    "and of numbers": ("k = »n and n > 1", W, "n != 0"),
    "and of a number last": ("k = »n > 1 and 5", W, "n != 0"),
    "or of numbers": ("k = n > 1 or »n", W, "n != 0"),
    "ternary of tensors": ("k = »x if n > 1 else y", W, "a ternary"),
    "int too large": ("asc.printf('%d', »9223372036854775808 + n)", W, "64-bit"),
    "too large for a float": ("k = »10**400 / 3", W, "too large"),
    "added to a float": ("k = »r + 10**400", W, "an integer of 1329 bits"),
    "too large to print": ("k = »10**6000 / 3", W, "an integer of 19932 bits"),
    "power without end": ("k = »2 ** 10**9", W, "too long"),
    "shift without end": ("k = »1 << 10**9", W, "too long"),
    "int too long to print": ("asc.printf('%d', »10**6000 + n)", W, "an integer of 19932 bits"),
    "int of a string": ("k = »int('abc')", W, "invalid literal"),
    "abs of a tensor": ("k = »abs(x)", W, "GlobalAddress"),
}
CALLS = {
    "tensor end": ("k = »a[0:3]", S, "tensor[start:]"),
    "tensor step": ("k = »a[0::2]", S, "tensor[start:]"),
    "assignment to a part": ("»a[3:] = 1.0", S, "asc.data_copy"),
    "adding to an element": ("»a[3] += 1.0", S, "asc.data_copy"),
    "assignment to an attribute": ("»a.dtype = 3", S, "setting 'dtype'"),
    "too few arguments": ("»asc.add(a, b)", F, "'src1' is missing"),
    "too many arguments": ("»asc.add(a, b, b, 8, True, 9, 10, 11)", F, "takes 5 arguments, got 8"),
    "unknown keyword": ("»asc.add(a, b, b, cound=8)", F, "has no parameter 'cound'; did you mean 'count'?"),
    "argument twice": ("»asc.add(a, b, b, 8, count=8)", F, "takes 4 arguments, got 5|'count' twice"),
    "every form has a reason": ("»asc.data_copy(n, n, 8)", F, "dst must be a local tensor in UB, got int"),
    "copy between global tensors": (
        "»asc.data_copy(x_gm, x_gm, 8)",
        F,
        "it has no path from GM to GM, only from GM to UB",
    ),
    "add on global tensors": ("»asc.add(x_gm, x_gm, x_gm, 8)", F, "dst must be a local tensor in UB, got GlobalTensor"),
    "printf of a tensor": ('»asc.printf("%f", a)', P, "asc.dump_tensor(tensor, 0, 64)"),
    "f-string of a tensor": ('asc.printf(f"{»a}")', P, "asc.dump_tensor(tensor, 0, 64)"),
    "copy to another type": (
        "»asc.data_copy(h, x_gm, 64)",
        F,
        "asc.data_copy(copied, src, count), then asc.cast(new, copied, asc.RoundMode.CAST_RINT, count)",
    ),
    "copy of another type out": (
        "»asc.data_copy(x_gm, h, 64)",
        F,
        "asc.cast(new, src, asc.RoundMode.CAST_NONE, count)",
    ),
    "function of NumPy on a tensor": ("»np.sqrt(a)", S, "asc.sqrt(z_local, x_local, 64)"),
    "sum of a tensor": ("»np.sum(a)", S, "asc.reduce_sum("),
    "greatest of a tensor": ("»np.max(a)", S, "asc.reduce_max("),
    "two element types": ("»asc.add(a, a, h, 8)", F, "src1 holds float16, but dst holds float32"),
    "copy of another type": ("»asc.data_copy(h, x_gm, 16)", F, "src holds float32"),
    "not in UB": (
        "q = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 64)\n»asc.add(q, a, b, 8)",
        F,
        "at A1",
    ),
    "count is a float": ("»asc.add(a, a, b, r)", F, "count must be an integer, got float"),
    "count is a truth value": ("»asc.add(a, a, b, True)", F, "count must be an integer"),
    "event is a number": ("»asc.set_flag(3)", F, "a value of asc.HardEvent"),
    "pipe is an event": ("»asc.pipe_barrier(asc.HardEvent.MTE2_V)", F, "a value of asc.PipeID"),
    "sync_all of the run": ("»asc.sync_all(n > 1)", F, "constant True or False"),
    "format is a number": ("»asc.printf(n)", F, "desc must be a constant string"),
    "format with a null": ('»asc.printf("a\\0b")', F, "null"),
    "too large to fill with": ("»asc.duplicate(a, 10**400, 8)", W, "an integer of 1329 bits"),
    "too large by keyword": ("»asc.duplicate(a, scalar=10**400, count=8)", W, "an integer of 1329 bits"),
    "too few to print": ('»asc.printf("%d %d", n)', P, "2 conversions in the format, but 1 argument after it"),
    "nothing to print": ('»asc.printf("100%d")', P, "1 conversion in the format, but no arguments"),
    "too many to print": ('»asc.printf("%d", n, n)', P, "1 conversion in the format, but 2 arguments"),
    "width without an argument": ('»asc.printf("%*d", n)', P, "2 conversions in the format, but 1 argument"),
    "float as a width": ('»asc.printf("%.*f", r, r)', P, "* takes an integer, got float"),
    "unknown conversion": ('»asc.printf("%y", n)', P, "the conversion %y is unknown"),
    "conversion of nothing": ('»asc.printf("100%")', P, "the conversion % is unknown"),
    "percent sign before text": ('»asc.printf("5% of %d", n)', P, "% o|% of"),
    "stores the length": ('»asc.printf("%n", n)', P, "%n is unknown"),
    "number as text": ('»asc.printf("%s", n)', P, "%s prints text or an address"),
    "number as an address": ('»asc.printf("%p", n)', P, "%p prints text or an address"),
    "float as an integer": ('»asc.printf("%d", r)', P, "%d takes an integer, got float"),
    "integer as a float": ('»asc.printf("%.2f", 3)', P, "%.2f takes a float, got int 3"),
    "dtype is a string": ("»asc.LocalTensor('float32')", F, "dtype must be a data type"),
    "no buffer yet": (
        "q = asc.GlobalTensor()\n»asc.data_copy(a, q, 8)",
        F,
        "src is a global tensor that has no memory yet",
    ),
    "used before set_global_buffer": (
        "q = asc.GlobalTensor()\n»q[8:]".replace("»q", "k = »q"),
        F,
        "set_global_buffer first",
    ),
    "dtype before set_global_buffer": ("q = asc.GlobalTensor()\nk = »q.dtype", S, "set_global_buffer first"),
    "buffer of another type": ("»x_gm.set_global_buffer(i)", F, "buffer holds int32"),
    "set_global_buffer on a part": ("»x_gm[8:].set_global_buffer(x)", S, "right after"),
    "set_global_buffer on a variable": (
        "q = x_gm\nif n > 1:\n    q = x_gm[8:]\n»q.set_global_buffer(x)",
        S,
        "right after",
    ),
    "set_global_buffer after a copy": (
        "q = x_gm\nif n > 1:\n    q = x_gm[8:]\n»x_gm.set_global_buffer(x)",
        S,
        "right after",
    ),
    "variable without a buffer": ("q = asc.GlobalTensor()\n»for k in range(n):\n    q = x_gm", S, "no buffer yet"),
    "bfloat16": (
        "q = asc.LocalTensor(asc.bfloat16, asc.TPosition.VECIN, 0, 64)\n»asc.add(q, q, q, 8)",
        "WrongDtype",
        "no bfloat16 vector arithmetic",
    ),
    "int8 add": (
        "q = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 64)\n»asc.add(q, q, q, 8)",
        "WrongDtype",
        "it takes int16, float16, int32, float32",
    ),
    "negative count": ("»asc.add(a, a, b, -5)", R, "between 0 and 2147483647, got -5"),
    "count of 2**31": ("»asc.add(a, a, b, 2**31)", R, "got 2147483648"),
    "copy count of 2**31": ("»asc.data_copy(a, x_gm, 2**31)", R, "got 2147483648"),
    "negative copy count": ("»asc.data_copy(a, x_gm, -8)", R, "got -8"),
    "copy of 3 elements": ("»asc.data_copy(a, x_gm, 3)", R, "must be a multiple of 32 bytes"),
    "copy out of 12 bytes": ("»asc.data_copy(x_gm, a, 3)", R, "got 12 bytes"),
    "local copy of 9 halves": ("»asc.data_copy(h, h[32:], 9)", R, "got 18 bytes"),
    "event id 99": ("»asc.set_flag(asc.HardEvent.MTE2_V, 99)", R, "between 0 and 7, got 99"),
    "negative event id": ("»asc.wait_flag(asc.HardEvent.MTE2_V, -1)", R, "got -1"),
    "int16 scalar 70000": ("»asc.adds(w, w, 70000, 8)", R, "scalar is an int16, got 70000"),
    "float scalar for integers": ("»asc.adds(w, w, 1.5, 8)", R, "scalar is an int16, got 1.5"),
    "float of the run for integers": ("»asc.adds(w, w, r, 8)", F, "int(x)"),
    "misaligned part": ("»asc.add(a[3:], a, b, 8)", R, "dst must start at a multiple of 32 bytes, got 12"),
    "misaligned part of a part": ("»asc.add(a, b[8:][1:], b, 8)", R, "got 292"),
    "misaligned tensor": (
        "q = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 16, 64)\n»asc.duplicate(q, 1.0, 8)",
        R,
        "got 16",
    ),
    "negative offset": ("k = »a[-1:]", R, "offset is a uint32, got -1"),
    "negative address": ("k = »asc.LocalTensor(asc.float32, asc.TPosition.VECIN, -32, 64)", R, "got -32"),
    "beyond UB": (
        "k = »asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4 << 20)",
        "BeyondMemory",
        "ends at byte 16777216 of UB, but ascend910b has 188416",
    ),
    "just beyond UB": (
        "k = »asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 188416, 1)",
        "BeyondMemory",
        "188417",
    ),
    "local tensor in GM": ("k = »asc.LocalTensor(asc.float32, asc.TPosition.GM, 0, 8)", R, "on the chip"),
    "position MAX": ("k = »asc.LocalTensor(asc.float32, asc.TPosition.MAX, n, 8)", R, "on the chip"),
}
CASES = {
    **SYNTAX,
    **NAMES,
    **TYPES,
    **{name: (TENSORS + body, error, words) for name, (body, error, words) in CALLS.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str, tmp_path: Path) -> None:
    body, error, words = CASES[name]
    text = HEAD + textwrap.indent(body, "    ") + "\n"
    before = text[: text.index("»")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
    path = tmp_path / "refused.py"
    path.write_text(text.replace("»", ""))
    spec = importlib.util.spec_from_file_location("refused", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(errors.OpwrightError) as caught:
        module.kernel.emit("f32[256]", "f32[256]", "i32[256]", 3, 0.5, soc="ascend910b")
    message = str(caught.value)
    assert type(caught.value).__name__ == error, message
    assert any(word in message for word in words.split("|")), message
    assert caught.value.at is not None
    assert (caught.value.at.file, caught.value.at.line, caught.value.at.column) == (str(path), line, column), message
    hint = message.partition("\nhint: ")[2]
    assert hint.strip(), message
    # The line itself and a caret below the column.
    shown, caret = message[message.index(" |\n") :].splitlines()[1:3]
    assert shown.split(" | ", 1)[1] == path.read_text().splitlines()[line - 1]
    assert caret.split(" | ", 1)[1] == " " * column + "^"


def test_forms_tell_why_the_closest_first(tmp_path: Path) -> None:
    """A form that has the complaints of a closer one, and more, is only counted."""
    lines = refusal(TENSORS + "asc.data_copy(a, x_gm, 1.5)", tmp_path).splitlines()
    assert lines[1:3] == [
        "  (dst: ub T, src: global T, count: uint32): count must be an integer, got float 1.5",
        "  (dst: ub T, src: global T, repeat_params: object DataCopyParams): repeat_params must be an "
        "asc.DataCopyParams, got float 1.5",
    ]
    assert lines[3].endswith(f"({len(ROWS['data_copy'].forms) - 3} more forms fit no better)")


def test_many_forms_take_few_lines() -> None:
    refused = [(f"form {number}", [f"reason {number}.{part}" for part in range(9 - number)]) for number in range(9)]
    assert summary(refused).splitlines() == [
        "  (form 8): reason 8.0",
        "  (form 7): reason 7.0; reason 7.1",
        "  (form 6): reason 6.0; reason 6.1; reason 6.2 (6 more forms fit no better)",
    ]
    assert summary(refused[:2]).splitlines() == [
        "  (form 1): reason 1.0; reason 1.1; reason 1.2; and 5 more",
        "  (form 0): reason 0.0; reason 0.1; reason 0.2; and 6 more",
    ]
    same = [(f"form {number}", ["the same"]) for number in range(9)]
    assert summary(same) == "  (form 0): the same (8 more forms fit no better)"
    assert summary(same[:2]) == "  (form 0): the same (1 more form fits no better)"


def refusal(body: str, folder: Path) -> str:
    path = folder / "refused.py"
    path.write_text(HEAD + textwrap.indent(body.replace("»", ""), "    ") + "\n")
    spec = importlib.util.spec_from_file_location("refused", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(errors.KernelError) as caught:
        module.kernel.emit("f32[256]", "f32[256]", "i32[256]", 3, 0.5, soc="ascend910b")
    return str(caught.value)


def test_the_column_counts_letters_not_bytes(tmp_path: Path) -> None:
    message = refusal("größe = 3; 名 = größe + fehlt", tmp_path)
    column = "    größe = 3; 名 = größe + ".__len__()
    assert f":{column + 1}\n" in message


def test_bfloat16_is_taken_where_the_soc_has_it(tmp_path: Path) -> None:
    path = tmp_path / "taken.py"
    path.write_text(
        HEAD + "    q = asc.LocalTensor(asc.bfloat16, asc.TPosition.VECIN, 0, 64)\n    asc.add(q, q, q, 8)\n"
    )
    spec = importlib.util.spec_from_file_location("taken", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = ("f32[256]", "f32[256]", "i32[256]", 3, 0.5)
    assert "bfloat16_t" in module.kernel.emit(*arguments, soc="ascend950")
    with pytest.raises(errors.WrongDtype, match="ascend910_93"):
        module.kernel.emit(*arguments, soc="ascend910_93")
