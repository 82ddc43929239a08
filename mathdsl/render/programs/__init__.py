"""Programs to listings: lines with their words, numbers and generated code, and the tables of their symbols."""
