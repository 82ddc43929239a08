"""Generated text as an imported module; the only part of `mathdsl` that imports torch, by way of that text."""

from __future__ import annotations

import hashlib
import linecache
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from mathdsl.diagnostics.drawing import draw_all

if TYPE_CHECKING:
    from mathdsl.api import CompileResult


class CompileError(Exception):
    """A document with errors was to be loaded; the message draws them all."""

    def __init__(self, result: CompileResult) -> None:
        super().__init__("\n" + draw_all(result.diagnostics, result.files, color=False))
        self.diagnostics = result.diagnostics


def load_source(result: CompileResult) -> ModuleType:
    """Import the generated text under a name made from it, so that its classes can be copied and pickled."""
    if not result.ok:
        raise CompileError(result)
    name = "mathdsl_generated_" + hashlib.sha256(result.source.encode("utf-8")).hexdigest()[:16]
    known = sys.modules.get(name)
    if known is not None:
        return known
    path = f"<{name}>"
    module = ModuleType(name)
    module.__file__ = path
    linecache.cache[path] = (len(result.source), None, result.source.splitlines(keepends=True), path)
    sys.modules[name] = module
    try:
        exec(compile(result.source, path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module
