r"""Typography that means nothing in a formula: what is left of `\textcolor{red}{x}`, `\underbrace{x}_{y}`, `\stackrel{a}{=}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.source.macros import Macro, Parameter
from mathdsl.vocabulary import of_kinds, of_terminals, spellings

_CLASSES = tuple(row.spelling for row in of_kinds("class"))
_ONE = (Parameter(),)
_MODEL = Parameter(default="")


def _nothing(*names: str, parameters: tuple[Parameter, ...] = ()) -> tuple[Macro, ...]:
    """Commands of which nothing is left."""
    return tuple(Macro(name, parameters=parameters) for name in names)


def _content(*names: str, parameters: tuple[Parameter, ...] = _ONE, at: int = 0) -> tuple[Macro, ...]:
    """Commands of which one argument is left."""
    return tuple(Macro(name, (at,), parameters) for name in names)


SET_IN_CLASSES: Mapping[str, Macro] = MappingProxyType({macro.name: macro for macro in _content(*_CLASSES)})
"""They set the space around their argument, and where its limits stand: formulas of prose keep them."""

ORNAMENTS: Mapping[str, Macro] = MappingProxyType(
    {
        macro.name: macro
        for macro in (
            *_nothing(r"\relax", r"\protect", r"\xspace", r"\allowbreak", r"\leavevmode"),
            *_content(r"\ensuremath"),
        )
    }
)
"""Commands that mean nothing in a program, nor show anything in prose."""

DECORATIONS: Mapping[str, Macro] = MappingProxyType(
    {
        **SET_IN_CLASSES,
        **{
            macro.name: macro
            for macro in (
                *_nothing(
                    r"\mathstrut", r"\strut", r"\nobreak", r"\displaybreak", r"\allowdisplaybreaks", r"\qedhere", r"\hfill", r"\hfil"
                ),
                *_nothing(r"\phantom", r"\hphantom", r"\vphantom", parameters=_ONE),
                *_nothing(r"\color", parameters=(_MODEL, Parameter())),
                *_content(r"\boxed", r"\fbox", r"\smash", r"\mathclap", r"\mathllap", r"\mathrlap", r"\uline"),
                *_content(r"\textcolor", r"\colorbox", parameters=(_MODEL, Parameter(), Parameter()), at=2),
                *_content(r"\scalebox", r"\raisebox", parameters=(Parameter(), Parameter()), at=1),
                *_content(r"\underbrace", r"\underbracket", parameters=(Parameter(), Parameter(script="_"))),
                *_content(r"\overbrace", r"\overbracket", parameters=(Parameter(), Parameter(script="^"))),
            )
        },
    }
)
"""Commands that mean nothing in a program, and show something in prose."""

FRAMES = frozenset({r"\boxed", r"\fbox", r"\underbrace", r"\underbracket", r"\overbrace", r"\overbracket"})
"""Decorations that show what belongs together."""

DEFINES = re.compile(r"=|\\\\|&|\\(?:gets|leftarrow|coloneqq|algoEq)(?![A-Za-z])")
"""What stands around values in a whole line, and in no value."""

STACKS = spellings(of_kinds("stack"))
r"""Commands that set their first argument over or under their second one: `\stackrel`, `\underset`."""

_RELATIONS = spellings(of_kinds("rel")) | spellings(of_terminals("GETS", "RELATION")) | {"=", ":=", "<", ">"}
_REDUCTIONS = spellings(of_terminals("REDUCTION", "OPTIONAL_REDUCTION"))
_ARGUMENT = re.compile(r"\\arg\s*(?:\\,|~)?\s*\\(?:max|min)|\\(?:operatorname\*?|mathop|mathrm)\s*\{.*\}", re.DOTALL)
_STACKED = re.compile(r"\\(?:over|under)set\s*\{.*\}\s*\{(.*)\}", re.DOTALL)
_ARROWS = {r"\rightarrow": r"\vec", r"\to": r"\vec", r"\leftarrow": r"\overleftarrow", r"\sim": r"\tilde", r"\wedge": r"\hat", "-": r"\bar"}
_QUESTIONS = frozenset("!?")
_WORDS = re.compile(r"\\(?:text[a-z]*|mathrm|mbox)\s*\{[^{}]*\}")


def unstacked(command: str, above: str, base: str) -> tuple[str | int, ...] | None:
    r"""What `\underset{above}{base}` says, as the body of a macro with these arguments; nothing if it may be part of a name.

    Under a reduction stands its index; over or under a sign, and in words over a symbol, stands a remark.
    """
    above, base = above.strip(), base.strip()
    if _reduces(base):
        return (1, "_{" if command == r"\underset" else "^{", 0, "}")
    if base in _RELATIONS:
        return None if above in _QUESTIONS else (1,)
    if command != r"\underset" and above in _ARROWS:
        return (_ARROWS[above] + "{", 1, "}")
    return (1,) if _WORDS.fullmatch(above) else None


def _reduces(base: str) -> bool:
    r"""`\sum`, `\arg\max`, an operator, and these with something above or below: `\underset{i}{\sum}`."""
    inner = _STACKED.fullmatch(base)
    return _reduces(inner[1].strip()) if inner else base in _REDUCTIONS or _ARGUMENT.fullmatch(base) is not None
