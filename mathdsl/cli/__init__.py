"""The command line.

Neither the compiler nor torch is imported before a command runs, so that `mathdsl --help` costs nothing. Exit codes: 0, 1 for
mistakes in the source, 2 for usage, 70 for a fault of the compiler.
"""

from __future__ import annotations

import sys

import click

from mathdsl import __version__
from mathdsl.cli.check import check
from mathdsl.cli.compile import compile_command
from mathdsl.cli.errors import Commands
from mathdsl.cli.explain import explain
from mathdsl.cli.render import render
from mathdsl.cli.sty import sty
from mathdsl.demo.command import demo
from mathdsl.reference.command import help_command, new


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mathdsl")
@click.pass_context
def main(context: click.Context) -> None:
    """Compile literate LaTeX models into torch.nn.Module source."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (compile_command, check, render, help_command, explain, new, sty, demo):
    main.add_command(command)
