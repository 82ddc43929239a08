"""`%%mathdsl` and `%mathdsl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from mathdsl.notebook.options import ANNOTATIONS, read_options
from mathdsl.notebook.running import Notebook

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell


@magics_class
class MathdslMagics(Magics):
    """The magics of one notebook."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._notebook = Notebook(shell)

    def begin_cell(self, info: ExecutionInfo) -> None:
        """Tell the notebook which cell is about to run: so it knows one that runs again."""
        self._notebook.begin(info.cell_id or "")

    @magic_arguments()
    @argument("file", nargs="*", metavar="FILE", help="With %%mathdsl, the document to compile: a .tex, .py, .md or .rst file.")
    @argument("--show-code", action="store_true", help="Show the generated Python below the mathematics.")
    @argument(
        "--annotate",
        action="append",
        choices=ANNOTATIONS,
        help="What to show with the mathematics, any number of times: equation (it alone), shapes (its tables of symbols; the default), "
        "code (which generated lines compute which equation).",
    )
    @argument("--name", metavar="NAME", help="Also bind the generated module, which holds all classes and functions, to this variable.")
    @argument("--save", metavar="FILE.py", help="Write the generated Python to this file; only a file of mathdsl is written over.")
    @line_cell_magic
    def mathdsl(self, line: str = "", cell: str | None = None) -> None:
        r"""Compile the LaTeX programs of a cell (%%mathdsl) or of a file (%mathdsl FILE).

        Shows their mathematics with a table of symbols and shapes, and defines their classes and functions in the notebook::

            %%mathdsl
            \Module{Affine}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times n}, b \in \mathbb{R}^{m}}
            \Return W x + b \\ \EndModule

        Then `Affine(n=3, m=2)` is a torch.nn.Module. Later cells may call, own and alias what earlier cells define; a cell that
        runs again, or defines a name again, replaces what was there. A cell with mistakes defines nothing and stops "run all".
        """
        options = read_options(lambda: parse_argstring(self.mathdsl, line))
        if cell is not None:
            if options.file:
                raise UsageError(f"%%mathdsl compiles its cell; to compile a file: %mathdsl {options.file}")
            self._notebook.run_cell(cell, options)
        elif options.file:
            self._notebook.run_file(options.file, options)
        else:
            print(self.mathdsl.__doc__)
