"""Changes of tensor programs, a file each, in the order of `pipeline.py`."""
