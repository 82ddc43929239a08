r"""Index expressions, ranges and bindings: `t - 1`, `S`, `2 d`, `\set{1, \dots, S}`, `0 \leq i < n`, `t \in \{1, \dots, S\}`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.names import PRODUCT_OF_LETTERS
from mathdsl.elaborate.names.lookups import axis_of, find_array, index_scope, is_indexed
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.bounds import goes_down, is_nonnegative
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import NumberTerm, SizeTerm, Term
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.ops import find_function
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

_MOST_TERMS = 2_000  # of a product of sizes


def as_poly(reader: Reader, node: ast.Expression, create: bool = False) -> Poly | None:
    """An expression as a polynomial over sizes and index variables; None where it is none.

    With `create`, a name that nothing else has becomes a size.
    """
    match node:
        case ast.Number(text=text):
            return Poly.of(int(text)) if text.isdigit() else None
        case ast.Identifier() | ast.Accent() | ast.Scripts():
            return _named(reader, node, create)
        case ast.Group(items=(inner,)):
            return as_poly(reader, inner, create)
        case ast.Negative(operand=operand):
            value = as_poly(reader, operand, create)
            return None if value is None else -value
        case ast.Binary(operator=operator, left=left, right=right):
            return _combine(reader, operator, as_poly(reader, left, create), as_poly(reader, right, create), node.span)
        case ast.Fraction(numerator=numerator, denominator=denominator):
            return _combine(reader, "/", as_poly(reader, numerator, create), as_poly(reader, denominator, create), node.span)
        case ast.Juxtaposition(factors=(ast.Identifier(text=r"\max" | r"\min" as word), ast.Group(items=(_, _) as items))):
            return _extreme(reader, word, items, create, node.span)
        case ast.Juxtaposition(factors=factors):
            total: Poly | None = Poly.of(1)
            for factor in factors:
                total = _combine(reader, "*", total, as_poly(reader, factor, create), node.span)
            return total
        case ast.Bars(kind="|", items=(inner,)):
            return length_of(reader, inner)
        case ast.Bars(kind="floor" | "ceil" as kind, items=(inner,)):
            return _rounded(reader, kind, as_poly(reader, inner, create), node.span)
        case ast.Attribute(base=base, name="sz" | "size", arguments=(axis,)):
            return _axis_size(reader, base, axis)
        case _:
            return None


def _extreme(reader: Reader, word: str, items: tuple[ast.Expression, ...], create: bool, span: Span) -> Poly | None:
    r"""`\max(1, S - n)` of sizes; of index variables it is a value."""
    found = [as_poly(reader, item, create) for item in items]
    values = tuple(reader.types.solver.value(value) for value in found if value is not None)
    if len(values) < len(items) or any(value.names & reader.entries.axis_names for value in values):
        return None
    least = next((k for k in (0, 1) if (c := (values[1 - k] - values[k]).constant) is not None and c >= 0), None)
    if least is not None:
        return values[least if word == r"\min" else 1 - least]
    return reader.types.extreme_size({r"\max": "maximum", r"\min": "minimum"}[word], values, span)


def _rounded(reader: Reader, kind: str, value: Poly | None, span: Span) -> Poly | None:
    r"""`\lfloor n/2 \rfloor` of sizes: whole numbers apart, so that what is rounded is not negative; of index variables it is a value."""
    if value is None:
        return None
    above, below = reader.types.solver.value(value).fraction
    number = below.constant
    if number is None or above.names & reader.entries.axis_names:
        return None
    rest = above + (number - 1 if kind == "ceil" else 0)
    first = next((int(c) for monomial, c in rest.terms if not monomial), 0) // number
    rest = rest - first * number
    if rest.constant is not None:
        return Poly.of(first)
    return reader.types.extreme_size("floor_div", (rest, below), span) + first if is_nonnegative(rest) else None


def range_between(reader: Reader, lower: Poly, upper: Poly, span: Span) -> Range:
    """From `lower` to `upper`; where the lower end is the greatest of some sizes, the extent has a name and the lower end has not."""
    entry = next((e for e in reader.entries.sizes.values() if lower.variable == e.name and e.value is not None), None)
    if entry is None or entry.value is None or entry.value.op != "maximum":
        return Range(lower, upper)
    del reader.entries.sizes[entry.spelling]
    end = reader.types.solver.value(upper)
    extent = reader.types.extreme_size("minimum", tuple(end - poly + 1 for poly in entry.value.of), span)
    return Range(upper - extent + 1, upper)


def _named(reader: Reader, node: ast.Expression, create: bool) -> Poly | None:
    spelling = spelling_of(node)
    if spelling is None:
        return _integer_power(reader, node, create)
    term, binder, size = reader.find_bound(spelling), reader.find_binder(spelling), reader.find_size(spelling)
    if term is not None:
        return _bound_number(term)
    if binder is not None:
        return Poly.of(binder.name)
    if size is not None:
        reader.terms.value_sizes.add(size.name)
        return Poly.of(size.name)
    if spelling in reader.written.header_names and not reader.is_closed:
        return None
    known = reader.find_symbol(spelling) is not None or reader.find_submodule(spelling) is not None
    if known or not (create or ends_a_range(reader, spelling)) or not _may_be_a_size(node) or _is_element(reader, node):
        return None
    product = _product_of_sizes(reader, node)
    if product is not None and spelling not in reader.written.appearances.settings:
        reader.findings.note(PRODUCT_OF_LETTERS, spelling, node.span)
        return as_poly(reader, product, create)
    made = reader.entries.size(spelling, node.span)
    if not create:
        reader.terms.value_sizes.update(made.names)
    return made


def _product_of_sizes(reader: Reader, node: ast.Expression) -> ast.Expression | None:
    r"""`nm` and `hd_v` as the products `n m` and `h d_v` of sizes that the program's declarations name."""
    base = node.base if isinstance(node, ast.Scripts) else node
    if not isinstance(base, ast.Identifier) or base.font or base.primes or not base.text.isalpha() or len(base.text) < 2:
        return None
    *factors, last = (replace(base, text=letter) for letter in base.text)
    product = (*factors, replace(node, base=last) if isinstance(node, ast.Scripts) else last)
    known = reader.written.appearances.sizes.keys() - reader.written.header_names - reader.families.index_names
    return ast.Juxtaposition(product, span=node.span) if all(spelling_of(one) in known for one in product) else None


def ends_a_range(reader: Reader, spelling: Name) -> bool:
    r"""Whether a name that nothing declares ends a range of the program, and runs over none: `n` of `\frac{1}{n} \sum_{i=1}^{n} x_i`."""
    written = reader.written
    is_ranged = spelling in written.ranged and spelling not in written.header_names
    return not reader.is_closed and is_ranged and spelling not in reader.families.index_names


def _bound_number(term: Term) -> Poly | None:
    """The size or the whole number that a name is bound to; None where it is bound to an array."""
    match term:
        case SizeTerm(value=value):
            return value
        case NumberTerm(value=int() as number) if not isinstance(number, bool):
            return Poly.of(number)
        case _:
            return None


def _may_be_a_size(node: ast.Expression) -> bool:
    spelling = spelling_of(node) or NO_NAME
    is_function = len(spelling) > 1 and find_function(spelling.bare) is not None
    is_set = isinstance(node, ast.Identifier) and node.font == "mathbb"
    return spelling not in ("e", r"\pi", r"\infty") and not is_function and not is_set


def _is_element(reader: Reader, node: ast.Expression) -> bool:
    """Whether scripts index here: an element is a value, whatever its name would be as that of a size."""
    plain = unaccent(node)
    base = word_of(plain.base) if isinstance(plain, ast.Scripts) else None
    if not isinstance(plain, ast.Scripts) or base is None or not plain.subscripts:
        return False
    if reader.families.split(plain, index_scope(reader)).items:
        return True
    is_array = not reader.is_closed and base in reader.written.header_names or find_array(reader, plain.base) is not None
    if is_array and reader.families.split(plain, reader.families.index_names).items:
        return True
    return is_indexed(reader, base, len(plain.subscripts)) and all(as_poly(reader, item) is not None for item in plain.subscripts)


def computed_bound(reader: Reader, node: ast.Expression) -> MathdslError | None:
    """What is wrong with a range whose end is a value, an element or an array, or with a set; None where nothing is."""
    match node:
        case ast.Relation(operators=(r"\in",), operands=(index, whole)) if not isinstance(whole, ast.SetDisplay | ast.ListDisplay):
            return unknown_set(index, whole)
        case ast.Relation(operators=("<" | ">" | r"\leq" | r"\geq" | r"\neq",)):
            return None  # a condition, no range
        case ast.Relation(operands=parts) | ast.ListDisplay(items=parts) | ast.SetDisplay(items=parts) | ast.Group(items=parts):
            own = set(bound_names(node)) if isinstance(node, ast.Relation) else set()
            found = (computed_bound(reader, part) for part in parts if spelling_of(part) not in own)
            return next((error for error in found if error is not None), None)
        case ast.Dots() | ast.Number():
            return None
        case ast.Bars(kind="floor" | "ceil") | ast.Scripts(base=ast.Number(), subscripts=()) if as_poly(reader, node) is None:
            factor = rf"`\sum_{{i=1}}^{{n}} x_i \mathbb{{1}}[i \leq {render_expression(node)}]`"
            help = f"let the index run to a size, and write a condition: {factor}, or a branch in a loop"
            return unsupported("a bound that is computed", node.span, help=help)
        case _ if as_poly(reader, node) is None:
            condition = r"`\sum_{j : j \leq n_i} x_{i,j}`, `\mathbb{1}[j \leq n_i]`"
            help = f"let the index run over its whole axis, and write a condition: {condition}"
            return unsupported("a bound that is computed", node.span, help=help)
        case _:
            return None


def unknown_set(index: ast.Expression, whole: ast.Expression) -> MathdslError:
    r"""The mistake of a set that no row declares; the row to paste."""
    if isinstance(whole, ast.Binary):
        help_text = r"write a condition, as in `\sum_{j : j \in \mathcal{N}_i \lor j = i}`"
        return unsupported(f"`{render_expression(whole)}` as a set", whole.span, help=help_text)
    shown, of = render_expression(whole), r"\{1, \dots, n\}"
    match index, whole:
        case ast.Group(), _:
            row = rf"{shown}_i \subseteq {of}, i = 1, \dots, n"  # pairs are named by their first ends
        case _, ast.Scripts(subscripts=(ast.Identifier() as other,)) | ast.Juxtaposition(
            factors=(_, ast.Group(items=(ast.Identifier() as other,)))
        ):
            row = rf"{shown} \subseteq {of}, {render_expression(other)} = 1, \dots, n"
        case _, ast.Identifier() | ast.Accent():
            row = rf"{shown} = {of}"
        case _:
            row = r"\mathcal{N}_i \subseteq \{1, \dots, n\}, i = 1, \dots, n"
    return refuse("E0505", f"nothing tells what `{shown}` holds", whole.span, help=f"say it in a row of a `where` table, `{row}`")


def _integer_power(reader: Reader, node: ast.Expression, create: bool) -> Poly | None:
    r"""`n^2` of sizes and indices, `2^m` of sizes; of index variables `2^i` is a value."""
    match node:
        case ast.Scripts(base=base, subscripts=subscripts, superscript=ast.Number(text=text)) if text.isdigit() and int(text) < 9:
            value = as_poly(reader, ast.Scripts(base, subscripts) if subscripts else base, create)
            total: Poly | None = Poly.of(1)
            for _ in range(int(text)):
                total = _combine(reader, "*", total, value, node.span)
            return total
        case ast.Scripts(base=ast.Number(text=text), subscripts=(), superscript=above) if above is not None and text.isdigit():
            exponent = as_poly(reader, above, create)
            return None if exponent is None else power_of(reader, int(text), reader.types.solver.value(exponent), node.span)
        case _:
            return None


def power_of(reader: Reader, base: int, exponent: Poly, span: Span) -> Poly | None:
    r"""`2^m` and `2 \cdot 2^m` of sizes, `\lfloor 2^m / 2 \rfloor` for `2^{m-1}`; None where the exponent is none of sizes."""
    step = int(next((c for monomial, c in exponent.terms if not monomial), 0))
    rest = exponent - step
    if base < 2 or not is_nonnegative(rest) or not rest.has_whole_terms or rest.names & reader.entries.axis_names:
        return None
    if rest.constant is not None:
        return Poly.of(base**step) if step >= 0 else None
    power = reader.types.extreme_size("pow", (Poly.of(base), rest), span)
    return power * base**step if step >= 0 else reader.types.extreme_size("floor_div", (power, Poly.of(base**-step)), span)


def _combine(reader: Reader, operator: str, left: Poly | None, right: Poly | None, span: Span) -> Poly | None:
    if left is None or right is None:
        return None
    if len(left.terms) * len(right.terms) > _MOST_TERMS:
        raise refuse("E0403", "this size has too many terms when it is multiplied out", span, help="give a factor a name of its own")
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*" | r"\cdot" | r"\times":
            return left * right
        case "/":
            quotient = left.divided_by(right)
            if quotient is not None and not quotient.fraction[1].names.isdisjoint(reader.entries.axis_names):
                return None  # `n/t` of an index `t` is a value
            return None if quotient is None or not quotient.has_whole_terms and not _is_size(reader, quotient) else quotient
        case _:
            return None


def _is_size(reader: Reader, quotient: Poly) -> bool:
    """Whether a quotient such as `n/2` or `g n/2` is of sizes, which the module is asked to divide; `t/2` of an index is a value."""
    factors = quotient.factors(reader.entries.axis_names).values()
    return bool(quotient.names) and all(factor.names or factor.has_whole_terms for factor in factors)


def length_of(reader: Reader, node: ast.Expression) -> Poly | None:
    """`|x|` of an array's name: the size of its first axis."""
    part = find_array(reader, node)
    if part is None or reader.find_binder(spelling_of(unaccent(node)) or NO_NAME):
        return None
    symbol, axis = part.symbol, axis_of(part, 0)
    symbol.shape = reader.types.shapes.split(symbol.shape, axis + 1)
    if len(symbol.shape.prefix) <= axis:
        return None
    symbol.used = True
    return reader.types.solver.value(symbol.shape.prefix[axis])


def _axis_size(reader: Reader, base: ast.Expression, axis: ast.Expression) -> Poly | None:
    """`x.\\sz{k}`: axis k counted with the batch as axis 0."""
    part = find_array(reader, base)
    if part is None or not isinstance(axis, ast.Number) or not axis.text.isdigit():
        return None
    symbol, number = part.symbol, int(axis.text)
    if number == 0:
        raise refuse(
            "E0408",
            "axis 0 is the batch, whose size a program does not see",
            axis.span,
            help="a program describes one example; its own axes are counted from 1",
        )
    found = axis_of(part, number - 1)
    symbol.shape = reader.types.shapes.split(symbol.shape, found + 1)
    if len(symbol.shape.prefix) <= found:
        count = len(symbol.shape.prefix) - (found + 1 - number)
        raise refuse(
            "E0408",
            f"`{symbol.latex}` has {count} {'axis' if count == 1 else 'axes'} beside the batch, so there is no axis {number}",
            axis.span,
            help="axis 0 is the batch; its own axes are 1, 2, …",
        )
    return reader.types.solver.value(symbol.shape.prefix[found])


def read_range(reader: Reader, node: ast.Expression) -> Range | None:
    r"""`\set{1, \dots, S}`, `\{0, \dots, n-1\}`, `\{0, 1\}`, `[V]`, a list `1, \dots, S`: a range of integers; None for anything else."""
    match node:
        case ast.SetDisplay(items=(first, ast.Dots(), last)) | ast.ListDisplay(items=(first, ast.Dots(), last)):
            return _bounds(reader, first, last)
        case ast.SetDisplay(items=(first, second, ast.Dots(), last)) | ast.ListDisplay(items=(first, second, ast.Dots(), last)):
            lower, then = as_poly(reader, first, True), as_poly(reader, second, True)
            if lower is not None and then is not None and (then - lower).constant == 1:
                return _bounds(reader, first, last)
            raise refuse(
                "E0505",
                "this range does not go up by one",
                node.span,
                help=r"write the first two elements one apart, as in `\{1, 2, \dots, n\}`",
            )
        case ast.SetDisplay(items=(first, _, *_) as items):
            values = [as_poly(reader, item, True) for item in items]
            goes_up = values[0] is not None and all(value == values[0] + step for step, value in enumerate(values))
            return _bounds(reader, first, items[-1]) if goes_up else None
        case ast.ListDisplay(items=(size,)):
            count = as_poly(reader, size, True)
            return None if count is None else Range(Poly.of(1), count)
        case ast.Group(items=(inner,)):
            return read_range(reader, inner)
        case _:
            return None


def _bounds(reader: Reader, first: ast.Expression, last: ast.Expression) -> Range | None:
    lower, upper = as_poly(reader, first, True), as_poly(reader, last, True)
    return None if lower is None or upper is None else Range(lower, upper)


def read_binding(reader: Reader, node: ast.Expression) -> tuple[ast.Expression, Range] | None:
    r"""The variable and range of `t = 1, \dots, S`, `t \in \{1, \dots, S\}`, `0 \leq t \leq L`; None where it is no range."""
    found = _read_binding(reader, node)
    if found is not None:
        name, bounds = found
        own = reader.find_size(spelling_of(name) or NO_NAME)
        if own is not None and own.name in bounds.lower.names | bounds.upper.names:
            raise refuse("E0505", f"the range of `{readable(own.spelling)}` ends at itself", node.span, help=r"write `t = 1, \dots, S`")
    return found


def read_ascending(reader: Reader, node: ast.Expression) -> tuple[ast.Expression, Range] | None:
    """A variable and its range, for the axis of an array: one that goes down is a mistake, while a sum over it has no terms."""
    found = read_binding(reader, node)
    if found is not None:
        check_ascending(reader, found[1], node.span)
    return found


def check_ascending(reader: Reader, bounds: Range, span: Span) -> None:
    """Refuse a range that ends below its lower end by more than the empty one does, at least where sizes are not tiny."""
    if goes_down(bounds.extent) and not bounds.extent.names & reader.entries.axis_names or is_nonnegative(bounds.extent) is False:
        equations = r"write the lower end first: the order is found by what is read, `h_{t+1}` before `h_t`; `x_{S-t}` reads backwards"
        turns = rf"for turns that go down, write `{bounds.lower}, \dots, {bounds.upper}` or `downto`"
        advice = turns if reader.written.base else equations
        raise refuse("E0505", f"this range goes down, from {bounds.lower} to {bounds.upper}", span, help=advice)


def read_size(reader: Reader, node: ast.Expression) -> Poly | None:
    """A size, which is not negative; None where the expression is none."""
    size = as_poly(reader, node, True)
    if size is not None:
        check_size(size, node.span)
    return size


def check_size(size: Poly, span: Span) -> None:
    """Refuse a size that is negative whatever its names stand for."""
    if is_nonnegative(size) is False:
        raise refuse("E0403", f"a size is not negative, and this is {size}", span, help="write how many elements there are")


def _read_binding(reader: Reader, node: ast.Expression) -> tuple[ast.Expression, Range] | None:
    match node:
        case ast.Relation(operators=("=" | r"\algoIs",), operands=(name, values)):
            bounds = read_range(reader, values)
            if bounds is None and (point := as_poly(reader, values, True)) is not None:
                bounds = Range(point, point)
            return None if bounds is None else (name, bounds)
        case ast.Relation(operators=(r"\in",), operands=(name, values)):
            bounds = read_range(reader, values)
            return None if bounds is None else (name, bounds)
        case ast.Relation(operators=(("<" | r"\leq") as low, ("<" | r"\leq") as high), operands=(first, name, last)):
            lower, upper = as_poly(reader, first, True), as_poly(reader, last, True)
            if lower is None or upper is None:
                return None
            return name, Range(lower + (low == "<"), upper - (high == "<"))
        case _:
            return None


def check_box(reader: Reader, bounds: Range, node: ast.Expression) -> None:
    """Refuse a bound that mentions an index variable: such domains are no boxes."""
    inner = {b.name for b in reader.binders}
    if (bounds.lower.names | bounds.upper.names) & inner:
        raise unsupported(
            "a range whose bound depends on another index",
            node.span,
            help=r"let it run over the whole range, and say by `cases` where there are elements",
        )


def name_of(node: ast.Expression) -> Name:
    """The spelling of an index variable."""
    spelling = word_of(node)
    if spelling is None:
        raise refuse("E0506", "an index variable is one name", node.span, help="use a single letter, such as `t`")
    return spelling
