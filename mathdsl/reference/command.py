"""`mathdsl help` and `mathdsl new`."""

from __future__ import annotations

from pathlib import Path

import click

STARTER = Path(__file__).parent / "starter.tex"


@click.command("help")
@click.argument("topic", nargs=-1, metavar="[TOPIC]")
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Write the pages and the gallery as a site."
)
def help_command(topic: tuple[str, ...], site: Path | None) -> None:
    """Look something up in the reference.

    TOPIC is a page, a code, or a word such as softmax, mask, "sum over"; without it, the pages are listed.
    """
    from mathdsl.reference import pages

    if site is not None:
        from mathdsl.reference.site import write_site

        for path in write_site(site):
            click.echo(path)
        return
    asked = " ".join(topic)
    text = pages.find(asked) if asked else pages.overview()
    if text is None:
        near = pages.near(asked)
        hint = "did you mean " + " or ".join(f"`{word}`" for word in near) + "?" if near else "`mathdsl help` lists the pages"
        raise click.UsageError(f"the reference says nothing about `{asked}`; {hint}")
    click.echo(text, nl=False)


@click.command()
@click.argument("name")
@click.option("--from", "example", metavar="EXAMPLE", help="An example of `mathdsl help gallery`, instead of the starter.")
def new(name: str, example: str | None) -> None:
    """Begin a document with a program that compiles.

    NAME.tex is written where there is none.
    """
    from mathdsl.reference.gallery import find_examples, list_examples

    source = STARTER
    if example is not None:
        found = find_examples(example)
        if len(found) != 1:
            known = ", ".join(one.name for one in found or list_examples())
            raise click.UsageError(f"{'several examples are' if found else 'no example is'} called `{example}`: {known}")
        source = found[0].path
    path = Path(name if name.endswith(".tex") else f"{name}.tex")
    with path.open("xb") as file:  # never over what is there
        file.write(source.read_bytes())
    click.echo(f"Wrote {path}. Next:\n  mathdsl check {path}\n  mathdsl compile {path} -o {path.with_suffix('.py')}")
