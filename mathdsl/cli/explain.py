"""`mathdsl explain`."""

from __future__ import annotations

import click

from mathdsl.cli.errors import Unusable


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain the code of a diagnostic, or list all codes."""
    from mathdsl.diagnostics.explain import explain as explain_code
    from mathdsl.diagnostics.explain import list_codes

    if code is None:
        click.echo(list_codes(), nl=False)
        return
    text = explain_code(code)
    if text is None:
        raise Unusable(f"there is no diagnostic {code}; `mathdsl explain` lists all")
    click.echo(text, nl=False)
