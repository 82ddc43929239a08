r"""Written types: `\mathbb{R}^{S \times d}`, `\{0, \dots, V-1\}^{L}`, `[0, 1]`, `\mathrm{Linear}(n, m)`."""

from __future__ import annotations

import difflib
import math
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.declare.signatures import Signature, find_signature
from mathdsl.elaborate.names.names import NO_NAME, plain_word, readable, spelling_of
from mathdsl.elaborate.names.spelling import axes_of_type
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.elaborate.terms.indices import read_range, read_size
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.ir.nodes import Element, Interval, Range
from mathdsl.ir.sizes import Poly
from mathdsl.library import LIBRARY
from mathdsl.syntax import nodes as ast

ELEMENTS = {"R": Element.REAL, "Z": Element.INTEGER, "N": Element.INTEGER, "B": Element.BOOLEAN}


@dataclass(frozen=True)
class ArrayType:
    """An array type: its own axes (families add theirs before); `values` is the range of an index type's elements."""

    axes: tuple[Poly, ...]
    element: Element
    values: Range | None = None
    is_natural: bool = False


@dataclass(frozen=True, eq=False)
class ModuleType:
    """A submodule: what it is built from, how many where the type has a power, and the arguments as written."""

    signature: Signature
    arguments: tuple[ast.Expression, ...]
    count: Poly | None = None


@dataclass(frozen=True)
class OpaqueType:
    r"""`\text{module}`: any module, which the constructor takes."""


WrittenType: TypeAlias = ArrayType | Interval | ModuleType | OpaqueType  # an interval: a real number in it


def read_type(reader: Reader, node: ast.Expression) -> WrittenType:
    """The type that an expression writes."""
    exponent: ast.Expression | None = None
    base = node
    if isinstance(node, ast.Scripts) and not node.subscripts:
        base, exponent = node.base, node.superscript
    if isinstance(node, ast.Scripts) and node.subscripts and node.superscript is None:
        half_line = _half_line(node)
        if half_line is not None:
            return half_line
    element = element_of_set(base)
    if element is not None:
        name = plain_word(base)
        return ArrayType(_axes(reader, node), element, is_natural=name == "N")
    if exponent is None and isinstance(base, ast.Identifier) and base.text == "module" and base.font:
        return OpaqueType()
    module = _module_type(reader, base, exponent)
    if module is not None:
        return module
    interval = _interval(base) if exponent is None else None
    if interval is not None:
        return interval
    if exponent is not None and _interval(base) is not None or isinstance(node, ast.Scripts) and node.subscripts and _half_line(node):
        advice = r"declare it in `\mathbb{R}`, `\mathbb{R}^{n}`; an interval is the type of one number"
        raise unsupported("an array in an interval", node.span, help=advice)
    values = read_range(reader, base)
    if values is not None:
        if is_nonnegative(values.extent - 1) is False:
            message = f"this index type has no values: it ends at {values.upper}, and begins at {values.lower}"
            raise refuse("E0505", message, base.span, help=r"write the least value first, as in `\{1, \dots, V\}`")
        return ArrayType(_axes(reader, node), Element.INTEGER, values)
    if isinstance(base, ast.Identifier) and base.text in ELEMENTS and not base.primes:
        raise refuse("E0406", f"`{base.text}` is no type", base.span, help=rf"did you mean `\mathbb{{{base.text}}}`?")
    if (end := _input_at_end(reader, base)) is not None:
        raise unsupported(f"a type that ends at the input `{end}`", base.span, help=rf"declare `{end} \in \mathbb{{N}}`, a size")
    raise unsupported(
        "this type",
        node.span,
        help=r"types are `\mathbb{R}^{m \times n}`, `\{1, \dots, V\}^{S}`, an interval, a module `\mathrm{Linear}(n, m)`, "
        r"or any `\text{module}`",
    )


def interval_of(type_: ArrayType) -> Interval:
    r"""Where the elements of an array lie as far as numbers tell: `[0, inf)` for `\mathbb{N}`, `[1, 5]` for `\{1, \dots, 5\}`."""
    if type_.values is None:
        return Interval(0 if type_.is_natural else None)
    lower, upper = (None if (number := end.constant) is None else int(number) for end in (type_.values.lower, type_.values.upper))
    return Interval(lower, upper)


def element_of_set(node: ast.Expression) -> Element | None:
    r"""`\mathbb{R}`, `\R` and their kin."""
    match node:
        case ast.Identifier(text=text, font="mathbb"):
            return ELEMENTS.get(text)
        case ast.Identifier(font="") if node.word != node.text:
            return ELEMENTS.get(node.word)
        case _:
            return None


def is_natural(node: ast.Expression) -> bool:
    """Whether a type is the natural numbers."""
    return element_of_set(node) is not None and plain_word(node) == "N"


def is_setting_type(node: ast.Expression, has_default: bool) -> bool:
    """Whether a scalar of this type that a module owns is a setting: an interval, an integer or a boolean."""
    if isinstance(node, ast.Scripts) and not node.superscript:
        return _half_line(node) is not None
    element = element_of_set(node)
    if element is not None:
        return element is not Element.REAL and not (is_natural(node) and not has_default)
    return _interval(node) is not None


def _half_line(node: ast.Scripts) -> Interval | None:
    r"""`\mathbb{R}_{>0}`, `\mathbb{R}_{\geq 0}`, `\mathbb{R}_{<1}`, `\mathbb{R}_+` with 0."""
    if element_of_set(node.base) is not Element.REAL or len(node.subscripts) != 1:
        return None
    match node.subscripts[0]:
        case ast.Identifier(text="+"):
            return Interval(0)
        case ast.Relation(operators=(operator,), operands=(_, end)) if (number := _number(end)) is not None:
            pass
        case _:
            return None
    match operator:
        case ">" | r"\geq":
            return Interval(number, has_lower=operator != ">")
        case "<" | r"\leq":
            return Interval(upper=number, has_upper=operator != "<")
        case _:
            return None


def _axes(reader: Reader, node: ast.Expression) -> tuple[Poly, ...]:
    """The sizes above a type."""
    return tuple(_size(reader, axis) for axis in axes_of_type(node))


def _size(reader: Reader, axis: ast.Expression) -> Poly:
    """The size that is written of an axis."""
    size = read_size(reader, axis)
    if size is not None:
        return size
    reserved = spelling_of(axis)
    if reserved in ("e", r"\pi", r"\infty"):
        advice = rf"declare it, `{reserved} \in \mathbb{{N}}`, or take another name"
        raise refuse("E0403", f"`{reserved}` is reserved and names no size", axis.span, help=advice)
    raise refuse("E0403", "a size is a number, a name or arithmetic on them", axis.span, help=r"as in `\mathbb{R}^{S \times 2 d}`")


def _input_at_end(reader: Reader, node: ast.Expression) -> str | None:
    r"""The input `K`, which is no size, of `\{1, \dots, K\}`."""
    match node:
        case ast.SetDisplay(items=(*_, ast.Dots(), ast.Identifier() as end)) if (name := spelling_of(end)) in reader.written.header_names:
            return None if name is None else readable(name)
        case _:
            return None


def _interval(node: ast.Expression) -> Interval | None:
    match node:
        case ast.ListDisplay(items=(low, high)):
            has_lower = has_upper = True
        case ast.Group(items=(low, high)):
            has_lower = has_upper = False
        case ast.Interval(has_lower=has_lower, has_upper=has_upper, lower=low, upper=high):
            pass
        case _:
            return None
    lower, upper = _number(low), _number(high)
    if lower is None or upper is None:
        return None
    if lower > upper or lower == upper and not (has_lower and has_upper):
        raise refuse("E0505", "no number lies in this interval", node.span, help="write the least number first, as in `[0, 1]`")
    begins, ends = not math.isinf(lower), not math.isinf(upper)
    return Interval(lower if begins else None, upper if ends else None, has_lower or not begins, has_upper or not ends)


def _number(node: ast.Expression) -> float | None:
    match node:
        case ast.Number(text=text):
            return float(text)
        case ast.Negative(operand=operand):
            value = _number(operand)
            return None if value is None else -value
        case ast.Identifier(text=r"\infty"):
            return math.inf
        case _:
            return None


def _module_type(reader: Reader, base: ast.Expression, exponent: ast.Expression | None) -> ModuleType | None:
    match base:
        case ast.Juxtaposition(factors=(name, ast.Group(items=arguments))):
            pass
        case ast.Juxtaposition(factors=(name, ast.Scripts(base=ast.Group(items=arguments), subscripts=(), superscript=power))):
            exponent = power
        case ast.Identifier() if find_signature(reader.written.around.signatures, (spelling_of(base) or NO_NAME).bare) is not None:
            name, arguments = base, ()
        case _:
            return None
    spelling = spelling_of(name)
    if spelling is None:
        return None
    signature = find_signature(reader.written.around.signatures, spelling.bare)
    if signature is None:
        close = difflib.get_close_matches(spelling, [*reader.written.around.signatures, *LIBRARY], n=1, cutoff=0.75)
        define = "define it with `\\Module`, or declare it `\\in \\text{module}`: the constructor then takes an `nn.Module`"
        raise refuse(
            "E0604",
            f"`{readable(spelling)}` is no module of this document or of the library",
            name.span,
            help=f"did you mean `{close[0]}`?" if close else define,
        )
    count = None
    if exponent is not None:
        count = read_size(reader, exponent)
        if count is None:
            raise refuse("E0403", "how many modules there are must be a size", exponent.span)
    return ModuleType(signature, arguments, count)
