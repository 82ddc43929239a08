"""One notebook: its cells are compiled, defined in its namespace and shown, in the order in which they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from IPython.core.error import UsageError

from mathdsl.notebook.definitions import Definition, Definitions
from mathdsl.notebook.display import Bundle, cell_bundle, findings_bundle, outdated_bundle
from mathdsl.notebook.failures import CellError
from mathdsl.notebook.identity import Meaning, find_meanings, keep_identity
from mathdsl.notebook.options import Options
from mathdsl.notebook.saving import save_source
from mathdsl.notebook.session import CompiledCell, Session
from mathdsl.source import NoModule, find_source


class Shell(Protocol):
    """What is asked of IPython's shell."""

    user_ns: dict[str, Any]
    colors: str
    display_pub: Any
    display_formatter: Any
    history_manager: Any

    def push(self, variables: Mapping[str, object]) -> None: ...


class Notebook:
    """What the cells of a shell have defined so far."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._session = Session()
        self._known: dict[tuple[str, Meaning], object] = {}
        self._definitions = Definitions()
        self._cell_id = ""
        self._count = 0

    def begin(self, cell_id: str) -> None:
        """A cell is about to run; `cell_id` is the front end's own name for it, '' where it does not tell."""
        self._cell_id, self._count = cell_id, 0

    def run_cell(self, text: str, options: Options) -> None:
        """Compile the text of a cell below its first line."""
        # the first line is a comment of LaTeX: lines count as the notebook counts them
        data = f"%%mathdsl\n{text}".encode("utf-8", "surrogatepass")
        key = f"{self._cell_id} {self._count}" if self._cell_id else ""  # a loop in a cell may run the magic several times
        self._count += 1
        self._run(self._session.compile(key, self._name(), data), options)

    def run_file(self, path: str, options: Options) -> None:
        """Compile a file, or a class of it, as a cell; run again, it replaces what it was."""
        self._run(self._session.compile(f"file {path}", *_read(path), is_alone=True), options)

    def _name(self) -> str:
        """What IPython calls the running cell; it counts on before or after a cell runs, by its version, but keeps its text in a list."""
        number = len(self._shell.history_manager.input_hist_parsed) - 1
        return f"Cell In[{number}]" if number > 0 else "Cell"

    def _run(self, compiled: CompiledCell, options: Options) -> None:
        """Show what was found; where it is no error, define what the cell defines, and show it."""
        result = compiled.result
        self._show(findings_bundle(result, color=self._is_terminal()))
        if not result.ok:
            raise CellError(result)
        if not compiled.own_programs and (options.save is not None or options.name):
            raise UsageError(f"{'--name' if options.name else '--save'}: nothing here becomes Python; later cells see what is defined")
        meanings = find_meanings(result.source) if compiled.own_programs else {}
        programs = compiled.programs if compiled.own_programs else ()
        names = list(meanings)[: len(programs)]  # after them stand helpers
        own = [name for name, (file, _) in zip(names, programs, strict=True) if file == compiled.cell.file.name]
        if options.name in own:
            raise UsageError(f"--name: {options.name} is what this cell defines; name the generated module otherwise")
        bundle = cell_bundle(compiled, options, own)
        module = result.load() if own else None  # from here on nothing fails but the writing of a file
        if options.save is not None:
            save_source(result.source, options.save)
        self._session.keep(compiled)
        if module is not None:
            keep_identity(module, meanings, self._known)
            read = {name: meanings[name] for name in names if name not in own}
            for name in own:
                self._definitions.add(name, Definition(getattr(module, name), meanings[name], compiled.cell.file.name, read))
                self._shell.push({name: getattr(module, name)})
            if options.name:
                self._shell.push({options.name: module})
            older = self._definitions.made_of_older(own, self._shell.user_ns)
            self._show(outdated_bundle(self._definitions.read_anew(read), older))
        self._show(bundle)

    def _show(self, bundle: Bundle) -> None:
        if bundle:
            self._shell.display_pub.publish(data=bundle)

    def _is_terminal(self) -> bool:
        """Whether only text is shown, in a terminal that has colours."""
        return self._shell.display_formatter.active_types == ["text/plain"] and self._shell.colors.lower() != "nocolor"


def _read(named: str) -> tuple[str, bytes, str]:
    """The path, its bytes, and the class that is meant."""
    path = named
    try:
        path, part = find_source(os.path.expanduser(named), ["", *sys.path])
        return path, Path(path).read_bytes(), part
    except NoModule as problem:
        raise UsageError(str(problem)) from None
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from None
