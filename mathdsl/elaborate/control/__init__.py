"""Loops, ranges and indices as authors write them, brought to the forms that `core` executes."""
