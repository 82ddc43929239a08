"""mathdsl: literate LaTeX models in, checked and batched torch modules out.

What it offers is imported on first use, so that `import mathdsl` costs nothing. `%load_ext mathdsl` gives a notebook the magics
`%%mathdsl` and `%mathdsl`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from mathdsl.api import compile, load
    from mathdsl.result import CompileResult

__version__ = "0.1.0"
_HOMES = {"CompileResult": "mathdsl.result", "compile": "mathdsl.api", "load": "mathdsl.api"}
__all__ = ["CompileResult", "__version__", "compile", "load"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'mathdsl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What IPython calls for `%load_ext mathdsl`; by name, since the notebook stands above all that `mathdsl` itself may import."""
    import_module("mathdsl.notebook.magics").load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """What IPython calls for `%unload_ext mathdsl`."""
    import_module("mathdsl.notebook.magics").unload(shell)
