"""Tensor programs: what one `forward` or function does, in statements over tensors with named axes."""
