r"""Decides what the grammar cannot see: from the token before and the open brackets, each lexeme's final terminal.

x[t]  →  NAME LINDEX NAME RINDEX        [a, b]  →  LSQB NAME COMMA NAME RSQB
|s| || t  →  LBAR NAME RBAR JOIN NAME   e \quad (t = 1, \dots, L)  →  NAME LDOMAIN .. RDOMAIN
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from itertools import takewhile

from mathdsl.diagnostics import Diagnostic, MathdslError, error
from mathdsl.syntax import ambiguities
from mathdsl.syntax.brackets import CELL_ENDS, Brackets, RegionIsBroken, ends_function, ends_quantity
from mathdsl.syntax.commands import NAMED_REDUCTIONS, SIGNS, SWITCHES, TEX_COMMANDS, is_known_name, known_commands
from mathdsl.syntax.hidden import find_hidden
from mathdsl.syntax.layout import Region
from mathdsl.syntax.lexemes import Lexeme, mark, terminals
from mathdsl.syntax.masking import takes_raw_text
from mathdsl.syntax.pairs import BRACED, CLOSER, ENVIRONMENTS, OPENER
from mathdsl.syntax.sides import take_sides
from mathdsl.syntax.spelled import join_words
from mathdsl.syntax.switches import take_switches
from mathdsl.syntax.unbraced import brace_arguments, without_braces_of_results
from mathdsl.syntax.upright_words import read_words
from mathdsl.syntax.words import is_remark, is_word, split_call, split_named, text_terminal

_NO_OPERAND = terminals(
    "SUB SUP PRIME FACTORIAL POWER PLUS MINUS TIGHT LOOSE RELATION AND OR GETS COMMA SEMICOLON DOT QUAD AMPERSAND NEXTROW ENDCASES "
    "ENDMATRIX BARS RPAR RSQB RSET RBRACE"
)
"""What no operand of a join begins with."""
_COMPUTES = terminals("PLUS MINUS TIGHT LOOSE FRACTION ROOT REDUCTION NUMBER")
_BEFORE_SIGN = terminals("RELATION GETS COMMA CELL LPAR LSQB LSET")
_BEFORE_A_GROUP = terminals("AND OR NOT GETS LPAR")
_INDEX = ("WORD", "NAME", "NAMED")


_BEFORE_A_CONDITION = frozenset({"if", "when", "whenever", "for", "where", "provided", "provided that"})


class Decision(Brackets):
    """One walk over a region."""

    def __init__(self, region: Region, known: frozenset[str], strict: bool) -> None:
        super().__init__()
        self._region = region
        self._known = known
        self._strict = strict
        self._lexemes: list[Lexeme] = []
        self._remark = 0  # where words stand that may be a comment

    def run(self) -> None:
        try:
            lexemes = read_words(self._region.lexemes)
        except MathdslError as wrong:
            for diagnostic in wrong.diagnostics:
                self._block(diagnostic)
            return
        self._lexemes, wrong_sides = take_sides(lexemes)
        self._lexemes, open_ends = brace_arguments(take_switches(join_words(without_braces_of_results(self._lexemes))))
        for diagnostic in (*wrong_sides, *open_ends):
            self._block(diagnostic)
        if self.blocking:
            return
        try:
            for index, lexeme in enumerate(self._lexemes):
                self._decide(index, lexeme)
            self._finish()
        except RegionIsBroken:
            pass

    # ---- one lexeme ------------------------------------------------------------------------------

    def _decide(self, index: int, lexeme: Lexeme) -> None:
        match lexeme.type:
            case "QUAD":
                self._quad = True
                if self._begins_range(index + 1):
                    self._push(lexeme.become("COMMA", ","))
                elif self._begins_relation(index + 1):
                    self._block(ambiguities.behind_a_space(lexeme, self._lexemes[index + 1]))
                return
            case "WORD" | "NAMED" | "TEXT" | "NAME" | "ARG" | "OPTIONAL_REDUCTION":
                self._word(index, lexeme)
            case "BAR" if self._is_given(index):
                self._push(lexeme.become("RELATION", r"\mid"))
            case "BAR" | "BARS":
                self._bar(lexeme, joins=self._may_join(index, lexeme))
            case "PA":
                self._expect_braces(index, lexeme)
            case "LBRACE" if index and self._lexemes[index - 1].type == "PA":
                macro = self._lexemes[index - 1]
                written = replace(lexeme, text=macro.text + "{", start=macro.start, span=macro.span.to(lexeme.span))
                self._open(written, BRACED[macro.text], "RBRACE")
            case "LSQB":
                self._square(lexeme)
            case "SUB" | "SUP":
                self._check_script(index, lexeme)
                self._push(lexeme)
            case "ACCENT" | "FONT":
                self._check_argument(index, lexeme)
                self._push(lexeme)
            case "COMMA" if self._begins_equation(index + 1):
                self._begin_tail(lexeme)
            case "GETS" if self._gets is not None and len(self._frames) == 1 and (at := self._last_and()):
                self.out[at] = self.out[at].become("TAIL")
                self._push(lexeme)
            case "PLUS" | "RELATION" if self._is_sign(index) if lexeme.type == "PLUS" else self._is_doubled(index, lexeme):
                pass  # `x \geq +3`, `i == 1`
            case "NUMBER" if self.out and (ends_quantity(self.out) or ends_function(self.out) or self._is_indicator(index)):
                self._push(lexeme.become("LATER"))
            case "AMPERSAND" | "NEXTROW":
                self._cell(index, lexeme)
            case "DOT":
                self._dot(index, lexeme)
            case "PLUS" | "MINUS" | "TIGHT" | "LOOSE" if self._is_label(index, lexeme):
                self._push(lexeme.become("NAME"))
            case "TIGHT" | "LOOSE" if self._is_hole(index, lexeme):
                self._push(lexeme.become("HOLE"))
            case "TIGHT" | "LOOSE" if (is_first := self._is_axis(index, lexeme)) is not None:
                comma = mark("COMMA", lexeme, after=is_first).become("COMMA", ",")
                for part in (lexeme.become("HOLE"), comma) if is_first else (comma, lexeme.become("HOLE")):
                    self._push(part)
            case "DOTS" if self._stands_between(index, lexeme):
                self._push(lexeme.become("DOTS_BETWEEN"))
            case "FORALL":
                self._forall(lexeme)
            case "FACTORIAL" if (after := self._next(index)) is not None and after.text == "=" and after.start == lexeme.end:
                self._block(ambiguities.mark_before_equals(self._before(), lexeme.span.to(after.span)))
            case "FACTORIAL" if not self._after_operand():
                self._block(_before_nothing(lexeme))
            case "STRAY" | "DISPLAY" | "UNDERSCORE":
                self._block(_stray(lexeme))
            case _ if lexeme.type in CLOSER:
                self._open(lexeme, lexeme.type, CLOSER[lexeme.type])
            case _ if lexeme.type in OPENER:
                self._close(lexeme)
            case _:
                self._push(lexeme)
        self._quad = False

    def _is_doubled(self, index: int, lexeme: Lexeme) -> bool:
        """Whether a sign `=` is the second one of `==`, where it defines nothing and names no argument: in a header, a value, a row."""
        before = self._lexemes[max(index - 2, 0) : index]
        if [one.text == "=" for one in (*before, lexeme)] != [False, True, True] or before[1].end != lexeme.start:
            return False
        inner = self._frames[-1]
        if len(self._frames) == 1:
            return self._region.kind == "condition" or self._gets is not None and self.out[self._gets].type == "GETS"
        groups = inner.opener == "LPAR" and (inner.at == 0 or self.out[inner.at - 1].type in _BEFORE_A_GROUP)
        return groups or inner.opener in ENVIRONMENTS or self._is_behind_indicator(inner.at)

    def _is_behind_indicator(self, at: int) -> bool:
        r"""Whether a 1 of a condition stands before a bracket: `\mathbb{1}[`, `\mathbb{1}_{`, `1\{`."""
        while self.out[at - 1].type in ("SUB", "LBRACE", "LSQB"):
            at -= 1
        match [lexeme.type for lexeme in self.out[at - 4 : at]]:
            case ["FONT", "LBRACE", "NUMBER", "RBRACE"]:
                return self.out[at - 2].text == "1"
            case _:
                return self.out[at].type == "LSET" and self.out[at - 1].text == "1"

    def _next(self, index: int) -> Lexeme | None:
        return self._lexemes[index + 1] if index + 1 < len(self._lexemes) else None

    def _begins_equation(self, index: int) -> bool:
        r"""Whether a further definition begins behind one: `l_n = …`, but no range, `i = 1, \dots, n`, and no remark, `n = 2`."""
        opens = self.out[0].type if self.out else ""
        if self._region.kind != "statement" or self._gets is None or len(self._frames) > 1 or opens in ("RETURN", "ASSERT"):
            return False
        ahead = self._lexemes[index:]
        while ahead and ahead[0].type in ("QUAD", "TEXT") and (ahead[0].type == "QUAD" or _is_where(ahead[0])):
            ahead = ahead[1:]
        depth, sign = 0, 0
        for at, lexeme in enumerate(ahead):
            depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
            if not depth and (lexeme.type in ("COMMA", "QUAD") or lexeme.type == "RELATION" and lexeme.text != "="):
                return False
            if not depth and (lexeme.type == "GETS" or lexeme.text == "="):
                sign = at
                break
        if not sign or ahead[sign].type == "GETS":
            return bool(sign)
        value = [lexeme.type for lexeme in ahead[sign + 1 : sign + 3]]
        if value[:1] == ["NUMBER"] and value[1:] in ([], ["COMMA"], ["QUAD"], ["DOT"]):
            return False
        if sign > 1:
            return True
        named = {lexeme.text for lexeme in self.out[: self._gets]}
        behind = takewhile(lambda lexeme: lexeme.type != "QUAD", ahead[sign + 1 :])
        return ahead[0].text not in named and not any(lexeme.type == "DOTS" for lexeme in behind)

    def _is_computed(self) -> bool:
        """Whether the value before is a number, for what is computed in it, so that no `and` joins it to a condition."""
        sign = max(at for at, lexeme in enumerate(self.out) if at == self._gets or lexeme.type == "GETS" or lexeme.text == "=")
        parts = {lexeme.type for lexeme in self.out[sign + 1 :]}
        return bool(parts & _COMPUTES) and "RELATION" not in parts

    def _last_and(self) -> int:
        r"""Where the `and` stands between two definitions, `a \gets b \text{ and } c \gets d`; 0 where none does."""
        return next((at for at in range(len(self.out) - 1, self._gets or 0, -1) if self.out[at].type == "AND"), 0)

    def _is_sign(self, index: int) -> bool:
        """Whether a plus is the sign of a number, which changes nothing."""
        before, after = self._before(), self._next(index)
        return before is not None and before.type in _BEFORE_SIGN and after is not None and after.type == "NUMBER"

    def _is_indicator(self, index: int) -> bool:
        r"""Whether a 1 behind a value is one of a condition in braces: `y_i 1\{x_i > 0\}`."""
        after = self._next(index)
        return self._lexemes[index].text == "1" and after is not None and after.type == "LSET" and self._after_operand()

    def _begins_range(self, index: int) -> bool:
        r"""Whether a range begins after `\quad`: `i = 1, \dots, n`, `i, j \in \{1, \dots, n\}`, `1 \leq i \leq n`."""
        is_open = self._region.kind == "row" or self._region.kind == "statement" and self._gets is not None
        if not is_open or len(self._frames) > 1 or not self._after_operand():
            return False
        ahead = [lexeme for lexeme in self._lexemes[index:] if lexeme.type not in ("COMMENT", "TAG")]
        while [lexeme.type for lexeme in ahead[1:2]] == ["COMMA"] and ahead[0].type in _INDEX:
            ahead = ahead[2:]
        match [(lexeme.type, lexeme.text) for lexeme in ahead[:4]]:
            case [(kind, _), ("RELATION", "="), *_] if kind in _INDEX:
                return any(lexeme.type == "DOTS" for lexeme in ahead)
            case [(kind, _), ("RELATION", r"\in"), *_]:
                return kind in _INDEX
            case [(end, _), ("RELATION", low), (kind, _), ("RELATION", high)]:
                return kind in _INDEX and end in (*_INDEX, "NUMBER") and {low, high} <= {r"\leq", "<"}
            case _:
                return False

    def _begins_relation(self, index: int) -> bool:
        r"""Whether an equation begins after `\quad`, which is no factor of the value before it: `y \gets x \quad c = 3`."""
        gives_value = self._gets is not None or any(lexeme.type == "RETURN" for lexeme in self.out[:1])
        if self._region.kind != "statement" or not gives_value or len(self._frames) > 1 or not self._after_operand():
            return False
        ahead, depth = self._lexemes[index:], 0
        for lexeme in ahead if ahead and ahead[0].type in (*_INDEX, "NUMBER", "ACCENT", "FONT") else ():
            depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
            if not depth and lexeme.type in ("RELATION", "GETS"):
                return True
        return False

    # ---- words -----------------------------------------------------------------------------------

    def _word(self, index: int, lexeme: Lexeme) -> None:
        font, content = split_named(lexeme.text) if lexeme.type in ("NAMED", "TEXT") else ("", lexeme.text)
        before, after = self._before(), self._next(index)
        starts_condition = before is not None and before.type == "CELL"
        if lexeme.type == "NAME":
            self._check_known(index, lexeme)
        if content.rstrip(".,;") in ("otherwise", "else", "elsewhere") and starts_condition and self._ends_cell(index + 1):
            self._push(lexeme.become("OTHERWISE"))
        elif content in _BEFORE_A_CONDITION and starts_condition and lexeme.type in ("WORD", "TEXT"):
            pass  # `\text{if } c` is the condition c
        elif lexeme.type == "ARG" and after is not None and after.text in (r"\max", r"\min"):
            pass  # taken up by the reduction that follows
        elif lexeme.type == "OPTIONAL_REDUCTION" or content in NAMED_REDUCTIONS:
            self._reduction(index, lexeme, content.removeprefix("\\"))
        elif lexeme.type == "TEXT" and _is_where(lexeme) and self._where(index, lexeme):
            pass
        elif lexeme.type == "TEXT" and content == "and" and self._begins_equation(index + 1) and self._is_computed():
            self._begin_tail(lexeme)
        elif lexeme.type == "TEXT":
            self._text(lexeme, content)
        else:
            if lexeme.type == "NAMED" and not is_word(content):
                self._block(_not_a_name(lexeme, font))
            self._push(lexeme.become("NAME"))

    def _ends_cell(self, index: int) -> bool:
        stop = next((lexeme for lexeme in self._lexemes[index : index + 2] if lexeme.type not in ("COMMA", "DOT")), None)
        return stop is None or stop.type in CELL_ENDS

    def _where(self, index: int, lexeme: Lexeme) -> bool:
        r"""Whether `where` begins a further definition behind one."""
        if self._gets is None or len(self._frames) > 1 or self._region.kind != "statement" or not self._begins_equation(index + 1):
            return False
        if self.out[-1].type in ("COMMA", "TAIL"):
            self.out.pop()
        self._begin_tail(lexeme, "where")
        return True

    def _begin_tail(self, lexeme: Lexeme, text: str | None = None) -> None:
        r"""A further equation, where the domain of the one before it ends: `y_i \gets r x_i \quad (i = 1, \dots, n), \; r = 2`."""
        self._take_domain()
        self._push(lexeme.become("TAIL", text))

    def _text(self, lexeme: Lexeme, content: str) -> None:
        terminal = text_terminal(content, declares=self._region.kind in ("row", "declarations"))
        if not content:
            return
        if terminal == "PHRASE" and (called := split_call(content)) is not None and not self._after_operand():
            self._call(lexeme, *called)
            return
        before = self._before()
        if terminal == "PHRASE" and is_remark(content) and len(self._frames) == 1 and before is not None:
            self._remark = len(self.out) if self._after_operand() or before.type in ("COMMA", "DOT") else 0
        if terminal == "FORALL" and len(self._frames) == 1:
            self._forall(lexeme)
        elif terminal in ("OTHERWISE", "IFWORD", "FORALL"):
            self._push(lexeme.become("NAME" if is_word(content) else "PHRASE"))
        else:
            self._push(lexeme.become(terminal, content if terminal in ("PHRASE", "FLAG") else None))

    def _call(self, lexeme: Lexeme, name: str, arguments: tuple[str, ...]) -> None:
        r"""A word with its arguments inside, `\text{entr(x)}`, as `\text{entr}(x)`."""
        self._push(lexeme.become("NAME", rf"\text{{{name}}}"))
        self._open(lexeme.become("LPAR", "("), "LPAR", "RPAR")
        for at, argument in enumerate(arguments):
            if at:
                self._push(lexeme.become("COMMA", ","))
            self._push(lexeme.become("NAME", argument))
        self._close(lexeme.become("RPAR", ")"))

    def _reduction(self, index: int, lexeme: Lexeme, operator: str) -> None:
        before, after = self._before(), self._next(index)
        argument = index and self._lexemes[index - 1].type == "ARG"
        if argument:
            operator = "arg" + operator
        is_script = before is not None and before.type in ("SUB", "SUP")
        if after is not None and after.type == "SUB" and not is_script and lexeme.type != "WORD":
            self._push(lexeme.become("REDUCTION", operator))
        elif argument:
            self._push(lexeme.become("NAME", rf"\operatorname{{{operator}}}"))
        else:
            self._push(lexeme.become("NAME"))

    def _check_known(self, index: int, lexeme: Lexeme) -> None:
        command = lexeme.text
        before = [one.type for one in self.out[-2:] if one.type != "LBRACE"][-1:]
        if command in (r"\top", r"\intercal") and before not in (["SUP"], ["SUB"]):
            self._block(_of_transpose(lexeme))
        if is_known_name(command) or command in self._known or self._is_label(index, lexeme):
            return
        if takes_raw_text(command):
            self._expect_braces(index, lexeme)  # a brace that is not closed is told of itself
            return
        if self._strict:
            alike = [
                one for one in (*known_commands(), *sorted(self._known)) if one[:2].casefold() == command[:2].casefold()
            ]  # `\tan` is another than `\atan`
            nearest = get_close_matches(command, alike, n=1, cutoff=0.7) if len(command) > 3 else []
            advice = f"did you mean `{nearest[0]}`?" if nearest else rf"a name of several letters is written `\mathrm{{{command[1:]}}}`"
            self.found.append(error("E0201", f"the command `{command}` is not known", lexeme.span, help=advice))
            return
        after = self._next(index)
        takes_braces = after is not None and after.type == "LBRACE" and after.start == lexeme.end
        if command in TEX_COMMANDS:
            self._block(_meant_by_tex(lexeme))
        elif takes_braces:
            self._block(_unknown_macro(lexeme))

    def _forall(self, lexeme: Lexeme) -> None:
        before = self._before()
        trailing_comma = before is not None and before.type == "COMMA"
        if self._region.kind == "statement":
            if trailing_comma:
                self.out.pop()
            self._push(lexeme.become("FORALL"))
        elif not trailing_comma:
            self._push(lexeme.become("COMMA"))

    def _expect_braces(self, index: int, lexeme: Lexeme) -> None:
        after = self._next(index)
        if after is None or after.type != "LBRACE":
            message = f"`{lexeme.text}` needs its content in braces"
            self._block(error("E0223", message, lexeme.span, help=f"write `{lexeme.text}{{..}}`"))

    def _may_join(self, index: int, lexeme: Lexeme) -> bool:
        r"""Whether what follows the next bar of its kind could be joined too; if not, the two are a pair: `\lambda \|w\|^2`."""
        depth = 0
        for at in range(index + 1, len(self._lexemes)):
            ahead = self._lexemes[at]
            depth += (ahead.type in CLOSER) - (ahead.type in OPENER)
            if depth < 0:
                return True
            if depth == 0 and ahead.type == lexeme.type:
                after = self._next(at)
                return after is not None and after.type not in _NO_OPERAND
        return True

    # ---- scripts, cells, dots --------------------------------------------------------------------

    def _check_script(self, index: int, lexeme: Lexeme) -> None:
        script = self._next(index)
        if script is None or script.type not in ("WORD", "NUMBER"):
            return
        after = self._next(index + 1)
        joined = after is not None and after.type in ("WORD", "NUMBER") and after.start == script.end
        rest = script.text[1:] + (after.text if joined and after else "")
        if rest:
            whole = replace(script, text=lexeme.text, span=lexeme.span.to(after.span if joined and after else script.span))
            self._block(ambiguities.long_script(self._before(), whole, script.text[0], rest))

    def _check_argument(self, index: int, lexeme: Lexeme) -> None:
        after = self._next(index)
        if after is not None and after.type == "WORD" and len(after.text) > 1:
            self._block(ambiguities.long_argument(lexeme, after))

    def _cell(self, index: int, lexeme: Lexeme) -> None:
        while self._frames[-1].bar:
            self._block(ambiguities.bar_not_closed(self._frames.pop()))
        top = self._frames[-1]
        inside = any(frame.opener in ENVIRONMENTS for frame in self._frames)
        if lexeme.type == "NEXTROW":
            if top.opener not in ENVIRONMENTS:
                self._block(ambiguities.not_closed(top, lexeme), stop=True)
            top.cells = 0
            self._drop_separator(lexeme)
            self._push(lexeme)
        elif top.opener in ENVIRONMENTS:
            top.cells += 1
            if top.opener == "CASES" and top.cells > 1:
                self._block(ambiguities.stray_cell(lexeme, "twice in a row of `cases`"))
            self._drop_separator(lexeme)
            self._push(lexeme.become("CELL"))
        elif inside:
            self._block(ambiguities.stray_cell(lexeme, "inside brackets"))
        elif self._region.kind == "row" and index == len(self._lexemes) - 1:
            self._push(lexeme)

    def _dot(self, index: int, lexeme: Lexeme) -> None:
        before, after = self._before(), self._next(index)
        if before is None or after is None or after.type in CELL_ENDS:
            return
        attribute = before.end == lexeme.start and after.start == lexeme.end and after.type in ("SIZE", "NAMED", "WORD")
        if attribute or after.type != "QUAD":
            self._push(lexeme)

    def _stands_between(self, index: int, lexeme: Lexeme) -> bool:
        r"""Whether dots stand between two factors, `x_1 x_2 \cdots x_n`."""
        after = self._next(index)
        begins = after is not None and after.type not in _NO_OPERAND
        return lexeme.text in (r"\cdots", r"\dotsm") and self._after_operand() and begins

    def _is_label(self, index: int, lexeme: Lexeme) -> bool:
        """Whether a sign is a script alone, a label: `w^*`, `m^{+}`, but not `x^-1`."""
        after, is_braced = self._next(index), [one.type for one in self.out[-1:]] == ["LBRACE"]
        sign = [one.type for one in self.out[-2:-1] if is_braced] or [one.type for one in self.out[-1:]]
        if lexeme.text not in SIGNS or sign not in (["SUP"], ["SUB"]) or sign == ["SUB"] and lexeme.text == "+":
            return False  # below, `+` is the positive part, too
        if is_braced:
            return after is not None and after.type == "RBRACE"
        return lexeme.text not in "+-" or after is None or after.start > lexeme.end or after.type in _NO_OPERAND

    def _is_given(self, index: int) -> bool:
        """Whether a bar is the only one in a subscript or behind a name, and parts what stands there: `x_{t|t-1}`, `p(y|x)`."""
        opened = self._frames[-1].at
        if opened < 1 or not self._after_operand():
            return False
        before, opener = self.out[opened - 1], self.out[opened]
        is_called = opener.type == "LPAR" and before.type in ("NAME", "RBRACE") and before.end == opener.start
        if not is_called and (before.type, opener.type) != ("SUB", "LBRACE"):
            return False
        depth = 0
        for lexeme in self._lexemes[index + 1 :]:
            depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
            if depth < 0:
                return True
            if lexeme.type == "BAR":
                return False
        return False

    def _is_hole(self, index: int, lexeme: Lexeme) -> bool:
        r"""Whether an operator stands for what is left open: `\cdot` alone in brackets or a list, `*` beside other indices."""
        before, after = self._before(), self._next(index)
        if before is None or after is None or after.type not in ("RPAR", "RSQB", "RSET", "COMMA", "RBRACE"):
            return False
        if before.type not in ("LPAR", "LSQB", "LINDEX", "LSET", "COMMA", "LBRACE"):
            return False
        indexes = "COMMA" in (before.type, after.type) and self._frames[-1].opener in ("LINDEX", "LBRACE")
        return lexeme.text == r"\cdot" or lexeme.text == "*" and indexes

    def _is_axis(self, index: int, lexeme: Lexeme) -> bool | None:
        r"""Whether an operator stands for a whole axis beside an index, the first one in `R_{*i}` or the last one in `R_{i\cdot}`."""
        before, after = self._before(), self._next(index)
        if before is None or after is None or lexeme.text not in ("*", r"\cdot") or self._frames[-1].opener != "LBRACE":
            return None
        opened = self._frames[-1].at
        if opened == 0 or self.out[opened - 1].type != "SUB":
            return None
        if opened == len(self.out) - 1 and after.type in _INDEX:
            return True
        return False if after.type == "RBRACE" and before.type in ("NAME", "NUMBER") else None

    # ---- the end ---------------------------------------------------------------------------------

    def _finish(self) -> None:
        unclosed = self._frames[1:]
        for frame in unclosed[:3]:
            self._block(ambiguities.bar_not_closed(frame) if frame.bar else ambiguities.not_closed(frame, None))
        if not unclosed and any(lexeme.type == "LBRACE" for lexeme in self.out):
            for diagnostic in find_hidden(self.out):
                self._block(diagnostic)
        described = self.out.pop() if self.out and self.out[-1].type in ("AMPERSAND", "DESCRIPTION") else None
        if self._region.kind in ("statement", "row"):
            while self.out and self.out[-1].type in ("COMMA", "DOT"):
                self.out.pop()
            self._take_remark()
            self._take_domain()
        if described is not None:
            self.out.append(described)

    def _take_remark(self) -> None:
        r"""Words behind a formula that say nothing of when it holds are a comment: `y \gets W x \quad \text{(hidden layer)}`."""
        if self._region.kind != "statement" or self._remark != len(self.out) - 1 or not self._remark:
            return
        remark = self.out.pop()
        self._region.notes.append(remark.become("COMMENT", rf"\Comment{{{remark.text}}}"))
        while self.out[-1].type in ("COMMA", "DOT"):
            self.out.pop()

    def _take_domain(self) -> None:
        r"""A final `(t = 1, \dots, L)`, and any final condition in parentheses after `\quad`, is the statement's domain."""
        if self._domain is None or self._domain[1] != len(self.out) - 1:
            return
        opened, closed = self._domain
        if self._region.kind == "row":
            self.out[opened] = self.out[opened].become("COMMA")
            self.out.pop()
        elif self._gets is not None and opened > self._gets + 1:
            self.out[opened] = self.out[opened].become("LDOMAIN")
            self.out[closed] = self.out[closed].become("RDOMAIN")
            if self.out[opened - 1].type == "COMMA":
                del self.out[opened - 1]  # `.., \quad (t = 1, \dots, L)`
            self._domain = None


def _is_where(lexeme: Lexeme) -> bool:
    return lexeme.type == "TEXT" and split_named(lexeme.text)[1].rstrip(",:") in ("where", "with")


def _stray(lexeme: Lexeme) -> Diagnostic:
    return error(
        "E0219", f"the character `{lexeme.text}` has no meaning in a formula", lexeme.span, help="remove it, or write it in a comment"
    )


def _before_nothing(mark_: Lexeme) -> Diagnostic:
    r"""`!c` of programmers, and `n!!`."""
    advice = r"a factorial is written behind its operand, `n!`; `not` is `\lnot c`"
    return error("E0208", "nothing stands to the left of `!`", mark_.span, label="a value must stand before this", help=advice)


def _not_a_name(lexeme: Lexeme, font: str) -> Diagnostic:
    return error(
        "E0226",
        f"`{lexeme.text}` is not a name",
        lexeme.span,
        help=rf"a name in `\{font}{{..}}` is letters and digits, the first a letter",
    )


def _meant_by_tex(lexeme: Lexeme) -> Diagnostic:
    r"""`\oplus`, `\rm`: no name of the author's, and without a meaning here."""
    name = lexeme.text[1:]
    advice = rf"say it with the signs of the language; a name of that spelling is written `\mathrm{{{name}}}`"
    if lexeme.text in SWITCHES:
        advice = rf"write `\math{name}{{..}}` with the name in braces"
    return error("E0201", f"the command `{lexeme.text}` of TeX has no meaning here", lexeme.span, help=advice)


def _of_transpose(lexeme: Lexeme) -> Diagnostic:
    advice = rf"write it above what is transposed, as in `A^{lexeme.text}`, or `{{A^{{-1}}}}^{lexeme.text}` of an inverse"
    return error("E0209", f"`{lexeme.text}` is the sign of the transpose, and no name", lexeme.span, help=advice)


def _unknown_macro(lexeme: Lexeme) -> Diagnostic:
    return error(
        "E0223",
        f"`{lexeme.text}` is not known as a command with an argument",
        lexeme.span,
        help=f"a call is written `{lexeme.text}\\pa{{..}}` or `{lexeme.text}(..)`",
    )
