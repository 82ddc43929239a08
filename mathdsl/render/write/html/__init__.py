"""HTML: a page of its own, or a fragment for a notebook."""
