"""How far the call of a macro goes in running text."""

from __future__ import annotations

from mathdsl.source.groups import Groups, skip_space
from mathdsl.source.macros import Macro, Parameter
from mathdsl.source.tokens import TOKEN

_NO_ARGUMENT = frozenset("}]&$~")
_LONGEST = 2000  # an argument up to a delimiter


def find_call_end(groups: Groups, macro: Macro, position: int) -> int | None:
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
