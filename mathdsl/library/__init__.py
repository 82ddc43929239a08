"""Layers that every program may use: modules of the IR that stand for classes of torch.nn."""

from mathdsl.library.layers import LIBRARY, find_library

__all__ = ["LIBRARY", "find_library"]
