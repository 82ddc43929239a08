"""Statements in order: built into structured single assignment, then written as equations over the turns of their loops."""
