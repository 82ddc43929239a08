"""From a scheduled program to Python text: `eager` writes readable torch code and leaves the rest to autograd."""
