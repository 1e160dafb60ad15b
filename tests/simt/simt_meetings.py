"""Random programs whose threads meet: barriers, exchange through UB, warp calls, atomics that commute.

In: a seed. Out: the statements of a program, as `simt_random` makes them. Threads of a block, or of a warp, come to
every meeting together: tests and loops around it are the same for all who must come; lanes that have ended do not.
"""

from simt_random import INTS, RETURN, Programs, literal, name
from simt_tree import ATOMICS, Node

T = name("t", 2048)
WIDTHS = (1, 2, 4, 8, 16, 32)


def load(memory: str, index: Node) -> Node:
    return Node("load", (memory, index), 1 << 32)


def below(value: Node, count: Node) -> Node:
    return Node("%constant", (value, count), count.most)


class MeetingPrograms(Programs):
    """Programs with meetings."""

    can_return = False

    def main(self) -> list[Node]:
        self.warps_only = self.chance(0.25)  # its threads may end early: then no barrier must follow
        return self.meetings(2, 4)

    def meetings(self, depth: int, most: int) -> list[Node]:
        """Statements of one thread and meetings, one after the other."""
        body: list[Node] = []
        for _ in range(self.random.randint(2, most)):
            body += self.block(1, 2) if self.chance(0.4) else []
            body += self.meeting(depth)
        return body

    def meeting(self, depth: int) -> list[Node]:
        if depth > 0 and self.chance(0.25):
            return [self.common_branch(depth) if self.chance(0.4) else self.common_loop(depth)]
        if self.warps_only:
            return self.pick([self.vote, self.vote, self.reduction, self.reduction, self.end_of_some])()
        kinds = [self.exchange, self.exchange, self.exchange_of_floats, self.count_in_ub, self.count_in_gm]
        return self.pick([*kinds, self.vote, self.reduction, self.shuffle, self.shuffle, self.fence])()

    # What is the same for all who must come -------------------------------------------------------------------

    def common(self) -> Node:
        """A number below 4: the same in a block, or in a warp if only warps meet."""
        choices = [name("n", 16), name("b", 128), literal(self.random.randint(0, 9))]
        if self.warps_only:
            choices.append(Node("//constant", (T, literal(32)), 64))
        return below(Node("+", (self.pick(choices), literal(self.random.randint(0, 3))), 132), literal(4))

    def common_branch(self, depth: int) -> Node:
        self.forms["meeting in a branch"] += 1
        test = Node("<", (self.common(), literal(2)))
        return self.note("if", (test, self.meetings(depth - 1, 2), self.meetings(0, 2)))

    def common_loop(self, depth: int) -> Node:
        self.forms["meeting in a loop"] += 1
        variable = f"u{self.counter}"
        self.counter += 1
        self.loops.append(variable)
        body = self.meetings(depth - 1, 2)
        self.loops.pop()
        return self.note("for", (variable, (self.common(),), body))

    # Blocks ---------------------------------------------------------------------------------------------------

    def barrier(self) -> Node:
        return self.note("barrier")

    def slot(self) -> Node:
        """Any thread's."""
        return below(self.whole(1), literal(self.threads))

    def exchange(self) -> list[Node]:
        """All write their slots and read two others; nobody goes on before all have read."""
        self.forms["exchange"] += 1
        put = self.note("put", ("slots", T, "", self.run(self.whole(2))))
        read = Node("-", (load("slots", self.slot()), load("slots", self.slot())), 1 << 33)
        return [put, self.barrier(), self.set(self.pick(INTS), self.cut(read, 1 << 32)), self.barrier()]

    def exchange_of_floats(self) -> list[Node]:
        self.forms["exchange of floats"] += 1
        put = self.note("put", ("reals", T, "", self.real(2)))
        read = self.set(self.pick("pq"), load("reals", self.slot()))
        return [put, self.barrier(), read, self.barrier()]

    def small(self) -> Node:
        """So small that sums of all threads fit 32 bits."""
        return self.cut(self.whole(1), 1 << 12)

    def count_in_ub(self) -> list[Node]:
        """All clear their slots and change any two. Changes between two barriers are of one kind: any order will do."""
        operation = self.pick([*ATOMICS])
        self.forms[f"atomic {operation} in UB"] += 1
        clear = self.note("put", ("slots", T, "", self.small()))
        changes = [self.note("atomic", (operation, "slots", self.slot(), self.small())) for _ in range(2)]
        if self.chance(0.5):
            changes[1] = self.note("if", (self.truth(1), [changes[1]], []))
        read = self.set(self.pick(INTS), load("slots", self.slot()))
        return [clear, self.barrier(), *changes, self.barrier(), read, self.barrier()]

    def count_in_gm(self) -> list[Node]:
        """What a block shares in global memory: each operation has a place of its own, which nobody reads."""
        operation = self.pick([*ATOMICS])
        self.forms[f"atomic {operation} in GM"] += 1
        return [self.note("atomic", (operation, "totals", literal([*ATOMICS].index(operation)), self.small()))]

    def fence(self) -> list[Node]:
        return [self.note("fence", (self.pick(["threadfence", "threadfence_block"]),))]

    # Warps ----------------------------------------------------------------------------------------------------

    def meet(self, target: str, call: str, *arguments: Node) -> list[Node]:
        self.forms[call] += 1
        return [self.note("meet", (target, call, arguments))]

    def end_of_some(self) -> list[Node]:
        self.forms["lanes that end"] += 1
        return [self.note("leave", (self.truth(1), RETURN))]

    def vote(self) -> list[Node]:
        call = self.pick(["all", "any", "ballot", "activemask"])
        predicate = () if call == "activemask" else (Node("int of bool", (self.truth(1),), 1),)
        return self.meet(self.pick(INTS), call, *predicate)

    def reduction(self) -> list[Node]:
        call = self.pick(["reduce_add", "reduce_max", "reduce_min"])
        value = self.cut(self.whole(2), 1 << 20)
        return self.meet(self.pick(INTS), call, Node("int32", (value,), 1 << 32))

    def shuffle(self) -> list[Node]:
        """From a lane that is there: in a warp that is not full, one below, or one of the first so many."""
        full = self.threads % 32 == 0
        call = self.pick(["shfl", "shfl_up", "shfl_down", "shfl_xor"] if full else ["shfl", "shfl_up"])
        width = self.pick(WIDTHS) if full or call == "shfl_up" else 32
        lanes = literal(width)
        if call == "shfl" and not full:
            first = Node("*", (Node("//constant", (T, literal(32)), 64), literal(32)), 2048)
            lanes = Node("min", (literal(32), Node("-", (literal(self.threads), first), 4096)), 32)
        rest = () if width == 32 and self.chance(0.5) else (literal(width),)
        by = below(self.whole(1), lanes)
        if self.chance(0.3):
            self.forms["shuffle of floats"] += 1
            return self.meet(self.pick("pq"), call, self.real(1), by, *rest)
        dtype, value = self.pick(["int32", "uint32", "int64"]), self.held(1)
        return self.meet(self.pick(INTS), call, Node(dtype, (self.run(value),), 1 << 32), by, *rest)
