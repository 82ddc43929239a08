r"""Names as Python has them, by one documented, injective map: `\hat{y}` -> `y_hat`, `W'` -> `W_prime`, `\dEmb` -> `d_emb`.

Labels stand behind, wherever they are written: `W^{(q)}` -> `W_q`, `W_{Q,h}` over `h` -> `W_Q`, `\mu_{\theta_{\text{targ}}}` ->
`mu_theta_targ`. Signs have words: `m^{+}` -> `m_plus`, `m^{-}` -> `m_minus`, `w^*` -> `w_star`. What stands behind a bar is `given`, by its
distance from the index: `x_{t|t-1}` -> `x_given_1`, `x_{t|T}` -> `x_given_T`, `\mu_{a|b}` -> `mu_a_given_b`. Names of several words have
them all. Fonts and clashes come last: `\mathbf{x}` -> `x`, or `x_bf` beside `x`; what
Python reserves gets a `_`, what still clashes `_2`, `_3`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import Name

FONT_SUFFIX = {"mathbf": "bf", "boldsymbol": "bf", "mathcal": "cal", "mathbb": "bb", "mathfrak": "frak", "mathscr": "scr"}
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

_SIGNS = {"+": "plus", "-": "minus", "*": "star"}
_ACCENTS = frozenset({"hat", "tilde", "bar", "vec", "dot", "ddot", "check", "breve", "acute", "grave"})


def snake_case(word: str) -> str:
    """`dEmb` -> `d_emb`, `LayerNorm` -> `layer_norm`, `RHNCell` -> `rhn_cell`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", word).lower()


def python_stem(name: Name) -> str:
    """The identifier that a name maps to, before reserved words and clashes are looked at."""
    version = next((word.version for word in (name, *name.labels) if word.version > 1), None)
    parts = (name, *name.above, *(word for label in name.labels for word in (label, *label.labels)))
    given = () if name.given is None else name.given.words(name.labels)
    words = (*map(_word_stem, parts), *given, *(() if version is None else (str(version),)))
    stem = "_".join(part for word in words for part in re.findall(r"[A-Za-z0-9]+", word)) or "x"
    return "_" + stem if stem[0].isdigit() else stem


def _word_stem(word: Name) -> str:
    r"""The letters of a name without its labels, then its accents, then its primes: `\hat{x}'` -> `x_hat_prime`."""
    before = (accent for accent in word.accents if accent not in _ACCENTS)
    after = (accent for accent in word.accents if accent in _ACCENTS)
    return "_".join((*before, _letters(word), *after, *("prime",) * word.primes))


def _letters(word: Name) -> str:
    if word.is_command and word.bare_text.isalpha():
        return _command_word(word.bare_text)
    return _SIGNS.get(word.text.strip("()"), re.sub(r"\\mid|[|]", "_given_", word.upright or word.text))


def _command_word(command: str) -> str:
    r"""`\lambda` and `\Delta` stay, `\PE` stays, camelCase (`\dEmb`) becomes snake_case."""
    one_word = command.islower() or command[1:].islower() or command.isupper()
    return command if one_word else snake_case(command)


def plain_stems(names: Iterable[Name]) -> frozenset[str]:
    r"""What the names without a font map to: `w` of `w` and `\mathbf{w}`."""
    return frozenset(python_stem(name) for name in names if name.first_font is None)


@dataclass
class PythonNames:
    """Hands out Python names in order of appearance; the map stays injective."""

    taken: set[str] = field(default_factory=set)
    given: dict[tuple[Name, int], str] = field(default_factory=dict)
    plain: frozenset[str] = frozenset()  # what names without a font map to: one with a font leaves it to them

    def name(self, name: Name, others: int = 0) -> str:
        """The Python name of a name, the same each time; `others`: how many things of that name stand before this one."""
        if (name, others) not in self.given:
            self.give(name, self._free(_unreserved(python_stem(name)), name.first_font), others)
        return self.given[name, others]

    def give(self, name: Name, python: str, others: int = 0) -> None:
        """Let a name have that Python name."""
        self.taken.add(python)
        self.given[name, others] = python

    def fresh(self, stem: str) -> str:
        """A name that nothing has, near `stem`."""
        python = self._free(_unreserved(stem), None)
        self.taken.add(python)
        return python

    def _free(self, stem: str, font: str | None) -> str:
        if stem not in self.taken and not (font and stem in self.plain):
            return stem
        if font and f"{stem}_{FONT_SUFFIX[font]}" not in self.taken:
            return f"{stem}_{FONT_SUFFIX[font]}"
        count = 2
        while f"{stem}_{count}" in self.taken:
            count += 1
        return f"{stem}_{count}"


def _unreserved(stem: str) -> str:
    dunder = stem.startswith("__") and stem.endswith("__")
    return stem + "_" if stem in RESERVED or dunder else stem
