r"""A formula by itself, as it stands in a table of symbols: `h_{t-1}`, `\mathrm{LayerNorm}_2`, `S × d_{model}`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark.exceptions import UnexpectedToken

from mathdsl.diagnostics import Diagnostics, MathdslError
from mathdsl.source.characters import spell_out
from mathdsl.source.model import MappedText, Run
from mathdsl.spans import Span
from mathdsl.syntax.decide import Decision
from mathdsl.syntax.layout import Layout, Region
from mathdsl.syntax.lexemes import Lexeme, mark, terminals
from mathdsl.syntax.lexing import lex
from mathdsl.syntax.nodes import Expression, ListDisplay, Return
from mathdsl.syntax.tables import load_parser

_UNREAD = terminals("DISPLAY DESCRIPTION COMMENT TAG QUAD FORALL RETURN ASSERT STATE STRAY ERROR")


def parse_formula(text: str) -> tuple[Expression, ...] | None:
    """The items of a formula (one, or those of a comma list); None for what the language does not have or would read without its layout."""
    spelled = spell_out(text)
    lexemes = [] if spelled is None else _lex(spelled)
    if not lexemes or lexemes[-1].type == "DOT" or any(lexeme.type in _UNREAD for lexeme in lexemes):
        return None
    stream = _decide(lexemes)
    if stream is None:
        return None
    try:
        nodes = _parse(stream)
    except (UnexpectedToken, MathdslError):
        return None
    match nodes:
        case (Return(ListDisplay(items)),) if items:
            return items
        case _:
            return None


def _lex(text: str) -> list[Lexeme]:
    return lex(load_parser(), MappedText(text, (Run(0, Span("-", 0, len(text)), True),)), is_table=False)


def _decide(lexemes: list[Lexeme]) -> list[Lexeme] | None:
    kinds = {lexeme.type for lexeme in lexemes}
    if "AMPERSAND" in kinds and "BEGIN" not in kinds:
        return None
    found = Diagnostics()
    parts = Layout(lexemes, found).run()
    match parts:
        case [Region() as region, Lexeme("STOP")] if not (region.broken or region.notes or found.items):
            decision = Decision(replace(region, kind="condition"), frozenset(), False)
            decision.run()
            return None if decision.blocking else decision.out
        case _:
            return None


def _parse(stream: list[Lexeme]) -> tuple[Any, ...]:
    """The formula as the list that a program returns: its items are those of any list."""
    first, last = stream[0], stream[-1]
    opening = (mark("RETURN", first), mark("LSQB", first))
    closing = (mark("RSQB", last, after=True), mark("STOP", last, after=True))
    state: Any = load_parser().parse_interactive().parser_state
    for token in (*opening, *stream, *closing):
        state.feed_token(token)
    nodes: tuple[Any, ...] = state.feed_token(mark("$END", last, after=True), True)
    return nodes
