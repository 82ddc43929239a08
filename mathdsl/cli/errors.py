"""What ends a command: a file that cannot be used, or a fault of the compiler; no traceback leaves the command line."""

from __future__ import annotations

import click

from mathdsl.diagnostics.faults import TRACE, describe_fault, wants_traceback


class Unusable(click.ClickException):
    """A file that cannot be read or written, or an option that names nothing."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        from mathdsl.diagnostics.excerpts import visible

        click.echo(f"error: {visible(self.format_message())}", err=True)


class Fault(click.ClickException):
    """A mistake of the compiler's own, whatever the source was."""

    exit_code = 70

    def __init__(self, cause: Exception) -> None:
        super().__init__(describe_fault(cause))

    def show(self, file: object = None) -> None:
        click.echo(f"internal error: {self.format_message()}", err=True)
        click.echo(f"This is a fault of mathdsl, not of the document. Please report it with the document; {TRACE}=1 shows where.", err=True)


class Commands(click.Group):
    """The commands; no traceback leaves them unless it is asked for."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # what click reports by itself
        except OSError as problem:  # looking at a path may fail too, where its name is too long or its folder is closed
            named = f"cannot use {problem.filename}: " if problem.filename else ""
            raise Unusable(f"{named}{problem.strerror or problem}") from problem
        except Exception as cause:  # the last boundary before the terminal
            if wants_traceback():
                raise
            raise Fault(cause) from cause
