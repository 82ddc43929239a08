r"""Lines of the algorithmic notation in the terms of the others: formulas told from text, the words of the text read.

    \For{$t = 1$ to $S$} \State $a \gets 1$; $b \gets 2$ \EndFor
    → FOR { t = 1 , \dots , S } ⟨a \gets 1⟩ ENDLINE ⟨b \gets 2⟩ ENDLINE ENDFOR

A line runs from its command to the next one, whatever breaks stand in it. `BROKEN` stands for text that was reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from types import MappingProxyType

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, MathdslError, error
from mathdsl.syntax.formulas import Piece, find_close, join_name, join_names, read_formulas
from mathdsl.syntax.lexemes import Lexeme, mark, terminals
from mathdsl.syntax.pairs import CLOSER, OPENER
from mathdsl.syntax.prose import report_prose, take_description, take_remark_behind, take_remarks

_ENTERS = terminals("PROCEDURE FUNCTION REQUIRE ENSURE STATE")
_LEAVES = terminals("MODULE PROC ENDMODULE ENDPROC")
_ENDS = terminals("ENDPROCEDURE ENDFUNCTION")
_STARTS = _ENTERS | terminals("FOR ENDFOR WHILE ENDWHILE IF ELSEIF ELSE ENDIF REPEAT ENDREPEAT LOOP ENDLOOP")
_RESULTS = terminals("RETURN ASSERT LEAVE")

_Words = Mapping[str, tuple[str, str]]
_CONDITION: _Words = MappingProxyType(
    {
        "and": ("AND", r"\land"),
        "or": ("OR", r"\lor"),
        "not": ("NOT", r"\lnot"),
        "in": ("RELATION", r"\in"),
        "divides": ("RELATION", r"\mid"),
    }
)
_RANGE: _Words = MappingProxyType(
    {
        "to": ("TO", r"\To"),
        "each": ("SKIP", ""),
        "all": ("SKIP", ""),
        "from": ("RELATION", "="),
        "downto": ("DOWN", ""),
        "down": ("DOWN", ""),
        "step": ("STEP", ""),
        "by": ("STEP", ""),
        "in": ("RELATION", r"\in"),
    }
)
_DECLARED: _Words = MappingProxyType({"and": ("COMMA", ","), "in": ("RELATION", r"\in"), "for": ("COMMA", ","), "all": ("SKIP", "")})
_STATED: _Words = MappingProxyType({"and": ("SEMICOLON", ";"), "for": ("FORALL", r"\forall"), "all": ("SKIP", "")})
"""Words between formulas that are read, by what stands there: a condition, a loop's range, declarations, statements."""

_HEADERS: Mapping[str, tuple[_Words, ...]] = MappingProxyType(
    {
        "PROCEDURE": (_DECLARED, _DECLARED),
        "FUNCTION": (_DECLARED, _DECLARED),
        "FOR": (_RANGE,),
        "WHILE": (_CONDITION,),
        "ENDREPEAT": (_CONDITION,),
        "IF": (_CONDITION,),
        "ELSEIF": (_CONDITION,),
    }
)
_LAST_WORDS = frozenset({"do", "then"})
"""Words that may end a header."""

_UPDATES = terminals("PLUS MINUS LOOSE")
_GIVES = frozenset({"return", "returns", "output", "outputs"})
_LEFT = {"break": r"\Break", "continue": r"\Continue"}
_UNSUPPORTED = {"LOOP": "ENDLOOP"}


@dataclass(slots=True)
class _Line:
    """A line's command, None for what stands after the end of an environment; and what follows it."""

    start: Lexeme | None
    content: list[Lexeme] = field(default_factory=list)

    @property
    def is_fresh(self) -> bool:
        return self.start is not None and self.start.type == "STATE" and all(lexeme.type == "DISPLAY" for lexeme in self.content)


def resolve_lines(lexemes: list[Lexeme], diagnostics: Diagnostics) -> list[Lexeme]:
    """The lexemes of a chunk, those of its programs in algorithmic notation as the layout step reads them."""
    if not any(lexeme.type in _ENTERS for lexeme in lexemes):
        return lexemes
    reader = _Reader(diagnostics)
    return [lexeme for part in _split(lexemes) for lexeme in (reader.read(part) if isinstance(part, _Line) else (part,))]


def _split(lexemes: Sequence[Lexeme]) -> Iterator[_Line | Lexeme]:
    """Lines inside of programs in this notation; every other lexeme as it is, tables among them."""
    line: _Line | None = None
    inside = in_table = False
    for lexeme in lexemes:
        is_edge = lexeme.type in ("BEGIN", "END") and any(
            name in lexeme.text for name in ("{where}", "{group}", "{algorithmic}", "{algorithm}")
        )
        starts = lexeme.type in _STARTS if inside else lexeme.type in _ENTERS
        starts = starts or (inside and lexeme.type in _RESULTS and (line is None or not line.is_fresh))
        if is_edge or lexeme.type in _LEAVES or lexeme.type in _ENDS or (starts and not in_table):
            if line is not None:
                yield line
            line = None
        if is_edge:
            in_table = lexeme.type == "BEGIN" and "{where}" in lexeme.text
            inside = inside and "{algorithm" not in lexeme.text
            yield lexeme
        elif lexeme.type in _LEAVES or lexeme.type in _ENDS:
            inside = in_table = False
            yield lexeme
        elif in_table or not (starts or inside):
            yield lexeme
        elif starts:
            line, inside = _Line(lexeme), True
        else:
            line = line or _Line(None)
            line.content.append(lexeme)
    if line is not None:
        yield line


class _Reader:
    """Reads line after line; remembers the loops that are open and not supported."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._unsupported: list[str] = []

    def read(self, line: _Line) -> Iterator[Lexeme]:
        pieces = join_names(read_formulas(line.content, self._diagnostics))
        if line.start is None:
            yield from self._statements(pieces)
            return
        match line.start.type:
            case "STATE":
                yield from self._statements(pieces)
            case "RETURN" | "ASSERT" | "LEAVE":
                yield from self._statements([Piece(line.start, True), *pieces])
            case "REQUIRE" | "ENSURE":
                yield from self._declarations(line.start, pieces)
            case "LOOP" | "ENDLOOP":
                yield from self._statements(self._unsupported_loop(line.start, pieces))
            case terminal:
                yield line.start
                yield from self._header(line.start, pieces, _HEADERS.get(terminal, ()))

    def _unsupported_loop(self, start: Lexeme, pieces: list[Piece]) -> list[Piece]:
        """What stands after the command."""
        if start.type in _UNSUPPORTED:
            self._unsupported.append(_UNSUPPORTED[start.type])
            message = f"a loop with `{start.text}` is not supported yet"
            advice = r"write `\For{$t = 1, \dots, S$}`, or `\While{$c$}[N]` for at most N turns"
            self._diagnostics.add(error("E0712", message, start.span, help=advice))
        elif start.type in self._unsupported:
            self._unsupported.remove(start.type)
        else:
            opener = next(opener for opener, closer in _UNSUPPORTED.items() if closer == start.type)
            message = f"`{start.text}` closes nothing"
            help_text = f"remove it, or write `\\{opener.capitalize()}` where the loop begins"
            self._diagnostics.add(error("E0206", message, start.span, label="no such block is open here", help=help_text))
        return pieces

    # ---- headers ---------------------------------------------------------------------------------

    def _header(self, start: Lexeme, pieces: list[Piece], arguments: tuple[_Words, ...]) -> Iterator[Lexeme]:
        at = 0
        for position, words in enumerate(arguments):
            end = find_close(pieces, at)
            if position == 1 and at == len(pieces):
                yield mark("ENDLINE", pieces[-1].lexeme, after=True)
                return  # `\Procedure{N}` takes what it requires
            if end is None:
                yield from (piece.lexeme for piece in pieces[at:] if at < len(pieces) and pieces[at].lexeme.type == "LBRACE")
                yield mark("ENDLINE", (pieces[-1].lexeme if pieces else start), after=True)
                return
            inner = pieces[at + 1 : end]
            yield pieces[at].lexeme
            if len(arguments) == 2 and position == 0:
                yield from (piece.lexeme for piece in join_name(inner))
            else:
                read = list(self._read(inner, words))
                yield from _as_range(read) if start.type == "FOR" else read
            yield pieces[end].lexeme
            at = end + 1
        if find_close(pieces, at) == at + 1:
            at += 2  # the `{}` of `\Else{}`
        if start.type in ("WHILE", "ENDREPEAT") and (bound := find_close(pieces, at, "LSQB")) is not None:
            yield from (piece.lexeme for piece in pieces[at : bound + 1])
            at = bound + 1
        yield from self._statements(pieces[at:])

    def _read(self, pieces: list[Piece], words: _Words) -> Iterator[Lexeme]:
        """The lexemes of an argument: its formulas, and the words between them."""
        if pieces and not pieces[-1].is_formula and pieces[-1].lexeme.text in _LAST_WORDS:
            pieces = pieces[:-1]
        yield from (piece.lexeme for piece in self._words(pieces, words))

    def _words(self, pieces: list[Piece], words: _Words) -> list[Piece]:
        if words.get("and", ("",))[0] in ("COMMA", "SEMICOLON"):
            pieces = [piece for before, piece in zip((None, *pieces), pieces, strict=False) if not _is_comma_and(before, piece)]
        pieces = _with_parities(pieces) if words is _CONDITION else pieces
        read = [piece if piece.is_formula else _as_word(piece, words) for piece in pieces]
        return report_prose(take_remarks(read) if words is _STATED else read, tuple(words), self._diagnostics)

    # ---- declarations and statements -------------------------------------------------------------

    def _declarations(self, start: Lexeme, pieces: list[Piece]) -> Iterator[Lexeme]:
        r"""`\Require` and what it declares, in a block of its own; a semicolon between two items is a comma."""
        if len(pieces) > 1 and find_close(pieces, 0) == len(pieces) - 1:
            pieces = pieces[1:-1]  # \KwIn{..}
        last = pieces[-1].lexeme if pieces else start
        pieces = take_description(pieces, _DECLARED, is_result=start.type == "ENSURE")
        yield start
        depth = 0
        for lexeme in self._read(pieces, _DECLARED):
            depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
            yield lexeme.become("COMMA", ",") if lexeme.type == "SEMICOLON" and depth == 0 else lexeme
        yield mark("ENDLINE", last, after=True)
        yield mark("END" + start.type, last, after=True).become("END" + start.type, "end of " + start.text)

    def _statements(self, pieces: list[Piece]) -> Iterator[Lexeme]:
        """Statements, each ended: between formulas `;`, `.` and `and` end one, and so does a comma before a further definition."""
        pieces = _with_updates(self._words(_with_return(_without_breaks(take_remark_behind(pieces))), _STATED))
        defines_after = _defines_after(pieces)
        depth, defines = 0, False
        for piece, another in zip(pieces, defines_after, strict=True):
            lexeme = piece.lexeme
            depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
            between = not piece.is_formula and depth == 0
            if between and (lexeme.type in ("SEMICOLON", "DOT") or (lexeme.type == "COMMA" and defines and another)):
                yield mark("ENDLINE", lexeme)
                defines = False
            else:
                defines = defines or lexeme.type == "GETS" or lexeme.text == "="
                yield lexeme
        if pieces:
            yield mark("ENDLINE", pieces[-1].lexeme, after=True)


def _is_comma_and(before: Piece | None, piece: Piece) -> bool:
    """The `and` of `$a$, and $b$`: the sign before it parts the two already."""
    is_and = not piece.is_formula and piece.lexeme.type == "WORD" and piece.lexeme.text == "and"
    return is_and and before is not None and before.lexeme.type in ("COMMA", "SEMICOLON")


def _with_parities(pieces: list[Piece]) -> list[Piece]:
    r"""`$i + 1$ is odd` as `(i + 1) \text{is odd}`."""
    done: list[Piece] = []
    for is_formula, group in groupby(pieces, key=lambda piece: piece.is_formula):
        part = list(group)
        words = [piece.lexeme.text for piece in part[:2]]
        if done and not is_formula and words in (["is", "odd"], ["is", "even"]):
            begin = next((k + 1 for k in range(len(done) - 1, -1, -1) if not done[k].is_formula), 0)
            first, last, said, word = done[begin].lexeme, done[-1].lexeme, part[0].lexeme, part[1].lexeme
            if len(done) - begin > 1:
                done.insert(begin, Piece(mark("LPAR", first).become("LPAR", "("), True))
                done.append(Piece(mark("RPAR", last, after=True).become("RPAR", ")"), True))
            asked = replace(said, type="TEXT", text=rf"\text{{is {word.text}}}", end=word.end, span=said.span.to(word.span))
            part = [Piece(asked, True), *part[2:]]
        done += part
    return done


def _as_word(piece: Piece, words: _Words) -> Piece:
    terminal = words.get(piece.lexeme.text) if piece.lexeme.type == "WORD" else None
    return Piece(piece.lexeme.become(*terminal), False) if terminal else piece


def _as_range(lexemes: list[Lexeme]) -> list[Lexeme]:
    r"""`t \gets 1 \To S` as `t = 1, \dots, S`, and `t = S` down to `1` as `t = S, S + (-1), \dots, 1`.

    A step is told by a word, `t = 1` to `S` step `2`, or between colons, `t = 1 : 2 : S`.
    """
    outer = list(_outer(lexemes))
    sign = next((at for at in outer if lexemes[at].type == "GETS" or lexemes[at].text == "="), None)
    if sign is None:
        return lexemes
    colons = [at for at in outer if lexemes[at].type == "COLON" and at > sign]
    said = next((at for at in outer if lexemes[at].type == "STEP"), len(lexemes))
    step = lexemes[said + 1 :]
    if said < len(lexemes) and not step:
        message = "the word for a step has no step behind it"
        raise MathdslError(error("E0208", message, lexemes[said].span, help="write how much the index goes up from turn to turn, `by $2$`"))
    if len(colons) == 2:
        step = lexemes[colons[0] + 1 : colons[1]]
        lexemes = lexemes[: colons[0]] + lexemes[colons[1] :]
        said = len(lexemes)
        colons = colons[:1]
    found: list[Lexeme] = []
    for at, lexeme in enumerate(lexemes[:said]):
        comma, dots = lexeme.become("COMMA", ","), lexeme.become("DOTS", r"\to")
        match lexeme.type:
            case "GETS" if at == sign:
                found.append(lexeme.become("RELATION", "="))
            case "DOWN":
                if not step or step[0].type != "MINUS":
                    opening, closing = lexeme.become("LPAR", "("), lexeme.become("RPAR", ")")
                    step = [lexeme.become("MINUS", "-"), *([opening, *step, closing] if step else [lexeme.become("NUMBER", "1")])]
                found += (comma, dots, comma)
            case "TO":
                found += () if found[-2].type == "DOTS" else (comma, dots, comma)
            case _ if at in colons or lexeme.text == r"\to" and at in outer:
                found += (comma, dots, comma)
            case _:
                found.append(lexeme)
    return _with_step(found, found[sign + 1 :], step) if step else found


def _with_step(lexemes: list[Lexeme], values: list[Lexeme], step: list[Lexeme]) -> list[Lexeme]:
    r"""A range with its second number: `t = 1, 1 + (2), \dots, S`."""
    dots = next((at for at, lexeme in enumerate(lexemes) if lexeme.type == "DOTS"), len(lexemes))
    first = values[: next((at for at in _outer(values) if values[at].type == "COMMA"), len(values))]
    sign, opening, closing = (step[0].become(*part) for part in (("PLUS", "+"), ("LPAR", "("), ("RPAR", ")")))
    return [*lexemes[:dots], *first, sign, opening, *step, closing, step[0].become("COMMA", ","), *lexemes[dots:]]


def _outer(lexemes: Sequence[Lexeme]) -> Iterator[int]:
    """The places outside of all brackets."""
    depth = 0
    for at, lexeme in enumerate(lexemes):
        depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
        if depth == 0:
            yield at


def _without_breaks(pieces: list[Piece]) -> list[Piece]:
    r"""Line breaks carry no meaning, except between the rows of an environment."""
    kept: list[Piece] = []
    depth = 0
    for piece in pieces:
        depth += (piece.lexeme.type == "BEGIN") - (piece.lexeme.type == "END")
        if piece.lexeme.type != "BREAK" or depth > 0:
            kept.append(piece)
    return kept


def _with_return(pieces: list[Piece]) -> list[Piece]:
    r"""The word of `\State \textbf{return} $x$` as the command, and that of `\State \textbf{break}`."""
    first = pieces[0] if pieces else None
    if first is None or first.is_formula or first.lexeme.type != "WORD":
        return pieces
    word = first.lexeme.text.casefold()
    if word in _LEFT:
        return [Piece(first.lexeme.become("LEAVE", _LEFT[word]), True), *pieces[1:]]
    return [Piece(first.lexeme.become("RETURN", r"\Return"), True), *pieces[1:]] if word in _GIVES else pieces


def _with_updates(pieces: list[Piece]) -> list[Piece]:
    r"""`s_i += 2 x` as `s_i \gets s_i + (2 x)`; a formula each, as for `-=` and `*=`."""
    done: list[Piece] = []
    for is_formula, group in groupby(pieces, key=lambda piece: piece.is_formula):
        part = [piece.lexeme for piece in group]
        at = next((k for k, (a, b) in enumerate(pairwise(part)) if a.type in _UPDATES and b.text == "="), 0) if is_formula else 0
        if at:
            target, sign, equals, value = part[:at], part[at], part[at + 1], part[at + 2 :]
            last = value[-1] if value else equals
            opening, closing = mark("LPAR", equals, after=True).become("LPAR", "("), mark("RPAR", last, after=True).become("RPAR", ")")
            part = [*target, equals.become("GETS", r"\gets"), *target, sign, opening, *value, closing]
        done += (Piece(lexeme, is_formula) for lexeme in part)
    return done


def _defines_after(pieces: list[Piece]) -> list[bool]:
    r"""For each piece, whether a `\gets` follows before the next separator between formulas."""
    answers: list[bool] = []
    depth, defines = 0, False
    for piece in reversed(pieces):
        depth += (piece.lexeme.type in OPENER) - (piece.lexeme.type in CLOSER)
        answers.append(defines)
        if depth == 0 and not piece.is_formula and piece.lexeme.type in ("SEMICOLON", "DOT", "COMMA"):
            defines = False
        elif depth == 0 and piece.lexeme.type == "GETS":
            defines = True
    return answers[::-1]
