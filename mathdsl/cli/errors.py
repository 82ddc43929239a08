"""What ends a command: a file that cannot be used, or a fault of the compiler; no traceback leaves the command line."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

import click

TRACE = "MATHDSL_TRACEBACK"
"""The environment variable that asks for the traceback of a fault."""


class Unusable(click.ClickException):
    """A file that cannot be read or written, or an option that names nothing."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        click.echo(f"error: {self.format_message()}", err=True)


class Fault(click.ClickException):
    """A mistake of the compiler's own, whatever the source was."""

    exit_code = 70

    def __init__(self, cause: Exception) -> None:
        frames = [Path(frame.filename) for frame in traceback.extract_tb(cause.__traceback__)]
        here = Path(__file__).parent.parent
        stages = [frame.relative_to(here).parts[0].removesuffix(".py") for frame in frames if frame.is_relative_to(here)]
        super().__init__(f"{type(cause).__name__} in {stages[-1] if stages else 'mathdsl'}: {cause}")

    def show(self, file: object = None) -> None:
        click.echo(f"internal error: {self.format_message()}", err=True)
        click.echo(f"This is a fault of mathdsl, not of the document. Please report it with the document; {TRACE}=1 shows where.", err=True)


class Commands(click.Group):
    """The commands; no traceback leaves them unless it is asked for."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise  # what click reports by itself, such as a closed pipe
        except Exception as cause:  # the last boundary before the terminal
            if os.environ.get(TRACE):
                raise
            raise Fault(cause) from cause
