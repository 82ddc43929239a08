"""Readers of prose: what a document says around its programs, as blocks with places for the programs."""
