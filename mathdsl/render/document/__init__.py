"""The model of a document, and what is known of it: numbers, references, displays, programs as listings with their tables of symbols."""
