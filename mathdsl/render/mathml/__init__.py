"""MathML Core made from the display tree: what browsers typeset without a script, a style sheet or a font of ours."""

from mathdsl.render.mathml.elements import MATHML_STYLE as MATHML_STYLE
from mathdsl.render.mathml.elements import wrap_mathml as wrap_mathml
from mathdsl.render.mathml.expressions import render_items_row as render_items_row
from mathdsl.render.mathml.expressions import render_mathml_row as render_mathml_row
from mathdsl.render.mathml.expressions import render_parts as render_parts
from mathdsl.render.mathml.expressions import sign as sign
