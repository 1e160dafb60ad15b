"""One compilation: a kernel with the helpers and structs it uses.

In: the SoC and the kernel's type. Out: what all functions of the kernel share: what was read from outside, the helpers
made so far for each choice of argument types and constants, the structs, and from where each function is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType

from opwright.ascendc.kernel_types import KERNEL_TYPES, KernelType
from opwright.ascendc.row import CORE, SIMT
from opwright.ascendc.socs import Soc
from opwright.errors import Location
from opwright.frontend.pipes import Pipes
from opwright.frontend.values import Shape
from opwright.ir import SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.language import FuncOp
from opwright.ir.types import GlobalType, StructType, ValueType, unquoted
from opwright.ir.values import Value
from opwright.kernel.source import Source


@dataclass(frozen=True)
class FunctionInstance:
    """One function as it is compiled for one choice of arguments.

    `path` says where it is found from the kernel, "" for the kernel itself; `calls` led to it.
    """

    python: FunctionType
    source: Source
    path: str
    number: int
    calls: tuple[Location, ...] = ()
    role: str = ""  # as `FuncOp.role`; "" of a kernel and its helpers
    max_threads: int = 0  # that may run it at once, where a kernel or a launch starts it

    @property
    def name(self) -> str:
        """As the author wrote it."""
        return self.python.__name__

    @property
    def by_threads(self) -> bool:
        """Whether threads run it."""
        return bool(self.role)

    @property
    def caller(self) -> str:
        """What it may call: as `Row.called_by`."""
        return SIMT if self.by_threads else CORE

    @property
    def prefix(self) -> str:
        """What stands before the path of a name that this function reads."""
        return f"{self.path}>" if self.path else ""


@dataclass
class Helper:
    """A helper for one choice of argument types and constants."""

    symbol: str
    instance: FunctionInstance
    shape: Shape | None = None  # of its result; None while it is being compiled
    array_bytes: int = 0  # of its arrays and of those that it calls


@dataclass
class Struct:
    """A struct: its fields in order. A field whose value never changes and is known is a constant instead."""

    name: str
    python: type
    path: str
    fields: dict[str, ValueType] = field(default_factory=dict)
    constants: dict[str, Value] = field(default_factory=dict)
    by_value: bool = False  # an argument: its fields are read, not set

    @property
    def title(self) -> str:
        """What its author calls it."""
        return self.name if self.by_value else self.python.__name__


class Compilation:
    """The state that all functions of one kernel share."""

    def __init__(self, soc: Soc, kernel_type: KernelType = KERNEL_TYPES[None]) -> None:
        self.soc = soc
        self.kernel_type = kernel_type
        self.captures: dict[str, object] = {}
        self.helpers: dict[object, Helper] = {}
        self.functions: list[FuncOp] = []  # finished ones, callees first
        self.structs: dict[str, Struct] = {}
        self.made: dict[object, Struct] = {}  # the struct of a class for one choice of arguments
        self.instances: list[FunctionInstance] = []
        self.callers: dict[int, list[tuple[int, str]]] = {}  # number of a function -> (number, "line:column") of calls
        self.pipes = Pipes()
        self.shared_bytes = 0  # of the arrays that threads share
        self._names: set[str] = set()

    def enter(
        self,
        function: FunctionType,
        source: Source,
        path: str,
        calls: tuple[Location, ...] = (),
        role: str = "",
        max_threads: int = 0,
    ) -> FunctionInstance:
        """Adds one more function."""
        instance = FunctionInstance(function, source, path, len(self.instances), calls, role, max_threads)
        self.instances.append(instance)
        return instance

    def unique(self, name: str) -> str:
        """A name that no function or struct of the module has."""
        wish, number = name, 1
        while name in self._names:
            name, number = f"{wish}_{number}", number + 1
        self._names.add(name)
        return name

    def note_call(self, caller: FunctionInstance, at: str, callee: FunctionInstance) -> None:
        """Notes from where a function is called, for messages at run time."""
        calls = self.callers.setdefault(callee.number, [])
        if (caller.number, at) not in calls:
            calls.append((caller.number, at))

    def refined(self, tensor: SSAValue) -> None:
        """A global tensor in a field was given its memory: the field has its type from now on."""
        made = tensor.owner
        if isinstance(made, MemberOp) and isinstance(tensor.type, GlobalType):
            kind = made.instance.type
            assert isinstance(kind, StructType)
            self.structs[kind.struct.data].fields[unquoted(made.field)] = tensor.type
