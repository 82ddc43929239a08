"""Readers of prose: what a document says around its programs, as blocks with places for the programs."""

from __future__ import annotations

from mathdsl.render.prose.reading import read_prose as read_prose
from mathdsl.render.prose.result import Prose as Prose
