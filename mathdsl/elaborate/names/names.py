r"""From written names to one canonical spelling and to Python names, by one documented, injective map.

A name's *spelling* is its LaTeX in canonical form (`\hat{y}`, `W_{h}`, `d_{in}`); two ways to write one name have the
same spelling. `python_name` turns it into an identifier: `\hat{y}` -> `y_hat`, `W'` -> `W_prime`, `\dEmb` -> `d_emb`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Set
from dataclasses import dataclass, field

from mathdsl.syntax import nodes as ast

PLAIN_FONTS = frozenset({"", "mathrm", "text", "mathit", "operatorname", "textrm", "mathsf", "texttt"})
FONT_SUFFIX = {"mathbf": "bf", "boldsymbol": "bf", "mathcal": "cal", "mathbb": "bb", "mathfrak": "frak", "mathscr": "scr"}
FONT_GROUP = {"boldsymbol": "mathbf", "bm": "mathbf"}
ACCENTS = {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}
VERSION = re.compile(r"\\version(\d*)\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")  # what later assignments to a name define, or we do
LENGTHS_AND_COPIES = frozenset({"forward", "lengths", "generator", "torch", "self"})
IMPORTED = frozenset({"math", "typing", "collections", "Callable", "Mapping"})

# What `torch.nn.Module` instances have; listed, since the compiler never imports torch.
MODULE_ATTRIBUTES = frozenset(
    """T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict
    modules mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook
    register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
    register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    reset_parameters set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
    zero_grad""".split()
)
RESERVED = (
    frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins)) | MODULE_ATTRIBUTES | LENGTHS_AND_COPIES | IMPORTED
)


RESERVED_SYMBOLS = frozenset({"e", r"\pi", r"\infty", "I", r"\mathbf{0}", r"\mathbf{1}", r"\sigma", r"\Gamma"})
"""Symbols with a meaning of their own until a program declares them."""


def snake_case(word: str) -> str:
    """`dEmb` -> `d_emb`, `LayerNorm` -> `layer_norm`, `RHNCell` -> `rhn_cell`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", word).lower()


def word_of(node: ast.Expression) -> str | None:
    """The text of a plain word or letter: `Linear`, `h`, `\\ell`, `2`; None for anything else."""
    match node:
        case ast.Identifier(text=text, font=font, primes=primes):
            core = text if font in PLAIN_FONTS else f"\\{FONT_GROUP.get(font, font)}{{{text}}}"
            return core + "'" * primes
        case ast.Number(text=text):
            return text
        case ast.Phrase(text=text) if re.fullmatch(r"[A-Za-z0-9_]+", text):
            return text
        case ast.Accent(accent=accent, body=body):
            inner = word_of(body)
            return None if inner is None else f"\\{ACCENTS.get(accent, accent)}{{{inner}}}"
        case ast.Juxtaposition(factors=factors):
            words = [word_of(f) for f in factors]
            return None if any(w is None for w in words) else "".join(w for w in words if w is not None)
        case _:
            return None


def plain_word(node: ast.Expression) -> str | None:
    """The letters of an identifier without font or backslash; None for anything else."""
    return node.text.removeprefix("\\") if isinstance(node, ast.Identifier) else None


def spelling_of(node: ast.Expression) -> str | None:
    """The canonical spelling of a whole name with its name-subscripts (`W_{h}`, `b_{i,o}`); None where it is no name."""
    match node:
        case ast.Scripts(base=base, subscripts=subscripts, superscript=None) if subscripts:
            head = word_of(base)
            parts = [word_of(item) for item in subscripts]
            if head is None or any(part is None for part in parts):
                return None
            return with_subscript(head, [part for part in parts if part is not None])
        case ast.Accent(accent=accent, body=ast.Scripts(base=base, subscripts=subscripts, superscript=None)):
            return spelling_of(ast.Scripts(ast.Accent(accent, base), subscripts))
        case _:
            return word_of(node)


def with_subscript(head: str, parts: list[str]) -> str:
    """`W`, [`Q`] -> `W_{Q}`; no parts: the head alone."""
    return f"{head}_{{{','.join(parts)}}}" if parts else head


def own_spelling(spelling: str) -> str:
    r"""The spelling of a value of our own, which no author can write: `x` -> `\version{x}`, read as `x`."""
    return rf"\version{{{spelling}}}"


def is_own(spelling: str) -> bool:
    """Whether a value has a name of our own."""
    return spelling.startswith(r"\version{")


def without_version(spelling: str) -> str:
    """The author's name of a version of it: `\\version2{x}` -> `x`."""
    return VERSION.sub(lambda m: m[2], spelling)


def readable(spelling: str) -> str:
    """A spelling as one would write it: single letters lose their braces, versions of a name are that name."""
    spelling = without_version(spelling)
    return re.sub(r"_\{(\\[A-Za-z]+|.)\}", r"_\1", spelling)


def is_capital(spelling: str) -> bool:
    """Whether the letter of a name is a capital one (a matrix, where types alone leave it open)."""
    spelling = without_version(spelling)
    letters = re.sub(r"\\(hat|tilde|bar|vec|dot|mathbf|mathcal|mathbb|mathfrak|mathscr)\b", "", spelling.split("_", 1)[0])
    found = re.search(r"[A-Za-z]", letters)
    return bool(found and found[0].isupper())


def is_array_letter(spelling: str) -> bool:
    r"""Whether papers write vectors and matrices with a letter of this kind: `A`, `\mathbf{a}`."""
    return is_capital(spelling) or r"\mathbf" in spelling


def python_stem(spelling: str) -> str:
    """The identifier a spelling maps to, before reserved words and clashes are looked at."""
    version = VERSION.search(spelling)
    if version:
        return "_".join(filter(None, (python_stem(without_version(spelling)), version[1])))
    text = re.sub(r"\\(mathbf|mathcal|mathbb|mathfrak|mathscr)\{([^{}]*)\}", r"\2", spelling)
    text = _accents_as_suffixes(text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: _command_word(m[1]), text)
    primes = text.count("'")
    text = text.replace("'", "") if not primes else _primes_as_suffix(text)
    text = re.sub(r"[^A-Za-z0-9_]+", "_", text)
    text = re.sub(r"_+", "_", text).strip("_") or "x"
    return "_" + text if text[0].isdigit() else text


def _accents_as_suffixes(text: str) -> str:
    pattern = re.compile(r"\\(hat|tilde|bar|vec|dot|ddot|check|breve|acute|grave)\{([^{}]*)\}")
    while pattern.search(text):
        text = pattern.sub(lambda m: f"{m[2]}_{m[1]}", text)
    return text


def _command_word(command: str) -> str:
    """`\\lambda` and `\\Delta` stay, `\\PE` stays, camelCase (`\\dEmb`) becomes snake_case."""
    one_word = command.islower() or command[1:].islower() or command.isupper()
    return command if one_word else snake_case(command)


def _primes_as_suffix(text: str) -> str:
    head, _, rest = text.partition("_{")
    head = head.replace("'", "") + "_prime" * head.count("'")
    rest = re.sub(r"('+)", lambda m: "_prime" * len(m[1]), rest)
    return head + ("_{" + rest if rest else "")


_FONT = re.compile(r"\\(mathbf|mathcal|mathbb|mathfrak|mathscr)\{")


def plain_stems(spellings: Set[str]) -> frozenset[str]:
    r"""What the names without a font map to: `w` of `w` and `\mathbf{w}`."""
    return frozenset(python_stem(spelling) for spelling in spellings if not _FONT.search(spelling))


@dataclass
class PythonNames:
    """Hands out Python names in order of appearance; the map stays injective."""

    taken: dict[str, str] = field(default_factory=dict)  # python name -> spelling
    given: dict[str, str] = field(default_factory=dict)  # spelling -> python name
    plain: frozenset[str] = frozenset()  # what names without a font map to: one with a font leaves it to them

    def name(self, spelling: str) -> str:
        """The Python name of a spelling, the same each time."""
        if spelling in self.given:
            return self.given[spelling]
        name = self._free(self._unreserved(python_stem(spelling)), spelling)
        self.taken[name] = spelling
        self.given[spelling] = name
        return name

    def fresh(self, stem: str) -> str:
        """A name that nothing has, near `stem`."""
        name = self._free(self._unreserved(stem), "")
        self.taken[name] = ""
        return name

    @staticmethod
    def _unreserved(stem: str) -> str:
        dunder = stem.startswith("__") and stem.endswith("__")
        return stem + "_" if stem in RESERVED or dunder else stem

    def _free(self, stem: str, spelling: str) -> str:
        font = _FONT.search(spelling)
        if stem not in self.taken and not (font and stem in self.plain):
            return stem
        if font and f"{stem}_{FONT_SUFFIX[font[1]]}" not in self.taken:
            return f"{stem}_{FONT_SUFFIX[font[1]]}"
        count = 2
        while f"{stem}_{count}" in self.taken:
            count += 1
        return f"{stem}_{count}"
