"""Every exception of the package: a class with fixed text and a hint, and the user's line where there is one.

In: the fields that the class's text names, and a `Location`. Out: a message with the source line and a caret.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in the user's Python: file, line from 1, column from 0, and the calls that led there, outermost first.

    one_of: calls that may have led to the outermost of these, where there are several.
    text: the line, where it is known; otherwise it is read from the file, which may have changed.
    origin: of a line that was generated, the line that the author wrote for it. It is shown first.
    """

    file: str
    line: int
    column: int
    calls: tuple[Location, ...] = ()
    text: str = ""
    one_of: tuple[Location, ...] = ()
    origin: Location | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    @property
    def written(self) -> Location:
        """The line that the author wrote: this one, unless it was generated."""
        return self.origin or self

    @property
    def words(self) -> str:
        """The line in a sentence."""
        return f"line {self.origin.line}, generated line {self.line}" if self.origin else f"line {self.line}"

    def shown(self) -> list[str]:
        """The lines of a message that show it: what the author wrote, then what was generated."""
        places = [(self, "")] if self.origin is None else [(self.origin, ""), (self, " (generated)")]
        return [text for place, note in places for text in (f"  --> {place}{note}", place.snippet()) if text]

    def snippet(self) -> str:
        """The source line with a caret under the column; empty if the file cannot be read."""
        source = (self.text or linecache.getline(self.file, self.line)).rstrip("\r\n")
        if not source:
            return ""
        number = str(self.line)
        pad = " " * len(number)
        lead = "".join(c if c == "\t" else " " for c in source[: self.column])
        return f"{pad} |\n{number} | {source}\n{pad} | {lead}^"


_MAX_CALLS = 3  # of a chain are shown


class OpwrightError(Exception):
    """The base of all errors. `text` and `hint_text` are formats over the fields."""

    text = "{message}"
    hint_text = ""

    def __init__(self, at: Location | None = None, **fields: object) -> None:
        self.at = at
        self.fields = fields
        super().__init__(at, fields)

    @property
    def message(self) -> str:
        """What is wrong, without the place."""
        return self.text.format_map(self.fields)

    @property
    def hint(self) -> str:
        """How to fix it; "" if that is not known."""
        return self.hint_text.format_map(self.fields)

    def __str__(self) -> str:
        lines = [self.message]
        if self.at:
            lines += self.at.shown()
            lines += [f"  called from {call.written}" for call in self.at.calls[::-1][:_MAX_CALLS]]
            if len(self.at.calls) > _MAX_CALLS:
                lines.append(f"  and {len(self.at.calls) - _MAX_CALLS} more, from {self.at.calls[0].written}")
            if self.at.one_of:
                more = f" and {len(self.at.one_of) - 3} more" if len(self.at.one_of) > 3 else ""
                calls = ", ".join(str(call.written) for call in self.at.one_of[:3])
                lines.append(f"  called from one of {calls}{more}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors travel between processes (test workers do this); the default would lose the fields.
        return _rebuild, (type(self), self.at, self.fields)


def brief(value: object) -> str:
    """A value in a message: one short line of it."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def _rebuild(kind: type[OpwrightError], at: Location | None, fields: dict[str, object]) -> OpwrightError:
    return kind(at, **fields)


# The kernel's Python ------------------------------------------------------------------------------------------


class KernelError(OpwrightError):
    """A kernel's Python cannot become Ascend C."""


class NoSource(KernelError):
    """The function's source text cannot be found."""

    text = "the source of {name} cannot be read"
    hint_text = "put the kernel in a file; functions typed at a prompt or made by exec have no source text"


class SourceChanged(KernelError):
    """The file does not have the function where it was imported from."""

    text = "{name} is not at {file}:{line}: the file changed while it was imported"
    hint_text = "run it again, or reload the module"


class StaleCode(KernelError):
    """Python runs an older function than its file has."""

    text = "{name} is not what {file} says at line {line}: Python took it from an older {cached}"
    hint_text = "delete {cached} and import it again"


class NotAKernel(KernelError):
    """A function that `asc.jit` cannot mark."""

    text = "{name} cannot be a kernel: {reason}"
    hint_text = "{hint}"


class UnsupportedSyntax(KernelError):
    """Python that the kernel language does not have."""

    text = "{what} cannot be used in a kernel"
    hint_text = "{hint}"


class NotForHost(KernelError):
    """Python that a host function of an operator may run, but that cannot be compiled."""

    text = "{what} cannot be used in a host function"
    hint_text = "{hint}"


class NotPrintable(OpwrightError):
    """IR that no Python of `opwright.asc` stands for."""

    text = "{operation} cannot be printed as Python: {why}"
    hint_text = "write this part of the kernel by hand"


class UnknownName(KernelError):
    """A name that is neither local nor global."""

    text = "name '{name}' is not defined"
    hint_text = "{hint}"


class MaybeUnset(KernelError):
    """A variable that some way through the kernel leaves without a value."""

    text = "'{name}' may have no value here: it is only set inside a branch or a loop"
    hint_text = "give '{name}' a value before the branch or the loop"


class TypeChanged(KernelError):
    """A variable that would need two types."""

    text = "'{name}' was {before} and becomes {after} here"
    hint_text = "a variable set inside a branch or a loop keeps one type; use another name"


class WrongType(KernelError):
    """An operation on values it does not take."""

    text = "{operation} does not take {got}"
    hint_text = "{hint}"


class WrongCall(KernelError):
    """A helper or a method called with arguments it does not take."""

    text = "{call}: {message}"
    hint_text = "its arguments are {signature}"


class NoForm(KernelError):
    """A call whose arguments fit no form."""

    text = "no form of {call} takes these arguments:\n{reasons}"
    hint_text = "{hint}"


class WrongDtype(KernelError):
    """An element type that the SoC does not have for this call."""

    text = "{call} does not take {dtype} on {soc}: {why}"
    hint_text = "on {soc} it takes {allowed}"


class RuleBroken(KernelError):
    """A constant that breaks a rule of the call."""

    text = "{call}: {rule}, got {value}"
    hint_text = "{hint}"


class WrongFormat(KernelError):
    """A format of asc.printf that its arguments do not fit."""

    text = "{call}: {message}"
    hint_text = "{hint}"


class BeyondMemory(KernelError):
    """A constant tensor, or buffers, that do not fit their memory."""

    text = "{what} at byte {end} of {memory}, but {soc} has {capacity} for a kernel"
    hint_text = "make the tiles smaller, or let tensors that are not used at the same time share bytes"


class StackFull(KernelError):
    """Arrays that are too large for a core's stack."""

    text = "arrays take {count} bytes; the core's stack has {max} in total"
    hint_text = (
        "{where}; make them shorter, or use a tensor: asc.LocalTensor(asc.int64, asc.TPosition.VECCALC, 0, 1024)"
    )


class WrongCore(KernelError):
    """A memory of a kind of core that does not come here."""

    text = "{call}: {memory} belongs to an {owner}, and no {owner} reaches this line"
    hint_text = "{hint}"


class NoCrossFlags(KernelError):
    """Flags between cores in a kernel whose type does without them."""

    text = '{call}: kernel_type="{kernel_type}" does not start the unit that carries flags between cores'
    hint_text = 'mark the kernel @asc.jit(kernel_type="{other}")'


class NeedsPipe(KernelError):
    """A call that needs the kernel's TPipe, or memory or event ids from it, where none is alive."""

    text = "{call}: on {soc} this form needs the TPipe of the kernel, and none is alive here"
    hint_text = "{hint}"


class MixedPlacement(KernelError):
    """A tensor placed by hand, in a kernel whose TPipe hands out the same memory."""

    text = "{call} places a tensor in {memory} by hand, and the kernel has a TPipe, which hands out {memory} itself"
    hint_text = (
        "take it from a buffer of the pipe: asc.TBuf, pipe.init_buffer(buffer, bytes), buffer.get or "
        "buffer.get_with_offset; or make no TPipe, and place every tensor by hand"
    )


class StaticAssertFailed(KernelError):
    """An assertion that is known not to hold before the kernel runs."""

    text = "assertion failed: {message}"
    hint_text = "it was tested while the kernel was compiled, with the constants it was given"


class WrongCaller(KernelError):
    """A call that threads cannot make, or that only threads can."""

    text = "{call} cannot be called {where}"
    hint_text = "{hint}"


class NoThreads(KernelError):
    """Threads on a SoC that has none."""

    text = "{what} needs threads, and {soc} has no unit that runs them"
    hint_text = "{hint}"


class BadThreads(KernelError):
    """A number of threads that cannot be started."""

    text = "{function}: cannot start {threads} threads"
    hint_text = "{hint}"


class OutsideKernel(KernelError):
    """A call of Ascend C made by ordinary Python."""

    text = "asc.{name} was called outside a kernel"
    hint_text = "put it in a function marked @asc.jit and launch that: kernel[cores](...)"


class UnstableGlobal(KernelError):
    """A global whose value cannot be part of a kernel."""

    text = "'{name}' is a {type}: a kernel can only use numbers, strings, tuples of them and names of opwright.asc"
    hint_text = "pass it as an argument, or assign the number to a variable of its own"


# The kernel's Python: tiles ------------------------------------------------------------------------------------


class TileShape(KernelError):
    """Sizes of tiles and spans that do not fit each other."""

    text = "{operation}: {message}"
    hint_text = "{hint}"


class TileDtype(KernelError):
    """Data types of tiles, tensors and numbers that do not mix."""

    text = "{operation}: {message}"
    hint_text = "{hint}"


class NotAnIndex(KernelError):
    """Something that indexes neither a tensor nor a tile."""

    text = "{index} does not index {what}"
    hint_text = "{hint}"


class CarriedByParallel(KernelError):
    """A value that goes from one iteration of `tile.parallel` to another, or out of the loop."""

    text = "'{name}' goes from one iteration of tile.parallel to {where}, and these run in any order"
    hint_text = (
        "set '{name}' in the loop before it is read, or loop with tile.range; tile.atomic_add adds up in a tensor"
    )


class NotForVector(KernelError):
    """A helper of `tile.call` that does something else than vector work on the tensors that it is given."""

    text = "a helper of tile.call {does}"
    hint_text = "helpers work on the vector unit only; for more, take over the kernel that kernel.lower(...) prints"


class WrittenAndRead(KernelError):
    """A number that is read from a tensor which the kernel writes."""

    text = "numbers are read from {name}, and tiles are stored to it"
    hint_text = "reads of numbers do not wait for stores: load a tile of it, or pass the numbers as another tensor"


# The border: arguments and launches ---------------------------------------------------------------------------


class ArgumentError(OpwrightError):
    """An argument of a launch is refused."""

    text = "{kernel}: {message}"


class WrongArguments(ArgumentError):
    """Missing, surplus or misnamed arguments."""

    hint_text = "its arguments are {signature}"


class BadField(ArgumentError):
    """A struct by value with a field that is not a number, or does not fit."""

    text = "{record}{field} {message}"
    hint_text = "{hint}"


class NotAnArray(ArgumentError):
    """Something that is neither an array nor a number."""

    text = "{kernel}: argument {name} is a {type}"
    hint_text = "global memory is a NumPy array or a torch tensor; numbers are int, float or bool"


class NotContiguous(ArgumentError):
    """An array with gaps or another order."""

    text = "{kernel}: argument {name} is not contiguous (shape {shape}, strides {strides})"
    hint_text = (
        "pass numpy.ascontiguousarray({name}) or {name}.contiguous(), and copy the result back if it is written; or "
        "annotate it with asc.StridedAddress, and pass its strides as arguments"
    )


class BadStrides(NotContiguous):
    """A view whose elements lie where no kernel could count to."""

    text = "{kernel}: argument {name} has strides {strides}: {reason}"
    hint_text = "pass numpy.ascontiguousarray({name}), and copy the result back if it is written"


class WrongRank(ArgumentError):
    """An array with too few or too many axes."""

    text = "{kernel}: argument {name} has {rank} axes, and may have 1 to {most}"
    hint_text = "reshape it: {name}.reshape(...) of a dense array is a view, not a copy"


class ReadOnlyArgument(ArgumentError):
    """A read-only array that the kernel writes."""

    text = "{kernel}: argument {name} is read-only and the kernel writes to it"
    hint_text = "pass a copy, or set {name}.flags.writeable = True if the array is yours"


class GradArgument(ArgumentError):
    """A torch tensor that autograd watches and the kernel writes."""

    text = "{kernel}: argument {name} requires grad and the kernel writes to it, which autograd does not see"
    hint_text = "pass {name}.detach(), or launch under torch.no_grad()"


class NegatedArgument(ArgumentError):
    """A torch tensor whose memory holds its numbers with the other sign."""

    text = "{kernel}: argument {name} has torch's negative bit: its memory holds the numbers with the other sign"
    hint_text = "pass {name}.resolve_neg(), and copy the result back if it is written"


class WrongByteOrder(ArgumentError):
    """An array in the other byte order."""

    text = "{kernel}: argument {name} has byte order '{order}'"
    hint_text = "pass {name}.astype({name}.dtype.newbyteorder('='))"


class UnsupportedDtype(ArgumentError):
    """An array of a type that no SoC has."""

    text = "{kernel}: argument {name} has type {dtype}, which Ascend C does not have"
    hint_text = "it has {allowed}"


class NotAStream(ArgumentError):
    """A second index of a launch that is no stream."""

    text = "{kernel}[{cores}, {stream}]: the second index is a stream, not {stream}"
    hint_text = "cores are one number, {kernel}[{cores}](...); kernels of @asc.simt take a grid and a block"


class GridOutOfRange(ArgumentError):
    """A grid that cannot be launched."""

    text = "{kernel}: cannot start {cores} cores"
    hint_text = "a launch takes 1 to {max} cores; {soc} has {have} and runs more one after the other"


class BadGrid(ArgumentError):
    """A grid of blocks of threads that cannot be launched."""

    text = "{kernel}: cannot start a grid of {blocks} blocks"
    hint_text = "a launch takes 1 to {max} blocks"


class PartialOverlap(ArgumentError):
    """Two arguments that share some bytes while one is written."""

    text = "{kernel}: arguments {first} and {second} overlap in part and the kernel writes to {written}"
    hint_text = "pass separate arrays, or declare it: @asc.jit(may_overlap=True)"


class AssumptionBroken(ArgumentError):
    """What `tile.assume` states does not hold for these arguments."""

    text = "{kernel}: an assumption does not hold for these arguments"
    hint_text = "pass other arguments, or take the assumption out of the kernel"


class SpanTooLong(ArgumentError):
    """An axis that is longer than the size that the kernel has for it."""

    text = "{kernel}: the axis has {length} elements, and tile.whole has {size} at most"
    hint_text = "pass a greater size, such as tile.blocks(x.shape[1], x.dtype), or loop over the axis with tile.range"


class TileTooLarge(OpwrightError):
    """Tiles of a kernel that do not fit a memory together."""

    text = "the tiles in use here need {needed} bytes, and {memory} of {soc} has {available}:\n{tiles}"
    hint_text = "{hint}"


class LastStride(ArgumentError):
    """A tensor of a tile kernel whose last axis has gaps."""

    text = "{kernel}: argument {name} of shape {shape} has strides {strides}: that of its last axis is not 1"
    hint_text = "swap its axes before the call, and transpose tiles in the kernel: x[j, i].T; or pass a copy"


class TileNotBuilt(OpwrightError, NotImplementedError):
    """A part of the tile level that does not exist yet."""

    text = "{what} is not built yet"
    hint_text = "{hint}"


class NotSplit(OpwrightError):
    """Vector work beside products of matrices that two vector cores cannot share by rows."""

    text = "{what}: two vector cores share the rows of each tile of a kernel that has tile.dot too"
    hint_text = "{hint}"


class TooManyMessages(OpwrightError):
    """A kernel whose values cross between cube and vector cores too often."""

    text = "{wanted} flags between cube and vector cores are needed, and there are {flags}"
    hint_text = "make it two kernels, launched in order; or compute less between two products of matrices"


class NpuTensor(ArgumentError):
    """A tensor that lies on an NPU."""

    text = "{kernel}: argument {name} is on device {device}: running on an NPU is not built yet"
    hint_text = "pass {name}.cpu() to run on the CPU twin"


class WrongDevice(ArgumentError):
    """A tensor that lies neither in the memory of the CPU nor on an NPU."""

    text = "{kernel}: argument {name} is on device {device}"
    hint_text = "the twin runs on the CPU: pass a CPU tensor"


class UnknownSoc(OpwrightError):
    """A SoC name that is not in the table."""

    text = "'{soc}' is not a SoC"
    hint_text = "known: {known}"


class BadOption(OpwrightError):
    """An option of `asc.jit` or `asc.simt` that does not exist, or that does not take this value."""

    text = "{name}={value!r}: {name} {message}"


class BadSetting(OpwrightError):
    """An OPWRIGHT_* variable that cannot be read."""

    text = "{name}={value!r}: {message}"
    hint_text = "change or unset {name}"


# Run time -----------------------------------------------------------------------------------------------------


class RunError(OpwrightError):
    """A kernel failed while it ran on the twin."""

    text = "{kernel}, {core}: {message}"
    hint_text = "{hint}"


class DeadlockError(RunError):
    """Cores or pipes that wait for something that never happens."""


class DivergentBarrier(DeadlockError):
    """A barrier of a block that some of its threads never reach."""


class MissingLanes(DeadlockError):
    """A warp-wide call that some threads of the warp never reach."""


class RaceError(RunError):
    """Two accesses to the same bytes that the chip may perform in either order."""


class OverlapError(RunError):
    """A value that is lost because two tensors placed by hand overlap."""


class CacheError(RunError):
    """A scalar access to global memory that is not coherent: a dirty or stale line in the scalar data cache."""


class UncleanedOutput(CacheError):
    """What set_value wrote to global memory is still in the data cache when the kernel ends."""


class UninitialisedRead(RunError):
    """A read of bytes that nothing has written."""


class UnwrittenOutput(RunError):
    """An output of which the kernel never writes some elements."""


class WatchedAccess(RunError):
    """An access to memory that the kernel watches."""


class ScheduleDependent(RunError):
    """A result that another legal order of the same work changes."""


class TruncatedCopy(RunError):
    """A copy that drops the elements behind the last whole block."""


class FloatAtomic(RunError):
    """Atomic float additions in an undefined order: the last bits of the sum may differ."""


class ScalarOverflow(RunError):
    """Integer arithmetic of a kernel whose result does not fit its type."""


class AssumedResult(RunError):
    """A result that depends on an assumption about the chip."""


class FlagError(RunError):
    """A flag used against its rules."""


class FlagSetAgain(FlagError):
    """A flag that is set again before its wait is known to have happened."""


class StateError(RunError):
    """A mask, an atomic mode or a setting of the core that a kernel uses without setting it, or leaves on."""


class QueueError(RunError):
    """A pipe, a queue or a buffer used against its rules."""


class OutOfRange(RunError):
    """An access outside its tensor, memory or argument."""


class RuleError(RunError):
    """A run-time value that breaks a rule of the call."""


class TrapError(RunError):
    """The kernel stopped itself."""


class NoReport(OpwrightError):
    """A report was asked for before anything was checked."""

    text = "{kernel} was not checked yet"
    hint_text = "launch it first: {kernel}.check[cores](...); a report is that of this thread's last checked launch"


class OptionIgnored(UserWarning):
    """An option that other libraries have and that changes nothing here."""


class CheckWarning(UserWarning):
    """A finding of the checked twin in a kernel that may be right."""


class CheckRemark(UserWarning):
    """What a report of the checked twin shows below its findings: unwritten outputs and the like."""


# Operators -----------------------------------------------------------------------------------------------------


class OperatorError(OpwrightError):
    """An operator cannot be called, defined or found."""


class BadValue(OperatorError, ValueError):
    """A call of an operator with a value, a shape or a device that it does not take."""

    text = "{operator}: {message}"


class BadType(OperatorError, TypeError):
    """A call of an operator with a type or dtype that it does not take."""

    text = "{operator}: {message}"


class NotSupported(OperatorError, NotImplementedError):
    """A call of an operator that is not implemented."""

    text = "{operator}: {message}"


class ProviderRefused(NotSupported):
    """A provider that was asked for by name does not take the call."""

    text = "{operator}: its provider {provider} does not take this call: {reason}"
    hint_text = 'opwright.explain("{operator}", ...) shows what the other providers say'


class NoSuchOperator(OperatorError, LookupError):
    """No operator has that name."""

    text = "there is no operator '{name}'"
    hint_text = "{hint}"


class NoSuchProvider(OperatorError, LookupError):
    """The operator has no provider of that name or place."""

    text = "{operator} has no provider {provider}"
    hint_text = "its providers are {known}"


class DefinedTwice(OperatorError):
    """Two definitions of one operator."""

    text = "the operator {name} is defined at {first} and at {second}"
    hint_text = "give one of them another name; an operator is defined once"


class BadDefinition(OperatorError):
    """A definition of an operator that cannot be used."""

    text = "the operator {name}, defined at {where}, {reason}"
    hint_text = "{hint}"


class BadSchema(OperatorError, ValueError):
    """A schema that cannot be read."""

    text = "the schema cannot be read: {reason}"
    hint_text = "{hint}"


class NoTorch(OpwrightError, ImportError):
    """The operators were asked for without PyTorch."""

    text = "opwright.ops needs PyTorch, which is not installed"
    hint_text = 'pip install "opwright[torch]"; opwright.asc and opwright.formats work without it'


# The machine --------------------------------------------------------------------------------------------------


class NoCompiler(OpwrightError):
    """No C++ compiler for the twin."""

    text = "no C++ compiler found for the twin (looked for {looked_for})"
    hint_text = "install g++ or clang++, or name one with OPWRIGHT_CXX"


class CompileFailed(OpwrightError):
    """The C++ compiler refused a text of ours."""

    text = "{compiler} could not compile {what}:\n{output}"
    hint_text = (
        "check OPWRIGHT_CXX and OPWRIGHT_CPU if you set them; otherwise please report this as a fault of opwright"
    )


class KernelNotServed(OpwrightError):
    """A kernel of an operator that cannot be a part of the operators' library."""

    text = "{variant} cannot be compiled ahead of time: {reason}"
    hint_text = "{hint}"


class UnsafeCache(OpwrightError):
    """A cache directory that cannot be made, or that others could write to."""

    text = "the cache directory {path} {reason}"
    hint_text = "choose a directory of your own with OPWRIGHT_CACHE_DIR, or run: chmod 700 {path}"


class CacheFailed(OpwrightError):
    """A cache directory that cannot be written to."""

    text = "the cache directory {path} cannot be written to: {reason}"
    hint_text = "free some space or fix its permissions, or choose another directory with OPWRIGHT_CACHE_DIR"


class TargetRefused(OpwrightError):
    """Something that a target other than the twin does not do."""

    text = "{kernel}: the target {target} {reason}"
    hint_text = "unset OPWRIGHT_TARGET: kernels then run on the twin"


class TargetTaken(OpwrightError, ValueError):
    """A target under the name of another one."""

    text = "there is a target {name} already: {known}; {new} cannot take its name"
    hint_text = "give yours another name; twin and emit are those of opwright"


class FrontEndTaken(OpwrightError, ValueError):
    """A front end under the name of another one."""

    text = "there is a front end {name} already: {known}; {new} cannot take its name"
    hint_text = "give yours another name; asc is the one of opwright"


class UnknownFrontEnd(OpwrightError, ValueError):
    """A function for a front end that is not there."""

    text = "there is no front end {name}; there are: {known}"
    hint_text = "give yours to opwright.kernel.program.register_front_end before its first kernel is launched"


class CorruptArtefact(OpwrightError):
    """A cached file whose content is not what its name says."""

    text = "{path} does not have the content that its name promises"
    hint_text = "it was moved to the quarantine folder; run again to rebuild it"
