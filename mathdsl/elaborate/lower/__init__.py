"""From typed terms to the IR: each term is written out at one index point, so that arrays become equations over axes.

A product `W h` at row `i` is `sum(j: W[i, j] * h[j])`; nothing is computed here, and no intermediate array is made except for
calls, concatenations and lists, which are arrays by nature.
"""
