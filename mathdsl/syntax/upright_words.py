r"""Words in a formula that are read as the signs they stand for, in any upright font: `i = 1 \text{ to } n`, `\mathbf{not}\ c`.

A word in a script is part of a name, `y_{\text{true}}`, and stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.diagnostics import MathdslError, error
from mathdsl.syntax.lexemes import Lexeme, terminals
from mathdsl.syntax.pairs import CLOSER, OPENER, VALUE_ENDS
from mathdsl.syntax.words import split_named

_LOGIC = {"not": ("NOT", r"\lnot"), "and": ("AND", r"\land"), "or": ("OR", r"\lor")}
_TRUTH = {"true": "c", "false": r"\lnot c"}
_VALUES = {"true": r"\algoTrue", "false": r"\algoFalse"}
_COMMANDS = frozenset((r"\True", r"\TRUE", r"\False", r"\FALSE"))  # of packages for algorithms
_UP, _DOWN, _OPEN = ("to",), ("downto", "down to"), ("until", "upto", "through")
_READ = frozenset({*_LOGIC, *_TRUTH, *_UP, *_DOWN, *_OPEN})
_OPERAND_ENDS = VALUE_ENDS | terminals("WORD NAME NAMED NUMBER PRIME FACTORIAL")
_OPERAND_BEGINS = terminals("WORD NAME NAMED NUMBER LPAR LBRACE FRACTION FONT ACCENT MINUS BAR LFLOOR LCEIL OPTIONAL_REDUCTION")
_BOLD = frozenset({r"\mathbf", r"\boldsymbol", r"\bm"})
_SEPARATORS = terminals("COMMA SEMICOLON FORALL AMPERSAND NEXTROW")


def read_words(lexemes: list[Lexeme]) -> list[Lexeme]:
    """The lexemes with these words read; a range whose end a word leaves open is refused."""
    lexemes, bold = _with_bold_words(lexemes)
    if not any(_content(lexeme) in _READ for lexeme in lexemes):
        return lexemes
    read: list[Lexeme] = []
    for at, lexeme in enumerate(lexemes):
        content = _content(lexeme)
        if content not in _READ or _is_in_script(lexemes, at):
            read.append(lexeme)
        elif content in _LOGIC:
            read.append(lexeme if content != "not" and lexeme.type == "TEXT" else lexeme.become(*_LOGIC[content]))
        elif content in _TRUTH and at and lexemes[at - 1].type == "GETS":
            read.append(lexeme.become("NAME", _VALUES[content]))
        elif content in _TRUTH:
            help_text = f"write the condition alone: `{_TRUTH[content]}` for `c = {content}`"
            raise MathdslError(error("E0209", f"`{content}` is not written as a value", lexeme.span, help=help_text))
        else:
            _read_range(read, lexeme, content, lexemes[at + 1 :])
    return [part for lexeme in read for part in bold.get(id(lexeme), (lexeme,))]


def _with_bold_words(lexemes: list[Lexeme]) -> tuple[list[Lexeme], dict[int, tuple[Lexeme, ...]]]:
    r"""The lexemes with each of these words in bold, `\mathbf{to}`, as one, and what each of them was: a name where it is not read."""
    places = [at for at, lexeme in enumerate(lexemes) if lexeme.text in _READ and lexeme.type == "WORD" and _is_bold(lexemes, at)]
    joined, bold = list(lexemes), dict[int, tuple[Lexeme, ...]]()
    for at in reversed(places):
        parts = tuple(lexemes[at - 2 : at + 2])
        font, *_, end = parts
        word = Lexeme("NAMED", rf"{font.text}{{{lexemes[at].text}}}", font.start, end.end, font.span.to(end.span))
        joined[at - 2 : at + 2] = [word]
        bold[id(word)] = parts
    return joined, bold


def _is_bold(lexemes: list[Lexeme], at: int) -> bool:
    """Whether a word stands alone in the braces of a bold font."""
    before, after = lexemes[max(at - 2, 0) : at], lexemes[at + 1 : at + 2]
    return [lexeme.type for lexeme in (*before, *after)] == ["FONT", "LBRACE", "RBRACE"] and before[0].text in _BOLD


def _read_range(read: list[Lexeme], lexeme: Lexeme, content: str, rest: Sequence[Lexeme]) -> None:
    r"""Put `, \dots ,` for the word between two bounds behind `i =`."""
    after = next((one for one in rest if one.type != "QUAD"), None)
    end = len(read)
    while end and read[end - 1].type == "QUAD":
        end -= 1
    if not end or read[end - 1].type not in _OPERAND_ENDS or after is None or after.type not in _OPERAND_BEGINS:
        read.append(lexeme)
        return
    sign = _sign(read[:end])
    if sign is None or content in _OPEN:
        what = f"`{content}` stands between the ends of a range, and a range says its last index"
        raise MathdslError(error("E0209", what, lexeme.span, help=r"write `i = 1, \dots, n`, or `i = 1 \text{ to } n`"))
    del read[end:]
    first = read[sign + 1 :]
    read[sign] = read[sign].become("RELATION", "=")
    comma, dots = lexeme.become("COMMA", ","), lexeme.become("DOTS", r"\to")
    second = (comma, *first, lexeme.become("MINUS", "-"), lexeme.become("NUMBER", "1")) if content in _DOWN else ()
    read.extend((*second, comma, dots, comma))


def _sign(read: Sequence[Lexeme]) -> int | None:
    """Where the sign stands behind the index whose range this is; None where there is none."""
    depth = 0
    for at in range(len(read) - 1, -1, -1):
        lexeme = read[at]
        depth += (lexeme.type in OPENER) - (lexeme.type in CLOSER)
        if depth < 0 or depth == 0 and lexeme.type in _SEPARATORS:
            return None
        if depth == 0 and (lexeme.text in ("=", r"\in") or lexeme.type == "GETS"):
            return at
    return None


def _content(lexeme: Lexeme) -> str:
    if lexeme.text in _COMMANDS:
        return lexeme.text[1:].lower()
    content = split_named(lexeme.text)[1] if lexeme.type in ("TEXT", "NAMED") else ""
    return content.lower() if content.lower() in _TRUTH else content


def _is_in_script(lexemes: Sequence[Lexeme], at: int) -> bool:
    """Whether a word stands in a script that is no range, where it is part of a name."""
    if at and lexemes[at - 1].type in ("SUB", "SUP"):
        return True
    depth = 0
    for before in range(at - 1, 0, -1):
        lexeme = lexemes[before]
        depth += (lexeme.type in OPENER) - (lexeme.type in CLOSER)
        if depth < 0:
            return lexemes[before - 1].type in ("SUB", "SUP")
        if depth == 0 and (lexeme.type == "RELATION" or lexeme.text == "="):
            return False
    return False
