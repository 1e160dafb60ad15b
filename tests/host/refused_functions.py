"""Bodies of host functions that cannot be compiled; the part behind » is where the error must point.

Arguments: x is a tensor, w one or None, s a shape, n an integer, r a float, t a text, d a dtype or None,
c a number of any kind, g a generator or None.
"""

HEAD = """\
import math
import numpy as np
from opwright import host

LIMITS = {"a": 3}
TYPES = (host.float16, host.float32)


def again(n: int) -> int:
    return again(n - 1)


def sometimes(n: int) -> int:
    if n > 3:
        return n


def both(n: int) -> int | str:
    if n > 3:
        return n
    return "less"


def infer(
    x: host.Tensor,
    w: host.Tensor | None,
    s: host.Shape,
    n: int,
    r: float,
    t: str,
    d: host.Dtype | None,
    c: host.Scalar,
    g: host.Generator | None,
):
"""

REFUSED = {
    "comprehension": "return host.dense(»[one + 1 for one in s], x.dtype)",
    "generator": "return host.dense(tuple»(one + 1 for one in s), x.dtype)",
    "dict": "a = »{n: 1}",
    "lambda": "a = »lambda: n",
    "walrus": "if (»a := n) > 3:\n    pass",
    "raise": "»raise ValueError(t)",
    "assert": "»assert n > 3",
    "try": "»try:\n    pass\nfinally:\n    pass",
    "with": "»with x:\n    pass",
    "import": "»import os",
    "nested function": "»def inner():\n    pass",
    "numpy": "a = »np.maximum(n, 3)",
    "print": "»print(n)",
    "values of a tensor": "a = »x.data",
    "misspelt fact": "a = »x.shap",
    "method of a text": "a = »t.upper()",
    "attribute of a number": "a = »n.real",
    "None as a tensor": "a = »w.shape if n > 3 else 3",
    "text and number": "a = »t + 3",
    "number and float": "a = »n * r",
    "float with floor": "a = »r // 2.0",
    "power": "a = »n ** 2",
    "shift": "a = »n << 2",
    "shape of texts": "a = (»t, *s)",
    "sum of shape and number": "a = »s + n",
    "step of a slice": "a = »s[::2]",
    "index of a number": "a = »n[0]",
    "is": "a = »n is s",
    "in a shape": "a = »n in s",
    "truth of a shape": "if »s:\n    pass",
    "truth of a text": "if »t:\n    pass",
    "truth of what may be None": "if »w:\n    pass",
    "and of numbers": "a = »n and 3",
    "two kinds": "a = »n if n > 3 else t",
    "format": 'host.refuse(f"{»n:5d}")',
    "shape in a text": 'host.refuse(f"{»s}")',
    "tensor in a text": 'host.refuse(f"{»x}")',
    "message of a number": "»host.refuse(n)",
    "condition of a number": 'host.require(»n, "no")',
    "loop over a number": "for i in »n:\n    pass",
    "loop over a dict": "for i in »LIMITS:\n    pass",
    "loop over three": "»for a, b, c in zip(s, s, s):\n    pass",
    "range of a step": "for i in »range(0, 3, n):\n    pass",
    "dtypes that are no tuple": '»host.require_dtype("x", x, host.float32)',
    "dtypes of texts": '»host.require_dtype("x", x, ("float32",))',
    "star in a call": "a = »max(*s)",
    "unknown name": "a = »missing",
    "unset": "if n > 3:\n    a = 1\nreturn host.dense((»a,), x.dtype)",
    "changed kind": "a = 1\nif n > 3:\n    »a = t",
    "recursion": "a = again(n)",
    "no result on a path": "a = sometimes(n)",
    "results of two kinds": "a = both(n)",
    "wrong arguments": "a = »again(n, 3)",
    "beyond 64 bits": "a = »n + 2**70",
    "scalar in arithmetic": "a = »c + 1",
    "scalar as a condition": "if »c:\n    pass",
    "kind of an integer": "a = »isinstance(n, int)",
    "kind of a text": "a = »isinstance(c, str)",
    "fact of a generator": "a = »g.device",
    "generator in a text": 'host.refuse(f"{»g}")',
    "no result": "»pass",
    "too many results": "»return x, x",
    "a number as the result": "»return n",
}
