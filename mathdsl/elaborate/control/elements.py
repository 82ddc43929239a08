r"""Names and their indices in expressions, and rewriting them: `x`, `x_t`, `W_{Q}`, `Z_{i,j}^h`, `x[t]`, `x.\sz{1}`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.names.classify import Element as Indexed
from mathdsl.elaborate.names.classify import Families, Known, Split, Subscripts, classify, is_sign_below
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.reserved import check_assigned
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers, takes_several, unaccent
from mathdsl.elaborate.names.versions import SETTLED, Meaning, versioned
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform

SUPERSCRIPT = -1  # the axis of a superscript, beside the axes 0, 1, … of the subscripts
_T = TypeVar("_T")
Scope: TypeAlias = frozenset[Name]
Key: TypeAlias = tuple[Name, bool]  # an array: its name, and whether a superscript indexes it


@dataclass(frozen=True)
class Element:
    """A name and the indices it is written with; none: the whole."""

    name: ast.Expression
    head: Name
    subscripts: tuple[ast.Expression, ...] = ()
    superscript: ast.Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)
    of_script: bool = field(default=True, compare=False)  # as subscripts, `x_t`; not in brackets, `x[t]`

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
    def places(self) -> tuple[ast.Expression, ...]:
        """All indices, one above first: those below it may be left out, where it stands for all of them."""
        return self.subscripts if self.superscript is None else (self.superscript, *self.subscripts)

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
            return ast.Scripts(base, (*own, *items), self.superscript, turns=len(meaning.prefix), span=self.span)
        if items and meaning.is_plain:
            base, own = (name.base, name.subscripts) if isinstance(name, ast.Scripts) else (name, ())
            return ast.Scripts(base, (*own, *items), span=self.span)
        return ast.Indexing(name, items, of_script=self.of_script, turns=len(meaning.prefix), span=self.span) if items else name


def names_of(parameters: tuple[ast.Expression, ...]) -> frozenset[Name]:
    """What the arguments of a function are called."""
    return frozenset(name for item in parameters if (name := spelling_of(item)) is not None)


def hiding(parameters: tuple[ast.Expression, ...], look: Look) -> Look:
    """What stands for the names of a function's body: nothing else for its arguments and their elements."""
    hidden = names_of(parameters)
    return lambda element: None if element.head in hidden else look(element)


Parted: TypeAlias = tuple[Element, ast.Expression | None]
Look: TypeAlias = Callable[[Element], ast.Expression | None]  # what stands for an element; None: what is written


@dataclass(frozen=True)
class Standing(Known):
    """What the families of a program tell of names, and what it declares or assigns, before anything is read."""

    reader: Reader
    scope: Scope

    def is_name(self, whole: Name, node: ast.Scripts, items: Subscripts) -> bool:
        return not items and whole in self.reader.declared

    def is_array(self, head: Name) -> bool:
        return head in self.reader.declared

    def all_index(self, node: ast.Scripts, split: Split) -> bool:
        families, base = self.reader.families, word_of(node.base) or NO_NAME
        count, named = families.subscripts.get(base, 0), families.split(node, families.index_names).head
        if (
            count >= len(node.subscripts)
            and not (split.items and named in self.reader.declared)
            and not any(map(self._is_word, split.labels))
        ):
            return True
        if not split.items and base in families.brackets:
            return True
        is_array = base in self.reader.standing or bool(split.items) and count >= len(split.labels)
        return is_array and all(self.reader.reckons(item, frozenset()) for item in split.labels)

    def _is_word(self, item: ast.Expression) -> bool:
        r"""Whether a subscript is a label, whatever stands before it: `\infty`, or a word that is nothing else, `prev`."""
        is_word = is_sign_below(item) or isinstance(item, ast.Identifier) and item.text.isalpha() and len(item.text) > 1
        return is_word and not self.is_index(item) and word_of(item) not in self.reader.standing | self.reader.declared

    def stands(self, head: Name) -> bool:
        return head in self.reader.standing

    def is_family(self, head: Name, count: int) -> bool:
        return head in self.reader.standing or self.reader.families.subscripts.get(head, 0) >= count

    def indexes_above(self, head: Name) -> bool:
        return head in self.reader.families.superscripts

    def is_index(self, item: ast.Expression) -> bool:
        return self.reader.reckons(item, self.scope)


@dataclass(frozen=True)
class Reader:
    """Tells indices from names, as elaboration does: by the families of the program, and the names it declares."""

    families: Families
    declared: frozenset[Name]
    standing: frozenset[Name] = frozenset()  # names that stand for arrays without indices
    sizes: frozenset[Name] = frozenset()  # sizes, and integers that are declared
    counters: frozenset[Name] = frozenset()  # names whose every assigned value is an integer
    indices: frozenset[Name] = frozenset()  # arrays of which every element is one
    known: dict[tuple[int, Scope], tuple[ast.Expression, Parted | None]] = field(default_factory=dict, init=False, compare=False)

    def split(self, node: ast.Expression, scope: Scope) -> Parted | None:
        """The element that a name with scripts is, and the superscript that is none of its indices; None for anything else."""
        key = id(node), scope
        if key not in self.known:
            self.known[key] = node, self._split(node, scope)
        return self.known[key][1]

    def _split(self, node: ast.Expression, scope: Scope) -> Parted | None:
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
            return replace(row[0], subscripts=row[0].subscripts + items, span=node.span, of_script=False), None  # `x_t[k]`
        head = spelling_of(base)
        return None if head is None else (Element(base, head, items, span=node.span, of_script=node.of_script), None)

    def _scripts(self, node: ast.Scripts, scope: Scope) -> tuple[Element, ast.Expression | None] | None:
        if isinstance(node.base, ast.Number):
            return None
        found = classify(self.families, node, scope, Standing(self, scope))
        if found is None:
            return None
        name = ast.Scripts(node.base, found.labels, span=node.span) if found.labels else node.base
        items, above = (found.items, found.above) if isinstance(found, Indexed) else ((), None)
        return Element(name, found.head, items, above, node.span), None if found.left is None else found.left.written

    def reckons(self, item: ast.Expression, scope: Scope) -> bool:
        r"""Whether an index is reckoned from sizes, integers and these letters: `n - 1`, `s_p` of an array `s` of integers."""
        value = affine(item)
        others = set[str]() if value is None else value.names - self.sizes - self.counters - scope
        if others and self.indices:
            scripted = (node for node in (item, *descendants(item)) if isinstance(node, ast.Scripts | ast.Indexing))
            others -= {spelling_of(node) or repr(node) for node in scripted if word_of(base_of(node)) in self.indices}
        return value is not None and not others

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
        return cast(ast.Expression, transform(node, lambda child: self._inner(child, scope, look)))

    def _inner(self, node: ast.Node, scope: Scope, look: Look) -> ast.Node:
        return self._below(node, scope, look) if isinstance(node, ast.CaseRow) else self.rewrite(cast(ast.Expression, node), scope, look)

    def _element(self, node: ast.Expression, element: Element, power: ast.Expression | None, scope: Scope, look: Look) -> ast.Expression:
        if element.is_whole and element.head in scope:
            return node
        subscripts = tuple(self.rewrite(item, scope, look) for item in element.subscripts)
        superscript = None if element.superscript is None else self.rewrite(element.superscript, scope, look)
        exponent = None if power is None else self.rewrite(power, scope, look)
        moved = _replaced(element, subscripts=subscripts, superscript=superscript)
        new = look(moved)
        by_element = isinstance(node, ast.Scripts) and 0 < sum(isinstance(item, ast.Indexing) for item in subscripts) < len(subscripts)
        if new is None and (by_element and element.superscript is None or self._needs_brackets(node, element, scope)):
            new = ast.Indexing(element.name, subscripts, of_script=isinstance(node, ast.Scripts), span=node.span)
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
        is_mixed = 0 < len(self.families.split(written, scope).items) < len(written.subscripts) == len(element.subscripts)
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
