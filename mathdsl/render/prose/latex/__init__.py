"""Prose in LaTeX: a small reader of our own, for what the text around programs is made of."""
