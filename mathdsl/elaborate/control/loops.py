r"""Loops as the syntax shows them: the index variable, the ends of its range, and whether it goes up or down.

Equations have no order of turns: a loop that goes down hands a value from `i + 1` to `i`, and is written with its lower end first.
A range that another index moves is a range that none does, with a branch:

for i = 1..n: for j = i..n: y_{i,j} \gets e     ->     for i = 1..n: for j = 1..n: if i <= j: y_{i,j} \gets e
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import names_bound_in
from mathdsl.elaborate.report import unsupported
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, shifted, statements_in, transform, with_bodies


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop that is being read; its ends are None where the syntax does not show them."""

    node: ast.For
    variable: ast.Expression
    spelling: Name
    lower: ast.Expression | None
    upper: ast.Expression | None
    step: int = 1  # from turn to turn: 1 up, -1 down
    shift: int | None = 0  # what the variable is more than the author's; None where the author has no such variable

    def upwards(self, binding: ast.Expression) -> ast.Expression:
        """The binding with the lower end first."""
        return (
            binding
            if self.step > 0 or self.lower is None or self.upper is None
            else binding_over(self.variable, (self.lower,), self.upper, binding.span, self.shift)
        )

    def before(self, index: ast.Expression) -> ast.Expression:
        """The turn before that of an index."""
        return shifted(index, -self.step)

    def turns(self, what: str) -> tuple[ast.Expression, ast.Expression]:
        """The first turn and the last."""
        lower, upper = self.ends(what)
        return (lower, upper) if self.step > 0 else (upper, lower)

    def ends(self, what: str) -> tuple[ast.Expression, ast.Expression]:
        """Both ends; a mistake where they cannot be seen."""
        if self.lower is None or self.upper is None:
            help = r"write `t \in \set{1, \dots, S}`, or declare the array that it goes through, as in `x \in \mathbb{R}^n`"
            raise unsupported(f"{what} in a loop over anything but a range", self.node.binding.span, help=help)
        return self.lower, self.upper


def read_loop(node: ast.For, binding: ast.Expression) -> Loop:
    """The loop over a binding (`t \\in \\set{1, \\dots, S}`, `t = 1, \\dots, S`, `1 \\leq t \\leq S`)."""
    step = 1
    match binding:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
            lower, upper = ends_of(values)
            if lower is not None and upper is not None and goes_down(values):
                lower, upper, step = upper, lower, -1
        case ast.Relation(operators=(("<" | r"\leq") as low, ("<" | r"\leq") as high), operands=(first, variable, last)):
            lower, upper = shifted(first, int(low == "<")), shifted(last, -int(high == "<"))
        case _:
            raise unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
    spelling = word_of(variable)
    if spelling is None:
        raise unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
    return Loop(node, variable, spelling, lower, upper, step, shift_of(binding))


def with_plain_domains(procedure: ast.Procedure) -> ast.Procedure:
    r"""The procedure with domains behind its definitions that go up by one, with the lower end first.

    b_t \gets e_t \quad (t = T-1, \dots, 1)            ->      b_t \gets e_t \quad (t = 1, \dots, T-1)
    y_i \gets x_i \quad (i = 1, 3, \dots, 2 n - 1)     ->      y_{2 i - 1} \gets x_{2 i - 1} \quad (i = 1, \dots, n)
    """
    domains = (one for node in statements_in(procedure.body) if isinstance(node, ast.Definition) for one in node.domains)
    if not any(_descends(one) or stride(one) for one in domains):
        return procedure
    return replace(procedure, body=tuple(cast(ast.Statement, _ascending(node)) for node in procedure.body))


def _descends(domain: ast.Expression) -> bool:
    match domain:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(_, values)):
            return goes_down(values)
        case _:
            return False


def _ascending(node: ast.Node) -> ast.Node:
    match node:
        case ast.Definition():
            for position, domain in enumerate(node.domains):
                if (found := stride(domain)) is not None and not binds((node.value,), found[0]):
                    node = _one_by_one(node, position, *found)
            return replace(node, domains=tuple(map(_upwards, node.domains)))
        case ast.For() | ast.If() | ast.Branch() | ast.EquationGroup() | ast.While():
            return transform(node, _ascending)
        case _:
            return node


def stride(domain: ast.Expression) -> tuple[ast.Expression, int, int, ast.Expression] | None:
    r"""The variable, the first value, the step and the last value of `i = 2, 4, \dots, n`; None for every other domain."""
    match domain:
        case ast.Relation(
            operators=("=" | r"\in",),
            operands=(
                variable,
                ast.ListDisplay(items=(ast.Number(text=first), ast.Number(text=second), *rest, ast.Dots(), last))
                | ast.SetDisplay(items=(ast.Number(text=first), ast.Number(text=second), *rest, ast.Dots(), last)),
            ),
        ) if first.isdigit() and second.isdigit() and int(second) > int(first) + 1:
            step = int(second) - int(first)
            goes_on = all(item == ast.Number(str(int(second) + step * k)) for k, item in enumerate(rest, 1))
            return (variable, int(first), step, last) if goes_on else None
        case _:
            return None


def binds(parts: tuple[ast.Node, ...], variable: ast.Expression) -> bool:
    """Whether a variable stands for something else somewhere below these parts."""
    return any(word_of(variable) in names_bound_in(node) for part in parts for node in (part, *descendants(part)))


def counted(span: Span, variable: ast.Expression, first: int, step: int, last: ast.Expression) -> tuple[ast.Expression, ast.Expression]:
    """The value of a variable that goes by steps, where it counts them from 1 instead, and the range of that."""
    value = shifted(ast.Juxtaposition((ast.Number(str(step), span=span), variable), span=span), first - step)
    count = ast.Fraction(shifted(last, step - first), ast.Number(str(step), span=span), span=span)
    return value, binding_over(variable, (ast.Number("1", span=span),), count, span, None)


def with_value(node: ast.Node, variable: ast.Expression, value: ast.Expression) -> ast.Node:
    """The node with a value for a variable, in a parenthesis where it is no index alone."""
    match node:
        case ast.Scripts(subscripts=items, superscript=above) if variable in (*items, above):
            items = tuple(value if item == variable else item for item in items)
            node = replace(node, subscripts=items, superscript=value if above == variable else above)
        case ast.Indexing(items=items) if variable in items:
            node = replace(node, items=tuple(value if item == variable else item for item in items))
        case _ if node == variable:
            return value if isinstance(value, ast.Number) else ast.Group((value,), span=node.span)
        case _:
            pass
    return transform(node, lambda inner: inner if inner is value else with_value(inner, variable, value))


def _one_by_one(
    node: ast.Definition, position: int, variable: ast.Expression, first: int, step: int, last: ast.Expression
) -> ast.Definition:
    """A definition whose variable counts the values of such a domain."""
    value, domain = counted(node.domains[position].span, variable, first, step, last)
    target, result = (cast(ast.Expression, with_value(side, variable, value)) for side in (node.target, node.value))
    return replace(node, target=target, value=result, domains=(*node.domains[:position], domain, *node.domains[position + 1 :]))


def _upwards(domain: ast.Expression) -> ast.Expression:
    match domain:
        case ast.Relation(operands=(variable, values)) if _descends(domain):
            upper, lower = ends_of(values)
            return domain if lower is None or upper is None else binding_over(variable, (lower,), upper, domain.span, 0)
        case _:
            return domain


def shift_of(binding: ast.Expression) -> int | None:
    """What the variable of a range is more than the author's; None where the author has no such variable."""
    match binding:
        case ast.Relation(operands=(_, ast.SetDisplay(shift=shift))):
            return shift
        case _:
            return 0


def goes_down(values: ast.Expression) -> bool:
    r"""Whether a range counts down, `n, n-1, \dots, k`."""
    match values:
        case ast.Group(items=(inner,)):
            return goes_down(inner)
        case ast.SetDisplay(items=(first, second, *_, ast.Dots(), _)) | ast.ListDisplay(items=(first, second, *_, ast.Dots(), _)):
            return distance(first, second) == 1 or second == shifted(first, -1)
        case _:
            return False


def with_boxes(statements: tuple[ast.Statement, ...], around: tuple[Loop, ...] = ()) -> tuple[ast.Statement, ...]:
    """The statements with loops whose ranges no index moves."""
    return tuple(_with_boxes(node, around) for node in statements)


def _with_boxes(node: ast.Statement, around: tuple[Loop, ...]) -> ast.Statement:
    match node:
        case ast.For(binding=binding, body=body):
            loop = read_loop(node, binding)
            if loop.lower is None or loop.upper is None:
                return replace(node, body=with_boxes(body, (*around, loop)))
            lower, upper = extreme(loop.lower, around, -1), extreme(loop.upper, around, 1)
            if lower is loop.lower and upper is loop.upper:
                return replace(node, body=with_boxes(body, (*around, loop)))
            box = replace(loop, lower=lower, upper=upper)
            low = () if lower is loop.lower else (loop.lower,)
            high = () if upper is loop.upper else (loop.upper,)
            inside = ast.Relation((r"\leq",) * len(low + high), (*low, loop.variable, *high), span=binding.span)
            branch = ast.If((ast.Branch(inside, with_boxes(body, (*around, box)), span=node.span),), None, span=node.span)
            goes_up = loop.step > 0
            begin, end = ((lower,), upper) if goes_up else ((upper, shifted(upper, -1)), lower)
            range_ = binding_over(loop.variable, begin, end, binding.span, loop.shift)
            return replace(node, binding=range_, body=(branch,))
        case _:
            return with_bodies(node, lambda body: with_boxes(body, around))


def extreme(end: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression:
    """The greatest (least) that an end is while the loops around run."""
    written = end
    for loop in reversed(around):
        index = affine(end, of_quotients=True)
        factor = None if index is None else index.coefficient(str(loop.spelling))
        letters = {str(one.spelling) for one in around}
        if factor is None or not letters.isdisjoint(factor.names) or loop.lower is None or loop.upper is None:
            continue
        signs = {number * sign > 0 for _, number in factor.terms}  # sizes are not negative
        if len(signs) == 1:
            end = _put(end, loop.variable, loop.upper if True in signs else loop.lower)
    return end if end is written else simple(end, [known for loop in around for known in (loop.lower, loop.upper) if known is not None])


def simple(index: ast.Expression, known: Sequence[ast.Expression]) -> ast.Expression:
    """An index written short: `1` for `n - n + 1`, `n + 1` for `(n) + 1`."""
    value = affine(index)
    if value is None:
        return index
    if value.constant is not None and value.constant >= 0:
        return ast.Number(str(value.constant), span=index.span)
    for end in known:
        other = affine(end)
        if other is not None and (steps := (value - other).constant) is not None:
            return shifted(end, int(steps))
    return index


def _put(node: ast.Expression, variable: ast.Expression, value: ast.Expression) -> ast.Expression:
    """An end of a range at one turn of a loop around: `n - 1` for `n - i` at `i = 1`."""
    match node:
        case ast.Binary(operator="+" | "-" as operator, left=left, right=ast.Number(text=text)) if left == variable and text.isdigit():
            return shifted(value, int(text) if operator == "+" else -int(text))
        case _ if node == variable:
            return value if isinstance(value, (ast.Number, ast.Identifier)) else ast.Group((value,), span=node.span)
        case _:
            return cast(ast.Expression, transform(node, lambda child: _put(cast(ast.Expression, child), variable, value)))


def binding_over(
    variable: ast.Expression, first: tuple[ast.Expression, ...], last: ast.Expression, span: Span, shift: int | None
) -> ast.Expression:
    """A binding by its first number, or first two, and its last; `shift` is what the variable is more than the author's."""
    return ast.Relation((r"\in",), (variable, ast.SetDisplay((*first, ast.Dots(span=span), last), shift, span=span)), span=span)


def ends_of(values: ast.Expression) -> tuple[ast.Expression | None, ast.Expression | None]:
    """Both ends of a range; None where the syntax does not show them."""
    match values:
        case ast.SetDisplay(items=(first, *_, ast.Dots(), last)) | ast.ListDisplay(items=(first, *_, ast.Dots(), last)):
            return first, last
        case ast.ListDisplay(items=(size,)):
            return ast.Number("1", span=size.span), size
        case ast.Group(items=(inner,)):
            return ends_of(inner)
        case _:
            return None, None


def loop_over(variable: ast.Expression, lower: ast.Expression, upper: ast.Expression, body: ast.Statement) -> ast.For:
    """A loop of our own, at the place of its statement."""
    return ast.For(binding_over(variable, (lower,), upper, body.span, None), (body,), span=body.span)
