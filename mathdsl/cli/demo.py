"""`mathdsl demo`, whose options are its own: they stand beside what they say."""

from __future__ import annotations

import click


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.pass_context
def demo(context: click.Context) -> None:
    """Compile one of the example models, train it on real text, print how good it is."""
    from mathdsl.demo.command import demo as command

    context.exit(command.main(context.args, prog_name="mathdsl demo", standalone_mode=False) or 0)
