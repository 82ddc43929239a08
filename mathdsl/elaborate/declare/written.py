r"""What is written of a program and around it, before any of its names stands for something: read once, and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Diagnostics
from mathdsl.elaborate.declare.signatures import Function, Signature, find_signature
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, without_version
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.names.usage import (
    Defined,
    Indices,
    Usage,
    concerning,
    defined_names,
    ensured_names,
    measured_names,
    mentioned_names,
    names_below,
    own_names,
    read_names,
    size_inputs,
)
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, header_rows

STATED = "stated"


@dataclass(frozen=True)
class Surroundings:
    """What a procedure sees of its document."""

    signatures: dict[str, Signature]
    functions: dict[Name, Function]
    aliases: dict[str, str]
    wheres: tuple[ast.Where, ...]
    diagnostics: Diagnostics
    executed: Set[Span] = frozenset()  # procedures, by their place, whose arrays are carried through all their statements


@dataclass(frozen=True)
class Appearances:
    """The order of constructor arguments: names of declarations, `sizes` in the order of writing, `settings` in that of declaration."""

    sizes: dict[Name, int] = field(default_factory=dict)
    settings: dict[Name, int] = field(default_factory=dict)

    @staticmethod
    def of(families: Families, header: Sequence[ast.Declaration], tables: Sequence[ast.Declaration]) -> Appearances:
        """A size that only ends a list in the header, `[h^1, \\dots, h^n]`, appears where a table declares it."""
        arguments = (part for item in header for part in children(item) if not isinstance(part, ast.ListDisplay))
        declared = (symbol for row in (*header, *tables) for symbol in row.symbols)
        return Appearances(_numbered(families, (*arguments, *tables)), _numbered(families, declared))

    def size(self, spelling: Name) -> int:
        """The place of a size; one that no declaration mentions comes last."""
        return self.sizes.get(spelling, len(self.sizes))

    def setting(self, spelling: Name) -> int:
        """The place of a setting; one that nothing declares comes last."""
        return self.settings.get(spelling, len(self.settings))


@dataclass(frozen=True, eq=False)
class Written:
    """A program as its text shows it. `base` is the first index where nothing else fixes it (0 module, 1 algorithms)."""

    name: Name
    span: Span
    base: int
    latex: str
    around: Surroundings
    families: Families
    is_function: bool = False
    owns_rows: bool = False  # what rows declare beyond the header is its own
    has_rows: bool = False  # something is declared of it outside of its header
    own_letters: frozenset[Name] = frozenset()  # reserved letters that it has without an index
    assigned_whole: Mapping[Name, Span] = field(default_factory=dict)  # names that statements assign without an index
    statements: Mapping[Span, str] = field(default_factory=dict)  # assignments as the author wrote them
    defined: Mapping[Defined, Indices] = field(default_factory=dict)  # the arrays that statements define
    mentioned: Set[Name] = frozenset()  # in its header and its statements
    named: Set[Name] = frozenset()  # those, and of what is mentioned as a later version alone, the author's name
    header_names: Set[Name] = frozenset()
    owned_names: Set[Name] = frozenset()  # right of the `;`
    size_inputs: Set[Name] = frozenset()  # inputs that are sizes, given as numbers
    measured: Set[Name] = frozenset()  # names that stand in ranges and shapes: natural numbers with a default among them are sizes
    ranged: Set[Name] = frozenset()  # names in the ranges that the program itself writes: what nothing gives or declares is a size
    own: Set[Name] = frozenset()  # what its header and its own tables declare, which hides what the document has of that name
    read: Set[Name] = frozenset()  # words that its statements read
    ensured: Set[Name] = frozenset()  # names that stand in `\\Ensure` alone
    appearances: Appearances = field(default_factory=Appearances)
    usage: Usage = field(default_factory=Usage)

    def is_value(self, key: Defined) -> bool:
        """Whether statements define an array, and all that is read of it."""
        name, by_superscript = key
        if key in self.defined or (name, not by_superscript) in self.defined:
            return True
        return key in self.versions and name not in self.mentioned

    def is_replaced(self, name: Name) -> bool:
        r"""Whether each read of a name is the number that is assigned to it: `n \gets 3` before a loop that ends at `n`."""
        return name in self.assigned_whole and name not in self.mentioned

    @cached_property
    def versions(self) -> Mapping[Defined, Mapping[Name, Indices]]:
        """The versions that statements define of each of the author's names."""
        found: dict[Defined, dict[Name, Indices]] = {}
        for (name, by_superscript), indices in self.defined.items():
            found.setdefault((without_version(name), by_superscript), {})[name] = indices
        return found

    @staticmethod
    def of(
        procedure: ast.Procedure,
        families: Families,
        source: ast.Procedure,
        around: Surroundings,
        letters: frozenset[Name],
        latex: str,
        statements: Mapping[Span, str],
    ) -> Written:
        """What is written of a procedure, each of whose names has one value; `source` is the procedure before they have.

        `latex` is its text, `statements` the parts of that.
        """
        own, usage, inputs = own_names(families, procedure), Usage.of(procedure.body), set(Usage.inputs_of(procedure))
        defined = defined_names(families, procedure.body)
        families = families.with_ends({head for head, _ in defined} | inputs)
        mentioned = mentioned_names(families, replace(procedure, wheres=()))
        own_rows = tuple(row for where in procedure.wheres for row in where.rows)
        named = mentioned.union(without_version(name) for name, _ in defined)
        seen = (concerning(families, row, named) for where in around.wheres for row in where.rows)
        tables = (*own_rows, *(row for row in seen if row is not None))
        rows = (*(procedure.owned or ()), *own_rows, *(row for where in around.wheres for row in where.rows))
        sizes = size_inputs(families, procedure)
        header, ranged = inputs - sizes, measured_names((procedure,))
        return Written(
            Name(procedure.name),
            procedure.name_span,
            0 if procedure.notation == "module" else 1,
            latex,
            around,
            families,
            owns_rows=procedure.owned is None,
            has_rows=bool(tables),
            own_letters=letters,
            assigned_whole=_assigned_whole(source.body),
            statements=statements,
            defined=defined,
            mentioned=mentioned,
            named=named,
            header_names=header,
            owned_names={name for row in procedure.owned or () for node in row.symbols if (name := spelling_of(node)) is not None},
            size_inputs=sizes,
            measured=(ranged | measured_names(around.wheres) | _names_of_sizes(around.signatures, rows)) - header,
            ranged=ranged,
            own=own,
            read=read_names(source.body),
            ensured=ensured_names(families, source, around.wheres),
            appearances=Appearances.of(families, header_rows(procedure), tables),
            usage=usage,
        )


def _names_of_sizes(signatures: Mapping[str, Signature], rows: Iterable[ast.Declaration]) -> set[Name]:
    """The names that types of submodules are given for their sizes."""
    found: set[Name] = set()
    for row in rows:
        match row.type:
            case ast.Juxtaposition(factors=(name, ast.Group(items=items))):
                pass
            case ast.Juxtaposition(factors=(name, ast.Scripts(base=ast.Group(items=items), superscript=count))) if count is not None:
                found |= names_below(count)
            case _:
                continue
        signature = find_signature(signatures, (spelling_of(name) or NO_NAME).bare)
        wanted = () if signature is None else (*signature.hyperparameters, *(s.name for s in signature.settings))
        for item, position in zip(items, wanted, strict=False):
            value = item.value if isinstance(item, ast.Keyword) else item
            given = PythonNames().name(spelling_of(item.name) or NO_NAME) if isinstance(item, ast.Keyword) else position
            if signature is not None and given in signature.hyperparameters:
                found |= names_below(value)
    return found


def _numbered(families: Families, nodes: Iterable[ast.Node]) -> dict[Name, int]:
    """The names below, outer before inner; the letters of a longer name are no names of their own."""
    found: dict[Name, int] = {}
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        plain = unaccent(node) if isinstance(node, (ast.Scripts, ast.Accent)) else node
        name = spelling_of(plain) if isinstance(plain, (ast.Identifier, ast.Accent, ast.Scripts)) else None
        if name is None or isinstance(plain, ast.Scripts) and families.split(plain, families.index_names).items:
            waiting += children(plain)[::-1]
        else:
            found.setdefault(name, len(found))
    return found


def _assigned_whole(statements: tuple[ast.Statement, ...], scope: frozenset[Name] = frozenset()) -> dict[Name, Span]:
    """The names that statements assign, and where first: not elements, whose subscripts run."""
    found: dict[Name, Span] = {}
    for statement in statements:
        match statement:
            case ast.Definition(targets=targets, domains=domains):
                inner = scope.union(*map(bound_names, domains))
                for item in targets:
                    spelling = spelling_of(item)
                    if spelling is not None and not (
                        isinstance(item, ast.Scripts) and any(spelling_of(below) in inner for below in item.subscripts)
                    ):
                        found.setdefault(spelling, item.span)
            case ast.For(binding=binding, body=body):
                found = _assigned_whole(body, scope | set(bound_names(binding))) | found
            case ast.While(body=body) | ast.EquationGroup(body=body):
                found = _assigned_whole(body, scope) | found
            case ast.If(branches=branches, otherwise=otherwise):
                for body in (*(branch.body for branch in branches), otherwise or ()):
                    found = _assigned_whole(body, scope) | found
            case _:
                pass
    return found
