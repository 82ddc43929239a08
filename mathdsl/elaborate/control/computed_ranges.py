r"""Ranges with ends that statements or inputs compute, as ranges that hold them, with a branch.

for c = w_i, …, m: …              ->      for c = 1, …, m: if w_i <= c: …           where w_i is declared from 1 on
j \gets i + l - 1; for k = i, …, j: …     ->      for k = i, …, i + l - 1: …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from mathdsl.elaborate.control.affine import affine, difference, distance
from mathdsl.elaborate.control.loops import Loop, binding_over, ends_of, extreme, shift_of
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.names.names import Name, plain_word, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, shifted, statements_in, transform


def with_fixed_ranges(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure in which sizes, numbers and the variables of loops alone move the ranges of loops, as far as their ends are known."""
    ranges = [node.binding for node in statements_in(procedure.body) if isinstance(node, ast.For)]
    if not ranges:
        return procedure
    targets = Counter(
        name
        for node in statements_in(procedure.body)
        if isinstance(node, ast.Definition) and node.function is None
        for target in node.targets
        if (name := _head(target)) is not None
    )
    indexed = any(isinstance(part, ast.Scripts | ast.Indexing) for node in ranges for part in descendants(node))
    if not indexed and not any(name in targets for node in ranges for name in names_below(node)):
        return procedure
    rows = (*procedure.inputs, *(row for where in (*procedure.wheres, *shared) for row in where.rows))
    sizes = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in names_below(part)}
    integers = {
        name: side
        for row in rows
        if row.type is not None and not row.ranges and (side := _values_of(row.type)) is not None
        for symbol in row.symbols
        if (name := spelling_of(unaccent(symbol))) is not None and name not in targets
    }
    if not sizes.isdisjoint(targets) or not any(_is_computed(node, targets, integers) for node in ranges):
        return procedure
    found = _Ranges(targets, integers, Counter(name for node in procedure.body for name in _all_names(node)))
    body = found.block(procedure.body, ())
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _head(target: ast.Expression) -> Name | None:
    match plain := unaccent(target):
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return _head(base)
        case _:
            return word_of(plain)


def _all_names(node: ast.Node) -> Iterator[Name]:
    for one in (node, *descendants(node)):
        if isinstance(one, ast.Identifier) and (name := word_of(one)) is not None:
            yield name


def _values_of(kind: ast.Expression) -> Side | None:
    r"""The least and the greatest integer of a type: of `\{1, \dots, 4\}^{n}`; only the least of `\mathbb{N}`, which is its own side."""
    plain = kind.base if isinstance(kind, ast.Scripts) and not kind.subscripts else kind
    lower, upper = ends_of(plain) if isinstance(plain, ast.SetDisplay | ast.ListDisplay) else (None, None)
    if lower is not None and upper is not None:
        return Side(lower, upper)
    is_natural = isinstance(plain, ast.Identifier) and plain_word(plain) == "N"
    return Side(ast.Number("0", span=kind.span), plain) if is_natural else None


def _is_computed(node: ast.Expression, targets: Counter[Name], integers: Mapping[Name, Side]) -> bool:
    """Whether a range is moved by what is assigned, by an element of an input, or by a power."""
    bound = set(bound_names(node))
    for one in (node, *descendants(node)):
        match one:
            case ast.Scripts(base=base, superscript=above) if above is not None or word_of(base) in integers:
                return True
            case ast.Indexing(base=base) if word_of(base) in integers:
                return True
            case ast.Identifier() if (name := word_of(one)) is not None and name in targets and name not in bound:
                return True
            case _:
                pass
    return False


@dataclass(frozen=True)
class _Ranges:
    """What statements assign, how often; the values of declared integers; how often each name is written."""

    targets: Counter[Name]
    integers: Mapping[Name, Side]
    written: Counter[Name]

    def block(self, statements: tuple[ast.Statement, ...], around: tuple[Loop, ...]) -> tuple[ast.Statement, ...]:
        """Statements in order."""
        found: list[ast.Statement] = []
        rest = list(statements)
        while rest:
            node = rest.pop(0)
            put = self._put_for(node, rest)
            if put is not None:
                rest = [cast(ast.Statement, _with(one, *put)) for one in rest]
                continue
            found.append(self._statement(node, around))
        return tuple(found)

    def _put_for(self, node: ast.Statement, rest: Sequence[ast.Statement]) -> tuple[Name, ast.Expression] | None:
        """A name that stands for an index in ranges behind it, and nowhere else than behind it, and the index."""
        match node:
            case ast.Definition(function=None, target=ast.Identifier() as target, value=value, domains=()) if affine(value) is not None:
                name = word_of(target)
                own = Counter(part for one in rest for part in _all_names(one))
                if name is None or self.targets[name] != 1 or own[name] + 1 != self.written[name]:
                    return None
                parts = (value, *descendants(value))
                if any(isinstance(part, ast.Scripts | ast.Indexing | ast.Attribute | ast.Bars) for part in parts):
                    return None  # `x.\sz{1}` names a size
                if any(part in self.targets for part in names_below(value)):
                    return None
                loops = (one.binding for one in statements_in(rest) if isinstance(one, ast.For))
                return (name, value) if any(name in names_below(binding) for binding in loops) else None
            case _:
                return None

    def _statement(self, node: ast.Statement, around: tuple[Loop, ...]) -> ast.Statement:
        match node:
            case ast.For(binding=binding, body=body):
                return self._loop(node, binding, body, around)
            case ast.If(branches=branches, otherwise=otherwise):
                arms = tuple(replace(branch, body=self.block(branch.body, around)) for branch in branches)
                return replace(node, branches=arms, otherwise=None if otherwise is None else self.block(otherwise, around))
            case ast.EquationGroup(body=body):
                return replace(node, body=self.block(body, around))
            case _:
                return node

    def _loop(self, node: ast.For, binding: ast.Expression, body: tuple[ast.Statement, ...], around: tuple[Loop, ...]) -> ast.For:
        match binding:
            case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
                first, last = ends_of(values)
            case _:
                return replace(node, body=self.block(body, around))
        name = word_of(variable)
        if name is None or first is None or last is None:
            return replace(node, body=self.block(body, around))
        if not _is_computed(binding, self.targets, self.integers):
            loop = Loop(node, variable, name, first, last)
            return replace(node, body=self.block(body, (*around, loop)))
        step = self._step(values, first, last, around)
        low, high = (first, last) if step > 0 else (last, first)
        lower, upper = self._end(low, around, -1), self._end(high, around, 1)
        if step not in (1, -1) or lower is None or upper is None:
            return replace(node, body=self.block(body, around))
        begin, end = ((lower,), upper) if step > 0 else ((upper, shifted(upper, -1)), lower)
        inner = self.block(body, (*around, Loop(node, variable, name, lower, upper, step)))
        asked = ast.Relation((r"\leq", r"\leq"), (low, variable, high), span=binding.span)
        if lower == low or upper == high:
            sides = (variable, high) if lower == low else (low, variable)
            asked = ast.Relation((r"\leq",), sides, span=binding.span)
        if lower == low and upper == high:
            return replace(node, body=inner)
        branch = ast.If((ast.Branch(asked, inner, span=node.span),), None, span=node.span)
        return replace(node, binding=binding_over(variable, begin, end, binding.span, shift_of(binding)), body=(branch,))

    def _step(self, values: ast.Expression, first: ast.Expression, last: ast.Expression, around: tuple[Loop, ...]) -> int:
        """How much a range goes up from turn to turn; 0 where that is not known."""
        match values:
            case ast.SetDisplay(items=(_, second, *_, ast.Dots(), _)) | ast.ListDisplay(items=(_, second, *_, ast.Dots(), _)):
                return -(distance(first, second) or 0)
            case _:
                least, greatest = self._end(last, around, -1), self._end(first, around, 1)
                gap = None if least is None or greatest is None else difference(least, greatest)
                if gap is not None and is_nonnegative(gap + 1):
                    return 1
                return 0 if isinstance(last, ast.Number) or greatest is None and not isinstance(first, ast.Number) else 1

    def _end(self, node: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The least (greatest) that an index is in any turn of the loops around; None where that is not known."""
        if not _is_computed(node, self.targets, self.integers):
            return node if affine(node) is not None else None
        match node:
            case ast.Group(items=(inner,)):
                return self._end(inner, around, sign)
            case ast.Identifier() | ast.Scripts(superscript=None) | ast.Indexing() if side := self.integers.get(_head(node) or Name("")):
                found = side.upper if sign > 0 else side.lower
                return None if affine(found) is None or _head(found) == "N" else found
            case ast.Binary(operator="+" | "-" as operator, left=left, right=ast.Number(text=text)) if text.isdigit():
                moved = self._end(left, around, sign)
                return None if moved is None else shifted(moved, int(text) if operator == "+" else -int(text))
            case ast.Scripts(base=ast.Number(text=base), subscripts=(), superscript=above) if above is not None and base.isdigit():
                exponent = affine(extreme(_bare(above), around, sign))
                if exponent is None or exponent.constant is None or exponent.constant < 0:
                    return None
                return ast.Number(str(int(base) ** int(exponent.constant)), span=node.span)
            case _:
                return None


def _bare(node: ast.Expression) -> ast.Expression:
    return node.items[0] if isinstance(node, ast.Group) and len(node.items) == 1 else node


def _with(node: ast.Node, name: Name, value: ast.Expression) -> ast.Node:
    """A node with an index for a name."""
    if isinstance(node, ast.Identifier) and word_of(node) == name:
        return ast.Group((value,), span=node.span)
    return transform(node, lambda child: _with(child, name, value))
