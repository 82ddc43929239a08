r"""Products: which one `A B`, `A \cdot B`, `A @ B` is depends on the shapes of both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import WIDTH, MathdslError
from mathdsl.diagnostics.readings.products import TWO_MATRICES, TWO_VECTORS
from mathdsl.diagnostics.readings.types import EACH_ROW, MATRIX_BY_INDICES, ROW_LEFT_OF_A_MATRIX
from mathdsl.elaborate.names.names import is_capital
from mathdsl.elaborate.names.symbols import Role, Source
from mathdsl.elaborate.names.versions import as_written
from mathdsl.elaborate.report import undecided, unsupported
from mathdsl.elaborate.terms.terms import Ref, Whole
from mathdsl.elaborate.types.constraints.base import Constraint, matrix, mismatch, vector
from mathdsl.elaborate.types.constraints.letters import Name, find_capital, is_mixed, read_as_number, read_by_letter
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, rank_of
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

_OF_NUMBERS = ("", r"\cdot", "@")  # signs of products that a number may stand left of


@dataclass(eq=False)
class ProductConstraint(Constraint):
    """`A B`, `A \\cdot B`, `A @ B`; `covectors` say whether a side that is a vector is transposed (`x^\\top y`, `x y^\\top`)."""

    left: Shape
    right: Shape
    result: Shape
    sign: str
    letters: tuple[Ref | None, Ref | None]
    covectors: tuple[Callable[[], bool], Callable[[], bool]]
    spans: tuple[Span, Span]
    names: tuple[tuple[Name, ...], tuple[Name, ...]]  # of each side that is more than a name: in sums, multiples and the like
    factors: tuple[tuple[ast.Expression, ...], ...] = ()  # of both sides, as they are written

    def shapes(self) -> tuple[Shape, ...]:
        return self.left, self.right, self.result

    def solve(self, types: Types) -> bool:
        a, b, c = rank_of(self.left), rank_of(self.right), rank_of(self.result)
        if a == 0 or b == 0:  # a number times anything, which a rule decides where it is an element with two indices
            return self._equate(types, self.right if a == 0 else self.left) and not self._are_numbers()
        if a == 2 and b is None and c in (1, 2) and self.sign not in (r"\otimes", r"\langle"):
            types.shapes.unify(self.right, vector(types) if c == 1 else matrix(types))
            b = c
        if a is None or b is None:
            return False
        return self._multiply(types, a, b)

    def _equate(self, types: Types, other: Shape) -> bool:
        if not types.shapes.unify(self.result, other):
            raise mismatch(types, self.span, "the product has another shape than is wanted", self.result, other)
        return True

    def _multiply(self, types: Types, a: int, b: int) -> bool:
        left, right = expand(self.left).prefix, expand(self.right).prefix
        row, column = a == 1 and self.covectors[0](), b == 1 and self.covectors[1]()
        if self.sign in (r"\otimes", r"\langle") and (a, b) != (1, 1):
            what, near = {
                r"\otimes": (r"`\otimes` of anything but two vectors", r"write `\odot` for the product of elements"),
                r"\langle": (
                    "an inner product of anything but two vectors",
                    r"write `\sum_{i,j} A_{i,j} B_{i,j}` for matrices",
                ),
            }[self.sign]
            raise unsupported(what, self.span, help=near)
        match a, b:
            case 1, 1 if self.sign == r"\otimes":
                return self._equate(types, Shape((left[0], right[0])))
            case 1, 1 if column and not row:
                return self._equate(types, Shape((left[0], right[0])))
            case 1, 1:
                if not row and self.sign == "":
                    raise self._two_vectors()
                if self.sign == r"\times":
                    raise unsupported(
                        "the cross product",
                        self.span,
                        help=r"write its elements, as in `[a_2 b_3 - a_3 b_2, a_3 b_1 - a_1 b_3, a_1 b_2 - a_2 b_1]`",
                    )
                return self._contract(types, left[0], right[0], ())
            case 2, 1:
                return self._contract(types, left[1], right[0], (left[0],))
            case 2, 2:
                return self._matrices(types, left, right)
            case 1, 2:
                if not row:
                    types.findings.note(ROW_LEFT_OF_A_MATRIX, self._name_of_left(), self.span)
                return self._contract(types, left[0], right[0], (right[1],))
            case _:
                raise mismatch(
                    types,
                    self.span,
                    "no product is known of these shapes",
                    self.left,
                    self.right,
                    r"write `\odot` for the elementwise product",
                )

    def _two_vectors(self) -> MathdslError:
        r"""The mistake of `a x`; what only a rule of letters takes for a vector can be a number that is not declared."""
        left, right = self._written()
        (asked,) = undecided(TWO_VECTORS, self.span, left=left, right=right).diagnostics
        bare = (letter.symbol for letter in self.letters if letter is not None)
        inside = (ref.symbol for names in self.names for ref, _ in names)
        decided = [one for one in dict.fromkeys((*bare, *inside)) if one.source is Source.VECTOR_BY_LETTER]
        by_letter = [one.latex for one in decided if one.role is not Role.VALUE] or [one.latex for one in decided]
        if not by_letter:
            return MathdslError(asked)
        declared = " and ".join(rf"`{name} \in \mathbb{{R}}`" for name in by_letter)
        return MathdslError(replace(asked, help=rf"{asked.help}; nothing declares them vectors: write {declared} for a number"))

    def _matrices(self, types: Types, left: tuple[Poly, ...], right: tuple[Poly, ...]) -> bool:
        if not self._would_own_a_length(types, left[1], right[0]) and types.solver.unify(left[1], right[0]):
            return self._equate(types, Shape((left[0], right[1])))
        if self.sign == "" and self._are_alike(types, left, right):
            raise undecided(TWO_MATRICES, self.span, shape=show_shape(types, self.left))
        if types.solver.unify(left[1], right[1]):
            types.findings.note(EACH_ROW, self._name_of_left(), self.span)
            types.row_wise.add(self.span)
            return self._equate(types, Shape((right[0], left[0])))
        raise self._inner(types)

    def _written(self) -> tuple[str, str]:
        """The sides in the author's notation; dots for long ones."""
        wholes = (ast.Juxtaposition(factors) if len(factors) > 1 else factors[0] for factors in self.factors)
        sides = [side if len(side := render_expression(as_written(whole))) < WIDTH else "(…)" for whole in wholes] or ["(…)", "(…)"]
        return sides[0], sides[1]

    def _name_of_left(self) -> str:
        letter = self.letters[0]
        return "" if letter is None else letter.symbol.latex

    def _would_own_a_length(self, types: Types, own: Poly, given: Poly) -> bool:
        """Whether a parameter of open size would get one that differs between calls."""
        letter = self.letters[0]
        is_owned = letter is not None and letter.symbol.role is Role.PARAMETER
        is_open = any(is_unknown(name) for name in types.solver.value(own).names)
        return is_owned and is_open and not _lengths(types).isdisjoint(types.solver.value(given).names)

    @staticmethod
    def _are_alike(types: Types, left: tuple[Poly, ...], right: tuple[Poly, ...]) -> bool:
        return all(types.solver.value(a) == types.solver.value(b) for a, b in zip(left, right, strict=True))

    def _inner(self, types: Types) -> Exception:
        a, b = (tuple(map(types.solver.value, expand(shape).prefix)) for shape in (self.left, self.right))
        left, right = self._written()
        turned = (
            rf"{left}^\top {right}" if len(a) == 2 and a[0] == b[0] else rf"{left} {right}^\top" if len(b) == 2 and a[-1] == b[1] else ""
        )
        fits = f"write `{turned}`, which fits" if turned and None not in self.letters else ""
        return mismatch(types, self.span, "the inner sizes of this product differ", self.left, self.right, fits, self.spans)

    def _contract(self, types: Types, a: Poly, b: Poly, rest: tuple[Poly, ...]) -> bool:
        if not types.solver.unify(a, b):
            raise self._inner(types)
        return self._equate(types, Shape(rest))

    def _are_numbers(self) -> bool:
        r"""Whether open factors are elements, one with two indices, as in `W_{ij} x_j`; `W_k x_{t,k}` has a matrix by its letter."""
        reads = [letter for letter in self.letters if letter is not None and not any(isinstance(at, Whole) for at in letter.positions)]
        ranks = {rank_of(self.left), rank_of(self.right)}
        if len(reads) < 2 or None not in ranks or not ranks <= {None, 0}:
            return False
        counts = [len(read.written) for read in reads]
        is_matrix = any(count == 1 and is_capital(read.symbol.spelling) for read, count in zip(reads, counts, strict=True))
        return max(counts) == 2 and min(counts) == 1 and not is_matrix

    def _are_least(self, types: Types) -> bool:
        r"""Whether open factors side by side are of arguments of a function, which have the least ranks: numbers in `f(u, s) \gets u s`."""
        named = [name for side in self.names for name in side]
        capital = any(
            is_capital(letter.symbol.spelling) for letter in (*self.letters, *(letter for letter, _ in named)) if letter is not None
        )
        shapes = [expand(shape) for shape in (self.left, self.right, *(shape for _, shape in named)) if rank_of(shape) is None]
        is_told = capital or any(shape.prefix for shape in shapes) or any(is_covector() for is_covector in self.covectors)
        return types.written.is_function and self.sign == "" and bool(shapes) and not is_told

    def _is_element(self, own: Ref, side: int) -> bool:
        r"""Whether an open factor has two indices, one of which the other has too: `A_{ij}` in `A_{ij} B_{ij}`, `W_{ij} (f_i - f_j)^2`."""
        others = [letter for letter, _ in self.names[1 - side]]
        if len(own.written) != 2 or any(isinstance(at, Whole) for at in own.written):
            return False
        if not is_capital(own.symbol.spelling) and (self.sign != "" or any(is_capital(other.symbol.spelling) for other in others)):
            return False
        return not _index_names(own).isdisjoint(name for other in others for name in _index_names(other))

    def settle(self, types: Types, stage: int) -> bool:
        if stage not in (1, 4):
            return False
        if self._are_least(types):
            return stage == 4 and all(types.shapes.unify(side, SCALAR) for side in (self.left, self.right) if rank_of(side) is None)
        is_given = not any(letter.symbol.role is Role.VALUE and len(letter.written) == 1 for letter in self.letters if letter is not None)
        if (
            (is_given or stage == 4)
            and self._are_numbers()
            and types.shapes.unify(self.left, SCALAR)
            and types.shapes.unify(self.right, SCALAR)
        ):
            for letter in self.letters:
                if letter is not None and len(letter.written) > 1:
                    types.findings.note(MATRIX_BY_INDICES, letter.symbol.latex, letter.span)
            return True
        changed = False
        for side, (shape, name, names) in enumerate(zip((self.left, self.right), self.letters, self.names, strict=True)):
            if rank_of(shape) is not None:
                continue
            letter = name or find_capital(names, stage)
            settled_now = letter is not None and (stage == 4 or letter.symbol.role is not Role.VALUE)
            if side == 0 and self.sign in _OF_NUMBERS and letter is not None and settled_now and read_as_number(types, shape, letter):
                if self.letters[1] is None:
                    return True  # what this number is may tell of the other side
                changed = True
            elif letter is not None and settled_now and self._is_element(letter, side) and types.shapes.unify(shape, SCALAR):
                types.findings.note(MATRIX_BY_INDICES, letter.symbol.latex, letter.span)
                changed = True
            elif letter is not None and settled_now:
                changed |= read_by_letter(types, shape, letter)
            elif letter is None and stage == 4 and (types.written.is_function or not is_mixed(names)):
                changed |= types.shapes.unify(shape, vector(types))
        return changed


def _index_names(read: Ref) -> set[str]:
    """The index variables that an element is read at."""
    return {name for at in read.positions if isinstance(at, Poly) for name in at.names}


def _lengths(types: Types) -> set[str]:
    """The sizes that the program, or one that it calls, reads off an array."""
    of_callees = (size for sizes in types.call_sizes.values() for size in sizes.values())
    return types.lengths | {name for size in of_callees if (name := types.solver.value(size).variable) is not None}
