r"""The algorithms of the package `algorithm2e` in the lines that algpseudocode has: what stands in braces there stands between commands.

    \begin{algorithm} \caption{Power iteration} \KwIn{$x$} \For{$k = 1$ \KwTo $K$}{$x \gets A x$\;} \KwRet{$x$} \end{algorithm}
    → \Procedure{PowerIteration} \KwIn{$x$} \For{$k = 1$ \KwTo $K$} \State $x \gets A x$ \EndFor \Return{$x$} \EndProcedure

Every character keeps its place; what is added stands where the author's words are that say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, error
from mathdsl.source.floats import name_of_caption
from mathdsl.source.groups import Groups, skip_space
from mathdsl.source.mapping import TextBuilder
from mathdsl.source.model import MappedText
from mathdsl.spans import Span

_LOOPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("For", "lFor"), (r"\For", r"\EndFor")),
        **dict.fromkeys(("ForEach", "ForAll", "lForEach", "lForAll"), (r"\ForAll", r"\EndFor")),
        **dict.fromkeys(("While", "lWhile"), (r"\While", r"\EndWhile")),
    }
)
"""A head and a body, and what stands before and behind them in algpseudocode."""

_TESTS = ("If", "uIf", "lIf")
_FURTHER = ("ElseIf", "uElseIf", "lElseIf")
_LAST = ("Else", "uElse", "lElse")
_BOTH = ("eIf", "leIf")
_LISTS: Mapping[str, str] = MappingProxyType({"KwIn": r"\KwIn", "KwData": r"\KwIn", "KwOut": r"\KwOut", "KwResult": r"\KwOut"})
_COMMENTS = ("tcp", "tcc")
_LOOKS = re.compile(
    r"caption|label|(?:Set(?:Al|Kw|Nl|Vline|NoFill|Line|Side|Comment|Func|Data|Arg|Prog|Title)|Restyle|Reset|Inc|Dec|Indp|Indm|Lines|ShowLn|AlgoDont)\w*"
    r"|\w*Semicolon|nl|lnl|nlset|BlankLine|setlength|setstretch|vspace|hspace|centering|scriptsize|footnotesize|small|normalsize|noindent|par"
)
"""Commands that say how an algorithm looks; the groups behind them go with them."""

_DEFINING = re.compile(r"\\SetKw(?P<kind>InOut|Input|Output|Function|Prog|Comment|Data|Array|Block|)\s*\{\s*\\?(?P<name>[A-Za-z]+)\s*\}")
_HEAD = re.compile(r"\s*(?:\\(?P<command>[A-Za-z]+)\s*\{|(?:\\text\w+\s*\{)?(?P<word>[A-Za-z]\w*)\}?\s*\()")
_OTHER = re.compile(r"\\(?:begin\s*\{\s*algorithmic|State(?![A-Za-z])|End[A-Z])")
_OWN = re.compile(r"\\(?:KwRet|[ul]If|eIf|[ul]Else|lFor|SetAl\w+|DontPrintSemicolon|LinesNumbered|KwTo)(?![A-Za-z])")
_BEGIN = re.compile(r"\\begin\s*\{\s*(?P<name>algorithm(?:2e)?\*?)\s*\}(?:\s*\[[^\[\]{}]*\])?")
_EVENT = re.compile(r"\\(?P<command>[A-Za-z]+)(?P<star>\*?)|\\(?P<sign>[\s\S])|(?P<dollar>\$\$?)|\S")
_ENDS_LINE = re.compile(r"[ \t]*(?:\n|\}|$)")
_OPTION = re.compile(r"\s*\[[^\[\]{}]*\]")
_ASIDE = re.compile(r"\s*\(\s*\\(?P<command>[A-Za-z]+)(?P<star>\*?)")
_INPUT = re.compile(r"in(?:puts?)?\b|data|given|require|param|hyper", re.IGNORECASE)
_OUTPUT = re.compile(r"out|result|return|ensure|yield", re.IGNORECASE)

_MOST_BLOCKS = 100
"""How many blocks are read inside of one another: the layout refuses fewer."""

_Kind = Literal["in", "out", "function", "program", "comment", "name", "word", "block"]


@dataclass(frozen=True, slots=True)
class _Keyword:
    """A command that a document makes by `\\SetKwFunction` and its kin, and the word that it shows."""

    kind: _Kind
    word: str


def find_programs(text: str, insides: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those insides of floats that list what an algorithm takes or gives, or hold a function, and no word of algpseudocode."""
    if not insides:
        return
    listing = [name for name, keyword in _keywords(text).items() if keyword.word and keyword.kind in ("in", "out", "program")]
    listing_command = re.compile(rf"\\(?:{'|'.join([*_LISTS, *listing])})(?![A-Za-z])")
    for start, end in insides:
        if listing_command.search(text, start, end) and not _OTHER.search(text, start, end):
            yield start, end


def is_of_package(text: str) -> bool:
    """Whether the inside of a float is written in words that only the package has."""
    return _OWN.search(text) is not None and _OTHER.search(text) is None


def rewrite_algorithms(mapped: MappedText, whole: str, start: int, found: Diagnostics) -> MappedText:
    """The text with its algorithms in the lines of algpseudocode; it begins at `start` of the `whole`, which defines the keywords."""
    groups = Groups(mapped.text)
    out = TextBuilder()
    position, count = 0, whole.count(r"\begin{algorithm", 0, start)
    keywords: dict[str, _Keyword] | None = None
    while (begin := _BEGIN.search(mapped.text, position)) is not None:
        end_tag = rf"\end{{{begin['name']}}}"
        end = mapped.text.find(end_tag, begin.end())
        if end < 0:
            break
        keywords = _keywords(whole) if keywords is None else keywords
        out.add_slice(mapped, position, begin.start())
        count += 1
        algorithm = _Algorithm(mapped, groups, keywords, found, "Algorithm" + (str(count) if count > 1 else ""))
        for first, second in algorithm.pieces(begin.end(), end, mapped.span(*begin.span())):
            if isinstance(second, int):
                assert isinstance(first, int)
                out.add_slice(mapped, first, second)
            else:
                out.add(str(first), second)
        position = end + len(end_tag)
    out.add_slice(mapped, position, len(mapped.text))
    return out.build()


def _keywords(text: str) -> dict[str, _Keyword]:
    r"""The commands that `\SetKwInOut{Input}{input}` and its kin make, with those that the package has made already."""
    keywords = {name: _Keyword("program", "") for name in ("Fn", "Def", "Function", "Procedure", "Pn")}
    keywords["Begin"] = _Keyword("block", "")
    groups = Groups(text)
    for match in _DEFINING.finditer(text):
        at = skip_space(text, match.end())
        close = groups.find_close(at) if text.startswith("{", at) else None
        word = " ".join(text[at + 1 : close].split()) if close is not None else ""
        kind = _kind(match["kind"], word)
        if kind is not None:
            keywords[match["name"]] = _Keyword(kind, word)
    return keywords


def _kind(kind: str, word: str) -> _Kind | None:
    match kind:
        case "Input" | "Output" | "InOut":
            return "in" if _INPUT.match(word) else "out" if _OUTPUT.match(word) else None
        case "Function":
            return "function"
        case "Prog":
            return "program"
        case "Comment":
            return "comment"
        case "Block":
            return "block"
        case "Data" | "Array":
            return "name"
        case _:
            return "word"


_Piece: TypeAlias = tuple[int, int] | tuple[str, Span]
"""Characters of the text that stay, or characters that stand for a place."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What a command with its arguments comes to, where it ends, and whether a new line begins behind it."""

    end: int
    pieces: Sequence[_Piece] = ()
    then: Literal["line", "statement", "same"] = "line"


@dataclass(slots=True)
class _Algorithm:
    """One algorithm, `default` without a caption; its functions and what it takes and gives are found on the way through its lines."""

    mapped: MappedText
    groups: Groups
    keywords: Mapping[str, _Keyword]
    found: Diagnostics
    default: str
    functions: list[_Piece] = field(default_factory=list)
    lists: list[_Piece] = field(default_factory=list)
    depth: int = 0

    def pieces(self, start: int, end: int, begin: Span) -> Iterator[_Piece]:
        """Functions first, then the algorithm itself, if it has a line outside of them."""
        lines = list(self._block(start, end))
        is_alone = any(isinstance(piece[0], str) for piece in lines) or not self.functions
        if not is_alone:
            yield from (*self.lists, *self.functions)
            return
        yield from self.functions
        yield rf"\Procedure{{{name_of_caption(self.groups, start, end) or self.default}}} ", begin
        yield from (*self.lists, *lines)
        yield r"\EndProcedure ", self._span(end, end + 1)

    def _span(self, start: int, end: int) -> Span:
        return self.mapped.span(start, end)

    # ---- lines -----------------------------------------------------------------------------------

    def _block(self, start: int, end: int) -> Iterator[_Piece]:
        r"""The lines of a block: `\;` ends one, and so does what has a block of its own."""
        if self.depth > _MOST_BLOCKS:
            yield start, end
            return
        self.depth += 1
        position = copied = start
        in_formula, begins = False, True
        while (event := _EVENT.search(self.groups.text, position, end)) is not None:
            at, position = event.span()
            read = self._read(event, end, in_formula, begins)
            if begins and (read is None or read.then == "statement"):
                yield copied, at
                yield r"\State ", self._span(at, at + 1)
                begins, copied = False, at
            if read is not None:
                yield copied, at
                yield from read.pieces
                position = copied = read.end
                begins, in_formula = begins or read.then == "line", in_formula and read.then != "line"
            elif event["dollar"] or event["sign"] in ("(", ")", "[", "]"):
                in_formula = not in_formula
        yield copied, end
        self.depth -= 1

    def _read(self, event: re.Match[str], end: int, in_formula: bool, begins: bool) -> _Read | None:
        """What is read as a whole; None for what stays as it is."""
        at, name = event.end(), event["command"]
        if event["sign"] in (";", "\\"):
            is_end = not in_formula or event["sign"] == ";" and _ENDS_LINE.match(self.groups.text, at, end) is not None
            return _Read(at) if is_end else None
        if name is None:
            return None
        keyword = self.keywords.get(name)
        kind = keyword.kind if keyword is not None else "in" if name in _LISTS else ""
        match kind:
            case "in" | "out":
                return self._list(event, end, _LISTS.get(name) or (r"\KwIn" if kind == "in" else r"\KwOut"))
            case "program":
                return self._function(event, end)
            case "comment":
                return self._comment(event, end, begins)
            case "block":
                return _Read(at) if (body := self._group(at, end)) is None else _Read(body[1] + 1, [*self._block(*body)])
            case "function" | "name" | "word":
                return self._word(event, end, in_formula)
        if name in _COMMENTS:
            return self._comment(event, end, begins)
        if _LOOKS.fullmatch(name):
            return _Read(self._skip_groups(at, end), then="same")
        if name in _LOOPS:
            return self._loop(event, end)
        if name in (*_TESTS, *_FURTHER, *_LAST, *_BOTH):
            return self._branches(event, end)
        return self._repeat(event, end) if name == "Repeat" else None

    # ---- arguments -------------------------------------------------------------------------------

    def _group(self, at: int, end: int) -> tuple[int, int] | None:
        """The inside of the braces that stand next."""
        at = skip_space(self.groups.text, at)
        close = self.groups.find_close(at) if self.groups.text.startswith("{", at) else None
        return None if close is None or close >= end else (at + 1, close)

    def _skip_option(self, at: int, end: int) -> int:
        option = _OPTION.match(self.groups.text, at, end)
        return option.end() if option is not None else at

    def _skip_groups(self, at: int, end: int) -> int:
        at = self._skip_option(at, end)
        while (group := self._group(at, end)) is not None:
            at = group[1] + 1
        return at

    def _arguments(self, event: re.Match[str], end: int, count: int) -> tuple[list[tuple[int, int]], list[_Piece]] | None:
        r"""The insides of the groups behind a command, and a comment before them, `\If(\tcp*[f]{..}){..}`; what is missing is reported."""
        at, comment = event.end(), list[_Piece]()
        if (aside := _ASIDE.match(self.groups.text, at, end)) is not None and (said := self._comment(aside, end, False)) is not None:
            close = self.groups.text.find(")", said.end, end)
            at, comment = (close + 1, [*said.pieces]) if close >= 0 else (at, [])
        groups: list[tuple[int, int]] = []
        while len(groups) < count and (group := self._group(at, end)) is not None:
            groups.append(group)
            at = group[1] + 1
        if len(groups) == count:
            return groups, comment
        brace = skip_space(self.groups.text, at)
        written = event[0].rstrip("*")
        if self.groups.text.startswith("{", brace):
            what = error("E0202", "`{` is not closed", self._span(brace, brace + 1), label="opened here", help="write `}` where it ends")
        else:
            needs = f"`{written}` needs " + ("an argument in braces" if count == 1 else f"{count} arguments in braces")
            label = f"argument {len(groups) + 1} is missing" if count > 1 else "its argument is missing"
            what = error("E0223", needs, self._span(*event.span()), label=label, help=f"write `{_pattern(written, count)}`")
        self.found.add(what)
        return None

    # ---- what stands in lines --------------------------------------------------------------------

    def _list(self, event: re.Match[str], end: int, command: str) -> _Read:
        if (found := self._arguments(event, end, 1)) is None:
            return _Read(event.end())
        inside = found[0][0]
        self.lists += [(command, self._span(*event.span())), (inside[0] - 1, inside[1] + 1), ("\n", self._span(*event.span()))]
        return _Read(inside[1] + 1)

    def _function(self, event: re.Match[str], end: int) -> _Read | None:
        r"""`\Fn{\F{$x$}}{..}`, `\Fn{F($x$)}{..}`."""
        if (found := self._arguments(event, end, 2)) is None:
            return _Read(event.end())
        (start, stop), body = found[0]
        head = _HEAD.match(self.groups.text, start, stop)
        if head is None:
            advice = rf"write `\SetKwFunction{{F}}{{F}}` before the algorithm, and `{event[0]}{{\F{{$x$}}}}{{..}}` here"
            message = "a function is a name and its arguments in parentheses"
            self.found.add(error("E0227", message, self._span(start, stop), help=advice))
            return _Read(body[1] + 1)
        keyword = self.keywords.get(head["command"] or "")
        name = head["word"] if keyword is None else keyword.word
        inside = (head.end(), stop - 1) if head["word"] else self._group(head.end() - 1, stop) or (stop, stop)
        self.functions += [
            (rf"\Function{{{name or head['command']}}}{{", self._span(*event.span())),
            inside,
            ("} ", self._span(inside[1], inside[1] + 1)),
            *found[1],
            *self._block(*body),
            (r"\EndFunction ", self._span(body[1], body[1] + 1)),
        ]
        return _Read(body[1] + 1)

    def _comment(self, event: re.Match[str], end: int, begins: bool) -> _Read | None:
        at = self._skip_option(event.end(), end)
        inside = self._group(at, end)
        if inside is None:
            return None
        span = self._span(event.start("command") - 1, at)
        pieces: list[_Piece] = [
            (r"\State \Comment{" if begins else r"\Comment{", span),
            inside,
            ("} ", self._span(inside[1], inside[1] + 1)),
        ]
        return _Read(inside[1] + 1, pieces, "line" if begins or event["star"] else "same")

    def _word(self, event: re.Match[str], end: int, in_formula: bool) -> _Read:
        r"""`\F{$x$}` as `\Call{F}{x}`, and what is written by a command as it is shown."""
        keyword, span = self.keywords[event["command"]], self._span(*event.span())
        if keyword.kind == "word":
            return _Read(event.end(), [(keyword.word + " ", span)], "statement")
        inside = self._group(event.end(), end) if keyword.kind == "function" else None
        if inside is None:
            return _Read(event.end(), [(rf"\mathrm{{{keyword.word}}}", span)], "statement")
        call: list[_Piece] = [(rf"\Call{{{keyword.word}}}{{", span), *self._called(*inside, in_formula)]
        return _Read(inside[1] + 1, [*call, ("}", self._span(inside[1], inside[1] + 1))], "statement")

    def _called(self, start: int, end: int, in_formula: bool) -> Iterator[_Piece]:
        """The arguments of a call, without dollar signs where the call stands in a formula already."""
        copied = position = start
        while (event := _EVENT.search(self.groups.text, position, end)) is not None:
            position = event.end()
            keyword = self.keywords.get(event["command"] or "")
            if keyword is not None and keyword.kind in ("function", "name"):
                read = self._word(event, end, True)
                yield copied, event.start()
                yield from read.pieces
                position = copied = read.end
            elif in_formula and event["dollar"]:
                yield copied, event.start()
                copied = position
        yield copied, end

    # ---- blocks ----------------------------------------------------------------------------------

    def _loop(self, event: re.Match[str], end: int) -> _Read:
        if (found := self._arguments(event, end, 2)) is None:
            return _Read(event.end())
        (head, body), comment = found
        opener, closer = _LOOPS[event["command"]]
        return _Read(body[1] + 1, [*self._head(opener, event, head), *comment, *self._block(*body), self._close(closer, body)])

    def _head(self, command: str, event: re.Match[str], head: tuple[int, int]) -> Iterator[_Piece]:
        yield command, self._span(*event.span())
        yield head[0] - 1, head[1] + 1
        yield " ", self._span(head[1], head[1] + 1)

    def _close(self, command: str, body: tuple[int, int]) -> _Piece:
        return command + " ", self._span(body[1], body[1] + 1)

    def _repeat(self, event: re.Match[str], end: int) -> _Read:
        if (found := self._arguments(event, end, 2)) is None:
            return _Read(event.end())
        (head, body), comment = found
        command = (r"\Repeat ", self._span(*event.span()))
        return _Read(body[1] + 1, [command, *comment, *self._block(*body), *self._head(r"\Until", event, head)])

    def _branches(self, event: re.Match[str], end: int) -> _Read:
        r"""A branch with the further ones behind it, each of which may end its block or not: `\uIf{..}{..} \Else{..}`."""
        pieces: list[_Piece] = []
        name = event["command"]
        continues = name in _FURTHER or name in _LAST  # nothing: the layout reports it
        opener = r"\ElsIf" if continues else r"\If"
        while True:
            count = 3 if name in _BOTH else 1 if name in _LAST else 2
            if (found := self._arguments(event, end, count)) is None:
                return _Read(event.end(), pieces)
            groups, comment = found
            if name in _LAST:
                pieces.append((r"\Else ", self._span(*event.span())))
            else:
                pieces += self._head(opener, event, groups[0])
            body = groups[-1] if name not in _BOTH else groups[1]
            pieces += (*comment, *self._block(*body))
            if name in _BOTH:
                pieces += ((r"\Else ", self._span(groups[2][0] - 1, groups[2][0])), *self._block(*groups[2]))
            last = groups[-1]
            further = _EVENT.search(self.groups.text, last[1] + 1, end)
            if name in (*_BOTH, *_LAST) or further is None or further["command"] not in (*_FURTHER, *_LAST):
                return _Read(last[1] + 1, pieces if continues else [*pieces, self._close(r"\EndIf", last)])
            event, name, opener = further, further["command"], r"\ElsIf"


def _pattern(written: str, count: int) -> str:
    match written.lstrip("\\"):
        case "For" | "lFor":
            return rf"{written}{{$i = 1$ \KwTo $n$}}{{..}}"
        case name if name in _BOTH:
            return rf"{written}{{$condition$}}{{..}}{{..}}"
        case _:
            return written + "{..}" * count
