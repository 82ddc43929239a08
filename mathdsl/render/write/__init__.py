"""Writers: a document as a page of HTML, as LaTeX and a PDF file of it, as Markdown."""
