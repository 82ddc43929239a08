"""What has been entered under the names of one program so far: arrays, sizes, modules, functions, and the Python name of each."""

from __future__ import annotations

from collections.abc import Callable, Set

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.declare.signatures import Function, Signature
from mathdsl.elaborate.names.names import GREEK, NO_NAME, Name, readable
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Term
from mathdsl.elaborate.types.shapes import Shape
from mathdsl.ir.nodes import Extreme, Range
from mathdsl.ir.sizes import Poly
from mathdsl.ops import find_function
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax.commands import SIGNS


@dataclass(eq=False)
class SizeEntry:
    """A named size: its polynomial name, where it was first written, what is said of it."""

    name: str
    spelling: Name
    description: str = ""
    span: Span = NOWHERE
    order: int = 0
    is_fresh: bool = False  # named by us
    value: Extreme | None = None  # of other sizes
    default: int | None = None


def written_extreme(extreme: Extreme, show: Callable[[Poly], str] = str) -> str:
    """`\\min(L, 3)`, `\\lfloor n / 2 \\rfloor`, `2^{m}`, by names or, where `show` says how they are written, by the author's symbols."""
    if extreme.op == "floor_div":
        above, below = map(show, extreme.of)
        return rf"\lfloor {above if len(extreme.of[0].terms) == 1 else f'({above})'} / {below} \rfloor"
    if extreme.op == "pow":
        base, exponent = map(show, extreme.of)
        return f"{base}^{{{exponent}}}"
    return rf"\{extreme.op[:3]}({', '.join(map(show, extreme.of))})"


@dataclass(frozen=True, eq=False)
class PartArguments:
    """One run of a stack (or the one element of a plain submodule): constructor argument -> size or setting term."""

    range: Range | None
    arguments: tuple[tuple[str, Poly | Term], ...]


@dataclass(eq=False)
class SubmoduleEntry:
    """A submodule: what it is built from; `signature` is None for an opaque one."""

    spelling: Name
    path: str
    signature: Signature | None
    is_stack: bool = False
    parts: list[PartArguments] = field(default_factory=list)
    description: str = ""
    latex: str = ""
    span: Span = NOWHERE
    used: bool = False
    automatic: bool = False  # made by a call of its type: in a loop over a hyperparameter, an element an iteration


@dataclass(frozen=True, eq=False)
class Entries:
    """The tables of names; `size_inputs` are inputs that are sizes, given as numbers."""

    names: PythonNames
    size_inputs: Set[Name]
    functions: dict[Name, Function]
    aliases: dict[str, str]
    symbols: dict[tuple[Name, bool], Symbol] = field(default_factory=dict)
    sizes: dict[Name, SizeEntry] = field(default_factory=dict)
    submodules: dict[Name, SubmoduleEntry] = field(default_factory=dict)
    inputs: list[Symbol | tuple[Symbol, ...]] = field(default_factory=list)
    module_aliases: dict[Name, tuple[Name, Poly]] = field(default_factory=dict)  # unpacked elements of stacks
    integers: set[Name] = field(default_factory=set)  # names of integers that index what stands without them
    axis_names: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)

    @property
    def flat_inputs(self) -> tuple[Symbol, ...]:
        """The inputs in call order, tuples taken apart."""
        return tuple(symbol for entry in self.inputs for symbol in (entry if isinstance(entry, tuple) else (entry,)))

    def size(self, spelling: Name, span: Span) -> Poly:
        """The size of that name, made where it is new."""
        entry = self.sizes.get(spelling)
        is_applied = spelling.labels and spelling.is_command and spelling.text not in GREEK  # `\log_2 n`
        if spelling in SIGNS or is_applied and find_function(spelling.bare_text):
            raise refuse("E0208", f"`{spelling}` is no size", span, help="a size is a name, a number, or reckoned from these")
        if entry is None:
            entry = SizeEntry(self.names.name(spelling), spelling, span=span, order=len(self.sizes))
            if entry.name in self.axis_names:
                raise refuse(
                    "E0505",
                    f"`{readable(spelling)}` is an index, and stands here for a size",
                    span,
                    help="write a bound in sizes, or declare the size under a name of its own",
                )
            self.sizes[spelling] = entry
        return Poly.of(entry.name)

    def array_name(self, symbol: Symbol) -> str:
        """The Python name of a symbol: a second array of one spelling, and one that is spelled as a size is, have names of their own."""
        is_second = symbol.has_superscript and (symbol.spelling, False) in self.symbols
        is_beside_size = symbol.spelling in self.sizes and symbol.spelling not in self.size_inputs
        return self.names.name(symbol.spelling, is_second + is_beside_size)

    def axis_name(self, wanted: str) -> str:
        """A name for an index variable that neither a size nor another index variable has: `t`, `t__2` (no spelling has `__`)."""
        name, count = wanted, self._counts.get(wanted, 1)
        while self.is_taken(name):
            count += 1
            name = f"{wanted}__{count}"
        self._counts[wanted] = count
        self.axis_names.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a size, an array or an index variable has that name."""
        return name in self.axis_names or name in self.names.taken

    def is_used(self, spelling: Name) -> bool:
        """Whether an array, one of our own included, or a size has that spelling."""
        return any((name, False) in self.symbols for name in (spelling, spelling.changed(is_own=True))) or spelling in self.sizes

    def add_symbol(self, symbol: Symbol) -> Symbol:
        """Enter a symbol under its spelling."""
        self.symbols[symbol.spelling, symbol.has_superscript] = symbol
        symbol.latex = symbol.latex or readable(symbol.spelling)
        return symbol

    def value_symbol(self, spelling: Name, span: Span, axes: tuple[Range, ...] = (), has_superscript: bool = False) -> Symbol:
        """A new symbol for a value defined by the program, whose leading axes are known."""
        rest = Symbol(NO_NAME, Role.VALUE).shape
        symbol = Symbol(
            spelling,
            Role.VALUE,
            Shape(tuple(r.extent for r in axes), rest.rest),
            has_superscript=has_superscript,
            subscripts=len(axes) - has_superscript,
            lowers=[r.lower for r in axes],
            span=span,
        )
        return self.add_symbol(symbol)
