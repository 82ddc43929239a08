r"""Names and their indices in expressions, and rewriting them: `x`, `x_t`, `W_{Q}`, `Z_{i,j}^h`, `x[t]`, `x.\sz{1}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar, cast

from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.versions import SETTLED, Meaning, transform, versioned
from mathdsl.elaborate.names.names import Name, spelling_of, word_of
from mathdsl.elaborate.names.reserved import check_assigned
from mathdsl.elaborate.names.spelling import Families, bound_names, identifiers, takes_several, unaccent
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax import nodes as ast

SUPERSCRIPT = -1  # the axis of a superscript, beside the axes 0, 1, … of the subscripts
_T = TypeVar("_T")
Scope: TypeAlias = frozenset[Name]
Key: TypeAlias = tuple[Name, bool]  # an array: its name, and whether a superscript indexes it
_MARKS = frozenset({r"\top", r"\intercal", r"\prime"})


@dataclass(frozen=True)
class Element:
    """A name and the indices it is written with; none: the whole."""

    name: ast.Expression
    head: Name
    subscripts: tuple[ast.Expression, ...] = ()
    superscript: ast.Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def key(self) -> Key:
        """The array."""
        return self.head, self.superscript is not None

    @property
    def is_whole(self) -> bool:
        """Whether there is no index."""
        return not self.subscripts and self.superscript is None

    @property
    def indices(self) -> tuple[ast.Expression, ...]:
        """All indices, subscripts first."""
        return self.subscripts if self.superscript is None else (*self.subscripts, self.superscript)

    @property
    def axes(self) -> dict[int, ast.Expression]:
        """The indices by axis."""
        found = dict(enumerate(self.subscripts))
        return found if self.superscript is None else {**found, SUPERSCRIPT: self.superscript}

    def written(self, meaning: Meaning) -> ast.Expression:
        """The element of that version of the array."""
        name, items = versioned(self.name, meaning.version), (*meaning.prefix, *self.subscripts)
        if self.superscript is not None:
            base, own = (name.base, name.subscripts) if isinstance(name, ast.Scripts) else (name, ())
            return ast.Scripts(base, (*own, *items), self.superscript, span=self.span)
        if items and meaning.is_plain:
            base, own = (name.base, name.subscripts) if isinstance(name, ast.Scripts) else (name, ())
            return ast.Scripts(base, (*own, *items), span=self.span)
        return ast.Indexing(name, items, span=self.span) if items else name


def names_of(parameters: tuple[ast.Expression, ...]) -> frozenset[Name]:
    """What the arguments of a function are called."""
    return frozenset(name for item in parameters if (name := spelling_of(item)) is not None)


def hiding(parameters: tuple[ast.Expression, ...], look: Look) -> Look:
    """What stands for the names of a function's body: nothing else for its arguments and their elements."""
    hidden = names_of(parameters)
    return lambda element: None if element.head in hidden else look(element)


Look: TypeAlias = Callable[[Element], ast.Expression | None]  # what stands for an element; None: what is written


@dataclass(frozen=True)
class Reader:
    """Tells indices from names, as elaboration does: by the families of the program, and the names it declares."""

    families: Families
    declared: frozenset[Name]
    standing: frozenset[Name] = frozenset()  # names that stand for arrays without indices
    sizes: frozenset[Name] = frozenset()  # sizes, and integers that are declared
    counters: frozenset[Name] = frozenset()  # names whose every assigned value is an integer

    def split(self, node: ast.Expression, scope: Scope) -> tuple[Element, ast.Expression | None] | None:
        """The element that a name with scripts is, and the superscript that is none of its indices; None for anything else."""
        plain = unaccent(node)
        match plain:
            case ast.Identifier() | ast.Accent():
                head = word_of(plain)
                return None if head is None else (Element(plain, head, span=node.span), None)
            case ast.Scripts():
                return self._scripts(plain, scope)
            case ast.Indexing():
                return self._indexing(plain, scope)
            case _:
                return None

    def _indexing(self, node: ast.Indexing, scope: Scope) -> tuple[Element, None] | None:
        items, base = node.items, unaccent(node.base)
        while isinstance(base, ast.Indexing) and not any(map(takes_several, base.items)):
            items, base = base.items + items, unaccent(base.base)
        row = self._scripts(base, scope) if isinstance(base, ast.Scripts) and base.superscript is None else None
        if row is not None and row[0].subscripts:
            return replace(row[0], subscripts=row[0].subscripts + items, span=node.span), None  # `x_t[k]`
        head = spelling_of(base)
        return None if head is None else (Element(base, head, items, span=node.span), None)

    def _scripts(self, node: ast.Scripts, scope: Scope) -> tuple[Element, ast.Expression | None] | None:
        base = word_of(node.base)
        if base is None or isinstance(node.base, ast.Number):
            return None
        items = self.families.index_items(node, scope)
        words = (item for item in node.subscripts if not items or self._names(node.base, item, scope))
        named = tuple(word for word in words if not any(word is item for item in items))
        if not items and named and self._indexes(base, named, spelling_of(ast.Scripts(node.base, named))):
            items, named = named, ()
        elif items and named and (self._all_index(base, node) or self._looks_up(base, ast.Scripts(node.base, named))):
            items, named = node.subscripts, ()  # the last element of an ellipsis, `c_{t,1}, \dots, c_{t,n}`; `b_{c,i}` of row `c`
        elif items and len(named) > 1 and (rest := self._of_labelled(node, scope)):
            items, named = rest, node.subscripts[: len(node.subscripts) - len(rest)]
        elif not items and len(named) > 1 and spelling_of(ast.Scripts(node.base, named)) not in self.declared:
            items = self._of_labelled(node, scope)
            named = named[: len(named) - len(items)]
        name = ast.Scripts(node.base, named, span=node.span) if named else node.base
        head = spelling_of(name)
        if head is None:
            return None
        by_superscript = node.superscript is not None and head in self.families.superscripts
        element = Element(name, head, items, node.superscript if by_superscript else None, node.span)
        return element, None if by_superscript else node.superscript

    def _labelled(self, node: ast.Scripts) -> Iterator[tuple[ast.Expression, ...]]:
        r"""What a name leaves for the axes of arrays and families whose labels it begins with: `1` in `x_{in,1}` beside `x_{in}`.

        What the program declares goes first: `V_{x,T,l}` is an element of a declared `V_{x,l}`, and looks like one of a family `V_{x,T}`.
        """
        for count in range(len(node.subscripts) - 1, 0, -1):
            if spelling_of(ast.Scripts(node.base, node.subscripts[:count])) in self.standing:
                yield node.subscripts[count:]
        for _, items in self.families.labelled(node):
            yield items

    def _of_labelled(self, node: ast.Scripts, scope: Scope) -> tuple[ast.Expression, ...]:
        r"""The indices of an array or a family with a label, sizes among them: `s` and `S` in `C_{q,s,S}` beside `C_{q,i,j}`."""
        known = self.sizes | self.counters | scope

        def is_known(item: ast.Expression) -> bool:
            return (value := affine(item)) is not None and value.names <= known

        return next((items for items in self._labelled(node) if all(map(is_known, items))), ())

    def _names(self, base: ast.Expression, item: ast.Expression, scope: Scope) -> bool:
        word = isinstance(item, (ast.Identifier, ast.Accent, ast.Phrase, ast.Scripts))
        return word and not set(identifiers(item)) & scope and not self.families.index_items(ast.Scripts(base, (item,)), scope)

    def _all_index(self, base: Name, node: ast.Scripts) -> bool:
        head = self.families.head(node, self.families.index_names)
        return self.families.subscripts.get(base, 0) >= len(node.subscripts) and head not in self.declared

    def _indexes(self, base: Name, items: tuple[ast.Expression, ...], full: str | None) -> bool:
        if full in self.declared:
            return False
        if self.families.subscripts.get(base, 0) >= len(items) or base in self.families.brackets:
            return True
        return base in self.standing and all(self._is_integer(item) for item in items)

    def _looks_up(self, base: Name, named: ast.Scripts) -> bool:
        """Whether scripts that would name are integers that index beside the others: row `T` in `h_{T,i}`."""
        is_array = base in self.standing or self.families.subscripts.get(base, 0) >= len(named.subscripts)
        return is_array and spelling_of(named) not in self.declared and all(map(self._is_integer, named.subscripts))

    def _is_integer(self, item: ast.Expression) -> bool:
        value = affine(item)
        return value is not None and value.names <= self.sizes | self.counters

    def of_function(self, parameters: tuple[ast.Expression, ...]) -> Reader:
        """The reader of a function's body, where what the arguments are called is a whole name."""
        return replace(self, declared=self.declared | names_of(parameters))

    # ---- rewriting ----------------------------------------------------------------------------

    def rewrite(self, node: ast.Expression, scope: Scope, look: Look) -> ast.Expression:
        """The expression with what `look` gives for its names and elements; `scope` are the index variables around it."""
        check_assigned(node, lambda name: self._is_assigned(name, scope, look))
        match node:
            case ast.Accent(accent=accent, body=body) if accent == SETTLED:
                return body
            case ast.Scripts(base=ast.Group() | ast.ListDisplay() | ast.SetDisplay(), subscripts=(ast.Relation() as binding,)):
                return self._below(node, scope | set(bound_names(binding)), look)
            case ast.Identifier() | ast.Accent() | ast.Scripts() | ast.Indexing():
                found = self.split(node, scope)
                return self._below(node, scope, look) if found is None else self._element(node, *found, scope, look)
            case ast.Attribute(base=base):
                return self._size(node, base, scope, look)
            case ast.Keyword(value=value):
                return _replaced(node, value=self.rewrite(value, scope, look))
            case ast.Reduction(subscript=ast.Relation() as subscript) if scope & set(bound_names(subscript)):
                return self.rewrite(_counting_anew(node, scope & set(bound_names(subscript))), scope, look)
            case ast.Reduction(subscript=subscript) if subscript is not None:
                return self._below(node, scope | set(bound_names(subscript)), look)
            case ast.Comprehension(conditions=conditions):
                bound = {name for c in conditions for name in bound_names(c)}
                return (
                    self.rewrite(_counting_anew(node, bound & scope), scope, look)
                    if bound & scope
                    else self._below(node, scope | bound, look)
                )
            case _:
                return self._below(node, scope, look)

    def _is_assigned(self, name: ast.Expression, scope: Scope, look: Look) -> bool:
        """Whether something else than its own name stands for a whole name."""
        head = word_of(name)
        return head is not None and head not in scope and look(Element(name, head, span=name.span)) is not None

    def _below(self, node: ast.Node, scope: Scope, look: Look) -> ast.Expression:
        def change(child: ast.Node) -> ast.Node:
            if isinstance(child, ast.CaseRow):
                return transform(child, change)
            return self.rewrite(cast(ast.Expression, child), scope, look)

        return cast(ast.Expression, transform(node, change))

    def _element(self, node: ast.Expression, element: Element, power: ast.Expression | None, scope: Scope, look: Look) -> ast.Expression:
        if element.is_whole and element.head in scope:
            return node
        subscripts = tuple(self.rewrite(item, scope, look) for item in element.subscripts)
        superscript = None if element.superscript is None else self.rewrite(element.superscript, scope, look)
        kept = power is None or word_of(power) in _MARKS
        exponent = power if kept or power is None else self.rewrite(power, scope, look)
        moved = _replaced(element, subscripts=subscripts, superscript=superscript)
        new = look(moved)
        if new is None and self._needs_brackets(node, element, scope):
            new = ast.Indexing(element.name, subscripts, span=node.span)
        if new is None and moved is element and exponent is power:
            return node
        new = new or (
            moved.written(Meaning(1)) if not isinstance(node, ast.Indexing) else replace(node, items=subscripts, base=element.name)
        )
        if exponent is None:
            return new
        if isinstance(new, ast.Scripts) and new.superscript is None:
            return replace(new, superscript=exponent)
        return ast.Scripts(new, (), exponent, span=node.span)

    def _needs_brackets(self, node: ast.Expression, element: Element, scope: Scope) -> bool:
        """Whether an element is one only since its name stands for an array: `x_j`, where `j` is an integer that was assigned."""
        written = unaccent(node.base) if isinstance(node, ast.Indexing) else node
        if not isinstance(written, ast.Scripts) or written is element.name or not element.subscripts or element.superscript is not None:
            return False
        if self.families.subscripts.get(element.head, 0) >= len(element.subscripts):
            return any(name in self.counters for item in element.subscripts for name in identifiers(item))
        is_mixed = 0 < len(self.families.index_items(written, scope)) < len(written.subscripts) == len(element.subscripts)
        return element.head in self.standing or is_mixed

    def _size(self, node: ast.Attribute, base: ast.Expression, scope: Scope, look: Look) -> ast.Expression:
        """`x.\\sz{k}`: of an element of a family, the axis is counted behind those of the family."""
        new = self.rewrite(base, scope, look)
        if new is base:
            return node
        match new, node.arguments:
            case ast.Indexing(base=family, items=items), (ast.Number(text=text) as axis,) if text.isdigit() and int(text):
                return replace(node, base=family, arguments=(replace(axis, text=str(int(text) + len(items))),))
            case _:
                return replace(node, base=new)


def _counting_anew(node: ast.Expression, letters: frozenset[Name] | set[Name]) -> ast.Expression:
    r"""A sum over a letter that a loop around it counts with, over another version of the letter: `\sum_{k=1}^{d}` in a loop over `k`."""

    def change(below: ast.Node) -> ast.Node:
        if isinstance(below, (ast.Identifier, ast.Accent)) and word_of(below) in letters:
            return versioned(below, 2)
        return transform(below, change)

    return cast(ast.Expression, transform(node, change))


def _replaced(node: _T, **changes: object) -> _T:
    """The node with these fields, the same object where they are what it has."""
    if all(getattr(node, name) is value or _same(getattr(node, name), value) for name, value in changes.items()):
        return node
    return cast(_T, replace(cast(Any, node), **changes))


def _same(a: object, b: object) -> bool:
    return isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
