"""From classified syntax to terms: expressions and statements whose names are resolved and whose types are not yet known."""
