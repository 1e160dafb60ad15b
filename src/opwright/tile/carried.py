"""What the text of a kernel shows before it runs: values that `tile.parallel` would carry, loops that are left early.

In: the kernel's function and its constants. Out: nothing. Refuses a name that goes from one iteration of
`tile.parallel` to another or to what follows the loop, and `break` and `continue` in loops over spans. A function
without source text, typed at a prompt, is not looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType

from opwright.errors import CarriedByParallel, NoSource, SourceChanged, UnsupportedSyntax
from opwright.kernel.captures import value_at
from opwright.kernel.source import Source, source_of
from opwright.tile import loops

ANOTHER, AFTER = "another", "what follows the loop"


def refuse_carried(function: FunctionType, constants: Mapping[str, object]) -> None:
    """Refuses what the text shows."""
    try:
        source = source_of(function)
    except (NoSource, SourceChanged):
        return
    definition = ast.parse(source.text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    walk = _Walk(function, source, constants)
    names = {argument.arg for argument in definition.args.args}
    walk.block(definition.body, names, {})


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that statements set."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


class _Walk:
    """Follows statements in order. `known`: names that may have a value; `stale`: names that hold a value of another
    iteration, with where that goes."""

    def __init__(self, function: FunctionType, source: Source, constants: Mapping[str, object]) -> None:
        self.function = function
        self.source = source
        self.constants = constants

    def block(self, body: Sequence[ast.stmt], known: set[str], stale: dict[str, str]) -> None:
        for statement in body:
            self._statement(statement, known, stale)

    def _statement(self, node: ast.stmt, known: set[str], stale: dict[str, str]) -> None:
        match node:
            case ast.For():
                self._for(node, known, stale)
            case ast.While():
                self._read(node.test, stale)
                self._inner(node.body, known, stale)
            case ast.If():
                self._if(node, known, stale)
            case ast.AugAssign(target=ast.Name(id=name)):
                self._read(node.value, stale)
                self._use(name, node, stale)
                self._set({name}, known, stale)
            case _:
                self._read(node, stale)
                self._set(_stored([node]), known, stale)

    def _set(self, names: set[str], known: set[str], stale: dict[str, str]) -> None:
        known |= names
        for name in names:
            stale.pop(name, None)

    def _read(self, node: ast.AST, stale: Mapping[str, str]) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self._use(part.id, part, stale)

    def _use(self, name: str, node: ast.expr | ast.stmt, stale: Mapping[str, str]) -> None:
        if name in stale:
            at = self.source.locate(node.lineno, node.col_offset)
            raise CarriedByParallel(at, name=name, where=stale[name])

    def _if(self, node: ast.If, known: set[str], stale: dict[str, str]) -> None:
        self._read(node.test, stale)
        test = self._constant(node.test)
        if test is not None:
            self.block(node.body if test else node.orelse, known, stale)
            return
        other = dict(stale)
        self.block(node.body, known, stale)
        self.block(node.orelse, known, other)
        stale.update(other)

    def _constant(self, test: ast.expr) -> bool | None:
        """What a condition on constants gives; None if it needs more."""
        code = compile(ast.Expression(test), self.source.file, "eval")
        try:
            return bool(eval(code, {"__builtins__": {}}, dict(self.constants)))
        except Exception:
            return None

    def _for(self, node: ast.For, known: set[str], stale: dict[str, str]) -> None:
        self._read(node.iter, stale)
        kind = self._kind(node.iter)
        if kind is not None:
            self._refuse_leaving(node.body)
        self._set(_stored([node.target]), known, stale)
        if kind is not loops.parallel:
            self._inner(node.body, known, stale)
            return
        inside = self._set_in(node.body)
        within = {**stale, **dict.fromkeys(inside & known, ANOTHER)}
        self._set(_stored([node.target]), known, within)
        self.block(node.body, known, within)
        stale.update(dict.fromkeys(inside | _stored([node.target]), AFTER))

    def _set_in(self, body: Sequence[ast.stmt]) -> set[str]:
        """Names that a body sets, without branches that constants rule out."""
        names: set[str] = set()
        for node in body:
            match node:
                case ast.If():
                    test = self._constant(node.test)
                    names |= self._set_in(node.body) if test is not False else set()
                    names |= self._set_in(node.orelse) if test is not True else set()
                case ast.For() | ast.While():
                    names |= self._set_in(node.body)
                    names |= _stored([node.target]) if isinstance(node, ast.For) else set()
                case _:
                    names |= _stored([node])
        return names

    def _inner(self, body: Sequence[ast.stmt], known: set[str], stale: dict[str, str]) -> None:
        """A loop that may have no iteration: what was stale may be so behind it."""
        self.block(body, known, within := dict(stale))
        self.block(body, known, within)  # what one iteration leaves, the next one finds
        stale.update(within)

    def _kind(self, node: ast.expr) -> object:
        """`loops.parallel` or `loops.range` if a loop is one of ours."""
        if not isinstance(node, ast.Call):
            return None
        found = value_at(self.function, ast.unparse(node.func))
        return found if found in (loops.parallel, loops.range) else None

    def _refuse_leaving(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, (ast.Break, ast.Continue)):
                word = type(node).__name__.lower()
                at = self.source.locate(node.lineno, node.col_offset)
                hint = "use an if; a loop ends where its stop says"
                raise UnsupportedSyntax(at, what=f"{word} in a loop of tile.parallel or tile.range", hint=hint)
            if isinstance(node, ast.If):
                self._refuse_leaving(node.body)
                self._refuse_leaving(node.orelse)
