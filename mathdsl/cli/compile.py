"""`mathdsl compile`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mathdsl.cli.errors import Unusable
from mathdsl.cli.inputs import STREAM, compile_sources, find_sources
from mathdsl.cli.outputs import draw, keep_what_others_wrote, output_path, write_all

if TYPE_CHECKING:
    from mathdsl.result import Emit

OUTPUT_SUFFIX: dict[Emit, str] = {"torch": ".py", "tensors": ".tensors.txt", "ir": ".ir.txt", "ast": ".ast.txt"}


@click.command("compile")
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default=STREAM, metavar="OUT", help="Where to write; a folder takes one file for each input of a folder.")
@click.option("--module", metavar="NAME", help="Only this module and what it needs.")
@click.option("--emit", type=click.Choice(["ast", "ir", "tensors", "torch"]), default="torch", show_default=True, help="What to write.")
@click.option("--stop-after", metavar="PASS", help="Write the equations (--emit ir) after this pass.")
@click.option("-q", "--quiet", is_flag=True, help="No notes of what rules decided.")
@click.option("--parents", is_flag=True, help="Make the folders of the output where they are missing.")
@click.option("--force", is_flag=True, help="Write over a file that is not of mathdsl's own making, too.")
def compile_command(
    sources: tuple[str, ...], output: str, module: str | None, emit: Emit, stop_after: str | None, quiet: bool, parents: bool, force: bool
) -> None:
    """Compile documents to Python.

    Files named together are one document; `-` is standard input. Of a folder, what is right is written.

    A class of a Python file is named `FILE.py:Class` or `package.module:Class`; nothing is imported.
    """
    if stop_after is not None and emit != "ir":
        raise Unusable("--stop-after says which equations --emit ir writes: no other output stops there")
    found = find_sources(sources, output)
    results = compile_sources(found, module=module, emit=emit, stop_after=stop_after)
    draw(results, with_notes=not quiet)
    right = [(paths, result) for paths, result in results if result.ok]
    outputs = [(output_path(paths, output, OUTPUT_SUFFIX[emit], found.is_folder), result.source.encode()) for paths, result in right]
    if emit == "torch" and not force:
        keep_what_others_wrote([target for target, _ in outputs])
    write_all(outputs, [path for paths, _ in results for path in paths], parents=parents)
    if len(right) < len(results):
        sys.exit(1)
