"""LaTeX that needs only standard packages, alone or in place of the programs of an author's text."""
