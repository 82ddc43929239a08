"""The diagnostics of what brackets, bars and scripts leave open: each shows both readings."""

from __future__ import annotations

from mathdsl.diagnostics import Diagnostic, Label, ambiguous, error
from mathdsl.diagnostics.readings import notation
from mathdsl.spans import Span
from mathdsl.syntax.frames import Frame
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.pairs import SIGNS, SPELLING


def space_before_bracket(symbol: Lexeme, bracket: Lexeme) -> Diagnostic:
    name = "{..}" if symbol.type == "RBRACE" else symbol.text
    labels = [Label(symbol.span, "after this symbol")]
    return ambiguous(notation.SPACE_BEFORE_BRACKET, bracket.span, label="a space stands before this bracket", labels=labels, name=name)


def parted_by_spaces(brackets: Span, before: Lexeme, after: Lexeme) -> Diagnostic:
    labels = [Label(before.span.to(after.span), "only a space stands here")]
    return ambiguous(notation.PARTED_BY_SPACES, brackets, label="a list, or a product in a parenthesis?", labels=labels)


def behind_a_space(space: Lexeme, first: Lexeme) -> Diagnostic:
    labels = [Label(space.span, "only a space parts them")]
    return ambiguous(notation.EQUATION_BEHIND_SPACE, first.span, label="of this equation", labels=labels)


def long_script(base: Lexeme | None, script: Lexeme, first: str, rest: str) -> Diagnostic:
    label, name = "only the first character would be the script", base.text if base is not None else "x"
    return ambiguous(notation.SCRIPT_OF_SEVERAL, script.span, label=label, base=name, mark=script.text, first=first, rest=rest)


def long_argument(command: Lexeme, word: Lexeme) -> Diagnostic:
    label, first, rest = "only the first letter would stand under the command", word.text[0], word.text[1:]
    return ambiguous(notation.ACCENT_OF_SEVERAL, word.span, label=label, command=command.text, first=first, rest=rest)


def mark_before_equals(before: Lexeme | None, span: Span) -> Diagnostic:
    return ambiguous(notation.MARK_BEFORE_EQUALS, span, label="a factorial, or a relation?", left="a" if before is None else before.text)


def bars_in_a_row(bar: Lexeme) -> Diagnostic:
    return ambiguous(notation.BARS_IN_A_ROW, bar.span, label="does this bar open or close?")


def bar_not_closed(frame: Frame) -> Diagnostic:
    pair = SIGNS[frame.closes_with]
    return error(
        "E0215",
        "this bar is not closed",
        frame.written.span,
        label="opened here",
        help=f"write `{pair.opening} .. {pair.closing}`; between a value and a condition write `\\mid`",
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
