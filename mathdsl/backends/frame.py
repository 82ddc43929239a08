"""The frames of files, classes and functions: jinja2 templates that hold no decisions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = FileSystemLoader(_TEMPLATES)
    return Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


def render(template: str, **values: object) -> str:
    """The text of a template."""
    return _environment().get_template(template).render(**values)


@lru_cache(maxsize=1)
def helper_names() -> tuple[str, ...]:
    """The private helper functions that have a template."""
    return tuple(sorted(path.name.removesuffix(".py.j2") for path in (_TEMPLATES / "helpers").iterdir()))


def helper_source(name: str) -> str:
    """The source of a helper function: a template without holes, read as it stands, since jinja2 would compile it each time."""
    return (_TEMPLATES / "helpers" / f"{name}.py.j2").read_text(encoding="utf-8").rstrip("\n")
