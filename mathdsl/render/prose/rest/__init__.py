"""Prose in reStructuredText, of files and of docstrings, as docutils reads it."""

from __future__ import annotations

from mathdsl.render.prose.rest.document import read_rest_prose as read_rest_prose
