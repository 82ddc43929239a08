"""All cases of the texts that first-time readers wrote, a kind of text a file."""

from __future__ import annotations

from readers import algorithms, losses, networks

CASES = [case for kind in (networks, losses, algorithms) for case in kind.CASES]
