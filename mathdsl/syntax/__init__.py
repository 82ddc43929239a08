"""Program text to the syntax tree of all three notations, and the tree back to canonical LaTeX."""
