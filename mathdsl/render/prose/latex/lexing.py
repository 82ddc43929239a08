"""From the text of a document to tokens; the macros that its running text calls are expanded on the way."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.render.document.displays import take_label
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.latex.commands import ACCENTS, DISPLAYS, INLINE, STARRED
from mathdsl.render.prose.latex.source import NOTHING, REGION
from mathdsl.render.prose.latex.tokens import Kind, Token
from mathdsl.source.groups import TOKEN, Groups, skip_space
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.macros import Macro, Parameter

_MARKS = "".join(re.escape(accent) for accent in ACCENTS if not accent.isalpha())
_LETTERS = "".join(accent for accent in ACCENTS if accent.isalpha())
_EVENT = re.compile(
    rf"(?P<nothing>{NOTHING}+)|(?P<space>\s+)|(?P<text>[^\\{{}}\[\]$&~\s{REGION}{NOTHING}]+)"
    r"|\\(?P<tag>begin|end)[ \t]*\{[ \t]*(?P<name>[A-Za-z@]+\*?)[ \t]*\}"
    rf"|\\(?P<accent>[{_MARKS}]|[{_LETTERS}](?![A-Za-z]))\s*(?:\{{\s*(?P<braced>\\[ij]|[^\W\d_])\s*\}}|(?P<bare>\\[ij](?![A-Za-z])|[^\W\d_]))"
    r"|(?P<break>\\\\\*?(?:[ \t]*\[-?[\d.]+[ \t]*[a-z]{2}\])?)"
    r"|\\(?P<command>[A-Za-z@]+)|(?P<escape>\\[\s\S]?)|(?P<sign>[\s\S])"
)
_AFTER_COMMAND = re.compile(r"[ \t]*(?:\n[ \t]*(?!\s))?")
_VERB = re.compile(r"\\(?:verb\*?|(?:lst|mint)inline(?:\[[^\[\]]*\])?(?:\{\w*\})?)(?P<bar>[^\w\s])(?P<text>.*)(?P=bar)", re.DOTALL)
_LISTING = re.compile(
    r"\\begin\{(?P<name>\w+\*?)\}(?P<options>(?:[ \t]*\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\[\]{}]*\])*\])?"
    r"(?:\{(?P<language>[^{}]*)\})?)(?P<body>[\s\S]*?)(?:\\end\{(?P=name)\}|\Z)"
)
_CAPTION = re.compile(r"\b(?P<key>caption|label)\s*=\s*(?:\{(?P<braced>(?:[^{}]|\{[^{}]*\})*)\}|(?P<bare>[^,\[\]{}]*))")
_LANGUAGE = re.compile(r"language\s*=\s*\{?(?:\[[^\]]*\])?\s*([\w+#-]+)")
_SIGNS: dict[str, Kind] = {"{": "{", "}": "}", "[": "[", "]": "]", "&": "cell"}
_NO_ARGUMENT = frozenset("}]&$~")
_LONGEST = 2000  # an argument up to a delimiter
_NAMES = "|".join([*DISPLAYS, INLINE])
_FORMULA_BEGIN = re.compile(rf"\\begin\s*\{{\s*(?P<name>(?:{_NAMES})\*?)\s*\}}")
_FORMULA_EVENT = re.compile(rf"\\end\s*\{{\s*(?P<name>(?:{_NAMES})\*?)\s*\}}|\\[\s\S]|[${{}}\0]|\n[^\S\n]*(?=\n)")


def lex(text: str, expander: Expander) -> list[Token]:
    """The tokens of a text."""
    verbatim = dict(find_ignored(text)[1])
    return list(_Lexer(text, expander, _find_formula_ends(text, sorted(verbatim.items())), verbatim).run())


@dataclass(slots=True)
class _Lexer:
    """`verbatim`: where such text begins and ends; in what a macro came to (`is_expanded`) no macro is called."""

    text: str
    expander: Expander
    ends: _FormulaEnds
    verbatim: dict[int, int]
    is_expanded: bool = False
    groups: Groups = field(init=False)
    position: int = 0
    regions: int = 0

    def __post_init__(self) -> None:
        self.groups = Groups(self.text)

    def run(self) -> Iterator[Token]:
        while self.position < len(self.text):
            start = self.position
            if start in self.verbatim:
                self.position = self.verbatim[start]
                yield _verbatim(self.text[start : self.position])
                continue
            formula = self._formula(start)
            if formula is not None:
                yield formula
                continue
            match = _EVENT.match(self.text, start)
            if match is None:
                break
            self.position = match.end()
            yield from self._token(match)

    def _token(self, match: re.Match[str]) -> Iterator[Token]:
        raw = match[0]
        match match.lastgroup:
            case "nothing":
                return
            case "space":
                yield Token("paragraph" if raw.count("\n") > 1 else "space", " ", raw)
            case "text":
                yield Token("text", raw, raw)
            case "name":
                yield Token("begin" if match["tag"] == "begin" else "end", match["name"], raw)
            case "braced" | "bare" if self._find_macro(match["accent"], match.start()) is None:
                letter = (match["braced"] or match["bare"]).removeprefix("\\")
                yield Token("text", unicodedata.normalize("NFC", letter + ACCENTS[match["accent"]]), raw)
            case "braced" | "bare":
                yield from self._command(match["accent"], match.start())
            case "break":
                yield Token("break", raw, raw)
            case "command":
                yield from self._command(match["command"], match.start())
            case "escape":
                yield Token("command", raw[1:], raw)
            case _:
                yield self._sign(raw)

    def _sign(self, sign: str) -> Token:
        if sign == REGION:
            self.regions += 1
            return Token("region", str(self.regions - 1), "")
        if sign == "~":
            return Token("text", "\u00a0", sign)
        return Token(_SIGNS.get(sign, "text"), sign, sign)

    # ---- commands --------------------------------------------------------------------------------

    def _command(self, name: str, start: int) -> Iterator[Token]:
        self.position = start + 1 + len(name)
        expanded = self._expand(name, start)
        if expanded is not None:
            tokens = _Lexer(expanded, self.expander, _find_formula_ends(expanded, []), {}, is_expanded=True).run()
            call = self.text[start : self.position].replace(NOTHING, "")
            yield from (replace(token, raw="" if number else call) for number, token in enumerate(tokens))
            return
        star = "*" if name in STARRED and self.text.startswith("*", self.position) else ""
        self.position += len(star)
        after = _AFTER_COMMAND.match(self.text, self.position)
        self.position = after.end() if after else self.position
        raw = self.text[start : self.position]
        yield Token("paragraph", " ", raw) if name == "par" else Token("command", name, raw, star)

    def _find_macro(self, name: str, start: int) -> Macro | None:
        return None if self.is_expanded else self.expander.find("\\" + name, start)

    def _expand(self, name: str, start: int) -> str | None:
        """What the macro of this name comes to, if it is one; the position is then behind its arguments."""
        macro = self._find_macro(name, start)
        end = None if macro is None else _find_call_end(self.groups, macro, self.position)
        if end is None or self.ends.has_region(start, end) or not self.expander.can_afford(end - start):
            return None
        expanded = self.expander.expand_call(self.text[start:end].replace(NOTHING, ""), start)
        if expanded is None or macro is None:
            return None
        self.position = end
        return f"${expanded}$" if macro.body[:1] and str(macro.body[0]).lstrip().startswith(r"\ensuremath") else expanded

    # ---- formulas --------------------------------------------------------------------------------

    def _formula(self, start: int) -> Token | None:
        """The formula that begins here."""
        text = self.text
        if text.startswith("$$", start):
            return self._delimited("display", start, self.ends.find_end("$$", start + 2))
        if text.startswith("$", start):
            end = self.ends.find_dollar(start + 1)
            return self._delimited("math", start, None if end is None else (end, end + 1), opening=1)
        if text.startswith(r"\(", start):
            return self._delimited("math", start, self.ends.find_end(r"\)", start + 2))
        if text.startswith(r"\[", start):
            return self._delimited("display", start, self.ends.find_end(r"\]", start + 2))
        begin = _FORMULA_BEGIN.match(text, start) if text.startswith(r"\begin", start) else None
        end_tag = self.ends.find_end(begin["name"], begin.end()) if begin else None
        if begin is None or end_tag is None:
            return None
        is_bare = begin["name"] in (INLINE, "displaymath")
        inside = (begin.end(), end_tag[0]) if is_bare else (start, end_tag[1])
        return self._made("math" if begin["name"] == INLINE else "display", inside, (start, end_tag[1]))

    def _delimited(self, kind: Kind, start: int, end: tuple[int, int] | None, opening: int = 2) -> Token | None:
        return None if end is None else self._made(kind, (start + opening, end[0]), (start, end[1]))

    def _made(self, kind: Kind, inside: tuple[int, int], whole: tuple[int, int]) -> Token:
        self.position = whole[1]
        latex = self.text[slice(*inside)].replace(NOTHING, "")
        if not self.is_expanded:
            latex = self.expander.expand_formula(latex, inside[0])
        return make_formula(kind, latex, self.text[slice(*whole)].replace(NOTHING, ""))


def make_formula(kind: Kind, latex: str, raw: str) -> Token:
    """A formula apart from its label."""
    formula, label = take_label(latex)
    return Token(kind, formula, raw, label)


def read_caption(raw: str) -> tuple[str, str]:
    """The LaTeX of a listing's own caption, and its label, which stand among its options."""
    listing = _LISTING.match(raw)
    options = {match["key"]: match["braced"] or match["bare"] or "" for match in _CAPTION.finditer(listing["options"] if listing else "")}
    return options.get("caption", ""), options.get("label", "").strip()


def _verbatim(raw: str) -> Token:
    if verb := _VERB.fullmatch(raw):
        return Token("code", verb["text"], raw)
    listing = _LISTING.match(raw)
    if listing is None:
        return Token("verbatim", raw, raw)
    named = _LANGUAGE.search(listing["options"])
    language = named[1] if named else listing["language"] or ""
    return Token("verbatim", listing["body"].strip("\n").rstrip(), raw, language.strip().lower())


def _find_call_end(groups: Groups, macro: Macro, position: int) -> int | None:
    """Where the call ends whose name ends at `position`; None where an argument is missing."""
    text = groups.text
    if macro.problem:
        return None
    if macro.starred and text.startswith("*", position):
        position += 1
    if macro.leading:
        position = skip_space(text, position)
        if not text.startswith(macro.leading, position):
            return None
        position += len(macro.leading)
    for parameter in macro.parameters:
        end = _find_argument_end(groups, parameter, position)
        if end is None:
            return None
        position = end
    return position


def _find_argument_end(groups: Groups, parameter: Parameter, position: int) -> int | None:
    text = groups.text
    at = skip_space(text, position)
    if parameter.default is not None:
        closing = groups.find_close(at) if text.startswith("[", at) else None
        return position if closing is None else closing + 1
    if parameter.delimiter:
        end = text.find(parameter.delimiter, at, at + _LONGEST)
        return None if end < 0 else end + len(parameter.delimiter)
    if text.startswith("{", at):
        closing = groups.find_close(at)
        return None if closing is None else closing + 1
    token = TOKEN.match(text, at)
    return None if token is None or token[0] in _NO_ARGUMENT else token.end()


@dataclass(slots=True)
class _FormulaEnds:
    """`dollars` with the number of braces open at each; `ends` of the others by what they are; what no formula goes across."""

    dollars: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: dict[str, list[Interval]] = field(default_factory=dict)
    blank_lines: list[int] = field(default_factory=list)
    regions: list[int] = field(default_factory=list)
    unclosed_until: int = 0

    def find_dollar(self, start: int) -> int | None:
        """The dollar that closes the formula whose inside begins at `start`: in the same paragraph, outside of braces opened in it."""
        if start < self.unclosed_until:
            return None
        barrier = self._barrier(start)
        opening = bisect_left(self.dollars, start) - 1
        for position in range(opening + 1, len(self.dollars)):
            if self.dollars[position] >= barrier:
                break
            if self.depths[position] <= self.depths[opening]:
                return self.dollars[position]
        self.unclosed_until = barrier
        return None

    def find_end(self, name: str, start: int) -> Interval | None:
        """What closes `\\(`, `\\[` and `$$`, in the same paragraph, or an environment of this name."""
        ends = self.ends.get(name, [])
        position = bisect_left(ends, (start, 0))
        barrier = _next_of(self.regions, start) if name.isidentifier() or name.endswith("*") else self._barrier(start)
        return ends[position] if position < len(ends) and ends[position][0] < barrier else None

    def has_region(self, start: int, end: int) -> bool:
        return _next_of(self.regions, start) < end

    def _barrier(self, start: int) -> int:
        return min(_next_of(self.blank_lines, start), _next_of(self.regions, start))


def _next_of(positions: list[int], start: int) -> int:
    """The first position from `start` on; far away where there is none."""
    at = bisect_left(positions, start)
    return positions[at] if at < len(positions) else 1 << 62


def _find_formula_ends(text: str, verbatim: list[Interval]) -> _FormulaEnds:
    """Of a whole text, but for what is verbatim in it."""
    found, depth = _FormulaEnds(), 0
    hidden = iter([*verbatim, (1 << 62, 1 << 62)])
    skipped = next(hidden)
    for match in _FORMULA_EVENT.finditer(text):
        while skipped[1] <= match.start():
            skipped = next(hidden)
        if skipped[0] <= match.start():
            continue
        match match[0]:
            case "$":
                if found.dollars[-1:] == [match.start() - 1]:
                    found.ends.setdefault("$$", []).append((match.start() - 1, match.end()))
                found.dollars.append(match.start())
                found.depths.append(depth)
            case "{" | "}" as brace:
                depth += 1 if brace == "{" else -1
            case "\0":
                found.regions.append(match.start())
            case blank if blank[0] == "\n":
                found.blank_lines.append(match.start())
            case end:
                found.ends.setdefault(match["name"] or end, []).append(match.span())
    return found
