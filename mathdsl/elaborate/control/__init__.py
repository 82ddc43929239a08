"""Control flow to equations: branches become `cases`, reassignments and element updates become versions."""
