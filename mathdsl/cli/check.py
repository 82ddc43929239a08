"""`mathdsl check`."""

from __future__ import annotations

import sys

import click

from mathdsl.cli.inputs import compile_sources, find_sources
from mathdsl.cli.outputs import draw


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("--symbols", is_flag=True, help="The table of symbols (the default without --json).")
@click.option("--json", "as_json", is_flag=True, help="The diagnostics as JSON; with --symbols, the table as JSON.")
@click.option("--reading", is_flag=True, help="How each equation was read: with all parentheses, and what each name is bound to.")
@click.option("-q", "--quiet", is_flag=True, help="No notes of what rules decided.")
def check(sources: tuple[str, ...], symbols: bool, as_json: bool, reading: bool, quiet: bool) -> None:
    """Check documents, and list their symbols.

    Each symbol has its kind, type and shape, and where the shape came from. FILE is as for `compile`.
    """
    from mathdsl.report import diagnostics_json, symbols_json, symbols_table

    results = compile_sources(find_sources(sources), emit="reading" if reading else "torch")
    if reading:
        draw(results, with_notes=not quiet)
        click.echo("\n".join(result.source for _, result in results if result.ok), nl=False)
    elif as_json and not symbols:
        click.echo(diagnostics_json([result for _, result in results]), nl=False)
    else:
        draw(results, with_notes=not quiet)
        table = symbols_json if as_json else symbols_table
        click.echo(table([result for _, result in results]), nl=False)
    if not all(result.ok for _, result in results):
        sys.exit(1)
