"""Random programs of the kernel language, with a count of every form they use.

In: a seed. Out: the text of a function `program(a, b, c, x, y, t)` that returns three ints and two floats, and of a
helper of its own. Names are hostile: keywords of C++, names of Ascend C, letters beyond ASCII. Programs end, never
divide integers by zero and keep constants within 64 bits, because those the front end folds without wrapping.
"""

import random
import re
from collections import Counter

HOSTILE = """
new delete double template typename virtual operator namespace this auto char long short signed unsigned struct union
switch case default do goto register static const extern inline volatile void friend public private using throw catch
typedef sizeof nullptr true false constexpr decltype AscendC GlobalTensor LocalTensor TPosition HardEvent PIPE_V GM_ADDR
half bfloat16_t int64_t uint8_t floor_div floor_mod range_turns Duplicate DataCopy SetFlag kernel slots opwright at
issue std main errno NULL EOF INT_MAX stdin größe 名 ñ Ω été _ __ x_1 x_2 value value_1 value_2 item0 result
program_values turn self cls _1 a__b _Upper program_result Counter_bump match type alignas asm bool_
xor_eq and_eq compl bitand
""".split()

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
FLOATS = ("float16", "bfloat16", "float32")
PARAMETERS = ("a", "b", "c", "x", "y", "t")


class Programs:
    """Makes one program after the other from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.forms: Counter[str] = Counter()

    def make(self, number: int) -> str:
        """The text of one program and its helper."""
        wanted = (*PARAMETERS, "n", "m", "k", "p", "q", "i", "j", "s", "flag", "array", "floats", "object", "v", "h")
        self.names = dict(zip(wanted, self.random.sample(HOSTILE, len(wanted)), strict=True))
        self.part = f"part_{number}"
        self.counter = 0
        self.indices: list[str] = []
        self.integers = [self.names[name] for name in ("n", "m", "k")]
        self.singles = [self.names[name] for name in ("p", "q")]
        self.result = "return {n}, {m}, {k}, {p}, {q}".format(**self.names)
        self.array = self.floats = self.object = ""
        self.can_leave = False
        start = "    {n}, {m}, {k}, {p}, {q} = {a}, {b}, {c}, {x}, {y}".format(**self.names)
        body = [start, *self.set_up(), *self.block(2, "    ", 3), f"    {self.result}"]
        head = f"@asc.jit\ndef program_{number}({', '.join(self.names[name] for name in PARAMETERS)}):"
        return "\n".join([*self.helper(), "", "", head, *body]) + "\n"

    # What a program has besides its numbers -------------------------------------------------------------------

    def set_up(self) -> list[str]:
        """Sometimes an array, an object, narrow names."""
        lines = []
        if self.chance(0.35):
            length = self.random.randint(1, 5)
            values = ", ".join(self.literal(0, 9) if self.chance(0.6) else self.run() for _ in range(length))
            content = f"({values},)" if self.chance(0.5) else f"{length}, {self.literal(0, 9)}"
            lines.append(f"    {self.names['array']} = asc.array(asc.{self.pick(INTS)}, {content})")
            self.array, self.length = self.names["array"], length
            self.note("array")
        if self.chance(0.2):
            made = f"asc.array(asc.{self.pick(FLOATS)}, 3, fill_value={self.single(1)})"
            lines.append(f"    {self.names['floats']} = {made}")
            self.floats = self.names["floats"]
            self.note("array")
        if self.chance(0.3):
            lines.append(f"    {self.names['object']} = Tally({self.run()}, {self.single(1)})")
            self.object = self.names["object"]
            self.note("object")
        if self.chance(0.3):
            lines.append(f"    {self.names['v']}: asc.{self.pick(INTS)} = {self.run()}")
            self.integers.append(self.names["v"])
            self.note("narrow annotation")
        if self.chance(0.2):
            lines.append(f"    {self.names['h']}: asc.{self.pick(FLOATS)} = {self.single(1)}")
            self.singles.append(self.names["h"])
            self.note("narrow annotation")
        return lines

    def helper(self) -> list[str]:
        """A function of a number of either type and an integer, which may be a constant; it may return early."""
        v, w, u, i = self.random.sample(HOSTILE, 4)
        lines = ["@asc.jit", f"def {self.part}({v}, {w}):", f"    {u} = {v}"]
        step = [
            f"{u} + {v}",
            f"{u} - {w}",
            f"{u} * 3",
            f"max({u}, {v})",
            f"-{u}",
            f"abs({u}) + {w}",
            f"min({u}, {v}) - {u}",
        ]
        for _ in range(self.random.randint(1, 3)):
            change = f"{u} = {self.pick(step)}"
            match self.random.randint(0, 3):
                case 0:
                    lines += [
                        f"    if {self.pick([f'{u} > {v}', f'{w} % 3 == 1', f'{w} > 4'])}:",
                        f"        return {u}",
                    ]
                    self.note("return in a helper")
                case 1:
                    lines += [f"    for {i} in range({w} % 4):", f"        {change}"]
                    lines += [f"        if {u} < {v}:", f"            return {v}"] if self.chance(0.4) else []
                case 2:
                    lines += [f"    if {u} < {w}:", f"        {change}", "    else:", f"        {u} -= {v}"]
                case 3:
                    lines.append(f"    {change}")
        return [*lines, f"    return {u} + {w}"]

    # Chance ---------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(choices)

    def note(self, form: str) -> None:
        self.forms[form] += 1

    def literal(self, low: int = -9, high: int = 9) -> str:
        return str(self.random.randint(low, high))

    # Expressions ----------------------------------------------------------------------------------------------

    def run(self, depth: int = 1) -> str:
        """An integer that is a value of the run: a constant would not wrap."""
        expression = self.number(depth)
        if any(re.search(rf"\b{self.names[name]}\b", expression) for name in "abc"):
            return expression
        return f"({expression} {self.pick(['+', '-', '^'])} {self.names[self.pick('abc')]})"

    def run_single(self, depth: int = 1) -> str:
        """A float that is a value of the run."""
        expression = self.single(depth)
        if any(re.search(rf"\b{self.names[name]}\b", expression) for name in "xy"):
            return expression
        return f"({expression} + {self.names[self.pick('xy')]})"

    def truth(self, depth: int) -> str:
        pick = self.random.random()
        if depth <= 0 or pick < 0.45:
            count = self.pick([1, 1, 2])
            kind = self.number if self.chance(0.75) else self.single
            parts = [kind(depth - 1) for _ in range(count + 1)]
            self.note("comparison" if count == 1 else "chained comparison")
            operators = [self.pick(["<", "<=", ">", ">=", "==", "!="]) for _ in range(count)]
            return f"({parts[0]} " + " ".join(f"{o} {p}" for o, p in zip(operators, parts[1:], strict=True)) + ")"
        if pick < 0.55:
            self.note("not")
            inner = self.pick([self.truth, self.number, self.single])(depth - 1)
            return f"(not {inner})"
        if pick < 0.62:
            self.note("bool")
            return f"bool({self.pick([self.number, self.single, self.truth])(depth - 1)})"
        if pick < 0.66:
            self.note("struct field")
            return f"{self.names['t']}.virtual"
        if pick < 0.7:
            self.note("bit operation")
            return f"({self.truth(depth - 1)} {self.pick('&|^')} {self.truth(depth - 1)})"
        word = self.pick(["and", "or"])
        self.note(word)
        return "(" + f" {word} ".join(self.truth(depth - 1) for _ in range(self.pick([2, 2, 3]))) + ")"

    def leaf(self) -> str:
        pick = self.random.random()
        if pick < 0.3:
            return self.names[self.pick("abc")]
        if pick < 0.6:
            return self.pick([*self.integers, *self.indices])
        if pick < 0.72:
            return self.literal()
        if pick < 0.8:
            self.note("global constant")
            return self.pick(["LIMIT", "PAIR[0]", "PAIR[-1]", "len(PAIR)", "Tally.STEP"])
        if pick < 0.86:
            self.note("struct field")
            return f"{self.names['t']}.{self.pick(['total', 'new', 'unsigned'])}"
        if pick < 0.9:
            return f"({self.names[self.pick('abc')]} {self.pick('+^-')} {self.pick([255, 4097, 1 << 33])})"
        if pick < 0.95 and self.array:
            self.note("array element")
            return f"{self.array}[{self.index(self.length)}]"
        if self.object:
            self.note("object field")
            return f"{self.object}.{self.pick(['value', 'turns', 'STEP'])}"
        return self.names[self.pick("abc")]

    def index(self, length: int) -> str:
        if self.chance(0.4):
            return str(self.random.randint(-length, length - 1))
        return f"{self.run(0)} % {length}"

    def number(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.1):
            return self.leaf()
        a, b = self.number(depth - 1), self.number(depth - 1)
        divisor = self.pick([-8, -5, -1, 1, 2, 3, 7])
        form = self.pick(
            "arithmetic arithmetic arithmetic // % //const %const bits shift unary abs min max ternary truth int "
            "int(x) ceildiv number len call method".split()
        )
        match form:
            case "arithmetic":
                return f"({a} {self.pick('+-*')} {b})"
            case "//" | "%":
                self.note(form)
                return f"({a} {form} ({b} | 1))"
            case "//const" | "%const":
                self.note(form[:-5])
                return f"({a} {form[:-5]} {divisor})"
            case "bits":
                self.note("bit operation")
                return self.pick([f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"(~{a})"])
            case "shift":
                self.note("shift")
                return f"({self.run(depth - 1)} {self.pick(['<<', '>>'])} {self.random.randint(0, 63)})"
            case "unary":
                return self.pick([f"(-{a})", f"(+{a})"])
            case "abs":
                self.note("abs")
                return f"abs({a})"
            case "min" | "max":
                self.note(form)
                return f"{form}({a}, {b})" if self.chance(0.7) else f"{form}({a}, {b}, {self.leaf()})"
            case "ternary":
                self.note("ternary")
                return f"({a} if {self.truth(depth - 1)} else {b})"
            case "truth":
                # CPython would add True and an Int64 without asking the latter.
                return f"({b} + {self.truth(depth - 1)})"
            case "int":
                self.note("int")
                return f"int({self.truth(depth - 1)})"
            case "int(x)":
                self.note("int")
                return f"int(min(1e6, max(-1e6, {self.single(depth - 1)})))"
            case "ceildiv":
                self.note("ceildiv")
                return f"asc.ceildiv({a}, {self.pick([str(divisor), f'({b} | 1)'])})"
            case "number":
                self.note("asc.number")
                return f"asc.number({self.run(depth - 1)}, asc.{self.pick(INTS)})"
            case "len":
                self.note("len")
                return f"({a} + len({self.array or 'PAIR'}))"
            case "method" if self.object:
                self.note("method")
                return f"{self.object}.bump({a})"
        return self.call(a, b)

    def call(self, a: str, b: str) -> str:
        """A call of a helper on integers."""
        self.note("helper")
        match self.random.randint(0, 4):
            case 0:
                return f"twice({a})"
            case 1:
                self.note("helper with constants")
                return f"choose({self.random.randint(0, 3)}, {a}, {b})"
            case 2:
                self.note("return in a helper")
                return f"clamp({a}, {self.literal(-9, 0)}, {b})"
            case 3:
                self.note("closure constant")
                return f"shifted({a})"
        self.note("helper with two types")
        if self.chance(0.5):
            self.note("helper with constants")
            return f"{self.part}({self.run()}, {self.literal(0, 9)})"
        return f"{self.part}({self.run()}, {b})"

    def single(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.15):
            return self.single_leaf()
        a, b = self.single(depth - 1), self.single(depth - 1)
        match self.pick(
            "sum sum product quotient of_int unary abs min ternary mixed number helper clamp method".split()
        ):
            case "sum":
                return f"({a} {self.pick('+-')} {b})"
            case "product":
                return f"({a} * {b})"
            case "/":
                self.note("/")
                return f"({a} / {self.run_single(depth - 1)})"
            case "of_int":
                self.note("/")
                return f"({self.number(depth - 1)} / ({self.number(depth - 1)} | 1))"
            case "unary":
                return f"(-{a})"
            case "abs":
                self.note("abs")
                return f"abs({a})"
            case "min":
                name = self.pick(["min", "max"])
                self.note(name)
                return f"{name}({a}, {b})"
            case "ternary":
                self.note("ternary")
                return f"({a} if {self.truth(depth - 1)} else {b})"
            case "mixed":
                self.note("float")
                return self.pick([f"({a} * {self.number(depth - 1)})", f"float({self.number(depth - 1)})"])
            case "number":
                self.note("asc.number")
                return f"asc.number({a}, asc.{self.pick(FLOATS)})"
            case "clamp":
                self.note("return in a helper")
                return f"clamp({self.run_single(depth - 1)}, -0.5, {b})"
            case "method" if self.object:
                self.note("method")
                return f"{self.object}.scaled({a})"
        self.note("helper with two types")
        return self.pick([f"twice({a})", f"{self.part}({self.run_single()}, {self.number(depth - 1)})"])

    def single_leaf(self) -> str:
        pick = self.random.random()
        if pick < 0.35:
            return self.names[self.pick("xy")]
        if pick < 0.7:
            return self.pick(self.singles)
        if pick < 0.8:
            return self.pick(["0.1", "-2.5", "1e-3", "3.0", "16777217.0", "0.0"])
        if pick < 0.86:
            self.note("global constant")
            return "RATIO"
        if pick < 0.92 or not (self.floats or self.object):
            self.note("struct field")
            return f"{self.names['t']}.double"
        if self.floats:
            self.note("array element")
            return f"{self.floats}[{self.index(3)}]"
        self.note("object field")
        return f"{self.object}.scale"

    # Statements -----------------------------------------------------------------------------------------------

    def block(self, depth: int, indent: str, most: int = 3) -> list[str]:
        return [line for _ in range(self.random.randint(1, most)) for line in self.statement(depth, indent)]

    def statement(self, depth: int, indent: str) -> list[str]:
        if depth > 0 and self.chance(0.4):
            form = self.pick([self.branch, self.branch, self.loop, self.loop, self.test_loop, self.repeat])
            return form(depth, indent)
        return [indent + line for line in self.simple()]

    def target(self) -> str:
        return self.pick([self.names[name] for name in ("n", "m", "k")])

    def simple(self) -> list[str]:
        """A statement of one line, or a few that belong together."""
        n, m = self.random.sample([self.names[name] for name in ("n", "m", "k")], 2)
        p, q = self.names["p"], self.names["q"]
        s, flag = self.names["s"], self.names["flag"]
        match self.random.randint(0, 16):
            case 0 | 1:
                self.note("assignment")
                return [f"{n} = {self.run(2)}"]
            case 2:
                self.note("assignment")
                return [f"{self.pick([p, q])} = {self.single(2)}"]
            case 3:
                self.note("assignment of a constant")
                return [self.pick([f"{n} = {self.literal()}", f"{p} = 0.25", f"{n} = LIMIT"])]
            case 4:
                self.note("tuple assignment")
                return [self.pick([f"{n}, {m} = {m}, {n}", f"{p}, {q} = {q}, {p}"])]
            case 5:
                self.note("tuple assignment")
                return [f"({n}, {p}), {m} = ({self.run()}, {self.single(1)}), {self.run()}"]
            case 6:
                self.note("tuple result")
                return [f"{n}, {m} = both({self.run()}, {self.number(1)})"]
            case 7 | 8:
                self.note("augmented assignment")
                operator = self.pick(["+", "-", "^", "|", "&", "*"])
                return [self.pick([f"{n} {operator}= {self.run()}", f"{n} //= {self.run()} | 1", f"{n} %= 7"])]
            case 9:
                self.note("augmented assignment")
                return [f"{p} {self.pick('+-*')}= {self.run_single()}"]
            case 10:
                # A value that is used after what it was made from has changed.
                return [f"{s} = {self.number(2)}", f"{n} = {self.run()}", f"{m} = {self.run()} - {s}"]
            case 11:
                return [f"{flag} = {self.truth(2)}", f"{n} = {self.run()}", f"{m} = {self.run()} + {flag}"]
            case 12:
                self.note("assert")
                value = self.run()
                return [self.pick([f"assert ({value}) % 7 < 7", f'assert ({value}) | 1 != 0, "never"'])]
            case 13 | 14 if self.array:
                self.note("array element set")
                operator = self.pick(["", "", "+", "-", "^"])
                return [f"{self.array}[{self.index(self.length)}] {operator}= {self.run()}"]
            case 15 if self.floats:
                self.note("array element set")
                return [f"{self.floats}[{self.index(3)}] {self.pick(['', '+', '*'])}= {self.single(1)}"]
            case 13 | 14 | 15 if self.object:
                self.note("object field set")
                operator = self.pick(["", "+", "-"])
                changed = f"{self.object}.value {operator}= {self.run()}"
                called = f"{self.object}.bump({self.leaf()})"
                return [self.pick([changed, f"{self.object}.scale = {self.single(1)}", called])]
            case 16 if len(self.integers) > 3:
                self.note("narrow assignment")
                return [f"{self.integers[3]} {self.pick(['', '+', '*'])}= {self.run()}"]
            case 16 if len(self.singles) > 2:
                self.note("narrow assignment")
                return [f"{self.singles[2]} {self.pick(['', '+', '*'])}= {self.single(1)}"]
        if self.array:
            self.note("array through a helper")
            return [f"{n} = poke({self.array}, {self.index(self.length)}, {self.run()})"]
        self.note("chain of assignments")
        return [f"{n} = {m} = {self.run()}"]

    def branch(self, depth: int, indent: str) -> list[str]:
        inner = indent + "    "
        lines = [f"{indent}if {self.truth(1)}:", *self.block(depth - 1, inner, 2)]
        self.note("if")
        if self.chance(0.3):
            self.note("elif")
            lines += [f"{indent}elif {self.truth(1)}:", *self.block(depth - 1, inner, 2)]
        if self.chance(0.6):
            self.note("else")
            lines += [f"{indent}else:", *self.block(depth - 1, inner, 2)]
        if self.chance(0.15):
            self.note("return in a helper")
            lines.append(f"{inner}{self.result}")
        return lines

    def loop(self, depth: int, indent: str) -> list[str]:
        e, f = self.run(), self.run()
        forms = {
            "for, constant bounds": self.pick(["3", "1, 4", "-2, 5, 3", "len(PAIR)"]),
            "for, run-time bounds": self.pick([f"{e} % 4", f"{e} % 3, 4", f"{e} % 2, {f} % 5"]),
            "for, negative step": self.pick([f"{e} % 5, -2, -2", "3, 0, -1", f"{e} % 4, {f} % 3, -1"]),
            "for, run-time step": self.pick([f"{e} % 3, 7, {f} % 3 + 2", f"5, {e} % 4 - 3, -({f} % 3) - 2"]),
        }
        form = self.pick([*forms])
        self.note(form)
        fresh = self.pick([self.names["i"], self.names["j"]])
        index = fresh if self.chance(0.8) else self.target()
        inner = indent + "    "
        lines = [f"{indent}for {index} in {self.pick(['range', 'range', 'asc.range'])}({forms[form]}):"]
        if self.chance(0.15):
            lines.append(f"{inner}{index} = {index} * 3 - {self.run()}")
        return lines + self.turn(depth, inner, index)

    def turn(self, depth: int, inner: str, index: str) -> list[str]:
        """The body of a loop that can be left."""
        outer, self.can_leave = self.can_leave, True
        self.indices.append(index)
        lines = [f"{inner}{self.target()} += {index}"] if self.chance(0.5) else []
        lines += self.block(depth - 1, inner, 2)
        lines += self.leave(inner)
        lines += [inner + line for line in self.simple()]
        self.indices.pop()
        self.can_leave = outer
        return lines

    def leave(self, indent: str) -> list[str]:
        """Sometimes the end of a turn, of a loop or of the program."""
        pick = self.random.random()
        if pick > 0.5:
            return []
        word = "break" if pick < 0.2 else "continue" if pick < 0.4 else self.result
        self.note("return in a helper" if word == self.result else word)
        return [f"{indent}if {self.truth(1)}:", f"{indent}    {word}"]

    def test_loop(self, depth: int, indent: str) -> list[str]:
        """The counter makes sure that it ends; what else stands in the test may end it sooner."""
        self.note("while")
        counter = f"w{self.counter}"
        self.counter += 1
        inner = indent + "    "
        if self.chance(0.3):
            head = [f"{indent}while True:", f"{inner}{counter} += 1", f"{inner}if {counter} > 3 or {self.truth(1)}:"]
            head.append(f"{inner}    break")
            self.note("break")
        else:
            head = [f"{indent}while {counter} < 4 and {self.truth(1)}:", f"{inner}{counter} += 1"]
        return [f"{indent}{counter} = 0", *head, *self.turn(depth, inner, counter)]

    def repeat(self, depth: int, indent: str) -> list[str]:
        """asc.static_range: its variable is a constant, and it cannot be left."""
        self.note("static_range")
        index = self.pick([self.names["i"], self.names["j"]])
        inner = indent + "    "
        outer, self.can_leave = self.can_leave, False
        self.indices.append(index)
        lines = [f"{indent}for {index} in asc.static_range({self.pick(['2', '1, 6, 3', '3, 1, -1'])}):"]
        lines += [inner + line for line in self.simple()]
        lines += [f"{inner}{self.target()} += {index}"]
        self.indices.pop()
        self.can_leave = outer
        return lines
