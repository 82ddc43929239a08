"""Constraints between the shapes of terms, by what they relate."""
