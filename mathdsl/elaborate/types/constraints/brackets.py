r"""What stands in brackets: `[a, b]` joins vectors end to end and lays numbers side by side; a matrix is made of numbers."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.types.constraints.base import Constraint, mismatch, vector
from mathdsl.elaborate.types.shapes import Shape, expand, rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.sizes import Poly


@dataclass(eq=False)
class BracketConstraint(Constraint):
    """The parts one after the other along the first axis; a number among numbers or vectors is one element."""

    parts: tuple[Shape, ...]
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return *self.parts, self.result

    def solve(self, types: Types) -> bool:
        ranks = [rank_of(part) for part in self.parts]
        if None in ranks:
            return False
        if 0 in ranks and any(rank is not None and rank > 1 for rank in ranks):
            raise refuse(
                "E0402", "a scalar cannot be joined to a sequence", self.span, help=r"write `\{a\}^{1}` for the sequence of `a` alone"
            )
        if self._have_rows(types):
            return self._join_rows(types)
        first = next((part for part in self.parts if rank_of(part)), Shape((Poly.of(1),)))
        total, rest = Poly(()), Shape(expand(first).prefix[1:])
        for part in self.parts:
            size, *inner = expand(part).prefix or (Poly.of(1),)
            if not types.shapes.unify(Shape(tuple(inner)), rest):
                raise mismatch(types, self.span, "the parts have different shapes", first, part)
            total += size
        if not types.shapes.unify(self.result, Shape((total, *rest.prefix))):
            raise mismatch(
                types, self.span, "what the brackets join has another shape than is wanted", self.result, Shape((total, *rest.prefix))
            )
        return True

    def _have_rows(self, types: Types) -> bool:
        """Whether the parts are arrays with one first axis, whose size no parameter has: `n` rows of `X` and of `Y`."""
        leading = {types.solver.value(expand(part).prefix[0]) for part in self.parts if (rank_of(part) or 0) > 1}
        symbols = (s for s in types.entries.symbols.values() if s.role in (Role.PARAMETER, Role.BUFFER))
        owned = {name for symbol in symbols for size in expand(symbol.shape).prefix for name in types.solver.value(size).names}
        is_one = len(leading) == 1 and all((rank_of(part) or 0) > 1 for part in self.parts)
        return is_one and bool(names := next(iter(leading)).names) and names.isdisjoint(owned)

    def _join_rows(self, types: Types) -> bool:
        """Rows of the parts end to end, along the last axis."""
        shapes = [expand(part).prefix for part in self.parts]
        total = sum((shape[-1] for shape in shapes), Poly(()))
        fits = all(types.shapes.unify(Shape(shape[:-1]), Shape(shapes[0][:-1])) for shape in shapes)
        if not fits or not types.shapes.unify(self.result, Shape((*shapes[0][:-1], total))):
            raise mismatch(types, self.span, "the parts have different shapes", self.parts[0], self.parts[-1])
        types.joined_last.add(self.span)
        return True

    def settle(self, types: Types, stage: int) -> bool:
        """Beside a vector stands a vector; where nothing is known, a letter is one too."""
        unknown = [part for part in self.parts if rank_of(part) is None]
        beside = any(rank_of(part) == 1 for part in self.parts)
        return stage in ((2, 5) if beside else (5,)) and all(types.shapes.unify(part, vector(types)) for part in unknown)


@dataclass(eq=False)
class EntryConstraint(Constraint):
    """An entry of a matrix that is written out is a number."""

    entry: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.entry,)

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.entry)
        if rank:
            raise unsupported("a matrix whose entries are vectors or matrices", self.span, help="write its elements, as in `m_{i,j}`")
        return rank == 0
