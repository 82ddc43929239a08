"""From the syntax tree to equations: names, sequences of definitions, types and shapes inferred, then lowered to the IR."""
