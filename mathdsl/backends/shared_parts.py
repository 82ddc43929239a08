r"""Names for what one statement computes twice.

Before → after::

    e = torch.where(c, embedding(x, E).detach(), embedding(x, E))      →   E_x = embedding(x, E)
                                                                           e = torch.where(c, E_x.detach(), E_x)

Only tensors that are computed in every case get a name: nothing leaves a branch of a conditional expression, a lambda or a
comprehension, what draws random numbers or calls a submodule happens as often as before, and views and short formulas stay.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mathdsl.backends.part_names import part_name
from mathdsl.backends.python_ast import dotted, name, unparse
from mathdsl.backends.writing import Writing

_LEAST = 4  # nodes of a formula that is worth a name: `1 - g` is not, `torch.exp(g)` is
_VIEWS = frozenset("expand flatten movedim mT reshape squeeze transpose unflatten unsqueeze".split())
_NO_TENSORS = frozenset({"torch.Size", "torch.device", "torch.get_default_dtype"})
_COMPUTED = ast.expr | ast.keyword
_CALCULATIONS = ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript | ast.Attribute


def name_shared(writing: Writing, statement: ast.expr) -> ast.expr:
    """The expression with names for what it computes twice; their lines are written."""
    parts = _Parts(writing)
    root = parts.part(statement)
    uses = _uses(root)
    if not any(_is_shared(part, uses) for part in uses):
        return statement
    renamed = _renamed(writing, root, uses, {}).node
    assert isinstance(renamed, ast.expr)
    return renamed


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One of the different expressions of a statement.

    `inside`: the fields that are computed whenever it is. `tensor`: its value is one; `work`: it takes more than a view of what is
    there; `once`: computing it again is another computation; `nodes`: how many it is written with.
    """

    node: ast.AST
    inside: Mapping[str, _Part | tuple[_Part | None, ...]]
    tensor: bool
    work: bool
    once: bool
    nodes: int

    def children(self) -> Iterator[_Part]:
        """What it is computed from, each as often as it stands there."""
        for value in self.inside.values():
            for part in value if isinstance(value, tuple) else (value,):
                if part is not None:
                    yield part


def _uses(root: _Part) -> dict[_Part, int]:
    """How often each part stands in another one."""
    found: dict[_Part, int] = {root: 0}
    waiting = [root]
    while waiting:
        for child in waiting.pop().children():
            if child not in found:
                found[child] = 0
                waiting.append(child)
            found[child] += 1
    return found


def _is_shared(part: _Part, uses: Mapping[_Part, int]) -> bool:
    if uses[part] < 2 or part.once or not (part.tensor and part.work):
        return False
    return isinstance(part.node, _CALCULATIONS) and part.nodes >= _LEAST


def _renamed(writing: Writing, part: _Part, uses: Mapping[_Part, int], made: dict[_Part, _Made]) -> _Made:
    """The part, with names in it; itself a name where it is shared, unless names in it have made it short."""
    if part in made:
        return made[part]
    node = copy.copy(part.node)
    nodes = 1
    for field, value in part.inside.items():
        if isinstance(value, tuple):
            found = [None if one is None else _renamed(writing, one, uses, made) for one in value]
            old = getattr(part.node, field)
            setattr(node, field, [one if new is None else new.node for one, new in zip(old, found, strict=True)])
            nodes += sum(new.nodes for new in found if new is not None)
        else:
            new = _renamed(writing, value, uses, made)
            setattr(node, field, new.node)
            nodes += new.nodes
    if _is_shared(part, uses) and nodes >= _LEAST:
        local = writing.names.fresh(part_name(node, writing.indices))
        writing.write(f"{local} = {unparse(node)}")
        node, nodes = name(local), 1
    made[part] = _Made(node, nodes)
    return made[part]


@dataclass(frozen=True, slots=True)
class _Made:
    """A part with names in it, and how many nodes it is written with."""

    node: ast.AST
    nodes: int


class _Parts:
    """The different expressions of one statement, each once however often it stands there."""

    def __init__(self, writing: Writing) -> None:
        self._tensors = {local for _, local in (*writing.program.arrays, *writing.program.tables)}
        self._owned = writing.owned_texts()
        self._submodules = {f"self.{one.path}" for one in writing.module.submodules} | {*writing.submodules.values()}
        self._helpers = writing.helpers
        self._parts: dict[object, _Part] = {}
        self._by_node: dict[int, _Part] = {}
        self._kept: list[ast.AST] = []

    def part(self, node: ast.AST) -> _Part:
        """The part for a node."""
        found = self._by_node.get(id(node))
        if found is None:
            found = self._by_node[id(node)] = self._found(node)
            self._kept.append(node)
        return found

    def _found(self, node: ast.AST) -> _Part:
        inside: dict[str, _Part | tuple[_Part | None, ...]] = {}
        key: list[object] = [type(node)]
        sure = _sure_fields(node)
        for field_, value in ast.iter_fields(node):
            if isinstance(value, list):
                parts = tuple(self.part(one) if isinstance(one, ast.AST) else None for one in value)
                key.append(tuple(parts))
                if field_ in sure:
                    inside[field_] = tuple(part if isinstance(one, _COMPUTED) else None for one, part in zip(value, parts, strict=True))
            elif isinstance(value, ast.AST):
                part = self.part(value)
                key.append(part)
                if field_ in sure and isinstance(value, _COMPUTED):
                    inside[field_] = part
            else:
                key.append((type(value), value))
        whole = tuple(key)
        if whole not in self._parts:
            self._parts[whole] = self._made(node, inside)
        return self._parts[whole]

    def _made(self, node: ast.AST, inside: Mapping[str, _Part | tuple[_Part | None, ...]]) -> _Part:
        children = [part for value in inside.values() for part in (value if isinstance(value, tuple) else (value,)) if part is not None]
        once = any(child.once for child in children) or self._happens(node)
        tensor, works = self._value(node, children)
        work = works or any(child.work for child in children)
        return _Part(node, inside, tensor, work, once, 1 + sum(child.nodes for child in children))

    def _value(self, node: ast.AST, children: list[_Part]) -> tuple[bool, bool]:
        """Whether the value is a tensor, and whether that takes work beside what it is made of."""
        match node:
            case ast.Name(id=local):
                return local in self._tensors, False
            case ast.Attribute(attr=attribute):
                return dotted(node) in self._owned or (children[0].tensor and attribute in _VIEWS), False
            case ast.Subscript():
                return children[0].tensor, False
            case ast.Call(func=function):
                return self._called(function)
            case ast.Compare(ops=[ast.Is() | ast.IsNot(), *_]):
                return False, False
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                tensor = any(child.tensor for child in children)
                return tensor, tensor
            case _:
                return False, False

    def _called(self, function: ast.expr) -> tuple[bool, bool]:
        """Whether a call gives a tensor, and whether that takes work."""
        text = dotted(function)
        if text.startswith("torch."):
            return text not in _NO_TENSORS, text not in _NO_TENSORS
        if isinstance(function, ast.Name):
            is_helper = function.id in self._helpers or function.id.removeprefix("_") in self._helpers
            return is_helper, is_helper
        if isinstance(function, ast.Attribute):
            return self.part(function.value).tensor, function.attr not in _VIEWS
        return False, False

    def _happens(self, node: ast.AST) -> bool:
        """Whether it draws random numbers, or does more than give a value."""
        if isinstance(node, ast.Name):
            return node.id == "generator"
        if not isinstance(node, ast.Call):
            return False
        function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        return dotted(function) in self._submodules or (isinstance(function, ast.Attribute) and function.attr.endswith("_"))


def _sure_fields(node: ast.AST) -> tuple[str, ...]:
    """The fields of a node that are computed whenever it is."""
    match node:
        case ast.IfExp():
            return ("test",)
        case ast.Lambda() | ast.ListComp() | ast.DictComp() | ast.BoolOp():
            return ()
        case _:
            return node._fields
