"""Tokens as TeX reads them, and how many of them an argument is."""

from __future__ import annotations

import re

from mathdsl.source.groups import Groups

TOKEN = re.compile(r"\\(?:[A-Za-z]+|[\s\S]|\Z)|[\s\S]")
"""A command or one character."""

_COMMAND = re.compile(r"\\[A-Za-z]+\*?")


def is_one_argument(text: str) -> bool:
    """TeX would take all of it for one argument: it is a token or a group."""
    text = text.strip()
    token = TOKEN.match(text)
    return token is None or token.end() == len(text) or (text[0] == "{" and Groups(text).find_close(0) == len(text) - 1)


def is_command_with_groups(text: str) -> bool:
    r"""`\mathbf{x}`: directly after `_` TeX would tear it apart, or typeset it by accident."""
    text = text.strip()
    command = _COMMAND.match(text)
    position = command.end() if command else 0
    groups = Groups(text)
    while 0 < position < len(text) and text[position] == "{":
        position = (groups.find_close(position) or len(text)) + 1
    return command is not None and command.end() < position == len(text)
