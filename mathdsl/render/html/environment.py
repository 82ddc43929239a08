"""The templates, everything that is put into them escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@cache
def _environment() -> Environment:
    loader = PackageLoader("mathdsl.render.html", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def fill(template: str, **values: object) -> Markup:
    """A template with its blanks filled in, without the line breaks and the indentation of the template."""
    return Markup(_environment().get_template(template).render(values).strip())
