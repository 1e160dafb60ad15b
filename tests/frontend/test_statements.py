"""Assignments, branches and loops mean in a kernel what they mean in Python."""

import itertools
from pathlib import Path

from harness import Program


def test_assignment(tmp_path: Path) -> None:
    body = """
    a, b = n, m
    a, b = b, a
    SHOW(a)
    SHOW(b)
    n, m = m + 0, n + 0
    SHOW(n * 10 + m)
    (c, d), [e, g] = (a + 1, b), (1, a)
    SHOW(c + d * 10 + e * 100 + g * 1000)
    first = second = n
    first += 1
    SHOW(first * 10 + second)
    first -= 2
    first *= 3
    first //= 2
    first %= 100
    first <<= 3
    first |= 5
    first &= 1023
    first ^= 3
    first >>= 1
    SHOW(first)
    t = (n, m, 7)
    SHOW(t[0] + t[1] * 10 + t[-1] * 100)
    if n > m:
        low, high = m, n
        label = 1
    else:
        low, high = n, m
        if m > 3:
            label = 2
        else:
            label = 3
    SHOW(low)
    SHOW(high)
    SHOW(label)
    total = 0
    if n > 0:
        total = total + 5
    elif m > 0:
        total += 7
        n = 100
    else:
        pass
    SHOW(total)
    SHOW(n)
    before = n
    n = n * 2
    if m > 1:
        n = n + before
        before = 9
    SHOW(before)
    SHOW(n)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*itertools.product((-3, 1, 5), (-2, 2, 6)))


def test_loops(tmp_path: Path) -> None:
    body = """
    total = 0
    for i in range(n):
        total += i + 1
    SHOW(total)
    total = 0
    for i in range(n, 0, -1):
        total = total * 3 + i
    SHOW(total)
    for i in range(m, -m, -2):
        total = total * 3 + i
    for i in range(-3, n, 2):
        total = total * 3 + i
    for i in range(2, 8, 3):
        total = total * 3 + i
    SHOW(total)
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    SHOW(a)
    SHOW(b)
    bound = n
    turns = 0
    for i in range(bound):
        bound = bound + 1
        turns += 1
        i = i * 10
        turns += i
    SHOW(turns)
    SHOW(bound)
    i = 77
    for outer in range(n):
        SHOWN = i
        turns = turns * 5 + SHOWN
        for i in range(outer):
            turns += i
    SHOW(turns)
    SHOW(i)
    for i in range(0):
        turns = 0
    SHOW(i)
    last = -1
    for k in range(n):
        if k % 2 == 0:
            last = k
            for j in range(k, n):
                if j > k and j < 4:
                    last += j
        else:
            last -= k
    SHOW(last)
    start = 2
    stop = n + 2
    for k in range(start, stop):
        start = 50
        stop = 0
        last += k
    SHOW(last + start + stop)
    scale = 1
    x = 0.5
    for k in range(n):
        scale = scale * 2 if scale < 8 else scale - 7
        x += scale
        x = x / 2
    SHOW(scale)
    SHOWF(x)
    seen = 0
    for p in range(3):
        for q in range(3):
            for r in range(3):
                if p < q < r or p == q == r:
                    seen = seen * 2 + 1
    SHOW(seen)
    m += 1
    for k in range(m):
        m -= 1
        n = n + m
    SHOW(n)
    SHOW(m)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*itertools.product((-1, 0, 1, 4, 7), (-2, 0, 3)))


def test_order_of_reads_and_writes(tmp_path: Path) -> None:
    """A value is what it was when it was computed, however late the text uses it."""
    body = """
    a = 0
    for i in range(n):
        a += 2
    b = a
    c = a * 10
    d = a + b
    a = 3
    SHOW(b + c + d)
    e = (a + 1) * (a + 2)
    if n > 1:
        a = 50
        e2 = a + b
        b = e2
    SHOW(e)
    SHOW(a)
    SHOW(b)
    keep = a
    keep2 = keep
    a, b, c = c, a + b, b
    SHOW(keep + keep2 * 3)
    SHOW(a)
    SHOW(b)
    SHOW(c)
    f = a if b > c else c
    a = 1
    SHOW(f)
    g = a
    for i in range(n):
        g += a
        a = g
        SHOWN = g
    h = g
    if n > 2:
        g = 5
    SHOW(h)
    SHOW(g + h)
    t = a > b and b // (a + 100) > 0
    b = 3
    a = 2
    SHOW(t)
    u = min(a, b) + max(a, b) * 10
    a = 9
    SHOW(u)
    SHOW(min(a, b))
    """
    Program(tmp_path, body, "n: int").agree((0,), (1,), (2,), (3,), (5,))


WHILE = """
steps = 0
m = n
while m != 1:
    if steps >= 200:
        break
    steps += 1
    if m % 2 == 0:
        m = m // 2
        continue
    m = 3 * m + 1
SHOW(steps)
SHOW(m)

total = 0
k = n
while k > 0 and 100 // k < 60:
    k -= 2
    total += k
SHOW(total)

count = 0
while True:
    count += 1
    if count > n % 5:
        break
SHOW(count)

while False:
    count = 99
SHOW(count)

last = -1
for i in asc.range(n):
    if i % 3 == 1:
        continue
    if i > 10:
        break
    for j in range(i):
        if j == 2:
            break
        last = 10 * i + j
    last += 1
SHOW(last)

for i in range(3):
    if n == i:
        break
    else:
        found = i + 5
    total += found
SHOW(total)

size = 1
for i in asc.static_range(2, 8, 3):
    size = size * 10 + i
SHOW(size + n)
SHOW(asc.ceildiv(n, 4))
SHOW(asc.ceildiv(n, -3))
SHOW(asc.ceildiv(10, 4))
for i in asc.static_range(3):
    for j in range(n % 4):
        if j == i:
            continue
        total += j * i
SHOW(total)
"""


def test_while_break_continue(tmp_path: Path) -> None:
    program = Program(tmp_path, WHILE, "n: int")
    program.agree(*((n,) for n in (1, 2, 3, 5, 6, 7, 9, 27, 97)))
