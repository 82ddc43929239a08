"""Shapes, sizes, element types and first indices of terms: constraints on them, and the rules that solve these."""
