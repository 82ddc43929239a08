"""`mathdsl explain`."""

from __future__ import annotations

import click

from mathdsl.cli.errors import Unusable


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain the code of a diagnostic, or list all codes.

    `readings` prints the notations with several readings, a page for `render`.
    """
    from mathdsl.diagnostics.explain import explain as explain_code
    from mathdsl.diagnostics.explain import list_codes, readings_page

    if code is None:
        click.echo(list_codes(), nl=False)
        return
    text = readings_page() if code.lower() == "readings" else explain_code(code)
    if text is None:
        raise Unusable(f"there is no diagnostic {code}; `mathdsl explain` lists all, `mathdsl help {code}` looks in the reference")
    click.echo(text, nl=False)
