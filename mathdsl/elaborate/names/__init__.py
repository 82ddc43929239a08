"""Names: canonical spellings, Python names, families by their scripts, and what a name stands for where it is written."""
