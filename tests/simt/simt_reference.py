"""The sequential reference of random programs: thread after thread, from one meeting to the next.

In: the statements of a program, its memory and its threads. Out: what the threads return, and memory as they leave it.
Nothing of the front end or the twin is used.
"""

from collections.abc import Generator
from typing import Any

import numpy as np
from simt_tree import ATOMICS, FORMS, Node, held, wrapped

RESULT = ("i", "j", "k", "p", "q")


class Memory:
    """Numbers of one type; `first` is where the part that a thread sees begins."""

    def __init__(self, dtype: str, values: list[Any], first: int = 0) -> None:
        self.dtype, self.values, self.first = dtype, values, first

    def part(self, first: int) -> "Memory":
        return Memory(self.dtype, self.values, first)

    def __getitem__(self, index: int) -> Any:
        assert 0 <= self.first + index
        return self.values[self.first + index]

    def __setitem__(self, index: int, value: Any) -> None:
        assert 0 <= self.first + index < len(self.values)
        self.values[self.first + index] = held(value, self.dtype)


class Thread:
    """One thread of a program: its names and its memory."""

    def __init__(self, names: dict[str, Any], memory: dict[str, Memory]) -> None:
        self.names, self.memory = names, dict(memory)
        self.types: dict[str, str] = {}

    def value(self, node: Node) -> Any:
        """What an expression is."""
        match node.form:
            case "literal":
                number = node.parts[0]
                return np.float32(number) if isinstance(number, float) else number
            case "name":
                return self.names[node.parts[0]]
            case "load":
                return self.memory[node.parts[0]][self.value(node.parts[1])]
            case "look":
                memory = self.memory[node.parts[0]]
                return memory[self.value(node.parts[1])] - memory[self.value(node.parts[2])]
        result = FORMS[node.form][1](*map(self.value, node.parts))
        assert not isinstance(result, int) or abs(result) < 1 << 63, node
        return result

    def set(self, name: str, value: Any) -> None:
        self.names[name] = held(value, self.types[name]) if name in self.types else value

    def run(self, body: list[Node]) -> Generator[tuple[Any, ...], Any, str]:
        """Statements; yields where threads meet. Returns how it was left: "", "break", "continue" or "return"."""
        for statement in body:
            left = yield from self.step(statement)
            if left:
                return left
        return ""

    def step(self, node: Node) -> Generator[tuple[Any, ...], Any, str]:
        match node.form, node.parts:
            case "set", (name, value):
                self.set(name, self.value(value))
            case "declare", (name, dtype, value):
                self.types[name] = dtype
                self.set(name, self.value(value))
            case "array", (name, dtype, length, value):
                self.memory[name] = Memory(dtype, [held(value, dtype)] * length)
            case "put", (memory, index, operator, value):
                place, number = self.value(index), self.value(value)
                if operator:
                    number = FORMS[operator][1](self.memory[memory][place], number)
                self.memory[memory][place] = number
            case "replace", (name, memory, index, value):
                place, number = self.value(index), self.value(value)
                before = self.memory[memory][place]
                self.memory[memory][place] = number
                self.set(name, before)
            case "if", (test, body, orelse):
                return (yield from self.run(body if self.value(test) else orelse))
            case "for", (name, bounds, body):
                for turn in range(*map(self.value, bounds)):
                    self.names[name] = turn
                    left = yield from self.run(body)
                    if left == "break":
                        break
                    if left == "return":
                        return left
            case "while", (counter, test, body):
                self.names[counter] = 0
                while self.names[counter] < 4 and self.value(test):
                    self.names[counter] += 1
                    left = yield from self.run(body)
                    if left == "break":
                        break
                    if left == "return":
                        return left
            case "leave", (test, word):
                return word.split()[0] if self.value(test) else ""
            case "barrier", ():
                yield ("barrier", node)
            case "fence", _:
                pass
            case "atomic", (operation, memory, index, value):
                place, number = self.value(index), self.value(value)
                self.memory[memory][place] = ATOMICS[operation](self.memory[memory][place], number)
            case "meet", (name, call, arguments):
                self.set(name, (yield ("meet", node, call, tuple(map(self.value, arguments)))))
            case _:
                raise ValueError(node.form)
        return ""

    def result(self) -> tuple[Any, ...]:
        return tuple(self.names[name] for name in RESULT)


def met(call: str, lane: int, lanes: dict[int, tuple[Any, ...]]) -> Any:
    """What a warp call gives one lane; `lanes` are the arguments of those who came."""
    firsts = [arguments[0] for arguments in lanes.values() if arguments]
    match call:
        case "all":
            return int(all(firsts))
        case "any":
            return int(any(firsts))
        case "ballot":
            return sum(1 << other for other, (predicate,) in lanes.items() if predicate)
        case "activemask":
            return sum(1 << other for other in lanes)
        case "reduce_add":
            return wrapped(sum(firsts), "int32")
        case "reduce_max":
            return max(firsts)
        case "reduce_min":
            return min(firsts)
    by, *rest = lanes[lane][1:]
    width = rest[0] if rest else 32
    first = lane // width * width
    match call:
        case "shfl":
            source = first + by % width
        case "shfl_up":
            source = lane - by if lane - by >= first else lane
        case "shfl_down":
            source = lane + by if lane + by < first + width else lane
        case "shfl_xor":
            source = lane ^ by if lane ^ by < first + width else lane
        case _:
            raise ValueError(call)
    return lanes[source][0]


def run_block(body: list[Node], threads: list[Thread]) -> list[tuple[Any, ...]]:
    """All threads of a block: each goes on until it meets others; what they all wait for is then done."""
    runs = [thread.run(body) for thread in threads]
    waiting: dict[int, tuple[Any, ...]] = {}

    def go_on(number: int, answer: Any) -> None:
        waiting.pop(number, None)
        try:
            waiting[number] = runs[number].send(answer)
        except StopIteration:
            pass

    with np.errstate(all="ignore"):
        for number in range(len(threads)):
            go_on(number, None)
        while waiting:
            if len(waiting) == len(threads) and len({(event[0], id(event[1])) for event in waiting.values()}) == 1:
                if waiting[0][0] == "barrier":
                    for number in range(len(threads)):
                        go_on(number, None)
                    continue
            moved = False
            for warp in range(0, len(threads), 32):
                lanes = {number - warp: waiting[number] for number in range(warp, warp + 32) if number in waiting}
                places = {(event[0], id(event[1])) for event in lanes.values()}
                if len(places) == 1 and next(iter(places))[0] == "meet":
                    moved = True
                    call = next(iter(lanes.values()))[2]
                    given = {lane: event[3] for lane, event in lanes.items()}
                    answers = {lane: met(call, lane, given) for lane in lanes}
                    for lane in lanes:
                        go_on(warp + lane, answers[lane])
            assert moved, "the reference: threads do not meet"
    return [thread.result() for thread in threads]
