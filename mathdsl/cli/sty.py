"""`mathdsl sty`."""

from __future__ import annotations

from pathlib import Path

import click

from mathdsl.cli.outputs import write_all


@click.command()
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
def sty(folder: Path) -> None:
    r"""Write mathdsl.sty, the package for TeX.

    With \usepackage{mathdsl} a document in that FOLDER typesets as it stands.
    """
    package = Path(__file__).parent.parent / "render" / "tex" / "mathdsl.sty"
    target = folder / package.name
    write_all([(str(target), package.read_bytes())], [])
    click.echo(target)
