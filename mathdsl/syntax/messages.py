"""What is wrong where the parser stopped, in the author's terms: what was found, what could stand there."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import takewhile

from mathdsl.diagnostics import Diagnostic, Label, error
from mathdsl.spans import Span
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.lexemes import Lexeme, terminals
from mathdsl.syntax.nodes import Dots, Expression, Relation
from mathdsl.syntax.pairs import CLOSER, OPENER

_ENDS = {
    "STOP": "the end of the statement",
    "RHEAD": "the end of the header",
    "ENDROW": "the end of the row",
    "COMMENT": "the end of the statement",
    "TAG": "the end of the statement",
    "DESCRIPTION": "the end of the row",
    "CELL": "`&`",
    "NEXTROW": r"`\\`",
    "$END": "the end of the program",
}
_OPERATORS = terminals("PLUS MINUS TIGHT LOOSE JOIN RELATION AND OR NOT GETS POWER REDUCTION FORALL RETURN ASSERT SUB SUP DOT")
_FAR = 500  # lexemes back, where what a mistake belongs to is looked for
_BOUNDS = terminals("STOP LHEAD RHEAD ENDROW ERROR MODULE PROC PROCEDURE FUNCTION GROUP ENDGROUP WHERE ENDWHERE") | terminals(
    "REQUIRE ENSURE ELSE ENDFOR ENDWHILE ENDIF ENDMODULE ENDPROC ENDPROCEDURE ENDFUNCTION RETURN"
)
_PROGRAMS = terminals("MODULE PROC PROCEDURE FUNCTION")
_CONDITIONS = terminals("IF ELSEIF WHILE ENDREPEAT")
_MARKS = terminals("PLUS MINUS TIGHT LOOSE")
_SIGNS = _BOUNDS | {"GETS"}
_SEPARATORS = terminals("COMMA SEMICOLON COLON CELL NEXTROW")


def unexpected(lexemes: Sequence[Lexeme], at: int, expected: Set[str]) -> Diagnostic:
    """The diagnostic for lexeme `at`, which the parser cannot take where it would take `expected`."""
    found = lexemes[at]
    before = lexemes[at - 1] if at else found
    if expected == {"LBRACE"} or (
        "LBRACE" in expected and before.type in ("FRACTION", "ROOT", "MACRO", "MACRO2", "FONT", "ACCENT", "SIZE")
    ):
        return _needs_braces(lexemes, at)
    named = _program_name(lexemes, at) or _mark(lexemes, at)
    if named is not None:
        return named
    if before.type in ("SUB", "SUP"):
        return error("E0208", f"`{before.text}` has no script", before.span, help=f"write `{before.text}{{..}}`")
    if "LPAR" in expected and "PLUS" not in expected:
        return _missing_operand(lexemes, at)
    return _not_here(lexemes, at, expected)


def _program_name(lexemes: Sequence[Lexeme], at: int) -> Diagnostic | None:
    r"""What is no name where a program has its own: `\Module{my net}`."""
    head = next((k for k in range(at - 1, max(0, at - _FAR), -1) if lexemes[k].type in ("LHEAD", "RHEAD")), 0)
    if lexemes[head].type != "LHEAD" or lexemes[head - 1].type not in _PROGRAMS:
        return None
    command = lexemes[head - 1]
    end = next((k for k in range(at, len(lexemes)) if lexemes[k].type in _BOUNDS), at)
    if end == head + 1:
        return error("E0226", f"`{command.text}` names nothing", command.span, help=rf"write a name, `{command.text}{{Net}}`")
    written = "".join(" " * (k > head + 1 and lexemes[k - 1].end < lexemes[k].start) + lexemes[k].text for k in range(head + 1, end))
    letters = "".join(character for character in written if character.isalnum())
    example = letters if letters[:1].isalpha() else "Net2"
    help_text = f"a name is one word of letters and digits, the first a letter: `{command.text}{{{example}}}`"
    return error("E0226", f"`{written}` is not a name", lexemes[min(at, end - 1)].span, help=help_text)


def _mark(lexemes: Sequence[Lexeme], at: int) -> Diagnostic | None:
    """A script that is an operator alone: `P^*`, `x_k^-`, `q^{+}`."""
    place = next((k for k in (at, at - 1) if k > 0 and lexemes[k].type in _MARKS), None)
    if place is None:
        return None
    before = [lexeme.type for lexeme in lexemes[max(0, place - 2) : place]]
    if before[-1] not in ("SUB", "SUP") and not (before[-1] == "LBRACE" and before[0] in ("SUB", "SUP")):
        return None
    script = lexemes[place - 1] if before[-1] in ("SUB", "SUP") else lexemes[place - 2]
    text = lexemes[place].text
    after = lexemes[place + 1] if place + 1 < len(lexemes) else None
    if text == "-" and script is lexemes[place - 1] and after is not None and after.start == lexemes[place].end:
        whole = f"{script.text}{{{text}{after.text}}}"
        what = f"`{script.text}{text}` ends before what it is the sign of"
        return error("E0208", what, lexemes[place].span, help=f"write braces around the whole script, `{whole}`")
    if script.type == "SUB":
        return error("E0208", f"`{text}` is no index", lexemes[place].span, help=r"a whole axis is marked between commas, `x_{\cdot,k}`")
    return error(
        "E0208",
        f"`{script.text}{text}` is neither an index nor a power",
        lexemes[place].span,
        help=r"part of a name is an accent, a prime or a word: `\hat{x}`, `x'`, `x_{\mathrm{new}}`",
    )


def _quoted(lexeme: Lexeme) -> str:
    return _ENDS.get(lexeme.type) or f"`{lexeme.text}`"


def _needs_braces(lexemes: Sequence[Lexeme], at: int) -> Diagnostic:
    command = next((lexeme for lexeme in reversed(lexemes[max(0, at - _FAR) : at]) if lexeme.text.startswith("\\")), lexemes[at - 1])
    pattern = {r"\frac": r"\frac{a}{b}", r"\sqrt": r"\sqrt{x}", r"\drop": r"\drop{x}{p}", r"\Call": r"\Call{F}{x}"}
    return error(
        "E0223",
        f"`{command.text}` needs its argument in braces",
        command.span,
        labels=[Label(lexemes[at].span, "a brace is needed before this")] if lexemes[at].text else [],
        help=f"write `{pattern.get(command.text, command.text + '{x}')}`",
    )


def _missing_operand(lexemes: Sequence[Lexeme], at: int) -> Diagnostic:
    found = lexemes[at]
    before = lexemes[at - 1] if at else found
    if found.type == "MINUS" and before.type in ("PLUS", "MINUS", "TIGHT", "LOOSE", "POWER"):
        return error("E0225", f"a minus sign directly after `{before.text}`", found.span, help=f"write `{before.text} (-x)`")
    if before.type in _OPERATORS:
        advice = r"`||` after a value joins: write `\lVert x \rVert` for a norm" if before.text == "||" else ""
        advice = r"a remark is written `\Comment{…}`" if before.text == found.text == "/" else advice
        return error(
            "E0208", f"nothing stands to the right of `{before.text}`", before.span, label=f"{_quoted(found)} follows", help=advice
        )
    if before.type in CLOSER or before.type in _SEPARATORS or before.type == "LHEAD":
        if found.type in _OPERATORS:
            return error("E0208", f"nothing stands to the left of `{found.text}`", found.span, label="a value must stand before this")
        place = (found if found.text else _written_before(lexemes, at)).span
        return error("E0208", f"something is missing before {_quoted(found)}", place, label="a value must stand here")
    reduction = next((lexeme for lexeme in reversed(lexemes[max(0, at - _FAR) : at]) if lexeme.type in ("REDUCTION", "STOP")), None)
    if reduction is not None and reduction.type == "REDUCTION":
        return error("E0208", f"nothing stands to the right of `{reduction.text}`", reduction.span, label=f"{_quoted(found)} follows")
    if found.type in _OPERATORS:
        return error("E0208", f"nothing stands to the left of `{found.text}`", found.span, label="a value must stand before this")
    return error("E0209", f"{_quoted(found)} cannot stand here", found.span, label="a value could stand here")


def _not_here(lexemes: Sequence[Lexeme], at: int, expected: Set[str]) -> Diagnostic:
    found, before = lexemes[at], _written_before(lexemes, at)
    match found.type:
        case "GETS" if _is_in_condition(lexemes, at):
            return error("E0209", "the sign of a definition stands in a condition", found.span, help="write `=` for a comparison")
        case "GETS" | "RETURN" | "ASSERT" if not _is_bracketed(lexemes, at):
            return _missing_break(lexemes, at)
        case "NUMBER" if before.text.startswith(r"\text{"):
            choice = r"a choice is written `\begin{cases} a & c \\ b & \text{otherwise} \end{cases}`"
            return error("E0209", f"{_quoted(found)} cannot stand here", found.span, label=f"after the words `{before.text}`", help=choice)
        case "NUMBER":
            index = rf"; an index is `{before.text}_{{{found.text}}}`" if before.type == "NAME" and found.text.isdigit() else ""
            return error(
                "E0224",
                f"the number `{found.text}` stands directly after `{before.text}`",
                found.span,
                help=f"a number stands first in a product{index}",
            )
        case "COMMA":
            return error("E0220", "a comma stands where one value fits", found.span, help=_instead_of_comma(lexemes, at))
        case "NEXTROW" | "ENDCASES" if "CELL" in expected:
            message = "this row of `cases` has no condition"
            return error("E0222", message, before.span, help=r"write `value & condition \\` or `value & \text{otherwise}`")
        case "OTHERWISE" | "CELL" | "NEXTROW":
            return error("E0222", f"{_quoted(found)} cannot stand here", found.span, help=r"a row of `cases` is `value & condition \\`")
    help_text = "an operator, or the end of what stands before it, could stand here"
    return error(
        "E0209",
        f"{_quoted(found)} cannot stand here",
        found.span if found.text else before.span,
        label=f"after `{before.text}`",
        help=help_text,
    )


def _instead_of_comma(lexemes: Sequence[Lexeme], at: int) -> str:
    r"""What a comma between two values may have been meant for: the point of `1,5`, the `and` of `$x > 0, y > 0$`."""
    before, behind = lexemes[at - 1], lexemes[at + 1] if at + 1 < len(lexemes) else lexemes[at]
    if before.type == behind.type == "NUMBER":
        return f"write a point, `{before.text}.{behind.text}`, for a decimal, or one value"
    here = takewhile(lambda lexeme: lexeme.type not in _BOUNDS, reversed(lexemes[max(0, at - _FAR) : at]))
    if any(lexeme.type == "RELATION" for lexeme in here):
        return r"write `\land` between two conditions that both must hold"
    return "write one value, or give each a name of its own, in two statements"


def _written_before(lexemes: Sequence[Lexeme], at: int) -> Lexeme:
    """The nearest lexeme before `at` that has characters: a mark of the layout step has none to point at."""
    return next((lexeme for lexeme in reversed(lexemes[max(0, at - _FAR) : at]) if lexeme.text), lexemes[at])


def _is_bracketed(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether a bracket of the same region is open before `at`."""
    depth = 0
    for lexeme in reversed(lexemes[:at]):
        if depth < 0 or lexeme.type in _BOUNDS:
            break
        depth += (lexeme.type in OPENER) - (lexeme.type in CLOSER)
    return depth < 0


def _is_in_condition(lexemes: Sequence[Lexeme], at: int) -> bool:
    r"""Whether `at` stands between the braces of `\If{$k = 0$}` and its like, or behind the `&` of a row of `cases`."""
    start = next((k for k in range(at, max(0, at - _FAR), -1) if lexemes[k].type in _BOUNDS | {"CELL"}), at)
    return lexemes[start].type == "CELL" or lexemes[start].type == "LHEAD" and lexemes[start - 1].type in _CONDITIONS


def find_statement_start(lexemes: Sequence[Lexeme], at: int) -> int | None:
    r"""Where the statement begins whose sign at `at` the parser could not take, if it is one; a target is a run of touching lexemes."""
    if lexemes[at].type in ("RETURN", "ASSERT"):
        return at
    if lexemes[at].type != "GETS":
        return None
    start = at
    while start > 0 and lexemes[start - 1].type not in _SIGNS and (start == at or lexemes[start - 1].end == lexemes[start].start):
        start -= 1
    return None if start == at or lexemes[start - 1].type in _SIGNS else start


def _missing_break(lexemes: Sequence[Lexeme], at: int) -> Diagnostic:
    start = find_statement_start(lexemes, at)
    first = lexemes[at if start is None else start]
    header = next((lexeme.type for lexeme in reversed(lexemes[max(0, at - _FAR) : at]) if lexeme.type in _PROGRAMS), "")
    is_algorithm = header in ("PROCEDURE", "FUNCTION")
    separator, near = r"\\", rf"write `\\` before `{first.text}`"
    if is_algorithm:
        separator, near = r"\State", rf"end the formula before `{first.text}`, and begin another one, `\State ${first.text} …$`"
    return error("E0207", f"`{separator}` is missing between two statements", first.span, label="a new statement starts here", help=near)


# ---- statements -----------------------------------------------------------------------------------


def comma_list_instead(items: tuple[Expression, ...], span: Span, why: str) -> Diagnostic:
    """Several values where one fits, and what they may be instead."""
    near = r"write `(a, b) \gets …` with a name for each value, or `[a, b]` for both end to end"
    if any(isinstance(item, Dots) for item in items):
        near = r"write parentheses around the list, `(x_1, \dots, x_n)`"
    return error("E0220", f"{why}, and a comma list stands here", span, label="the second value", help=near)


def unmarked_range(span: Span) -> Diagnostic:
    r"""A range that nothing parts from the value before it, `2 x_i i = 1, \dots, n`."""
    what = "the range of an index stands behind this value without a mark"
    return error(
        "E0220", what, span, label="of this range", help=r"write a comma or `\quad` before it, `y_i \gets 2 x_i \quad (i = 1, \dots, n)`"
    )


def as_definition(items: tuple[Expression, ...]) -> str:
    r"""How a statement is written as one: `x \gets e` for `x \to e`."""
    match items:
        case (Relation((r"\to",), (target, value)),):
            return rf"write `{render_expression(target)} \gets {render_expression(value)}` for a definition"
        case (Relation((r"\to", *operators), (_, *operands)),):
            rest = Relation(tuple(operators), tuple(operands))
            return rf"write `{render_expression(rest)}` for the definition alone"
        case (Relation(),):
            return r"write `\Assert` before it for a condition that holds, or `x \gets …` for a definition"
        case _:
            return r"a definition is `x \gets ..`; prose stands outside the program or in `\Comment{..}`"
