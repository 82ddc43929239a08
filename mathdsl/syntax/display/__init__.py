r"""The display tree of a formula: built from an expression (`build`), how high it is (`heights`), and written as TeX (`tex`)."""
