r"""Names as values: `\hat{W}'_{Q}` by its letters, accents, primes and labels; two ways to write one name are one value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.syntax import nodes as ast

PLAIN_FONTS = frozenset({"", "mathrm", "text", "mathit", "operatorname", "textrm", "mathsf", "texttt"})
FONT_GROUP = {"boldsymbol": "mathbf", "bm": "mathbf"}
_CLOSERS = {"": "", "(": ")", "[": "]"}
ACCENTS = {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}


_LETTERS = re.compile(r"[^\W\d]|\d+")


class Name(str):
    r"""A name by its parts; as text it is its canonical spelling, which nothing takes apart again.

    `\hat{\mathbf{W}}'_{Q}` has the text `W`, the font `mathbf`, one prime, the accent `hat` (innermost first) and the label `Q`; `above` is
    the label `(q)` of `W^{(q)}`, `given` what stands behind the bar of `P_{t|t-1}`. `version` tells the second and later values that a
    program gives to a name apart; `is_own`: a value of ours, which no author can write.
    """

    __slots__ = ("above", "accents", "font", "given", "is_own", "labels", "primes", "text", "version")

    text: str
    font: str
    primes: int
    accents: tuple[str, ...]
    labels: tuple[Name, ...]
    version: int
    is_own: bool
    above: tuple[Name, ...]
    given: Given | None

    def __new__(
        cls,
        text: str,
        font: str = "",
        primes: int = 0,
        accents: tuple[str, ...] = (),
        labels: tuple[Name, ...] = (),
        version: int = 1,
        is_own: bool = False,
        above: tuple[Name, ...] = (),
        given: Given | None = None,
    ) -> Name:
        """The name of these parts."""
        spelling = (rf"\{font}{{{text}}}" if font else text) + "'" * primes
        for accent in accents:
            spelling = rf"\{accent}{{{spelling}}}"
        if above:
            spelling = f"{spelling}^{{{','.join(above)}}}"
        if version > 1:
            spelling = rf"\version{version}{{{spelling}}}"
        if labels or given:
            spelling = f"{spelling}_{{{','.join(given.with_index(labels) if given else labels)}}}"
        name = super().__new__(cls, rf"\version{{{spelling}}}" if is_own else spelling)
        for part, value in zip(cls.__slots__, (above, accents, font, given, is_own, labels, primes, text, version), strict=True):
            object.__setattr__(name, part, value)
        return name

    def __setattr__(self, part: str, value: object) -> None:
        """Refused: a name never changes."""
        raise AttributeError(part)

    def __reduce__(self) -> tuple[type[Name], tuple[object, ...]]:
        """Its parts, from which a copy is made."""
        return Name, (self.text, self.font, self.primes, self.accents, self.labels, self.version, self.is_own, self.above, self.given)

    # ---- parts ------------------------------------------------------------------------------

    @property
    def word(self) -> Name:
        r"""The name without its labels: `\hat{W}` of `\hat{W}_{Q}`."""
        return self.changed(labels=()) if self.labels else self

    @property
    def is_plain(self) -> bool:
        r"""Whether it is letters or a command alone, `Linear`, `\ell`."""
        return not (self.font or self.primes or self.accents or self.labels or self.above or self.given or self.is_own or self.version > 1)

    @property
    def is_command(self) -> bool:
        r"""Whether its letters are a command, `\ell`."""
        return self.text[:1] == "\\"

    @property
    def bare_text(self) -> str:
        r"""Its letters, those of a command without the backslash."""
        return self.text[1:] if self.is_command else self.text

    @property
    def bare(self) -> str:
        r"""`tanh` of `\tanh`: what functions and modules are known by."""
        return self.bare_text if self.is_plain else self

    @property
    def first_font(self) -> str | None:
        """The font of its letters, or else of a label."""
        return next((word.font for word in (self, *self.labels) if word.font), None)

    @property
    def upright(self) -> str:
        r"""The letter of `\mathrm{k}`, a label beside an index `k`; '' for any other name."""
        return self.text[8:-1] if self.text.startswith(r"\mathrm{") else ""

    @property
    def is_number(self) -> bool:
        """Whether it is a natural number, `0` as the label of `h_0`."""
        return self.is_plain and self.text.isdigit()

    @property
    def letters(self) -> tuple[Name, ...]:
        """The letters and numbers of a plain word, each for itself: `p`, `1` of the label of `A_{p1}`."""
        return tuple(map(Name, _LETTERS.findall(self.text))) if self.is_plain and self.text.isalnum() else (self,)

    # ---- other names ------------------------------------------------------------------------

    def changed(self, *, labels: tuple[Name, ...] | None = None, version: int | None = None, is_own: bool | None = None) -> Name:
        """The name with other labels, or as another version."""
        return _name(
            self.text,
            self.font,
            self.primes,
            self.accents,
            self.labels if labels is None else labels,
            self.version if version is None else version,
            self.is_own if is_own is None else is_own,
            self.above,
            self.given,
        )

    def labelled(self, labels: Iterable[Name]) -> Name:
        """The name with more labels: `W`, [`Q`] -> `W_{Q}`."""
        more = tuple(labels)
        return self.changed(labels=(*self.labels, *more)) if more else self

    def numbered(self, count: int) -> Name:
        """The name with a number as its last label, from the second on."""
        return self if count == 1 else self.labelled((Name(str(count)),))

    def accented(self, accent: str) -> Name:
        r"""The name under an accent."""
        accents = (*self.accents, accent)
        return _name(self.text, self.font, self.primes, accents, self.labels, self.version, self.is_own, self.above, self.given)

    def with_label(self, label: ast.Label | ast.Given) -> Name | None:
        """The name with a label above, or behind a bar; None where that is no word."""
        above, given = self.above, self.given
        match label:
            case ast.Label(items=items, bracket=bracket):
                words = tuple(map(word_of, items))
                if None in words:
                    return None
                above = (*above, *(_name(f"{bracket}{word}{_CLOSERS[bracket]}") for word in words))
            case ast.Given(distance=distance, fixed=fixed):
                given = Given(distance, None if fixed is None else spelling_of(fixed))
        return _name(self.text, self.font, self.primes, self.accents, self.labels, self.version, self.is_own, above, given)


@dataclass(frozen=True)
class Given:
    r"""What stands behind the bar of a name: so far before its index, `t - 1` of `P_{t|t-1}`, something fixed, or another index."""

    distance: int | None = None
    fixed: Name | None = None

    def with_index(self, labels: tuple[Name, ...]) -> tuple[str, ...]:
        r"""What stands below the name, with dots for indices: `\cdot \mid \cdot-1`; `1 \mid 0` of the element at 1."""
        at = labels[-1].text if labels and labels[-1].is_number else ""
        index = at or r"\cdot"
        behind = self.fixed or self._apart(index)
        return (*labels[: len(labels) - bool(at)], rf"{index} \mid {behind}")

    def words(self, labels: tuple[Name, ...]) -> tuple[str, ...]:
        """What Python names have for it: `given`, `1`."""
        if self.distance is None:
            return ("given", *(() if self.fixed is None else (self.fixed,)))
        if labels and labels[-1].is_number:
            return ("given", self._apart(labels[-1].text))
        return ("given", *(("plus",) if self.distance < 0 else ()), str(abs(self.distance)))

    def _apart(self, index: str) -> str:
        if index.isdigit():
            return str(int(index) - (self.distance or 0))
        return f"{index}{-self.distance:+}" if self.distance else index


_name = lru_cache(4096)(Name)
NO_NAME = Name("")


RESERVED_SYMBOLS = frozenset({"e", r"\pi", r"\infty", "I", r"\mathbf{0}", r"\mathbf{1}", r"\sigma", r"\Gamma"})
"""Symbols with a meaning of their own until a program declares them."""


def word_of(node: ast.Expression) -> Name | None:
    """The text of a plain word or letter: `Linear`, `h`, `\\ell`, `2`; None for anything else."""
    match node:
        case ast.Identifier(text=text, font=font, primes=primes):
            return _name(text, "" if font in PLAIN_FONTS else FONT_GROUP.get(font, font), primes)
        case ast.Number(text=text):
            return _name(text)
        case ast.Phrase(text=text) if re.fullmatch(r"[A-Za-z0-9_]+", text):
            return _name(text)
        case ast.Accent(label=label, body=body) if label is not None:
            inner = word_of(body)
            return None if inner is None else inner.with_label(label)
        case ast.Accent(version=version, body=body) if version:
            inner = word_of(body)
            return None if inner is None else inner.changed(version=version)
        case ast.Accent(accent=accent, body=body):
            inner = word_of(body)
            return None if inner is None else inner.accented(ACCENTS.get(accent, accent))
        case _:
            return None


def plain_word(node: ast.Expression) -> str | None:
    """The letters of an identifier without font or backslash; None for anything else."""
    return node.word if isinstance(node, ast.Identifier) else None


def spelling_of(node: ast.Expression) -> Name | None:
    """The canonical spelling of a whole name with its name-subscripts (`W_{h}`, `b_{i,o}`); None where it is no name."""
    match node:
        case ast.Scripts(base=base, subscripts=subscripts, superscript=None) if subscripts:
            return labelled_name(base, subscripts)
        case ast.Accent(accent=accent, body=ast.Scripts(base=base, subscripts=subscripts, superscript=None)):
            return labelled_name(ast.Accent(accent, base), subscripts)
        case _:
            return word_of(node)


def labelled_name(base: ast.Expression, labels: Iterable[ast.Expression]) -> Name | None:
    """The name that a word with these labels is, `W` with `Q`; None where one of them is no word."""
    head = word_of(base)
    words = [_label(label) for label in labels]
    return None if head is None or None in words else head.labelled(cast(list[Name], words))


def _label(item: ast.Expression) -> Name | None:
    r"""A subscript as a part of a name: a word, or a name with a word below, `\theta_{\text{targ}}` of `\mu_{\theta_{\text{targ}}}`."""
    match item:
        case ast.Scripts(subscripts=(ast.Identifier(text=text),), superscript=None) if len(text) > 1 and text.isalpha():
            return spelling_of(item)
        case ast.Relation(operators=(r"\mid",), operands=(of, given)):  # `\Sigma_{a|b}` of no index
            words = word_of(of), word_of(given)
            return None if None in words else _name("|".join(map(str, words)))
        case ast.Juxtaposition(factors=factors):
            parts = [word_of(factor) for factor in factors]
            return None if None in parts else _name("".join(cast(list[Name], parts)))
        case _:
            return word_of(item)


def without_version(name: Name) -> Name:
    r"""The author's name of a version of it: `x` of the second value of `x`."""
    if not name.is_own and name.version == 1 and all(label.version == 1 for label in name.labels):
        return name
    return name.changed(labels=tuple(map(without_version, name.labels)), version=1, is_own=False)


def readable(name: Name) -> str:
    """A name as one would write it: single letters lose their braces, versions of a name are that name."""
    plain = without_version(name)
    match plain.labels:
        case _ if plain.given is not None:
            return str(plain)
        case ():
            return str(plain)
        case (label,) if label.is_plain and (len(label.text) == 1 or label.is_command):
            return f"{plain.word}_{label}"
        case labels:
            return f"{plain.word}_{{{','.join(map(readable, labels))}}}"


def is_capital(name: Name) -> bool:
    """Whether the letter of a name is a capital one (a matrix, where types alone leave it open)."""
    found = re.search(r"[A-Za-z]", name.text)
    return bool(found and found[0].isupper())


GREEK = frozenset(
    r"\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \iota \kappa \lambda \mu \nu \xi \pi \rho \varrho \sigma"
    r" \tau \upsilon \phi \varphi \chi \psi \omega \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega".split()
)
_OF_NUMBERS = frozenset(r"\alpha \beta \gamma \delta \epsilon \varepsilon \eta \kappa \lambda \mu \nu \rho \sigma \tau".split())


def is_number_letter(name: Name) -> bool:
    r"""Whether papers write a number before an array with this letter: `\eta` in `\eta g`, but neither `w` nor `\theta`."""
    return name.text in _OF_NUMBERS and not name.font


def is_array_letter(name: Name) -> bool:
    r"""Whether papers write vectors and matrices with a letter of this kind: `A`, `\mathbf{a}`."""
    return is_capital(name) or any(word.font == "mathbf" for word in (name, *name.labels))
