"""Documents as pages, PDF files, LaTeX and Markdown: prose is read into blocks, programs become listings, and each form has a writer."""
