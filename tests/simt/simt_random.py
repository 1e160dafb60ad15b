"""Random programs of threads, as trees.

In: a seed. Out: the statements of a function of a thread, which ends and gives three integers and two floats. It
touches memory of its own thread and memory that nobody writes. Every index is inside, integers stay within 64 bits,
nothing is divided by zero. Programs whose threads meet are made by `simt_meetings`.
"""

import random
from collections import Counter

from simt_tree import RANGES, READ_ONLY, SLOTS, Node

INTS = ("i", "j", "k")
FLOATS = ("p", "q")
NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
HELD = 1 << 32  # what a variable holds at most
LIMIT = 1 << 60  # what an expression is at most
RETURN = "return i, j, k, p, q"
WHOLE_STRAIGHT = (
    "+ + - - * * //constant %constant & | ^ ~ << >> negative abs min max ternary number int_of_bool ceildiv mix clamp "
    "look min_of_3"
).split()
WHOLE = [*WHOLE_STRAIGHT, "//", "%", "int_of_float", "steps"]
REAL_STRAIGHT = "+ - * / abs min max negative ternary float_of_int float16 float_*_int blend clamp".split()
REAL = [*REAL_STRAIGHT, "/_of_ints"]


def literal(value: int | float) -> Node:
    return Node("literal", (value,), abs(int(value)))


def name(which: str, most: int = HELD) -> Node:
    return Node("name", (which,), most)


class Programs:
    """Makes one program after the other from one source of chance.

    threads: of a block. own: type of the memory of a thread.
    """

    can_return = True
    straight = False

    def __init__(self, seed: int, threads: int, own: str = "int32") -> None:
        self.random = random.Random(f"{type(self).__name__} {seed}")
        self.threads, self.own = threads, own
        self.forms: Counter[str] = Counter()

    def make(self) -> list[Node]:
        """The statements of one program, without the return at its end."""
        self.counter = 0
        self.loops: list[str] = []
        self.array: tuple[str, int] | None = None
        self.narrow: tuple[str, str] | None = None
        body = [self.set("i", name("t", 2048)), self.set("j", self.load("numbers", 0)), self.set("k", literal(1))]
        body += [self.set("p", self.load_float("singles", 0)), self.set("q", literal(0.5))]
        if not self.straight and self.chance(0.35):  # an index of an array is tested, and stops a thread
            dtype, length = self.pick(("int64", *NARROW)), self.random.randint(1, 6)
            body.append(self.note("array", ("values", dtype, length, self.random.randint(0, 9))))
            self.array = (dtype, length)
        if self.chance(0.3):
            dtype = self.pick(NARROW)
            body.append(self.note("declare", ("v", dtype, self.run(self.whole(1)))))
            self.narrow = ("v", dtype)
        return body + self.main()

    def main(self) -> list[Node]:
        """What a program does after it has set its names."""
        return self.block(2, 4)

    # Chance ---------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(choices)

    def note(self, form: str, parts: tuple = (), most: int = 0) -> Node:
        """A node, counted."""
        self.forms[form] += 1
        return Node(form, parts, most)

    # Integers -------------------------------------------------------------------------------------------------

    def cut(self, node: Node, most: int) -> Node:
        """The same, made small enough."""
        if node.most <= most:
            return node
        if self.chance(0.5):
            mask = (1 << (most.bit_length() - 1)) - 1
            return self.note("&", (node, literal(mask)), mask)
        return self.note("%constant", (node, literal(most - 1)), most)

    def index(self, count: int) -> Node:
        """Below `count`, never negative."""
        if self.chance(0.3):
            return literal(self.random.randrange(count))
        return Node("%constant", (self.whole(1), literal(count)), count)

    def load(self, memory: str, depth: int) -> Node:
        """An element of whole numbers, of memory that others read too or of the thread's own."""
        self.forms[f"load {memory}"] += 1
        if memory == "values":
            assert self.array
            return Node("load", (memory, self.index(self.array[1])), 1 << RANGES[self.array[0]][0])
        if memory == "own":
            most = min(1 << RANGES[self.own][0], HELD)
            return Node("load", (memory, self.index(SLOTS)), most)
        start = name("t", 2048) if depth == 0 else self.whole(1)
        return Node("load", (memory, Node("%constant", (start, literal(READ_ONLY)), READ_ONLY)), 1 << 20)

    def leaf(self) -> Node:
        places = ["own", "numbers", *(["values"] if self.array else [])]
        pick = self.random.random()
        if pick < 0.4:
            return name(self.pick(INTS))
        if pick < 0.5:
            return name("t", 2048)
        if pick < 0.58:
            return self.pick([name("n", 16), name("b", 128)])
        if pick < 0.68:
            return literal(self.random.randint(-9, 99))
        if pick < 0.8 and self.loops:
            return name(self.pick(self.loops), 100)
        if pick < 0.85 and self.narrow:
            return name(self.narrow[0], 1 << RANGES[self.narrow[1]][0])
        return self.load(self.pick(places), 1)

    def whole(self, depth: int) -> Node:
        if depth <= 0 or self.chance(0.1):
            return self.leaf()
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        form = self.pick(WHOLE_STRAIGHT if self.straight else WHOLE).replace("_", " ")
        larger = max(a.most, b.most)
        bits = (1 << larger.bit_length()) + 1
        match form:
            case "+" | "-":
                a, b = self.cut(a, LIMIT >> 1), self.cut(b, LIMIT >> 1)
                return self.note(form, (a, b), a.most + b.most)
            case "*":
                a, b = self.cut(a, 1 << 29), self.cut(b, 1 << 29)
                return self.note(form, (a, b), a.most * b.most)
            case "//":
                return self.note(form, (a, b), a.most + 1)
            case "%":
                return self.note(form, (a, b), b.most + 1)
            case "//constant" | "ceildiv":
                return self.note(form, (a, literal(self.pick([-7, -2, 3, 5, 16]))), a.most + 1)
            case "%constant":
                return self.note(form, (a, literal(self.pick([-7, -2, 3, 5, 16]))), 16)
            case "&" | "|" | "^":
                return self.note(form, (a, b), bits)
            case "~":
                return self.note(form, (a,), a.most + 1)
            case "<<":
                by = self.random.randint(0, 24)
                a = self.cut(a, 1 << 32)
                return self.note(form, (a, literal(by)), a.most << by)
            case ">>":
                return self.note(form, (a, literal(self.random.randint(0, 40))), a.most)
            case "negative" | "abs":
                return self.note(form, (a,), a.most)
            case "min" | "max":
                return self.note(form, (a, b), larger)
            case "min of 3":
                return self.note(form, (a, b, literal(7)), max(larger, 7))
            case "ternary":
                return self.note(form, (self.truth(depth - 1), a, b), larger)
            case "int of bool":
                return self.note(form, (self.truth(depth - 1),), 1)
            case "int of float":
                return self.note(form, (self.real(depth - 1),), 1000000)
            case "steps":
                return self.note(form, (a,), 30)
            case "mix":
                a, b = self.cut(a, LIMIT >> 3), self.cut(b, LIMIT >> 3)
                return self.note(form, (a, b), a.most + 4 * b.most + 10)
            case "clamp":
                return self.note(form, (a, literal(-50), b), max(larger, 50))
            case "look":
                return self.note(form, ("numbers", self.index(READ_ONLY), self.index(READ_ONLY)), 1 << 21)
        dtype = self.pick(NARROW)
        return self.note(dtype, (self.run(a),), 1 << RANGES[dtype][0])

    def held(self, depth: int) -> Node:
        """An integer that a variable may hold."""
        return self.cut(self.whole(depth), HELD)

    def run(self, value: Node) -> Node:
        """The same and a little: a value of the run, which a narrow type cuts. A constant it would not take."""
        return self.note(self.pick("+-"), (value, name("t", 2048)), value.most + 2048)

    # Floats and truths ----------------------------------------------------------------------------------------

    def load_float(self, memory: str, depth: int) -> Node:
        self.forms[f"load {memory}"] += 1
        if memory == "owned":
            return Node("load", (memory, self.index(SLOTS)))
        start = name("t", 2048) if depth == 0 else self.whole(1)
        return Node("load", (memory, Node("%constant", (start, literal(READ_ONLY)), READ_ONLY)))

    def real(self, depth: int) -> Node:
        if depth <= 0 or self.chance(0.15):
            choices = [name("p"), name("q"), name("p"), literal(self.pick([0.1, -2.5, 3.0, 1e-3, 16777217.0]))]
            return self.pick([*choices, self.load_float("owned", 1), self.load_float("singles", 1)])
        a, b = self.real(depth - 1), self.real(depth - 1)
        form = self.pick(REAL_STRAIGHT if self.straight else REAL).replace("_", " ")
        match form:
            case "/":  # no constant: that would be refused if it were 0
                return self.note(form, (a, self.load_float(self.pick(["singles", "owned"]), 1)))
            case "abs" | "negative" | "float16":
                return self.note(form, (a,))
            case "ternary":
                return self.note(form, (self.truth(depth - 1), a, b))
            case "float of int":
                return self.note(form, (self.whole(depth - 1),))
            case "float * int":
                return self.note(form, (a, self.whole(depth - 1)))
            case "/ of ints":
                return self.note(form, (self.whole(depth - 1), self.whole(depth - 1)))
            case "clamp":
                return self.note(form, (name("p"), literal(-0.5), b))
        return self.note(form, (a, b))

    def truth(self, depth: int) -> Node:
        form = self.pick(["<", "<=", "==", "!=", "odd", "odd", "between", "and", "or", "not"])
        if form in ("and", "or") and depth > 0:
            return self.note(form, (self.truth(depth - 1), self.truth(depth - 1)))
        if form == "not" and depth > 0:
            return self.note(form, (self.truth(depth - 1),))
        if form == "odd":
            return self.note(form, (self.whole(depth),))
        if form == "between":
            return self.note(form, (self.leaf(), self.whole(depth), self.leaf()))
        compare = form if form in ("<", "<=", "==", "!=") else "<"
        if self.chance(0.25):
            return self.note(compare, (self.real(depth), self.real(depth)))
        return self.note(compare, (self.whole(depth), self.whole(depth)))

    # Statements of one thread ---------------------------------------------------------------------------------

    def set(self, target: str, value: Node) -> Node:
        return self.note("set", (target, value))

    def block(self, depth: int, most: int) -> list[Node]:
        return [self.statement(depth) for _ in range(self.random.randint(1, most))]

    def statement(self, depth: int) -> Node:
        if depth > 0 and self.chance(0.4):
            return self.pick([self.branch, self.loop, self.loop, *([] if self.straight else [self.test_loop])])(depth)
        return self.simple()

    def simple(self) -> Node:
        places = ["own", *(["values"] if self.array else [])]
        match self.random.randint(0, 9):
            case 0 | 1 | 2:
                return self.set(self.pick(INTS), self.held(2))
            case 3 | 4:
                return self.set(self.pick(FLOATS), self.real(2))
            case 5 if self.narrow:
                return self.set(self.narrow[0], self.run(self.whole(2)))
            case 6:
                memory = self.pick(places)
                count = SLOTS if memory == "own" else self.array[1] if self.array else 1
                return self.note("replace", (self.pick(INTS), memory, self.index(count), self.run(self.held(1))))
            case 7:
                operator = self.pick(["", "+", "*", "-"])
                return self.note("put", ("owned", self.index(SLOTS), operator, self.real(1)))
        memory = self.pick(places)
        count = SLOTS if memory == "own" else self.array[1] if self.array else 1
        operator = self.pick(["", "", "+", "-", "^", "&"])
        return self.note("put", (memory, self.index(count), operator, self.run(self.held(1))))

    def branch(self, depth: int) -> Node:
        orelse = self.block(depth - 1, 2) if self.chance(0.6) else []
        return self.note("if", (self.truth(1), self.block(depth - 1, 2), orelse))

    def bounds(self, count: Node) -> tuple[Node, ...]:
        """Of a loop with few turns, up or down."""
        shapes = [(count,), (literal(1), count), (count, literal(-2), literal(-2)), (literal(-3), count, literal(2))]
        return self.pick(shapes)

    def loop(self, depth: int) -> Node:
        count = literal(3) if self.chance(0.3) else Node("%constant", (self.whole(1), literal(5)), 5)
        bounds = self.bounds(count)
        variable = f"x{self.counter}"
        self.counter += 1
        return self.note("for", (variable, bounds, self.turn(depth, variable)))

    def test_loop(self, depth: int) -> Node:
        counter = f"w{self.counter}"
        self.counter += 1
        return self.note("while", (counter, self.truth(1), self.turn(depth, counter)))

    def turn(self, depth: int, variable: str) -> list[Node]:
        """The body of a loop that can be left."""
        self.loops.append(variable)
        body = self.block(depth - 1, 2)
        if self.chance(0.5):
            word = self.pick(["break", "continue", *([RETURN] if self.can_return else [])])
            body.append(self.note("leave", (self.truth(1), word)))
            self.forms[word.split()[0]] += 1
        body.append(self.simple())
        self.loops.pop()
        return body


class StraightPrograms(Programs):
    """Programs that surely end, and in which nothing can stop a thread: the twin may run many threads at once."""

    straight = True
