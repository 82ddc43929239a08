"""mathdsl: literate LaTeX models in, checked and batched torch modules out.

`compile` and `load` live in `mathdsl.api` and are imported on first use, so that `import mathdsl` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathdsl.api import CompileResult, compile, load

__version__ = "0.1.0"
__all__ = ["CompileResult", "__version__", "compile", "load"]


def __getattr__(name: str) -> object:
    if name in ("CompileResult", "compile", "load"):
        from mathdsl import api

        return getattr(api, name)
    raise AttributeError(f"module 'mathdsl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
