"""What `%load_ext mathdsl` and `%unload_ext mathdsl` do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathdsl.notebook.magics import MathdslMagics

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


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
