r"""Loops that are left before their end, and results before the last statement, as flags that say so.

    for i = 1, …, n:                     left \gets false
        if c: r \gets i; break           for i = 1, …, n: if not left:
        y_i \gets e               ->         if c: r \gets i; left \gets true else: y_i \gets e

What stands behind a branch that leaves goes into the arm that does not, where there is one such arm, else into a branch of its own. Flags
that nothing asks about are not set. A result is a name that has it, and leaves all loops around.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.names.versions import FALSE, TRUE
from mathdsl.elaborate.report import refuse
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in, with_bodies

_RETURNED = "returned"


def with_left_loops(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure whose loops run to their ends, with one result, behind all else."""
    left = any(isinstance(node, ast.Leave) for node in statements_in(procedure.body))
    early = [node for node in statements_in(procedure.body) if isinstance(node, ast.Return)]
    early = [] if all(any(node is one for one in procedure.body) for node in early) else early
    if not left and not early:
        return procedure
    cut = _Cut({str(name) for name in names_below(procedure)})
    results = cut.results_of(early) if early else ()
    made = cut.block(procedure.body, _Around(returned=cut.flag(_RETURNED) if early else None, results=results))
    body = made.statements
    if early:
        last = early[-1].span
        value = results[0] if len(results) == 1 else ast.Group(results, span=last)
        flag = cut.flag(_RETURNED)
        begun = (_set(flag, FALSE, last),) if any(_asks(node, flag) for node in body) else ()
        body = (*begun, *(body if begun else _without(body, {flag})), ast.Return(value, span=last))
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


@dataclass(frozen=True)
class _Around:
    """The flags of the loop around, and that of the procedure with the names of its results; None where there is none."""

    broken: ast.Expression | None = None
    continued: ast.Expression | None = None
    returned: ast.Expression | None = None
    results: tuple[ast.Expression, ...] = ()


@dataclass(frozen=True)
class _Made:
    """Statements, the flags that they may set, and whether nothing behind them is executed."""

    statements: tuple[ast.Statement, ...]
    flags: tuple[ast.Expression, ...] = ()
    is_end: bool = False


@dataclass
class _Cut:
    """Takes leaving apart; `taken` are the names of the program, `made` those of our own."""

    taken: set[str]
    made: dict[str, ast.Expression] = field(default_factory=dict)

    def flag(self, word: str) -> ast.Expression:
        """A name of our own, the same for the same word."""
        if word not in self.made:
            self.made[word] = self._name(word)
        return self.made[word]

    def _name(self, word: str) -> ast.Expression:
        while word in self.taken:
            word += "Again"
        self.taken.add(word)
        return ast.Identifier(word, "mathrm")

    def results_of(self, returns: Sequence[ast.Return]) -> tuple[ast.Expression, ...]:
        """A name for each value that all results have."""
        counts = {len(node.value.items) if isinstance(node.value, ast.Group) else 1 for node in returns}
        return tuple(self._name("result") for _ in range(counts.pop() if len(counts) == 1 else 1))

    def block(self, statements: Sequence[ast.Statement], around: _Around) -> _Made:
        """Statements in order, of which none is executed behind one that leaves."""
        found: list[ast.Statement] = []
        flags: list[ast.Expression] = []
        for at, node in enumerate(statements):
            made, rest = self._statement(node, around), tuple(statements[at + 1 :])
            if made.is_end:
                _check_ends(node, rest)
                return _Made((*found, *made.statements, *rest), (*flags, *made.flags), True)
            if not made.flags or not rest:
                found += made.statements
                flags += made.flags
                continue
            pushed = self._pushed(node, rest, around)
            if pushed is None:
                behind = self.block(rest, around)
                guard = ast.Branch(_none_of(made.flags, node.span), behind.statements, span=node.span)
                pushed = _Made((*made.statements, ast.If((guard,), None, span=node.span)), (*made.flags, *behind.flags))
            return _Made((*found, *pushed.statements), (*flags, *pushed.flags), pushed.is_end)
        return _Made(tuple(found), tuple(flags))

    def _statement(self, node: ast.Statement, around: _Around) -> _Made:
        match node:
            case ast.Leave(word=word):
                flag = around.broken if word == "break" else around.continued
                if flag is None:
                    written = rf"\{word.title()}"
                    help = "write it into a loop, or end the procedure by `\\Return`"
                    raise refuse("E0221", f"`{written}` stands outside of every loop", node.span, help=help)
                return _Made((_set(flag, TRUE, node.span),), (flag,), True)
            case ast.Return(value=value) if around.returned is not None:
                target = around.results[0] if len(around.results) == 1 else ast.Group(around.results, span=node.span)
                given = ast.Definition(target, value, span=node.span)
                return _Made((given, _set(around.returned, TRUE, node.span)), (around.returned,), True)
            case ast.If(branches=branches, otherwise=otherwise):
                arms = [self.block(branch.body, around) for branch in branches]
                last = None if otherwise is None else self.block(otherwise, around)
                made = tuple(replace(branch, body=arm.statements) for branch, arm in zip(branches, arms, strict=True))
                every = [*arms, *([] if last is None else [last])]
                flags = tuple(dict.fromkeys(flag for arm in every for flag in arm.flags))
                is_end = last is not None and all(arm.is_end for arm in every)
                return _Made((replace(node, branches=made, otherwise=None if last is None else last.statements),), flags, is_end)
            case ast.For(body=body) | ast.While(body=body):
                return self._loop(node, body, around)
            case ast.EquationGroup(body=body):
                inner = self.block(body, around)
                return _Made((replace(node, body=inner.statements),), inner.flags, inner.is_end)
            case _:
                return _Made((node,))

    def _pushed(self, node: ast.Statement, rest: tuple[ast.Statement, ...], around: _Around) -> _Made | None:
        """A branch with what stands behind it in the one arm that goes on; None where several do."""
        if not isinstance(node, ast.If):
            return None
        arms = [*(branch.body for branch in node.branches), node.otherwise or ()]
        made = [self.block(arm, around) for arm in arms]
        goes_on = [k for k, arm in enumerate(made) if not arm.is_end]
        if len(goes_on) != 1 or made[goes_on[0]].flags:
            return None
        arms[goes_on[0]] = (*arms[goes_on[0]], *rest)
        branches = tuple(replace(branch, body=arm) for branch, arm in zip(node.branches, arms, strict=False))
        return self._statement(replace(node, branches=branches, otherwise=arms[-1]), around)

    def _loop(self, node: ast.For | ast.While, body: tuple[ast.Statement, ...], around: _Around) -> _Made:
        leaves = {one.word for one in _of_this_loop(body)}
        broken = self._name("left") if "break" in leaves else None
        continued = self._name("skipped") if "continue" in leaves else None
        inner = self.block(body, replace(around, broken=broken, continued=continued))
        statements = inner.statements
        if continued is not None:
            is_asked = any(_asks(one, continued) for one in statements)
            statements = (_set(continued, FALSE, node.span), *statements) if is_asked else _without(statements, {continued})
        returned = tuple(flag for flag in inner.flags if flag == around.returned)
        ends = tuple(dict.fromkeys(flag for flag in inner.flags if flag in (broken, around.returned)))
        before = () if broken is None else (_set(broken, FALSE, node.span),)
        if not ends:
            return _Made((replace(node, body=statements),))
        goes_on = _none_of(ends, node.span)
        match node:
            case ast.For():
                loop: ast.Statement = replace(
                    node, body=(ast.If((ast.Branch(goes_on, statements, span=node.span),), None, span=node.span),)
                )
            case ast.While(until=True, condition=condition):
                loop = replace(node, body=statements, condition=ast.Logic("or", (*ends, condition), span=condition.span))
            case ast.While(condition=condition):
                loop = replace(node, body=statements, condition=ast.Logic("and", (goes_on, condition), span=condition.span))
        return _Made((*before, loop), tuple(dict.fromkeys(returned)))


def _of_this_loop(body: Iterable[ast.Statement]) -> Iterator[ast.Leave]:
    """What leaves a loop or its turn, but not a loop in it."""
    for node in body:
        match node:
            case ast.Leave():
                yield node
            case ast.If(branches=branches, otherwise=otherwise):
                for arm in (*(branch.body for branch in branches), otherwise or ()):
                    yield from _of_this_loop(arm)
            case ast.EquationGroup(body=inner):
                yield from _of_this_loop(inner)
            case _:
                pass


def _check_ends(node: ast.Statement, rest: Sequence[ast.Statement]) -> None:
    """Refuse what stands behind a statement that leaves: nothing executes it."""
    dead = next((one for one in rest if not isinstance(one, ast.Remark)), None)
    if dead is not None:
        written = rf"\{node.word.title()}" if isinstance(node, ast.Leave) else r"\Return"
        what = (
            f"nothing executes this, behind `{written}`"
            if not isinstance(node, ast.If)
            else "nothing executes this: no arm before it goes on"
        )
        raise refuse("E0221", what, dead.span, help="remove it, or write it before")


def _none_of(flags: Sequence[ast.Expression], span: Span) -> ast.Expression:
    found = tuple(ast.Logic("not", (flag,), span=span) for flag in dict.fromkeys(flags))
    return found[0] if len(found) == 1 else ast.Logic("and", found, span=span)


def _set(flag: ast.Expression, value: str, span: Span) -> ast.Statement:
    return ast.Definition(flag, ast.Identifier(value, span=span), span=span)


def _asks(node: ast.Statement, flag: ast.Expression) -> bool:
    """Whether a branch or a loop asks about a flag."""
    name = word_of(flag)
    for one in statements_in((node,)):
        match one:
            case ast.If(branches=branches):
                asked: tuple[ast.Expression, ...] = tuple(branch.condition for branch in branches)
            case ast.While(condition=condition):
                asked = (condition,)
            case _:
                continue
        if any(name in set(names_below(condition)) for condition in asked):
            return True
    return False


def _without(statements: Sequence[ast.Statement], flags: set[ast.Expression]) -> tuple[ast.Statement, ...]:
    """The statements without those that set flags."""
    found: list[ast.Statement] = []
    for node in statements:
        match node:
            case ast.Definition(target=target) if target in flags:
                pass
            case _:
                found.append(with_bodies(node, lambda body: _without(body, flags)))
    return tuple(found)
