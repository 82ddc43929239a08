"""MathML Core made from the display tree: what browsers typeset without a script, a style sheet or a font of ours."""

from mathdsl.render.mathml.elements import wrap_mathml as wrap_mathml
from mathdsl.render.mathml.writer import write_row as write_row
from mathdsl.render.mathml.writer import write_rows as write_rows
