"""Markdown that GitHub and Jupyter show: mathematics in dollar signs, programs and symbols in tables."""
