"""Prose in reStructuredText, of files and of docstrings, as docutils reads it."""
