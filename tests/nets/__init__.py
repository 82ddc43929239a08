"""A net of texts: random well-typed programs in all three notations, whose meaning is computed without the compiler.

A program is drawn as a tree (`trees`, `drawing`, `idioms`), evaluated in plain Python on cells of numbers (`meaning`), printed as
LaTeX in varied spellings (`printing`), and held against what the compiler makes of the text (`law`): it refuses, or values and
gradients agree, alone, in a batch and ragged. What disagrees is made small (`shrinking`). `python -m tests.nets --runs 5000`.
"""
