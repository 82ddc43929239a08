"""Names that are applied: functions, submodules, types of modules, built-in operations."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.declare.signatures import find_signature
from mathdsl.elaborate.names.lookups import index_scope
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.terms.builtin import is_builtin
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Callee:
    """A name that is applied: its spelling, and scripts that do not belong to the name."""

    kind: str  # function, submodule, type, builtin
    name: Name
    node: ast.Expression
    subscripts: tuple[ast.Expression, ...] = ()
    superscript: ast.Expression | None = None


def find_callee(reader: Reader, node: ast.Expression) -> Callee | None:
    """The callable that a factor names; None where it is a value."""
    node = unaccent(node)
    whole = spelling_of(node)
    if whole is not None and (kind := _kind(reader, whole)) is not None:
        return Callee(kind, whole, node)
    match node:
        case ast.Scripts(base=base, subscripts=subscripts, superscript=superscript):
            with_names = spelling_of(ast.Scripts(base, subscripts)) if subscripts else None
            if with_names is not None and (kind := _kind(reader, with_names)) is not None:
                return Callee(kind, with_names, node, (), superscript)
            if with_names is not None and (with_names in reader.bound or reader.find_symbol(with_names) is not None):
                return None  # `\sigma_1 a`, where `\sigma_1` is a name of the author's
            head = spelling_of(base)
            if head is not None and (kind := _kind(reader, head)) is not None and not _is_element(reader, node):
                return Callee(kind, head, node, subscripts, superscript)
    return None


def _is_element(reader: Reader, node: ast.Scripts) -> bool:
    r"""Whether this is an element of an array of the author's, whose name has a label: `P_{q,j}` of `P_q`."""
    split = reader.families.split(node, index_scope(reader))
    return bool(split.items) and split.head is not None and reader.find_symbol(split.head) is not None


def is_callable(reader: Reader, node: ast.Expression) -> bool:
    """Whether a name is something to be applied."""
    return find_callee(reader, node) is not None


def _kind(reader: Reader, spelling: Name) -> str | None:
    if spelling in reader.bound or reader.find_symbol(spelling) is not None:
        return None
    name = spelling.bare
    if spelling in reader.functions:
        return "function"
    if not reader.is_closed and (spelling in reader.entries.submodules or spelling in reader.entries.module_aliases):
        return "submodule"
    if reader.find_size(spelling) is not None:
        return None
    if spelling in reader.aliases:
        return "builtin"
    if find_signature(reader.written.around.signatures, name) is not None:
        return "type"
    return "builtin" if is_builtin(name) else None


def names_builtin(reader: Reader, word: Name | None) -> bool:
    """Whether a word is a built-in function that a name may be made an alias of."""
    return word is not None and _kind(reader, word) == "builtin"
