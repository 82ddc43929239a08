"""How a procedure uses its names, read off the syntax: what is called, what is unpacked, what is defined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, labelled_name, plain_word, spelling_of, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers, is_whole_axis, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, descendants, statements_in


@dataclass
class Usage:
    """`called`: names applied to a parenthesis; `plain`: names used otherwise; `unpacked`: names taken apart, and into how many."""

    called: set[Name] = field(default_factory=set)
    plain: set[Name] = field(default_factory=set)
    unpacked: dict[Name, int] = field(default_factory=dict)

    @staticmethod
    def of(statements: tuple[ast.Statement, ...]) -> Usage:
        """The usage in some statements."""
        usage = Usage()
        aliases: dict[Name, Name] = {}
        for statement in statements:
            usage._statement(statement, aliases)
            usage._visit(statement)
        for part, whole in aliases.items():
            if part in usage.called:
                usage.called.add(whole)
            else:
                usage.unpacked.pop(whole, None)
        return usage

    def _statement(self, node: ast.Node, aliases: dict[Name, Name]) -> None:
        match node:
            case ast.Definition(targets=(_, _, *_) as items, value=value):
                whole = spelling_of(value)
                if whole is not None:
                    self.unpacked[whole] = len(items)
                    aliases.update({name: whole for item in items if (name := spelling_of(unaccent(item))) is not None})
            case ast.EquationGroup(body=body):
                for inner in body:
                    self._statement(inner, aliases)
            case _:
                pass

    def _visit(self, node: ast.Node) -> None:
        if isinstance(node, ast.Juxtaposition):
            self._juxtaposition(node)
            return
        if isinstance(node, (ast.Identifier, ast.Accent, ast.Scripts)):
            spelling = spelling_of(unaccent(node))
            if spelling is not None:
                self.plain.add(spelling)
        for child in children(node):
            self._visit(child)

    def _juxtaposition(self, node: ast.Juxtaposition) -> None:
        for factor, following in zip(node.factors, (*node.factors[1:], None), strict=True):
            spelling = spelling_of(unaccent(factor))
            behind = following.operand if isinstance(following, ast.Factorial) else following
            group = behind.base if isinstance(behind, ast.Scripts) else behind
            if (
                spelling is not None
                and isinstance(group, ast.Group)
                and (len(group.items) != 1 or not isinstance(group.items[0], (ast.Binary, ast.Negative)))
            ):
                self.called.add(spelling)
            else:
                self._visit(factor)

    @staticmethod
    def inputs_of(procedure: ast.Procedure) -> Iterator[Name]:
        """The names in a procedure's header, left of the `;`."""
        for declaration in procedure.inputs:
            for symbol in declaration.symbols:
                yield from _names_in(symbol)


def size_inputs(families: Families, procedure: ast.Procedure) -> set[Name]:
    r"""The inputs that are sizes, given as numbers: natural ones in a range or in a type's exponent, undeclared ones that end a range.

    Ranges are those of loops and of types, `x \in \{1, \dots, K\}^n`. What is indexed is an array.
    """
    tables = [row for where in procedure.wheres for row in where.rows]
    rows = [*procedure.inputs, *tables]
    typed = [(row, spelling_of(unaccent(symbol))) for row in rows if row.type is not None for symbol in row.symbols]
    naturals = [(row, name) for row, name in typed if row.type is not None and plain_word(row.type) == "N"]
    plain = {name for row, name in naturals if name is not None and row.default is None and not row.ranges}
    declared = {name for _, name in typed if name is not None} | families.subscripts.keys() | families.brackets
    measured: set[Name] = set()
    ends: set[Name] = set()
    for node in statements_in(procedure.body):
        match node:
            case ast.For(binding=binding):
                measured |= names_below(binding)
                ends |= set(_ends(binding))
            case ast.Definition(domains=domains, ranges=ranges):
                measured |= {name for domain in domains for name in names_below(domain)}
                ends |= {name for item in ranges for name in _ends(item)}
            case _:
                pass
    for row in (*rows, *(procedure.owned or ())):
        kind, is_array = row.type, False
        if isinstance(row.type, ast.Scripts) and row.type.superscript is not None:
            measured |= {name for part in (row.type.superscript, *row.ranges) for name in names_below(part)}
            kind, is_array = row.type.base, True
        if isinstance(kind, ast.SetDisplay | ast.ListDisplay) and (is_array or len(kind.items) != 2):
            measured |= names_below(kind)
            ends |= set(_reckoned_from([kind]))
    return (plain & measured | ends - declared) & set(Usage.inputs_of(procedure))


def measured_names(nodes: Iterable[ast.Node]) -> set[Name]:
    r"""The names in ranges, ellipses, slices, the sizes of shapes and the lengths of sequences."""
    found: set[Name] = set()
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        below = children(node)
        waiting += below
        parts: tuple[ast.Node | None, ...] = ()
        match node:
            case ast.For(binding=binding):
                parts = (binding,)
            case ast.Definition(ranges=ranges):
                parts = ranges
            case ast.Reduction(subscript=subscript, superscript=superscript):
                parts = (subscript, superscript)
            case ast.Slice(lower=lower, upper=upper):
                parts = (lower, upper)
            case ast.Scripts(base=ast.SetDisplay() | ast.ListDisplay(), superscript=length):
                parts = (length,)
            case ast.Declaration(type=shape, ranges=ranges):
                parts = (*ranges, *((shape.superscript,) if isinstance(shape, ast.Scripts) else ()))
            case _:
                pass
        listed = below if ast.Dots in map(type, below) else ()
        found |= {name for part in (*parts, *listed) if part is not None for name in names_below(part)}
    return found


def _ends(binding: ast.Expression) -> Iterator[Name]:
    """The names that the ends of a range are reckoned from, not those whose lengths or elements they are."""
    variables = bound_names(binding)
    parts = list(binding.operands) if isinstance(binding, ast.Relation) else []
    return (name for name in _reckoned_from(parts) if name not in variables)


def _reckoned_from(stack: list[ast.Expression]) -> Iterator[Name]:
    r"""The `n` and `m` of `\{1, \dots, n + m\}`."""
    while stack:
        match stack.pop():
            case ast.SetDisplay(items=items) | ast.ListDisplay(items=items) | ast.Group(items=items) | ast.Juxtaposition(factors=items):
                stack += items
            case ast.Binary(left=left, right=right) | ast.Fraction(numerator=left, denominator=right):
                stack += [left, right]
            case ast.Identifier() | ast.Accent() | ast.Scripts() as name:
                spelling = spelling_of(name)
                if spelling is not None:
                    yield spelling
            case _:
                pass


def names_below(node: ast.Node) -> set[Name]:
    """The names in an expression: with their subscripts, and without."""
    return set(all_names_below(node))


def all_names_below(node: ast.Node) -> Iterator[Name]:
    """The same, as often as they are written."""
    for one in (node, *descendants(node)):
        if isinstance(one, (ast.Identifier, ast.Accent, ast.Scripts)) and (name := spelling_of(one)) is not None:
            yield name


def read_names(body: Iterable[ast.Statement]) -> set[Name]:
    r"""The words that statements read, their own value in an assignment aside: `y` and `i` of `x_i \gets x_i + y`."""
    found: set[Name] = set()
    for statement in statements_in(body):
        own = {word for target in getattr(statement, "targets", ()) if (word := word_of(base_of(target))) is not None}
        inner = (child for child in children(statement) if not isinstance(child, (ast.Branch, ast.Statement)))
        conditions = (branch.condition for branch in getattr(statement, "branches", ()))
        found |= {name for node in (*inner, *conditions) for name in identifiers(node)} - own
    return found


def free_letters(taken: Set[Name]) -> list[Name]:
    """Letters for indices of our own, in the author's alphabet, that a program does not have."""
    return [letter for letter in map(Name, "ijklmnpqrsuvwabcd") if letter not in taken]


def own_names(families: Families, procedure: ast.Procedure) -> set[Name]:
    """The names that a procedure's header and its own tables declare, which shadow those of the document."""
    found = set(Usage.inputs_of(procedure))
    rows = (*(procedure.owned or ()), *(row for where in procedure.wheres for row in where.rows))
    return found.union(*(_declared_by(families, row) for row in rows))


def _names_in(node: ast.Expression) -> Iterator[Name]:
    spelling = spelling_of(unaccent(node))
    if spelling is not None:
        yield spelling
        return
    match node:
        case ast.Group(items=items) | ast.SetDisplay(items=items):
            for item in items:
                yield from _names_in(item)
        case ast.Scripts(base=ast.SetDisplay(items=items)):
            for item in items:
                yield from _names_in(item)
        case _:
            return


@dataclass(frozen=True)
class Indices:
    """With how many indices statements define an array: those that only count the turns of loops, and the author's behind them."""

    turns: int = 0
    own: int = 0


NO_INDICES = Indices()

Defined: TypeAlias = tuple[Name, bool]
"""An array that statements define: its head, and whether a superscript indexes it."""


def defined_names(families: Families, statements: tuple[ast.Statement, ...]) -> dict[Defined, Indices]:
    """The arrays that statements define, and with how many indices."""
    found: dict[Defined, Indices] = {}
    waiting = list(reversed(statements))
    while waiting:
        match waiting.pop():
            case ast.Definition(targets=targets):
                for head, indices in (pair for item in targets for pair in _heads(families, item)):
                    known = found.get(head, indices)
                    found[head] = Indices(max(known.turns, indices.turns), max(known.own, indices.own))
            case ast.For(body=body) | ast.EquationGroup(body=body):
                waiting += reversed(body)
            case _:
                pass
    return found


def _heads(families: Families, node: ast.Expression) -> Iterator[tuple[Defined, Indices]]:
    plain = unaccent(node)
    match plain:
        case ast.Indexing(base=base, items=items, turns=turns):
            head = spelling_of(unaccent(base))
            if head is not None:
                yield (head, False), Indices(turns, _last_of_one(items) - turns)
        case ast.Scripts(base=base, subscripts=subscripts, superscript=superscript, turns=turns):
            split, word = families.split(plain, families.index_names), word_of(base)
            indices = Indices(turns, (len(split.items) + 1 if superscript is not None else _last_of_one(split.items)) - turns)
            for name in (split.head, labelled_name(base, subscripts), word if families.subscripts.get(word or NO_NAME, 0) else None):
                if name is not None:
                    yield (name, superscript is not None), indices
        case _:
            head = spelling_of(plain)
            if head is not None:
                yield (head, False), NO_INDICES


def _last_of_one(items: tuple[ast.Expression, ...]) -> int:
    r"""How many indices there are up to the last that takes one element: those behind it, of `t_{k,\cdot}`, are whole axes."""
    return max((place for place, item in enumerate(items, 1) if not is_whole_axis(item)), default=0)


def mentioned_names(families: Families, node: ast.Node) -> set[Name]:
    """The names that a program writes: whole ones, and the heads of those that are indexed."""
    found: set[Name] = set()
    stack: list[ast.Node] = [node]
    while stack:
        current = stack.pop()
        plain = unaccent(current) if isinstance(current, (ast.Scripts, ast.Accent)) else current
        match plain:
            case ast.Scripts(base=base, subscripts=subscripts):
                whole, head = labelled_name(base, subscripts), families.split(plain, families.index_names).head
                is_element = all(isinstance(item, (ast.Number, ast.Binary)) for item in subscripts)
                found |= {name for name in (whole, head, word_of(base) if is_element else None) if name is not None}
                stack.extend((*subscripts, *([plain.superscript] if plain.superscript is not None else [])))
                if word_of(base) is None:
                    stack.append(base)
            case ast.Identifier() | ast.Accent():
                name = word_of(plain)
                found |= set() if name is None else {name}
            case _:
                stack.extend(children(plain))
    return found


def ensured_names(families: Families, procedure: ast.Procedure, shared: tuple[ast.Where, ...]) -> set[Name]:
    r"""The names that stand in `\Ensure` alone: in its conditions and rows, and as the result that it names."""
    tables = [table for table in procedure.wheres if table.line is not None and table.line.holds_after]
    ensured: list[ast.Statement] = [
        node for node in procedure.body if isinstance(node, ast.Assertion) and node.line is not None and node.line.holds_after
    ]
    body = [node for node in procedure.body if not any(node is one for one in ensured)]
    starts = [node.span.start for node in body if not isinstance(node, ast.Assertion)]
    if body and isinstance(body[-1], ast.Return) and body[-1].span.start < max(starts):
        ensured.append(body.pop())
    if not tables and not ensured:
        return set()
    others = (*shared, *(table for table in procedure.wheres if not any(table is one for one in tables)))
    rows = [*procedure.inputs, *(procedure.owned or ()), *(row for table in others for row in table.rows)]
    known = mentioned_names(families, replace(procedure, body=tuple(body), wheres=()))
    said = {name for table in tables for row in table.rows for name in _declared_by(families, row)}
    said |= {name for node in ensured for name in mentioned_names(families, node)}
    return said.difference(known, *(_declared_by(families, row) for row in rows))


def _declared_by(families: Families, row: ast.Declaration) -> Iterator[Name]:
    scope = {name for item in row.ranges for name in bound_names(item)}
    return (name for symbol in row.symbols if (name := declared_name(families, symbol, scope)) is not None)


def concerning(families: Families, declaration: ast.Declaration, mentioned: Set[Name]) -> ast.Declaration | None:
    """A row of a table for the whole document, with those of its symbols that a program mentions; None where it has none.

    Rows that relate sizes concern every program.
    """
    if not declaration.symbols:
        return declaration
    scope = {name for item in declaration.ranges for name in bound_names(item)}
    symbols = tuple(s for s in declaration.symbols if declared_name(families, s, scope) in mentioned)
    return replace(declaration, symbols=symbols) if symbols else None


def declared_name(families: Families, node: ast.Expression, scope: set[Name]) -> Name | None:
    plain = unaccent(node)
    return families.split(plain, scope).head if isinstance(plain, ast.Scripts) else spelling_of(plain)
