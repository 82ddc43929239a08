"""The diagnostics of what brackets, bars and scripts leave open: each shows both readings."""

from __future__ import annotations

from mathdsl.diagnostics import Diagnostic, Label, error
from mathdsl.spans import Span
from mathdsl.syntax.frames import SPELLING, Frame
from mathdsl.syntax.lexemes import Lexeme


def space_before_bracket(symbol: Lexeme, bracket: Lexeme) -> Diagnostic:
    name = "{..}" if symbol.type == "RBRACE" else symbol.text
    return error(
        "E0210",
        f"`{name} [..]` has two readings",
        bracket.span,
        label="a space stands before this bracket",
        labels=[Label(symbol.span, "after this symbol")],
        notes=[f"`{name}[..]` without the space takes an element of `{name}`", f"`{name} \\cdot [..]` multiplies `{name}` by a list"],
        help=f"write `{name}[..]` for the element, an operator before a list, or `{name} (..)` if the brackets only group",
    )


def parted_by_spaces(brackets: Span, before: Lexeme, after: Lexeme) -> Diagnostic:
    return error(
        "E0210",
        "brackets around items that only a space parts have two readings",
        brackets,
        label="a list, or a product in a parenthesis?",
        labels=[Label(before.span.to(after.span), "only a space stands here")],
        notes=["`[a, b]` is a list of two", "`(a b)` is a product"],
        help="write `[a, b]` with a comma for the list, `(a b)` for the product",
    )


def behind_a_space(space: Lexeme, first: Lexeme) -> Diagnostic:
    return error(
        "E0220",
        "an equation stands behind this value without a mark",
        first.span,
        label="of this equation",
        labels=[Label(space.span, "only a space parts them")],
        help=r"write two statements, `\quad \text{for } t = 1, \dots, n` for a range, a row of `cases` for a condition",
    )


def long_script(base: Lexeme | None, script: Lexeme, first: str, rest: str) -> Diagnostic:
    name = base.text if base is not None else "x"
    mark = script.text
    return error(
        "E0211",
        f"`{name}{mark}{first}{rest}` has two readings",
        script.span,
        label="only the first character would be the script",
        notes=[f"`{name}{mark}{{{first}{rest}}}` is one script", f"`{name}{mark}{first} {rest}` is a product, which TeX would typeset"],
        help=f"write `{name}{mark}{{{first}{rest}}}`, or put a space after `{name}{mark}{first}`",
    )


def long_argument(command: Lexeme, word: Lexeme) -> Diagnostic:
    whole, first, rest = word.text, word.text[0], word.text[1:]
    return error(
        "E0211",
        f"`{command.text} {whole}` has two readings",
        word.span,
        label="only the first letter would stand under the command",
        notes=[f"`{command.text}{{{whole}}}` is one name", f"`{command.text}{{{first}}} {rest}` is a product, which TeX would typeset"],
        help=f"write `{command.text}{{{whole}}}`",
    )


def bars_in_a_row(bar: Lexeme) -> Diagnostic:
    return error(
        "E0214",
        "these bars can be paired in more than one way",
        bar.span,
        label="does this bar open or close?",
        help=r"write `\lvert .. \rvert` for a length or an absolute value, `\lVert .. \rVert` for a norm",
    )


def bar_not_closed(frame: Frame) -> Diagnostic:
    norm = frame.closes_with in ("BARS", "RNORM")
    pair = r"\lVert .. \rVert" if norm else r"\lvert .. \rvert"
    return error(
        "E0215",
        "this bar is not closed",
        frame.written.span,
        label="opened here",
        help=f"write `{pair}`; between a value and a condition write `\\mid`",
    )


def not_closed(frame: Frame, found: Lexeme | None) -> Diagnostic:
    closer = SPELLING.get(frame.closes_with, "}")
    labels = [Label(found.span, f"`{closer}` is needed before this")] if found is not None else []
    return error(
        "E0202",
        f"`{frame.written.text}` is not closed",
        frame.written.span,
        label="opened here",
        labels=labels,
        help=f"write `{closer}` where it ends",
    )


def not_opened(closer: Lexeme) -> Diagnostic:
    return error(
        "E0203",
        f"`{closer.text}` closes nothing",
        closer.span,
        label="no bracket is open here",
        help="remove it, or write the bracket that it closes",
    )


def sides_differ(frame: Frame, closer: Lexeme) -> Diagnostic:
    sized, plain = (frame.written, closer) if frame.written.side == "left" else (closer, frame.written)
    return error(
        "E0204",
        r"`\left` and `\right` come in pairs",
        sized.span,
        label="this one is sized",
        labels=[Label(plain.span, "this one is not")],
        help=r"write `\left( .. \right)` or `( .. )`",
    )


def too_deep(at: Lexeme, limit: int) -> Diagnostic:
    return error("E0216", f"more than {limit} brackets are open here", at.span, help="name the inner part in a definition of its own")


def stray_cell(at: Lexeme, where: str) -> Diagnostic:
    return error(
        "E0222",
        f"`&` cannot stand {where}",
        at.span,
        help=r"a row of `cases` is `value & condition \\`; in a matrix `&` stands between the entries",
    )
