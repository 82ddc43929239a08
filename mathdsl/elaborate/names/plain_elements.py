r"""Elements assigned in a plain letter beside an array in the bold one, `z_i \gets e` beside `\mathbf{z}`, which are two names."""

from __future__ import annotations

from mathdsl.elaborate.names.names import NO_NAME, Name, readable, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants

_ARROWS = frozenset({"vec", "overrightarrow"})


def check_plain_elements(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """An algorithm that assigns no elements of a letter which only its bold twin declares."""
    if not isinstance(item, ast.Procedure) or item.notation == "module":
        return item
    nodes = [node for top in (item, *others) for node in (top, *descendants(top))]
    spelled = {_base(symbol) for node in nodes if isinstance(node, ast.Declaration) for symbol in node.symbols}
    targets = [unaccent(one) for node in descendants(item) if isinstance(node, ast.Definition) for one in node.targets]
    known = spelled | {_base(one) for one in targets if not isinstance(one, ast.Scripts | ast.Indexing)}
    twins = {_plain(name): name for name in (*spelled, *map(_base, targets)) if _plain(name) != name}
    for target in targets:
        name = _base(target)
        if name not in known and name in twins:
            bold, element = readable(twins[name]), render_expression(target)
            help_text = rf"write the element in the letter of `{bold}`, or declare `{readable(name)}` as an array of its own"
            raise refuse("E0301", f"`{element}` is assigned, and only `{bold}` is declared", target.span, help=help_text)
    return item


def _base(node: ast.Expression) -> Name:
    plain = unaccent(node)
    return word_of(plain.base if isinstance(plain, ast.Scripts | ast.Indexing) else plain) or NO_NAME


def _plain(name: Name) -> Name:
    accents = tuple(accent for accent in name.accents if accent not in _ARROWS)
    return Name(name.text, "" if name.font == "mathbf" else name.font, name.primes, accents, above=name.above, given=name.given)
