r"""Scripts: which index and which name, and what is left to types, decided here for all who read a program.

`h_t^{\ell}` indexes where `t` and `\ell` are index variables in scope; `h_0`, `h_S`, `h^{n}` then index too, since the symbol
is indexed at that place elsewhere. `W_h` with no index inside stays a name. Two readings are left to types: a `Superscript` that
indexes nothing, and an `Application`.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import Name, labelled_name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import identifiers, names_bound_in, takes_several, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import REDUCTION_COMMANDS, SIGNS
from mathdsl.syntax.traversal import children

_WORDS = (ast.Identifier, ast.Accent, ast.Phrase, ast.Scripts)  # the subscripts that may be parts of a name
_LABELS = frozenset((*SIGNS, r"\infty", r"\top", *(f"\\{name}" for name in REDUCTION_COMMANDS)))
_TRANSPOSES = (r"\top", r"\intercal", "T")
Subscripts: TypeAlias = tuple[ast.Expression, ...]


@dataclass(frozen=True)
class Superscript:
    r"""What stands above and indexes nothing: the exponent of `x^2`, the transpose of `A^\top`, the label of `x^{(1)}`.

    Types tell what it is of and which value that gives: a power of numbers or of a matrix, or none where one of `letters`, the index
    variables in it, would index a vector. `node` is the name with its scripts; None for what stands on a value.
    """

    kind: Literal["exponent", "transpose", "label"]
    written: ast.Expression
    node: ast.Scripts | None = None
    letters: tuple[Name, ...] = ()

    @property
    def name(self) -> ast.Expression | None:
        """What it stands on, as it is written."""
        if self.node is None:
            return None
        return replace(self.node, superscript=None) if self.node.subscripts else self.node.base

    @property
    def is_before(self) -> bool:
        r"""Whether it stands before the subscripts: `A^\top_{i}`."""
        return self.node is not None and bool(self.node.subscripts) and self.written.span.start < self.node.subscripts[0].span.start


@dataclass(frozen=True)
class Application:
    """`x(i)` of an array: an element of what has an axis for the index, which would be written `x_i`, and a product with a number.

    `is_index` says that an index variable, a size or a number tells so; else types tell whether what stands there is an integer.
    """

    array: ast.Expression
    argument: ast.Group
    element: ast.Expression
    is_index: bool


Undecided: TypeAlias = Superscript | Application
"""All that types must decide of scripts and parentheses."""


@dataclass(frozen=True)
class Element:
    r"""`W_{Q,i}^{h}`: the array `W_{Q}`, which the label `Q` names, at the index `i` below and at `h` above; or `left` is there."""

    head: Name
    labels: Subscripts
    items: Subscripts
    above: ast.Expression | None = None
    left: Superscript | None = None


@dataclass(frozen=True)
class Label:
    """`W_{h}`: a name, all of whose subscripts are labels; a superscript is none of its indices."""

    head: Name
    labels: Subscripts
    left: Superscript | None = None


@dataclass(frozen=True)
class Split:
    """The subscripts by the index variables in scope alone: those that name, and those that index; no head: the former are no name."""

    head: Name | None
    labels: Subscripts
    items: Subscripts


class Known:
    """What a reader knows of names where scripts stand: of what is declared, of symbols, of arguments; nothing, unless it says so."""

    def is_name(self, whole: Name, node: ast.Scripts, items: Subscripts) -> bool:
        """Whether there is something of the name with all subscripts, of which `items` could index: `W_1`."""
        return False

    def is_array(self, head: Name) -> bool:
        """Whether there is something of that name."""
        return False

    def all_index(self, node: ast.Scripts, split: Split) -> bool:
        """Whether what would name is an index as well, of an array without labels: `T` in `h_{T,i}`."""
        return False

    def stands(self, head: Name) -> bool:
        """Whether something with labels surely is an array: it goes first, as `V_{x}` before a family `V_{x,T}` in `V_{x,T,l}`."""
        return False

    def is_family(self, head: Name, count: int) -> bool:
        """Whether something with labels has an axis for each of so many indices: `x_{in}`."""
        return False

    def indexes_above(self, head: Name) -> bool:
        """Whether a superscript of that is an index."""
        return False

    def is_known(self, name: Name) -> bool:
        """Whether there is anything of that name, which then is no label above another."""
        return False

    def is_index(self, item: ast.Expression) -> bool:
        """Whether that has a value which indexes: a size, a number, an index variable."""
        return False

    def may_index(self, item: ast.Expression) -> bool:
        """Whether that may be an integer, which its type tells: `k + 1`, `s_t`."""
        return False


def classify(families: Families, node: ast.Scripts, scope: Set[Name], known: Known) -> Element | Label | None:
    """What a name with scripts is; None where its labels are no name."""
    found = _by_subscripts(families, node, scope, known)
    if found is None or node.superscript is None:
        return found
    if not known.indexes_above(found.head):
        return replace(found, left=superscript_of(node, node.superscript, scope, known))
    return Element(found.head, found.labels, found.items if isinstance(found, Element) else (), node.superscript)


def superscript_of(node: ast.Scripts, written: ast.Expression, scope: Set[Name], known: Known) -> Superscript:
    """A superscript of a name, where it indexes nothing."""
    kind = "label" if _is_label(written, scope, known) else on_value(written).kind
    return Superscript(kind, written, node, tuple(name for name in identifiers(written) if name in scope))


def on_value(written: ast.Expression) -> Superscript:
    """A superscript of a value: `(a + b)^2`."""
    return Superscript("transpose" if is_transpose(written) else "exponent", written)


def is_sign_below(item: ast.Expression) -> bool:
    r"""Whether a subscript is a sign or an operator alone, which is a label whatever stands before it: `x_{\max}`, `\theta_\star`."""
    return isinstance(item, ast.Identifier) and item.text in _LABELS


def is_transpose(superscript: ast.Expression) -> bool:
    """Whether a superscript is a sign for the transpose."""
    return word_of(superscript) in _TRANSPOSES


def _is_label(written: ast.Expression, scope: Set[Name], known: Known) -> bool:
    """Whether what stands above in parentheses is a number, or a name that the program does not have."""
    match written:
        case ast.Group(items=(ast.Number(),)):
            return True
        case ast.Identifier(text=text) if text in SIGNS:
            return True
        case ast.Group(items=(ast.Identifier() | ast.Accent() as word,)):
            name = spelling_of(word)
            return name is not None and name not in scope and not known.is_known(name)
        case _:
            return False


def application_of(array: ast.Expression, argument: ast.Expression, scope: Set[Name], known: Known) -> Application | None:
    """What types must decide of an array before a parenthesis: `x(i)`, `x(n - 1)`, `x(i)^2`, `x(s_i)`, but not `x (1 - y)`, `x(2n)`."""
    if isinstance(argument, ast.Scripts) and not argument.subscripts:
        argument = argument.base
    if not isinstance(argument, ast.Group) or len(argument.items) != 1:
        return None
    item = argument.items[0]
    names = set(identifiers(item))
    is_sum = isinstance(item, ast.Binary) and item.operator in ("+", "-")
    is_plain = isinstance(item, ast.Identifier) or is_sum if names else isinstance(item, ast.Number)
    is_index = (is_plain or not names.isdisjoint(scope)) and known.is_index(item)
    if not is_index and not (names and known.may_index(item)):
        return None
    return Application(array, argument, element_of(array, (item,), scope), is_index)


def element_of(array: ast.Expression, items: Subscripts, scope: Set[Name]) -> ast.Expression:
    """The element that `u_c(i, j)` may mean as it would be written: with subscripts or in brackets."""
    plain = unaccent(array)
    named = plain if isinstance(plain, ast.Scripts) else ast.Scripts(plain)
    if named.superscript is None and all(set(identifiers(item)) & scope for item in items):
        return ast.Scripts(named.base, (*named.subscripts, *items))
    return ast.Indexing(array, items)


def _by_subscripts(families: Families, node: ast.Scripts, scope: Set[Name], known: Known) -> Element | Label | None:
    base, split = word_of(node.base), families.split(node, scope)
    if base is None:
        return None
    whole = labelled_name(node.base, node.subscripts) if split.items else split.head
    if whole is not None and known.is_name(whole, node, split.items):
        return Label(whole, node.subscripts)
    if not (split.items and split.head is not None and known.is_array(split.head)):
        if split.labels and known.all_index(node, split):
            return Element(base, (), node.subscripts)
        for one in sorted(_labelled(node), key=lambda one: not known.stands(one.head)):
            if known.is_family(one.head, len(one.items)) and all(map(known.is_index, one.items)):
                return one
    if split.items:
        return None if split.head is None else Element(split.head, split.labels, split.items)
    return None if whole is None else Label(whole, node.subscripts)


def _labelled(node: ast.Scripts) -> Iterator[Element]:
    """The elements that subscripts can be of something with labels: those of the longest name first."""
    for count in range(len(node.subscripts) - 1, 0, -1):
        head = labelled_name(node.base, node.subscripts[:count])
        if head is not None:
            yield Element(head, node.subscripts[:count], node.subscripts[count:])


@dataclass
class Families:
    """Which names are indexed by scripts, and how.

    `subscripts` holds, for each head (`h`, `W_{Q}`), how many subscripts index; `superscripts` the heads whose
    superscript indexes; `brackets` the heads read or defined with `[…]`.
    """

    subscripts: dict[Name, int] = field(default_factory=dict)
    superscripts: set[Name] = field(default_factory=set)
    brackets: set[Name] = field(default_factory=set)
    ends: set[Name] = field(default_factory=set)  # names in the bounds of loops
    index_names: set[Name] = field(default_factory=set)
    written: set[Name] = field(default_factory=set)  # what declarations and definitions name

    @staticmethod
    def of(*nodes: ast.Node) -> Families:
        """Those of some statements, programs and tables."""
        families = Families()
        for node in nodes:
            families.scan(node, frozenset())
        return families

    def scan(self, node: ast.Node, scope: Set[Name]) -> None:
        """Record what indexes in a statement or expression, `scope` being the index variables around it."""
        if isinstance(node, ast.Accent):
            node = unaccent(node)
        below = children(node)
        if not below:
            return
        bound = names_bound_in(node)
        inner = scope | bound if bound else scope
        self.index_names |= bound
        match node:
            case ast.For(binding=binding):
                self.ends |= set(identifiers(binding)) - bound
            case ast.Declaration(symbols=symbols):
                self.written |= {name for symbol in symbols for name in _names(symbol)}
            case ast.Definition(target=target):
                self.written |= set(_names(target))
            case ast.Scripts():
                self._record(node, inner)
            case ast.Indexing(base=base):
                head = spelling_of(base)
                if head is not None:
                    self.brackets.add(head)
            case ast.ListDisplay(items=items) | ast.Command(arguments=(items, *_)):
                self._record_ellipsis(items)
            case _:
                pass
        for child in below:
            self.scan(child, inner)

    def with_ends(self, known: Set[Name]) -> Families:
        r"""`c_S^{\ell}` beside `c^{\ell}`, where nothing else is called `c_S` and a loop ends with `S`: the last row of `c`."""
        ends = (name for name in self.superscripts - known if len(name.labels) == 1 and name.labels[0] in self.ends)
        rows = {name.word: 1 for name in ends if name.word in self.superscripts}
        return replace(self, subscripts={**rows, **self.subscripts}) if rows else self

    def _record(self, node: ast.Scripts, scope: Set[Name]) -> None:
        if any(map(takes_several, node.subscripts)):
            return  # which of the other subscripts index depends on the names of all arrays
        found = self.split(node, scope)
        head = found.head
        if head is None:
            return
        if found.items:
            self.subscripts[head] = max(self.subscripts.get(head, 0), len(found.items))
        if node.superscript is not None and set(identifiers(node.superscript)) & scope:
            self.superscripts.add(head)

    def _record_ellipsis(self, items: tuple[ast.Expression, ...]) -> None:
        """`h_0^1, \\dots, h_0^{n}`: what differs between the ends indexes."""
        for at, item in enumerate(items):
            if not isinstance(item, ast.Dots) or not 0 < at < len(items) - 1:
                continue
            first, last = unaccent(items[at - 1]), unaccent(items[at + 1])
            match first, last:
                case ast.Scripts(base=base, subscripts=a, superscript=c), ast.Scripts(subscripts=b, superscript=d):
                    if c != d and a == b:
                        head = labelled_name(base, a)
                        if head is not None:
                            self.superscripts.add(head)
                    elif a != b and len(a) == len(b):
                        head = word_of(base)
                        if head is not None:
                            self.subscripts[head] = max(self.subscripts.get(head, 0), len(a))
                case _:
                    pass

    def split(self, node: ast.Scripts, scope: Set[Name]) -> Split:
        r"""The subscripts that name and those that index, where at least one holds an index variable.

        Beside one that takes several elements all index (`X_{\cdot,k}`), but for the longest name of an array (`W_{Q,\cdot,k}`).
        """
        free = [scope.isdisjoint(identifiers(item)) for item in node.subscripts]
        several = any(map(takes_several, node.subscripts))
        if all(free) and not several:
            return Split(labelled_name(node.base, node.subscripts), node.subscripts, ())
        labels = tuple(item for item, names in zip(node.subscripts, free, strict=True) if names and isinstance(item, _WORDS))
        if several:
            arrays = self.written | self.subscripts.keys() | self.brackets
            longest = (labels[:count] for count in range(len(labels), 0, -1))
            labels = next((names for names in longest if labelled_name(node.base, names) in arrays), ())
        items = tuple(item for item in node.subscripts if not any(item is label for label in labels))
        return Split(labelled_name(node.base, labels), labels, items)


def _names(node: ast.Expression) -> Iterator[Name]:
    """The names in what a declaration or a definition is of."""
    plain = unaccent(node)
    match plain:
        case ast.Group(items=items) | ast.ListDisplay(items=items):
            for item in items:
                yield from _names(item)
        case _:
            spelling = spelling_of(plain)
            if spelling is not None:
                yield spelling
