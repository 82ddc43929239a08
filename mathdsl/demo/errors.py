"""What keeps the demo from running, and is no fault of its own: each with a message of one line."""

from __future__ import annotations

import click


class Unusable(click.ClickException):
    """Something that was asked for cannot be used; the command line tells it in one line, with the exit code of wrong usage."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        click.echo(f"error: {self.format_message()}", err=True)


class MalformedData(Unusable):
    """A file of the folder does not hold what it should."""


class NothingToLearn(Unusable):
    """No text is long enough for the task."""


class UnknownDevice(Unusable):
    """torch cannot compute on the device."""


class UnknownSpec(Unusable, ValueError):
    """There is no row of that name in the table of specs."""


class CannotPlot(Unusable):
    """There is no library to draw with, or no place to write to."""
