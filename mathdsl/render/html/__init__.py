"""HTML: a page of its own, or a fragment for a notebook."""

from __future__ import annotations

from mathdsl.render.html.fragment import html_fragment
from mathdsl.render.html.page import write_html

__all__ = ["html_fragment", "write_html"]
