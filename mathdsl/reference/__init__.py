"""Documents to learn from: the pages of the reference, the gallery of examples, and the site that is made of both."""
