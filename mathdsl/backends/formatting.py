"""`ruff format` through standard input: the last step of every generated file."""

from __future__ import annotations

import subprocess
from functools import cache

from ruff import find_ruff_bin  # type: ignore[import-untyped]

from mathdsl.diagnostics.model import InternalError

_find_ruff = cache(find_ruff_bin)  # it asks for five folders, each worked out anew
_OPTIONS = ("--isolated", "--no-cache", "--target-version", "py311")


def format_python(text: str) -> str:
    """The text as ruff formats it; an InternalError where it is no Python."""
    done = subprocess.run(
        [_find_ruff(), "format", *_OPTIONS, "--stdin-filename", "generated.py", "-"],
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise InternalError(f"the generated code is not valid: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()
