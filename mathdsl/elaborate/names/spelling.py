r"""Index or name: which scripts of which names index, found by looking at a whole program once.

`h_t^{\ell}` indexes where `t` and `\ell` are index variables in scope; `h_0`, `h_S`, `h^{n}` then index too, since the symbol
is indexed at that place elsewhere. `W_h` with no index inside stays a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace

from mathdsl.elaborate.names.names import Name, spelling_of, word_of
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children


def unaccent(node: ast.Expression) -> ast.Expression:
    r"""Move an accent over an indexed symbol to the symbol: `\widehat{h^{\ell-1}}` is `\widehat{h}` at `\ell - 1`."""
    match node:
        case ast.Accent(body=ast.Scripts(base=base, subscripts=subs, superscript=sup), span=span):
            return ast.Scripts(unaccent(replace(node, body=base, span=base.span)), subs, sup, span=span)
        case _:
            return node


def identifiers(node: ast.Node) -> Iterator[Name]:
    """The plain names in an expression."""
    word = word_of(node) if isinstance(node, (ast.Identifier, ast.Accent)) else None
    if word is not None:
        yield word
        return
    for child in children(node):
        yield from identifiers(child)


def is_whole_axis(item: ast.Expression) -> bool:
    r"""Whether an index is a mark for all of an axis: `\cdot`, `*` or `:`."""
    return isinstance(item, ast.Hole) or isinstance(item, ast.Slice) and item.lower is item.upper is None


def is_positive_part(items: tuple[ast.Expression, ...]) -> bool:
    """Whether the sign below a parenthesis says that its value counts where it is positive: `(x)_+`."""
    match items:
        case (ast.Identifier(text="+"),):
            return True
        case _:
            return False


def takes_several(item: ast.Expression) -> bool:
    r"""Whether an index takes more than one element of its axis: `\cdot`, `:`, `a:b`."""
    return isinstance(item, (ast.Hole, ast.Slice))


def bound_names(binding: ast.Expression) -> list[Name]:
    r"""The index variables of `t \in \set{…}`, `t = 1, \dots, n`, `0 \leq i < n`, `i \neq j` (left), `j : j < i`, or a bare `i`."""
    match binding:
        case ast.Relation(operators=operators, operands=operands):
            if operators[0] in ("<", r"\leq") and len(operands) == 3:
                return [w for w in [word_of(operands[1])] if w]
            return [w for w in [word_of(operands[0])] if w]
        case ast.Identifier() | ast.Accent():
            return [w for w in [word_of(binding)] if w]
        case ast.Slice(lower=lower, upper=upper) if lower is not None and upper is not None:
            return bound_names(lower)
        case ast.ListDisplay(items=items) | ast.Group(items=items) | ast.Comprehension(conditions=items):
            return [name for item in items for name in bound_names(item)]
        case _:
            return []


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

    def scan(self, node: ast.Node, scope: frozenset[Name]) -> None:
        """Record what indexes in a statement or expression, `scope` being the index variables around it."""
        bound = self._bound_in(node)
        inner = scope | bound if bound else scope
        self.index_names |= bound
        if isinstance(node, (ast.Scripts, ast.Accent)):
            node = unaccent(node)
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
        for child in children(node):
            self.scan(child, inner)

    def index_ends(self, known: set[Name]) -> None:
        r"""`c_S^{\ell}` beside `c^{\ell}`, where nothing else is called `c_S` and a loop ends with `S`: the last row of `c`."""
        for name in self.superscripts:
            is_row = len(name.labels) == 1 and name.labels[0] in self.ends and name.word in self.superscripts
            if is_row and name not in known:
                self.subscripts[name.word] = max(self.subscripts.get(name.word, 0), 1)

    def _bound_in(self, node: ast.Node) -> set[Name]:
        match node:
            case ast.For(binding=binding):
                return set(bound_names(binding))
            case ast.Reduction(subscript=subscript) if subscript is not None:
                return set(bound_names(subscript))
            case ast.Comprehension(conditions=conditions):
                return {name for c in conditions for name in bound_names(c)}
            case ast.Definition(target=target, domains=domains):
                items = target.items if isinstance(target, ast.Indexing) else ()
                return {name for c in (*domains, *(i for i in items if isinstance(i, ast.Relation))) for name in bound_names(c)}
            case ast.Declaration(ranges=ranges):
                return {name for c in ranges for name in bound_names(c)}
            case _:
                return set()

    def _record(self, node: ast.Scripts, scope: Set[Name]) -> None:
        if any(map(takes_several, node.subscripts)):
            return  # which of the other subscripts index depends on the names of all arrays
        index = self.index_items(node, scope)
        head = self.head(node, scope)
        if head is None:
            return
        if index:
            self.subscripts[head] = max(self.subscripts.get(head, 0), len(index))
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
                        head = spelling_of(ast.Scripts(base, a))
                        if head is not None:
                            self.superscripts.add(head)
                    elif a != b and len(a) == len(b):
                        head = word_of(base)
                        if head is not None:
                            self.subscripts[head] = max(self.subscripts.get(head, 0), len(a))
                case _:
                    pass

    def index_items(self, node: ast.Scripts, scope: Set[Name]) -> tuple[ast.Expression, ...]:
        r"""The subscripts that are index expressions, where at least one holds an index variable; `ij` comes as `i`, `j`.

        Beside one that takes several elements all index (`X_{\cdot,k}`), but for the longest name of an array (`W_{Q,\cdot,k}`).
        """
        if any(map(takes_several, node.subscripts)):
            names = self._longest_name(node, scope)
            rest = [item for item in node.subscripts if not any(item is name for name in names)]
            return tuple(one for item in rest for one in _letters_in(item, scope) or (item,))
        if not any(set(identifiers(item)) & scope or _letters_in(item, scope) for item in node.subscripts):
            return ()
        found: list[ast.Expression] = []
        for item in node.subscripts:
            letters = _letters_in(item, scope)
            found.extend(letters or ((item,) if self._is_index_item(item, scope) else ()))
        return tuple(found)

    def _longest_name(self, node: ast.Scripts, scope: Set[Name]) -> tuple[ast.Expression, ...]:
        """Of the subscripts that may name, as many as give the name of an array."""
        words = [item for item in node.subscripts if not self._is_index_item(item, scope) and not _letters_in(item, scope)]
        arrays = self.written | self.subscripts.keys() | self.brackets
        for count in range(len(words), 0, -1):
            names = tuple(words[:count])
            if spelling_of(ast.Scripts(node.base, names)) in arrays:
                return names
        return ()

    def labelled(self, node: ast.Scripts) -> Iterator[tuple[Name, tuple[ast.Expression, ...]]]:
        r"""The families whose labels a name begins with, and the subscripts that are left for their axes: `x_{in,1}` beside `x_{in,t}`."""
        for count in range(len(node.subscripts) - 1, 0, -1):
            head, items = spelling_of(ast.Scripts(node.base, node.subscripts[:count])), node.subscripts[count:]
            if head is not None and self.subscripts.get(head, 0) >= len(items):
                yield head, items

    @staticmethod
    def _is_index_item(item: ast.Expression, scope: Set[Name]) -> bool:
        return bool(set(identifiers(item)) & scope) or not isinstance(item, (ast.Identifier, ast.Accent, ast.Phrase, ast.Scripts))

    def head(self, node: ast.Scripts, scope: Set[Name]) -> Name | None:
        """The name that is indexed: the base with those subscripts that do not index."""
        base = word_of(node.base)
        if base is None:
            return None
        if any(map(takes_several, node.subscripts)):
            names = [word_of(item) for item in self._longest_name(node, scope)]
        elif self.index_items(node, scope):
            names = [word_of(i) for i in node.subscripts if not self._is_index_item(i, scope) and not _letters_in(i, scope)]
        else:
            names = [word_of(item) for item in node.subscripts]
        if any(n is None for n in names):
            return None
        return base.labelled(n for n in names if n is not None)


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


def _letters_in(item: ast.Expression, scope: Set[Name]) -> tuple[ast.Expression, ...]:
    """`ij` as two indices, where both letters are index variables and the word is none."""
    if not isinstance(item, ast.Identifier) or item.text in scope or len(item.text) < 2 or not item.text.isalpha():
        return ()
    return tuple(ast.Identifier(letter, span=item.span) for letter in item.text) if set(item.text) <= scope else ()
