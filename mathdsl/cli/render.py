"""`mathdsl render`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mathdsl.cli.errors import Unusable
from mathdsl.cli.inputs import STREAM, compile_sources, find_sources
from mathdsl.cli.outputs import draw, output_path, write_all
from mathdsl.render.forms import FORMS, Form


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default=STREAM, metavar="OUT", help="Where to write; its suffix says what: .tex, .pdf, .html or .md.")
@click.option("--parents", is_flag=True, help="Make the folders of the output where they are missing.")
@click.option("--to", "form", type=click.Choice(FORMS), help="What to write, where no suffix says it.")
def render(sources: tuple[str, ...], output: str, parents: bool, form: Form | None) -> None:
    """Typeset documents with the tables of their symbols.

    FILE is as for `compile`. A .html page shows the generated code beside the mathematics, and small pictures that lie
    beside the document. A .pdf needs a TeX engine, such as pdflatex.
    """
    from mathdsl.render.write.pdf import EngineError, NoEngine

    found = find_sources(sources, output)
    form = _form_of(output, form, is_folder=found.is_folder or (output != STREAM and Path(output).is_dir()))
    results = compile_sources(found)
    draw(results, with_notes=False)
    if not all(result.ok for _, result in results):
        sys.exit(1)
    try:
        outputs = [(output_path(paths, output, f".{form}", found.is_folder), result.render(form)) for paths, result in results]
    except (NoEngine, EngineError) as problem:
        raise Unusable(str(problem)) from problem
    write_all(outputs, [path for paths, _ in results for path in paths], parents=parents)


def _form_of(output: str, wanted: Form | None, *, is_folder: bool) -> Form:
    """What is to be written: as it was asked for, or as the suffix of the output says; the two must not contradict each other."""
    suffix = Path(output).suffix.lower().removeprefix(".") if output != STREAM else ""
    said = next((form for form in FORMS if form == suffix), None)
    if wanted is None and said is None:
        forms = ", ".join(f".{form}" for form in FORMS)
        raise Unusable(f"say what to write: name an output that ends in {forms}, or give --to")
    if wanted is not None and said not in (None, wanted) and not is_folder:
        raise Unusable(f"--to {wanted} contradicts the name {output}")
    form = wanted or said
    assert form is not None
    return form
