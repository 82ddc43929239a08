"""A typeset document as Markdown that GitHub and Jupyter show: mathematics in dollar signs, programs and symbols in tables."""

from mathdsl.render.markdown.document import write_markdown as write_markdown
