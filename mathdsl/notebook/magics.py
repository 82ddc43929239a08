"""`%%mathdsl` and `%mathdsl`, and what `%load_ext mathdsl` and `%unload_ext mathdsl` do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

from mathdsl.notebook.failures import boundary
from mathdsl.notebook.options import read_options, take_arguments, write_help
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

    @take_arguments
    @line_cell_magic
    def mathdsl(self, line: str = "", cell: str | None = None) -> None:
        """Compile the programs of a cell (`%%mathdsl`) or of a file (`%mathdsl FILE`); alone, `%mathdsl` helps."""
        options = read_options(self.mathdsl.parser, line)
        if options.wants_help or (cell is None and not options.file):
            print(write_help().strip())
            return
        if cell is not None and options.file:
            raise UsageError(f"%%mathdsl compiles its cell; to compile a file: %mathdsl {options.file}")
        with boundary():
            if cell is not None:
                self._notebook.run_cell(cell, options)
            else:
                self._notebook.run_file(options.file, options)


def load(shell: InteractiveShell) -> None:
    """Give a shell the magics; the cells of an earlier load are forgotten."""
    unload(shell)
    magics = MathdslMagics(shell)
    shell.register_magics(magics)
    shell.events.register("pre_run_cell", magics.begin_cell)


def unload(shell: InteractiveShell) -> None:
    """Take the magics away again."""
    magics = shell.magics_manager.registry.pop(MathdslMagics.__name__, None)
    if magics is not None:
        shell.events.unregister("pre_run_cell", magics.begin_cell)
        for kind in shell.magics_manager.magics.values():
            kind.pop("mathdsl", None)
