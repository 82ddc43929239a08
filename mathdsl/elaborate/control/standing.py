r"""What names stand for before any statement is read: arrays that stand without indices, integers, names with a value at the start.

`y \gets 2 x`, then `y_1 \gets 0`: `y` stands as an array, so `y_1` is its element. `h_1 \gets x`, then `h \gets h_1 + 1`: `h_1` is a name.
`j \gets \arg\max_i x_i`, then `x_j`: `j` is an integer, so it indexes what stands without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.elements import Element, Reader
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.names.names import NO_NAME, Name, plain_word, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, is_whole_axis, unaccent
from mathdsl.elaborate.names.usage import Usage, names_below
from mathdsl.ops import find_function
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, statements_in

_INTEGER_SETS = frozenset({"N", "Z"})
_CONDITIONS = (ast.Relation, ast.Logic, ast.Keyword)
_KEEP_INTEGERS = frozenset({r"\min", r"\max", r"\gcd", "abs", "clip", "clamp"})  # functions that give an integer for integers


@dataclass(frozen=True)
class Assigned:
    """One assignment of a name without indices, and its value (None: one of several)."""

    name: str
    value: ast.Expression | None


def standing_names(statements: tuple[ast.Statement, ...], declared: Iterable[Name], indices: Set[Name]) -> frozenset[Name]:
    """The names that stand for arrays as they are: declared ones, and those assigned whole before any script is written on them.

    `indices` are the letters that index somewhere, sizes and integers among them: no labels.
    """
    scripted: set[Name] = set()
    found = set(declared)
    for node in _in_order(statements):
        match node:
            case ast.Scripts(base=base, subscripts=(_, *_) as subscripts):
                scripted.add(word_of(base) or NO_NAME)
                scripted |= {spelling_of(ast.Scripts(base, subscripts[:count])) or NO_NAME for count in range(1, len(subscripts))}
            case ast.Definition(targets=targets):
                whole = {name for target in targets if (name := _bare_name(target) or _labelled_name(target, indices)) is not None}
                found |= whole - scripted
            case _:
                pass
    return frozenset(found)


def _in_order(statements: Iterable[ast.Statement]) -> Iterator[ast.Node]:
    """The nodes of statements in the order of execution: what a definition reads, then the definition."""
    for statement in statements:
        match statement:
            case ast.Definition(target=target, value=value):
                yield from (value, *descendants(value))
                yield statement
                yield from (target, *descendants(target))
            case ast.For(binding=binding, body=body):
                yield from (binding, *descendants(binding))
                yield from _in_order(body)
            case ast.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    yield from (branch.condition, *descendants(branch.condition))
                    yield from _in_order(branch.body)
                yield from _in_order(otherwise or ())
            case ast.EquationGroup(body=body) | ast.While(body=body):
                yield from _in_order(body)
            case _:
                yield from descendants(statement)


def _bare_name(target: ast.Expression) -> Name | None:
    plain = unaccent(target)
    return word_of(plain) if isinstance(plain, (ast.Identifier, ast.Accent)) else None


def _labelled_name(target: ast.Expression, indices: Set[Name]) -> Name | None:
    r"""The `h_{out}` of a target whose scripts are words and letters that never index."""
    match plain := unaccent(target):
        case ast.Scripts(subscripts=(_, *_) as subscripts, superscript=None):
            labels = all(isinstance(item, ast.Identifier) and item.text not in indices for item in subscripts)
            return spelling_of(plain) if labels else None
        case _:
            return None


# ---- integers --------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntegerNames:
    """The names of sizes; those of other integers: declared ones, and those whose every assigned value is one; those of their arrays."""

    sizes: frozenset[Name]
    counters: frozenset[Name]
    arrays: frozenset[Name]


def integer_names(procedure: ast.Procedure, rows: tuple[ast.Declaration, ...], ranged: Set[Name]) -> IntegerNames:
    """The names of integers.

    `ranged` are the names in the ranges that the procedure writes.
    """
    types = {name: row for row in (*procedure.inputs, *rows) if row.type is not None for s in row.symbols if (name := _row_name(s))}
    scalars = {name for name, row in types.items() if is_integer_type(row.type) and not row.ranges}
    arrays = {
        name
        for name, row in types.items()
        if is_integer_type(row.type.base if isinstance(row.type, ast.Scripts) and not row.type.subscripts else row.type)
    }
    measured = {name for name in ranged | _sizes(rows) if find_function(name.bare) is None}
    known = measured - (types.keys() - scalars) | scalars
    written = _written(procedure)
    values = written.wholes
    given = set(Usage.inputs_of(procedure)) | types.keys()  # what these are before the first assignment, their types say
    integers = _of_integers(written, Integers(frozenset(known), frozenset(arrays)), given - scalars)
    found = {name for name in values.keys() - (given - scalars) if all(map(integers.has, values[name]))}
    lengths = {name for name in found if all(map(_measures, values[name]))}
    given_integers = scalars - values.keys()
    if given_integers & measured:
        given_integers -= measured - _left_out(procedure)
    sizes = frozenset(known - values.keys() - given_integers | lengths)
    return IntegerNames(sizes, frozenset(found - lengths | given_integers), integers.arrays)


def _left_out(procedure: ast.Procedure) -> set[Name]:
    r"""The names that a sum leaves out, `y` of `\sum_{k \neq y}`: values, though they stand in a range."""
    subscripts = (node.subscript for node in descendants(procedure) if isinstance(node, ast.Reduction))
    left_out = (part for part in subscripts if isinstance(part, ast.Relation) and part.operators == (r"\neq",))
    return {name for part in left_out for name in names_below(part)}


def _sizes(rows: tuple[ast.Declaration, ...]) -> set[Name]:
    exponents = (row.type.superscript for row in rows if isinstance(row.type, ast.Scripts) and row.type.superscript is not None)
    return {name for exponent in exponents for name in names_below(exponent)}


def _row_name(symbol: ast.Expression) -> Name | None:
    return spelling_of(unaccent(symbol))


def is_integer_type(node: ast.Expression | None) -> bool:
    r"""Whether a type is one of integers: `\mathbb{N}`, `\{1, \dots, n\}`, `[V]`."""
    match node:
        case ast.Identifier():
            return (plain_word(node) or "") in _INTEGER_SETS
        case ast.SetDisplay():
            return True
        case ast.ListDisplay(items=(_,)):
            return True
        case _:
            return False


def _measures(node: ast.Expression | None) -> bool:
    """Whether a value is a size, read off an array: `x.\\sz{1}`, `|x| + 1`."""
    match node:
        case ast.Attribute() | ast.Bars(kind="|"):
            return True
        case ast.Binary(left=left, right=right):
            return _measures(left) or _measures(right)
        case _:
            return False


@dataclass(frozen=True)
class Integers:
    r"""The names of integers, of arrays of integers, and of functions that make integers of integers: `i`, `p`, `f(k) \gets k + 1`."""

    names: frozenset[Name]
    arrays: frozenset[Name]
    functions: frozenset[Name] = frozenset()

    def has(self, node: ast.Expression | None) -> bool:
        r"""Whether a value is an integer as it is written: `1`, `k_1` of an array of integers, `\arg\max_i x_i`, `j + 1`, `\min(j, 2)`."""
        match node:
            case ast.Number(text=text):
                return text.isdigit()
            case ast.Identifier() | ast.Accent():
                return (word_of(node) or NO_NAME) in self.names
            case ast.Scripts(base=ast.Identifier(text="1" | "I"), subscripts=(ast.Relation() | ast.Logic(),)):
                return True
            case ast.Indexing(base=ast.Identifier(text="1" | "I"), items=items) if all(isinstance(item, _CONDITIONS) for item in items):
                return True
            case ast.Group(items=(ast.Relation(),), square=True):
                return True
            case ast.Scripts(base=base, subscripts=(), superscript=ast.Number() | ast.Identifier() as exponent):
                return self.has(base) and self.has(exponent)
            case ast.Scripts(base=ast.Number(text=text), subscripts=(), superscript=ast.Binary() | ast.Group() as exponent):
                return text.isdigit() and self.has(exponent)
            case ast.Scripts(superscript=None) | ast.Indexing():
                return _head(node) in self.arrays
            case ast.Group(items=(inner,)) | ast.Negative(operand=inner) | ast.Factorial(operand=inner):
                return self.has(inner)
            case ast.Binary(operator="+" | "-" | r"\cdot" | r"\times" | r"\bmod", left=left, right=right):
                return self.has(left) and self.has(right)
            case ast.Juxtaposition(factors=factors):
                return self._has_factors(factors)
            case ast.Bars(kind="floor" | "ceil" | "|") | ast.Attribute():
                return True
            case ast.Reduction(operator="argmax" | "argmin"):
                return True
            case ast.Reduction(operator="sum" | "prod" | "max" | "min", body=body, subscript=ast.Slice(lower=index)) if index is not None:
                return replace(self, names=self.names.union(bound_names(index))).has(body)
            case ast.Reduction(operator="sum" | "prod" | "max" | "min", body=body):
                return self.has(body)
            case ast.Cases(rows=rows):
                return all(self.has(row.value) for row in rows)
            case _:
                return False

    def fills(self, node: ast.Expression | None) -> bool:
        r"""Whether a value is an integer or an array of integers: `p`, `\mathbf{0}_n`, `\{1\}^{n}`."""
        match node:
            case ast.Scripts(base=ast.SetDisplay(items=(item,)), subscripts=()):
                return self.has(item)
            case ast.Identifier() if word_of(node) in self.arrays:
                return True
            case ast.Scripts(base=ast.Identifier(text="0" | "1")):
                return True
            case _:
                return self.has(node)

    def _has_factors(self, factors: tuple[ast.Expression, ...]) -> bool:
        r"""Whether a product is of integers, calls among them: `2 \min(i, n)`."""
        waiting = [*factors]
        while waiting:
            factor = waiting.pop(0)
            if waiting and isinstance(factor, ast.Identifier) and isinstance(waiting[0], (ast.Group, ast.SetDisplay)):
                name, items = word_of(factor) or NO_NAME, waiting[0].items
                is_indicator = factor.text in ("1", "I") and all(isinstance(item, _CONDITIONS) for item in items)
                is_function = name in self.functions or factor.text in _KEEP_INTEGERS and name not in self.names
                if is_indicator or is_function and all(map(self.has, items)):
                    del waiting[0]
                    continue
                if is_function:
                    return False
            if not self.has(factor):
                return False
        return True


@dataclass(frozen=True)
class _Written:
    """The values of a procedure: those of names, those of names and of their elements, and its own functions."""

    wholes: dict[Name, list[ast.Expression | None]]
    parts: dict[Name, list[ast.Expression | None]]
    functions: dict[Name, list[tuple[frozenset[Name], ast.Expression]]]


def _written(procedure: ast.Procedure) -> _Written:
    found = _Written({}, {}, {})
    for node in statements_in(procedure.body):
        if not isinstance(node, ast.Definition):
            continue
        if node.function is not None:
            function, parameters = node.function
            own = frozenset(word_of(one) or NO_NAME for one in parameters)
            found.functions.setdefault(word_of(function) or NO_NAME, []).append((own, node.value))
        values: tuple[ast.Expression | None, ...] = node.values
        for target, value in zip(node.targets, values if len(values) == len(node.targets) else (None,) * len(node.targets), strict=True):
            if (name := _bare_name(target)) is not None:
                found.wholes.setdefault(name, []).append(value)
            elif (head := _head(target)) != NO_NAME:
                found.parts.setdefault(head, []).append(value)
    return found


def _of_integers(written: _Written, known: Integers, given: Set[Name]) -> Integers:
    """What all assignments together make integers, arrays and functions of integers: what nothing contradicts."""
    names, arrays = written.wholes.keys() - given, (written.wholes.keys() | written.parts.keys()) - given
    functions = written.functions.keys() - given
    while True:
        of = Integers(known.names | names, known.arrays | arrays, frozenset(functions))
        wrong = {name for name in names if not all(map(of.has, written.wholes[name]))}
        other = {a for a in arrays if not all(map(of.fills, written.wholes.get(a, ()))) or not all(map(of.has, written.parts.get(a, ())))}
        calls = {f for f in functions if not all(replace(of, names=of.names | own).has(value) for own, value in written.functions[f])}
        if not (wrong or other or calls):
            return of
        names, arrays, functions = names - wrong, arrays - other, functions - calls


def _head(node: ast.Expression) -> Name:
    """The name that elements are of: `C` of `C_k`, `C[k]`, `C[i][j]`."""
    plain = unaccent(node)
    while isinstance(plain, (ast.Scripts, ast.Indexing)):
        plain = unaccent(plain.base)
    return word_of(plain) or NO_NAME


# ---- values at the start ---------------------------------------------------------------------


def updated_parameters(procedure: ast.Procedure, reader: Reader, rows: tuple[ast.Declaration, ...]) -> frozenset[Name]:
    """The declared arrays that have a value before the first statement: read before they are assigned, or assigned at single elements.

    `w_1 \\gets 0` updates the parameter `w`; `y_i \\gets x_i` in a loop over `i` defines `y`, and so does `j \\gets p_i`, `y_j \\gets x_i`.
    """
    declared = {name: row for row in rows if row.type is not None and not row.ranges for s in row.symbols if (name := _row_name(s))}
    reads: dict[Name, list[Element]] = {}
    writes: dict[Name, list[Element]] = {}
    found: set[Name] = set()
    for access in accesses(reader, procedure.body, frozenset()):
        element, name = access.element, access.element.head
        if name not in declared or element.superscript is not None:
            continue
        if access.use == "read":
            reads.setdefault(name, []).append(element)
            continue
        if name not in writes and any(read.is_whole or read.indices == element.indices for read in reads.get(name, ())):
            found.add(name)
        writes.setdefault(name, []).append(element)
    loops = tuple(node for node in statements_in(procedure.body) if isinstance(node, ast.For | ast.While)) if writes else ()
    moving = reader.families.index_names | {access.element.head for access in accesses(reader, loops, frozenset()) if access.use == "write"}
    for name, elements in writes.items():
        if any(element.is_whole for element in elements):
            found.discard(name)
        elif all(_is_point(element, moving) for element in elements) and not _covers(declared[name], elements):
            found.add(name)
    return frozenset(found)


def _is_point(element: Element, moving: Set[Name]) -> bool:
    """Whether an element is at one place, whichever turn of a loop assigns it."""
    return all(not is_whole_axis(item) and names_below(item).isdisjoint(moving) for item in element.indices)


def _covers(row: ast.Declaration, elements: list[Element]) -> bool:
    """Whether the elements `1`, …, `k` are all of a vector declared with `k` of them."""
    match row.type:
        case ast.Scripts(superscript=ast.Number(text=text)) if text.isdigit():
            written = {item.text for element in elements for item in element.indices if isinstance(item, ast.Number)}
            return {str(k) for k in range(1, int(text) + 1)} <= written
        case _:
            return False
