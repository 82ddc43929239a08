"""What is known of a program of equations: domains, what depends on what, which sizes may be ragged, which order exists."""
