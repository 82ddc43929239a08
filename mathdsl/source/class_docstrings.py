r"""Docstrings that describe a class by equations, without a program: its equations as program text, and what the words say of symbols.

    .. math::
        \text{ELU}(x) = \begin{cases} x, & \text{ if } x > 0 \\ \alpha * (\exp(x) - 1), & \text{ if } x \leq 0 \end{cases}

    Args:
        alpha: the :math:`\alpha` value for the ELU formulation. Default: 1.0

    Shape:
        - Input: :math:`(*)`, where :math:`*` means any number of dimensions.

Symbols are told by their letters: `W_{ih}` is `W_ih`, and `\text{negative\_slope}` and the argument `negative_slope` are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mathdsl.dataclass import dataclass
from mathdsl.source.latex_text import Interval
from mathdsl.source.mapping import TextBuilder
from mathdsl.source.model import ClassFacts, MappedText, Setting

_MATH_DIRECTIVE = re.compile(r"^(?P<indent>[ \t]*)\.\.[ \t]+math[ \t]?::(?P<beside>[^\n]*)\n?", re.MULTILINE)
_DIRECTIVE_HEAD = re.compile(r"\.\.\s*math\s?::")
_LINE = re.compile(r"[^\n]*\n?")
_OPTION = re.compile(r"[ \t]*:[A-Za-z-]+:[^\n]*\n?")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_OUTER = re.compile(
    r"\s*\\begin\{(?P<name>array|aligned|align|gathered|gather|split|eqnarray)(?P<star>\*?)\}(?:\s*\{[lcr| ]*\})?"
    r"(?P<inside>[\s\S]*)\\end\{(?P=name)(?P=star)\}\s*[.,;]?\s*"
)
_TYPED_DOTS = re.compile(r"\.\.\.")
_INLINE = re.compile(r":math:`([^`]*)`")
_WORD_BEFORE = re.compile(r"\b(?:with|where|and)\s+\Z")
_CONSTANT = re.compile(r"\s*(?P<name>[^=]*[^=\s])\s*=\s*(?P<value>-?\d[\d.]*(?:e-?\d+)?)\.?\s*")

_SECTION = re.compile(r"^(?P<indent>[ \t]*)(?P<title>[A-Z][A-Za-z]*(?: [A-Za-z]+)?)[ \t]*:{1,2}(?P<beside>[^\n]*)$", re.MULTILINE)
_ROW = re.compile(
    r"[ \t]*(?:[-*][ \t]+)?\**(?P<name>[A-Za-z_][\w']*)\**[ \t]*(?:\([^)\n]*\))?(?:[ \t]+of shape[^:\n]*)?[ \t]*:(?P<said>.*)",
    re.DOTALL,
)
_DEFAULT = re.compile(r"[Dd]efault:?\s*(?:value of\s*)?(?::math:)?`*(?P<value>-?\d[\d.]*(?:e-?\d+)?)`*")
_ARGUMENTS = ("Args", "Arguments", "Parameters", "Keyword args")
_VALUE_OF = re.compile(r"\s*(?:[Tt]he\s+)?:math:`([^`]*)`")
_ANY_SHAPE = re.compile(r"\(\s*(?:\*|\\ast|N)\s*\)")
_LEARNABLE = re.compile(r"((?::math:`[^`]*`(?:,|\s|and)*)+)(?:are|is)\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,3}?learnable\b")
_OUTPUTS = re.compile(r"[A-Za-z_][\w']*")

_TOKEN = re.compile(r"\\(?P<tag>begin|end)\s*\{[^{}]*\}|\\(?P<quad>q?quad)(?![A-Za-z])|\\\\|\\(?:[A-Za-z]+|.)|[{}()\[\]=]", re.DOTALL)
_DEPTH = {"{": 1, "(": 1, "[": 1, r"\{": 1, "}": -1, ")": -1, "]": -1, r"\}": -1}
_SPELLING = re.compile(r"\\(?:text|mathrm|mathit|mathbf|operatorname|rm)(?![A-Za-z])|[\\{}\s]")
_EQUAL_SPELLINGS = {"eps": "epsilon", "varepsilon": "epsilon", "lambd": "lambda"}


def letters_of(symbol: str) -> str:
    r"""What tells symbols and names of arguments apart: `W_ih` of `W_{ih}`, `negative_slope` of `\text{negative\_slope}`."""
    letters = _SPELLING.sub("", symbol)
    return _EQUAL_SPELLINGS.get(letters, letters)


def describe_class(name: str, docstring: MappedText) -> tuple[MappedText, ClassFacts] | None:
    """The equations of a class, each ended like a statement, and what is said of its symbols; None where there is no equation."""
    text = docstring.text
    sections = list(_sections(text))
    blocks = [block for block in _displays(text) if not any(s.start <= block[0] < s.end for s in sections)]
    constants: list[Interval] = []
    if not blocks:
        head = _INLINE.finditer(text, 0, min((section.start for section in sections), default=len(text)))
        blocks = [match.span(1) for match in head if "=" in match[1]][:1]
    else:
        inline = _INLINE.finditer(text)
        constants = [m.span(1) for m in inline if _CONSTANT.fullmatch(m[1]) and _WORD_BEFORE.search(text, 0, m.start())]
    if not blocks:
        return None
    between = [text[before[1] : block[0]] for before, block in pairwise(blocks)]
    alternatives = {at for at, words in enumerate(between, 1) if _DIRECTIVE_HEAD.sub("", words).strip() == "or"}
    equations = TextBuilder()
    for at, block in enumerate(blocks):
        if at not in alternatives:
            _add_equations(docstring, block, equations)
    facts = ClassFacts(
        name,
        docstring.span(*blocks[0]),
        settings=tuple(_settings(docstring, sections)),
        constants=tuple(_constant(docstring, at) for at in constants),
        learnable=frozenset(letters_of(m[1]) for said in _LEARNABLE.finditer(text) for m in _INLINE.finditer(said[1])),
        attributes=tuple(row for s in sections if s.title in ("Attributes", "Variables") for row, _, _ in _rows(text, s)),
        inputs=tuple(_inputs(text, sections)),
        is_elementwise=_is_elementwise(text, sections),
        outputs=_outputs(text, sections),
    )
    return equations.build(), facts


# ---- equations -----------------------------------------------------------------------------------


def _displays(text: str) -> Iterator[Interval]:
    """The formulas of `math` directives; a blank line in one parts two."""
    for directive in _MATH_DIRECTIVE.finditer(text):
        depth = len(directive["indent"].expandtabs())
        position = directive.start("beside") if directive["beside"].strip() else directive.end()
        end = directive.end()
        while end < len(text) and (line := _LINE.match(text, end)) is not None:
            content = line[0].expandtabs()
            if content.strip() and len(content) - len(content.lstrip()) <= depth:
                break
            end = line.end()
        while option := _OPTION.match(text, position, end):
            position = option.end()
        for blank in (*_PARAGRAPH.finditer(text, position, end), None):
            stop = end if blank is None else blank.start()
            if inside := text[position:stop].strip():
                start = text.index(inside, position)
                yield start, start + len(inside)
            position = stop if blank is None else blank.end()


def _add_equations(docstring: MappedText, block: Interval, equations: TextBuilder) -> None:
    r"""The equations of a display, a statement each; of `f(x) = a = b`, the last side.

    They stand in rows, or behind a `\quad`; one side of several is enough, since they are equal, and the last one says most.
    """
    outer = _OUTER.fullmatch(docstring.text, *block)
    start, end = block if outer is None else outer.span("inside")
    for first, last in _parts(docstring.text, start, end):
        signs = _signs(docstring.text, first, last)
        if not signs:
            continue
        for start, stop in ((first, signs[0]), (signs[-1], last)):
            for dots in _TYPED_DOTS.finditer(docstring.text, start, stop):
                equations.add_slice(docstring, start, dots.start())
                equations.add(r"\dots ", docstring.span(*dots.span()))
                start = dots.end()
            equations.add_slice(docstring, start, stop)
        equations.add(" \\\\\n", docstring.span(last - 1, last))


def _parts(text: str, start: int, end: int) -> Iterator[Interval]:
    r"""What `\\` and `\quad` part, outside of brackets; words and the comma between two parts belong to none."""
    position = start
    for token, _ in _outer_tokens(text, start, end):
        if token["quad"] and not _signs(text, token.end(), end):
            continue  # the range of an index
        if token[0] == r"\\" or token["quad"]:
            yield position, _trimmed(text, position, token.start())
            position = token.end()
    yield position, _trimmed(text, position, end)


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip().rstrip(",").rstrip())


def _signs(text: str, start: int, end: int) -> list[int]:
    return [token.start() for token, depth in _outer_tokens(text, start, end) if token[0] == "="]


def _outer_tokens(text: str, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
    depth = 0
    for token in _TOKEN.finditer(text, start, end):
        step = _DEPTH.get(token[0], 0) or {"begin": 1, "end": -1, None: 0}[token["tag"]]
        if depth == 0 and step == 0:
            yield token, depth
        depth = max(0, depth + step)


# ---- words ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    beside: str
    start: int
    end: int


def _sections(text: str) -> Iterator[_Section]:
    """`Args:` and its kin, with the lines that are indented deeper."""
    for match in _SECTION.finditer(text):
        indent, end = len(match["indent"].expandtabs()), match.end() + 1
        while end < len(text) and (line := _LINE.match(text, end)) is not None:
            content = line[0].expandtabs()
            if content.strip() and len(content) - len(content.lstrip()) <= indent:
                break
            end = line.end()
        yield _Section(match["title"].capitalize(), match["beside"].strip(), match.end() + 1, end)


def _rows(text: str, section: _Section) -> Iterator[tuple[str, str, Interval]]:
    """Names, what is said of them and where the name stands: lines of the least indent, each with those below it."""
    starts: list[tuple[int, int]] = []
    position = section.start
    while position < section.end and (line := _LINE.match(text, position, section.end)) is not None:
        if line[0].strip():
            starts.append((len(line[0].expandtabs()) - len(line[0].expandtabs().lstrip()), position))
        position = line.end()
    least = min((indent for indent, _ in starts), default=0)
    edges = [*(at for indent, at in starts if indent == least), section.end]
    for start, end in pairwise(edges):
        if row := _ROW.match(text, start, end):
            yield row["name"], row["said"], row.span("name")


def _settings(docstring: MappedText, sections: Sequence[_Section]) -> Iterator[Setting]:
    for section in sections:
        if section.title in _ARGUMENTS:
            for name, said, place in _rows(docstring.text, section):
                default = _DEFAULT.search(said)
                formula = _VALUE_OF.match(said)
                letters = (letters_of(name), *([letters_of(formula[1])] if formula else []))
                yield Setting(frozenset(letters), default["value"].rstrip(".") if default else "", docstring.span(*place))


def _constant(docstring: MappedText, place: Interval) -> Setting:
    match = _CONSTANT.fullmatch(docstring.text, *place)
    assert match is not None, "only constants are asked about"
    return Setting(frozenset({letters_of(match["name"])}), match["value"].rstrip("."), docstring.span(*place))


def _inputs(text: str, sections: Sequence[_Section]) -> Iterator[str]:
    """The rows of inputs; `Inputs` says more than `Shape` where both stand."""
    shown = [s for s in sections if s.title == "Inputs" and s.beside] or [s for s in sections if s.title == "Shape"]
    for section in shown:
        if section.title == "Inputs":
            yield from _OUTPUTS.findall(section.beside)
        else:
            yield from (name for name, _, _ in _rows(text, section) if not name.lower().startswith("output"))


def _is_elementwise(text: str, sections: Sequence[_Section]) -> bool:
    """Whether every input has any shape: the equations are of one element."""
    rows = [row for section in sections if section.title == "Shape" for row in _rows(text, section)]
    said = [words for name, words, _ in rows if not name.lower().startswith("output")]
    return bool(said) and all("same shape" in words or _has_any_shape(words) for words in said)


def _has_any_shape(words: str) -> bool:
    formula = _INLINE.search(words)
    return formula is not None and _ANY_SHAPE.fullmatch(formula[1].strip()) is not None


def _outputs(text: str, sections: Sequence[_Section]) -> tuple[str, ...]:
    return tuple(name for section in sections if section.title == "Outputs" for name in _OUTPUTS.findall(section.beside))
