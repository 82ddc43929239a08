"""`python -m tests.nets --runs 5000 --seed 0 --jobs 2 --seconds 600 --failures FILE`: the net, cast for long.

It prints how many programs were accepted, refused and wrong, and how often each feature was drawn and accepted; programs that are
wrong are made small and written to the file.
"""

from __future__ import annotations

from .casting import main

if __name__ == "__main__":
    raise SystemExit(main())
