"""Generated text as an imported module; the only part of `mathdsl` that imports torch, by way of that text.

Its lines are in `linecache`: a traceback shows the generated line, and a notebook's the comment with the equation above it.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from mathdsl.diagnostics.faults import Fault, wants_traceback

if TYPE_CHECKING:
    from mathdsl.render.instances import Instance

Describe: TypeAlias = "Callable[[Instance, str], str]"


def load_source(source: str, describe: Describe) -> ModuleType:
    """Import generated text under a name made from it, so that its classes can be copied and pickled.

    `describe`: an instance and the name of its class, as a fragment of HTML for notebooks.
    """
    name = "mathdsl_generated_" + hashlib.sha256(source.encode("utf-8")).hexdigest()[:16]
    known = sys.modules.get(name)
    if known is not None:
        return known
    path = f"<{name}>"
    module = ModuleType(name)
    module.__file__ = path
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    sys.modules[name] = module
    try:
        with without_numpy():
            exec(compile(source, path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == name:
            _let_describe(value, describe)
    return module


@contextmanager
def without_numpy() -> Iterator[None]:
    """Import torch in here without its warning that there is no NumPy: nothing that is generated needs it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Failed to initialize NumPy", UserWarning)
        yield


def _let_describe(cls: type, describe: Describe) -> None:
    """Let notebooks show instances with their mathematics; on the class, so that no instance has or copies an attribute for it."""

    def _repr_html_(self: Instance) -> str:
        try:
            return describe(self, cls.__name__)
        except Exception as cause:  # the last boundary before the notebook
            if wants_traceback():
                raise
            raise Fault(cause) from cause

    cls._repr_html_ = _repr_html_  # type: ignore[attr-defined]
