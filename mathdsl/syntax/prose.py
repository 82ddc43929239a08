r"""Text between formulas: what `\Require` says in words is a comment, all else is reported, with what could be written instead."""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches
from itertools import groupby, takewhile

from mathdsl.diagnostics import Diagnostic, Diagnostics, error
from mathdsl.syntax.commands import line_commands
from mathdsl.syntax.formulas import Piece, find_close
from mathdsl.syntax.lexemes import Lexeme, mark, terminals
from mathdsl.syntax.words import is_remark, split_named

_PROSE = terminals("WORD NAME NAMED TEXT FONT ACCENT SUB SUP PRIME FACTORIAL STRAY")
_KEPT = terminals("LBRACE RBRACE LPAR RPAR COMMENT TAG COMMA SEMICOLON DOT QUAD SKIP")


_DESCRIBES = terminals("WORD COMMA SEMICOLON DOT MINUS LPAR RPAR COMMENT QUAD SKIP")
_BEGINS = terminals("WORD TEXT")
_SAYS = _BEGINS | terminals("COLON COMMA MINUS")
_SYMBOL = terminals("WORD NAME FONT ACCENT TEXT LBRACE RBRACE SUB SUP NUMBER PRIME")
_RELATES = frozenset("of for from in at on with to by over under between as per than after before until".split())


def take_description(pieces: list[Piece], words: Container[str], *, is_result: bool) -> list[Piece]:
    r"""The formulas that declare or state something, those that name it, then the words around them as a comment: `a rate $r > 0$`.

    All that stands behind a colon is a comment, `$\alpha$: step size`.

    A symbol that words relate to something is not named: `\Ensure the loss of $x$`; a further result stands behind a comma or `and`:
    `\Ensure the sum $s$ of all $x_i$`. Letters and signs outside of formulas stay, to be
    reported: `\Require x in R` lacks its dollar signs.
    """
    colon = next((at for at, piece in enumerate(pieces) if not piece.is_formula and piece.lexeme.type == "COLON"), len(pieces))
    if any(piece.is_formula for piece in pieces[:colon]) and colon + 1 < len(pieces):
        return [*pieces[:colon], _comment(pieces[colon + 1 :])]
    plain = [piece.lexeme for piece in pieces if not piece.is_formula]
    said = [lexeme for lexeme in plain if lexeme.type == "WORD" and lexeme.text not in words]
    if not said or any(lexeme.type not in _DESCRIBES or _is_letter(lexeme) for lexeme in plain):
        return pieces
    groups = [list(group) for _, group in groupby(pieces, key=lambda piece: piece.is_formula)]
    stated = [group for group in groups if group[0].is_formula and any(piece.lexeme.type == "RELATION" for piece in group)]
    described = [piece for group in groups if group not in stated for piece in group if piece.lexeme.type != "COMMENT"]
    named = [group for before, group in zip(([], *groups), groups, strict=False) if _names(before, group)]
    if is_result:
        first = next((group for group in groups if group[0].is_formula), None)
        named = [
            group for before, group in zip(([], *groups), groups, strict=False) if group in named and (group is first or _parts(before))
        ]
    own = _own_words(groups) if len(stated) + len(named) == sum(group[0].is_formula for group in groups) else {}
    parted: list[Piece] = []
    for group in (*stated, *named):
        parted += (Piece(mark("COMMA", group[0].lexeme).become("COMMA", ","), False), *group)
        if text := own.get(id(group)):
            parted.append(Piece(mark("SAID", group[-1].lexeme, after=True).become("SAID", rf"\Comment{{{text}}}"), False))
    comments = [piece for piece in pieces if piece.lexeme.type == "COMMENT"]
    return [*parted[1:], Piece(said[0].become("COMMENT", rf"\Comment{{{_text(described)}}}"), False), *comments]


def _own_words(groups: Sequence[Sequence[Piece]]) -> dict[int, str]:
    r"""What words say of one formula alone, by the formula: those beside it as far as a comma, `the weights $w$, gradients $g_t$`.

    Nothing where words between two formulas can be of both: `the value $v$ of $x$`.
    """
    found: dict[int, list[Piece]] = {}
    for before, group, after in zip(([], *groups), groups, (*groups[1:], []), strict=False):
        if group[0].is_formula:
            continue
        ends = _ends(group) if before and after else []
        first, last = (ends[0], ends[-1] + 1) if ends else (len(group), 0)
        if before and after and _text(group[first + 1 : last - 1] if ends else group):
            return {}
        for formula, words in ((before, group[:first]), (after, group[last:])):
            found.setdefault(id(formula), []).extend(piece for piece in words if piece.lexeme.type != "COMMENT")
    return {formula: _text(words) for formula, words in found.items()}


def _ends(between: Sequence[Piece]) -> list[int]:
    """Where a comma, a semicolon or a word for one stands among the words between two formulas."""
    return [at for at, piece in enumerate(between) if piece.lexeme.type in ("COMMA", "SEMICOLON") or piece.lexeme.text in ("and", "for")]


def take_remarks(pieces: list[Piece]) -> list[Piece]:
    r"""The words before a definition as a comment: `Update the weights: $w \gets w - g$`; not those that say when, or how often."""
    taken: list[Piece] = []
    at = 0
    while at < len(pieces):
        end = at
        while end < len(pieces) and not pieces[end].is_formula and pieces[end].lexeme.type in (_SAYS if end > at else _BEGINS):
            end += 1
        words = " ".join(_said(piece.lexeme) for piece in pieces[at:end]).replace(" :", "").replace(" ,", ",")
        begins = not taken or not taken[-1].is_formula and taken[-1].lexeme.type in ("SEMICOLON", "DOT", "COMMA")
        if end > at and begins and _defines(pieces[end:]) and is_remark(words) and not any(_is_letter(p.lexeme) for p in pieces[at:end]):
            taken.append(Piece(pieces[at].lexeme.become("COMMENT", rf"\Comment{{{words}}}"), False))
            at = end
        taken += pieces[at : max(end, at + 1)]
        at = max(end, at + 1)
    return taken


def take_remark_behind(pieces: list[Piece]) -> list[Piece]:
    r"""The words in parentheses at the end of a statement as a comment: `$t \gets t + 1$ (one step)`."""
    for at, piece in enumerate(pieces):
        end = None if piece.is_formula else find_close(pieces, at, "LPAR")
        if end is not None and all(one.lexeme.type in ("DOT", "COMMENT") for one in pieces[end + 1 :]):
            is_said = any(not one.is_formula and one.lexeme.type == "WORD" for one in pieces[at:end])
            if is_said and any(one.is_formula for one in pieces[:at]):
                return [*pieces[:at], _comment(pieces[at + 1 : end]), *pieces[end + 1 :]]
    return pieces


def _comment(pieces: Sequence[Piece]) -> Piece:
    return Piece(pieces[0].lexeme.become("COMMENT", rf"\Comment{{{_text(pieces)}}}"), False)


def _said(lexeme: Lexeme) -> str:
    return split_named(lexeme.text)[1] if lexeme.type == "TEXT" else lexeme.text


def _defines(pieces: Sequence[Piece]) -> bool:
    """Whether a formula stands first that gives something a value."""
    formula = [piece.lexeme for piece in takewhile(lambda piece: piece.is_formula, pieces)]
    return any(lexeme.type == "GETS" or lexeme.text in ("=", r"\sim") for lexeme in formula[1:])


def _parts(between: Sequence[Piece]) -> bool:
    """Whether words between two formulas part them."""
    return any(piece.lexeme.type in ("COMMA", "SEMICOLON") or piece.lexeme.text == "and" for piece in between)


def _names(before: Sequence[Piece], group: Sequence[Piece]) -> bool:
    """Whether a formula is a symbol that the words before it do not relate to something."""
    last = before[-1].lexeme.text if before else ""
    return group[0].is_formula and last not in _RELATES and all(piece.lexeme.type in _SYMBOL for piece in group)


def _is_letter(lexeme: Lexeme) -> bool:
    return lexeme.type == "WORD" and len(lexeme.text) == 1 and lexeme.text not in "aAI"


def _text(pieces: Sequence[Piece]) -> str:
    """The words as one line, with their formulas in dollar signs."""
    parts: list[str] = []
    for is_formula, group in groupby(pieces, key=lambda piece: piece.is_formula):
        texts = [piece.lexeme.text for piece in group]
        parts += [f"${' '.join(texts)}$"] if is_formula else texts
    line = " ".join(parts)
    for sign in (",", ";", ".", ")"):
        line = line.replace(f" {sign}", sign)
    return line.replace("( ", "(").replace(" - ", "-").strip(" ,;.")


def report_prose(pieces: list[Piece], words: Sequence[str], diagnostics: Diagnostics) -> list[Piece]:
    """The pieces, with `BROKEN` for the first run of text that means nothing."""
    start = next((at for at, piece in enumerate(pieces) if not piece.is_formula and piece.lexeme.type in _PROSE), None)
    if start is None:
        return pieces
    end = start
    while end < len(pieces) and not pieces[end].is_formula and pieces[end].lexeme.type not in _KEPT:
        end += 1
    diagnostics.add(_prose(pieces[start:end], words))
    diagnostics.left_out.update(piece.lexeme.text for piece in pieces[start:end])
    broken = Piece(mark("BROKEN", pieces[start].lexeme), True)
    return [*pieces[:start], broken, *(piece for piece in pieces[end:] if piece.is_formula or piece.lexeme.type not in _PROSE)]


def _prose(pieces: Sequence[Piece], words: Sequence[str]) -> Diagnostic:
    span = pieces[0].lexeme.span.to(pieces[-1].lexeme.span)
    first = pieces[0].lexeme.text
    near = get_close_matches(first, line_commands(), n=1, cutoff=0.75) if first.startswith("\\") else []
    if near:
        return error("E0201", f"the command `{first}` is not known", pieces[0].lexeme.span, help=f"did you mean `{near[0]}`?")
    notes = [f"the words that are read here are {', '.join(f'`{word}`' for word in words)}"] if words else []
    if first.casefold() == "return":
        advice = r"write `\Return $..$`"
    else:
        advice = r"mathematics stands in `$ .. $`, a remark in `\Comment{..}`"
    return error("E0228", "this text is not part of a formula", span, notes=notes, help=advice)
