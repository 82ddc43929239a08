"""How elaboration tells: errors, warnings and notes, each with a code of the catalogue."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.build import ambiguous
from mathdsl.diagnostics.model import Diagnostic, Diagnostics, Label, MathdslError
from mathdsl.diagnostics.readings.row import Ambiguity
from mathdsl.elaborate.names.versions import without_versions
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

OUTSIDE = "compute it in an `nn.Module` and pass that in: what is declared `\\in \\text{module}` is an argument of the constructor"
"""How to have a value that this version cannot compute."""
HANDED_ON = "take `{}` as an input, the last one in the header, return its new value as well, and give that to the next call"
"""How to keep a value from one call to the next, which no module of this version does."""


def refuse(
    code: str, message: str, span: Span, *, label: str = "", labels: tuple[Label, ...] = (), notes: tuple[str, ...] = (), help: str = ""
) -> MathdslError:
    """The author's mistake as an exception, for `raise refuse(…)`."""
    return MathdslError(Diagnostic(code, "error", message, span, label, labels, notes, help))


def undecided(row: Ambiguity, span: Span, *, label: str = "", labels: tuple[Label, ...] = (), **letters: str) -> MathdslError:
    """A notation with several readings which nothing chooses between, for `raise undecided(…)`."""
    return MathdslError(ambiguous(row, span, label=label, labels=labels, **letters))


def unsupported(what: str, span: Span, help: str) -> MathdslError:
    """A construct of the language that this version does not compile, and how to write it."""
    return refuse("E0701", f"{what} is not supported yet", span, help=help)


def unsupported_statement(node: ast.While | ast.Sampling | ast.Leave) -> MathdslError:
    """A statement of which nobody knows how often it runs, or what it gives."""
    if isinstance(node, ast.While):
        written, kind = (r"\Until{$c$}[N]", "repeat") if node.until else (r"\While{$c$}[N]", "while")
        turns = rf"say how many turns it takes at most, `{written}`, or write a loop over them, `\For{{$k = 1, \dots, N$}}`"
        return unsupported(f"a `{kind}` loop of which nothing says when it surely ends", node.span, turns)
    if isinstance(node, ast.Leave):
        return unsupported("leaving a loop here", node.span, "leave loops of procedures in the algorithm notations")
    name, distribution = render_expression(without_versions(node.target)), without_versions(node.distribution)
    match distribution:
        case ast.Juxtaposition(factors=(ast.Identifier(text="N", font="mathcal"), ast.Group(items=(mean, variance)))):
            deviation = _root(variance)
            if deviation is not None:
                formula = rf"{name} \gets {render_expression(mean)} + {render_expression(deviation)} \odot \epsilon"
                how = rf"take the noise as an input, `\epsilon \in \mathbb{{R}}^d` of the shape of `{name}`, and write `{formula}`"
                return unsupported("sampling", node.span, how)
        case _:
            pass
    return unsupported("sampling", node.span, f"take `{name}` as an input, and draw it where the module is called")


def _root(variance: ast.Expression) -> ast.Expression | None:
    r"""The deviation `\sigma` of `\sigma^2`, `\sigma^2 I`, `\operatorname{diag}(\sigma^2)`; None where no square is seen."""
    match variance:
        case ast.Scripts(superscript=ast.Number(text="2")):
            return replace(variance, superscript=None) if variance.subscripts else variance.base
        case ast.Juxtaposition(factors=(inner, ast.Identifier(text="I"))):
            return _root(inner)
        case ast.Juxtaposition(factors=(ast.Identifier(word="diag"), ast.Group(items=(inner,)))):
            return _root(inner)
        case _:
            return None


def warn(diagnostics: Diagnostics, code: str, message: str, span: Span, help: str = "") -> None:
    """A finding that does not stop the compiler."""
    diagnostics.add(Diagnostic(code, "warning", message, span, help=help))
