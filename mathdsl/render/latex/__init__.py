"""A typeset document as LaTeX that needs only standard packages, alone or in place of the programs of an author's text."""

from mathdsl.render.latex.document import write_latex as write_latex
from mathdsl.render.latex.origins import Spliced as Spliced
from mathdsl.render.latex.splice import splice_latex as splice_latex
