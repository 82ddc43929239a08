r"""Loops as the syntax shows them: the index variable and the ends of its range."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.elaborate.control.affine import shifted
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop that is being read; its ends are None where the syntax does not show them."""

    node: ast.For
    variable: ast.Expression
    spelling: Name
    lower: ast.Expression | None
    upper: ast.Expression | None

    def ends(self, what: str) -> tuple[ast.Expression, ast.Expression]:
        """Both ends; a mistake where they cannot be seen."""
        if self.lower is None or self.upper is None:
            raise unsupported(
                f"{what} in a loop over anything but a range", self.node.binding.span, help=r"write `t \in \set{1, \dots, S}`"
            )
        return self.lower, self.upper


def read_loop(node: ast.For, binding: ast.Expression) -> Loop:
    """The loop over a binding (`t \\in \\set{1, \\dots, S}`, `t = 1, \\dots, S`, `1 \\leq t \\leq S`)."""
    match binding:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
            lower, upper = ends_of(values)
            _check_goes_up(lower, upper, binding.span)
        case ast.Relation(operators=(("<" | r"\leq") as low, ("<" | r"\leq") as high), operands=(first, variable, last)):
            lower, upper = shifted(first, int(low == "<")), shifted(last, -int(high == "<"))
        case _:
            raise unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
    spelling = word_of(variable)
    if spelling is None:
        raise unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
    return Loop(node, variable, spelling, lower, upper)


def _check_goes_up(lower: ast.Expression | None, upper: ast.Expression | None, span: Span) -> None:
    r"""Refuse `S, \dots, 1`: what is read tells the order of turns, and a range that ends below its beginning is empty."""
    if isinstance(upper, ast.Number) and upper.text in ("0", "1") and isinstance(lower, (ast.Identifier, ast.Binary)):
        ends = f"from {render_expression(lower)} to {upper.text}"
        help = r"write the lower end first: the order is found by what is read, `h_{t+1}` before `h_t`; `x_{S-t}` reads backwards"
        raise refuse("E0505", f"this range goes down, {ends}", span, help=help)


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
    values = ast.SetDisplay((lower, ast.Dots(span=body.span), upper), span=body.span)
    return ast.For(ast.Relation((r"\in",), (variable, values), span=body.span), (body,), span=body.span)
