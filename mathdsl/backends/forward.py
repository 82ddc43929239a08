"""The signature and the body of one `forward` or function."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.backends.line_map import Comment
from mathdsl.backends.python_ast import const, unparse
from mathdsl.backends.statements import argument_type, write_statements
from mathdsl.backends.writing import Writing
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Element, Module, Program, Result, ResultTuple, ScheduledModule, SettingDeclaration, Structure
from mathdsl.tensors.lower.module import lower_module
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import TensorProgram


@dataclass(frozen=True, slots=True)
class Forward:
    """A signature and a body."""

    parameters: tuple[str, ...]
    returns: str
    lines: tuple[str, ...]
    equations: tuple[Comment, ...]


def generate_forward(
    program: Program, module: ScheduledModule, references: Mapping[str, str], taken: tuple[str, ...], helpers: dict[str, None]
) -> Forward:
    """The text of one module's `forward`; the helpers that it calls are added to `helpers`."""
    names = Names(taken)
    tensors = lower_module(program, module, names)
    writing = Writing(module, tensors, names, references, helpers)
    write_statements(writing, tensors.statements)
    lines = (*writing.casts(), *writing.block.lines(frozenset(writing.asked)))
    return Forward(tuple(_parameters(module, tensors)), _result_type(module.results), lines, tuple(writing.equations))


def _parameters(module: Module, tensors: TensorProgram) -> list[str]:
    """The parameters of `forward`, without `self`."""
    parts = [f"{one.name}: {argument_type(one)}" + (" | None = None" if one.is_optional else "") for one in tensors.arguments]
    keywords = [_setting(setting) for setting in module.settings] if module.is_function else []
    if tensors.takes_lengths:
        keywords.append("lengths: torch.Tensor | Mapping[str, torch.Tensor] | None = None")
    if tensors.is_random:
        keywords.append("generator: torch.Generator | None = None")
    return [*parts, *(["*"] if keywords else []), *keywords]


def _setting(setting: SettingDeclaration) -> str:
    kind = {Element.REAL: "float", Element.INTEGER: "int", Element.BOOLEAN: "bool"}[setting.element]
    return f"{setting.name}: {kind}" + ("" if setting.default is None else f" = {unparse(const(setting.default))}")


def _result_type(results: Result | ResultTuple) -> str:
    match results:
        case ResultTuple(items=items):
            return f"tuple[{', '.join(_result_type(item) for item in items)}]"
        case Result(structure=Structure.LIST):
            return "list[torch.Tensor]"
        case Result():
            return "torch.Tensor"
