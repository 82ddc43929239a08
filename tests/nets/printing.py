"""Drawn programs as LaTeX in three notations, in spellings that the `form` of each node chooses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from .soundness import axes_of
from .trees import (
    RESERVED,
    Assign,
    Binary,
    Binder,
    Both,
    Call,
    Cases,
    Compare,
    Condition,
    Declaration,
    Define,
    Dot,
    Each,
    EachOf,
    Even,
    Expr,
    For,
    Function,
    If,
    Index,
    IndexValue,
    MatVec,
    Name,
    Norm,
    Notation,
    NothingFits,
    Number,
    Program,
    Range,
    Reduce,
    Ref,
    Softmax,
    SoftmaxAt,
    Statement,
    Unary,
    rank_of,
    walk,
)

# How tightly a text binds, loosest first.
ADD, REDUCTION, INNER, TIMES, DOT, JUXT, APPLIED, ATOM = 1, 2, 3, 4, 5, 6, 7, 8
Text = tuple[str, int]
LETTERS = frozenset("ijklts")  # of the indices that a drawn program has
WHOLES = ("r", r"\ell", "d")  # letters that no drawn program has
RELATIONS = {"=": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}
NAMED = {
    "exp": (r"\exp", r"\exp"),
    "log": (r"\log", r"\ln"),
    "sin": (r"\sin", r"\sin"),
    "cos": (r"\cos", r"\Cos"),
    "tanh": (r"\tanh", r"\Tanh"),
    "sigmoid": (r"\sigma", r"\sigma", r"\operatorname{sigmoid}", r"\Sigmoid"),
    "relu": (r"\ReLU", r"\operatorname{relu}"),
    "softplus": (r"\softplus", r"\operatorname{softplus}"),
    "gamma": (r"\Gamma",),
}


def print_program(program: Program) -> tuple[str, frozenset[str]]:
    """The text, and the features that only its spelling has."""
    printer = Printer(program)
    text = {"module": printer.module, "docstring": printer.docstring, "algorithmic": printer.algorithmic}[program.notation]()
    return text, frozenset(printer.features)


@dataclass
class Printer:
    """A program, the features of what was printed, and the arguments of the function whose body is being printed."""

    program: Program
    features: set[str] = field(default_factory=set)
    arguments: frozenset[str] = frozenset()

    @property
    def notation(self) -> Notation:
        return self.program.notation

    # ---- programs ----------------------------------------------------------------------------

    def module(self) -> str:
        """`\\Module` with its statements in any order."""
        inputs = ", ".join(self.header_item(d) for d in self.program.inputs)
        parameters = ", ".join(self.header_item(d) for d in self.program.parameters)
        statements = list(self.program.statements)
        if self.program.order:
            random.Random(self.program.order).shuffle(statements)
            if statements != list(self.program.statements):
                self.features.add("statements in any order")
        lines = [rf"\Module{{F}}{{{inputs} ; {parameters}}}"]
        for statement in statements:
            lines.append(f"  {self.module_statement(statement)} \\\\")
        lines.append(rf"  \Return {self.results()} \\")
        lines.append(r"\EndModule")
        return "\n".join([*lines, *self.table()]) + "\n"

    def docstring(self) -> str:
        """`\\algoProc` and a table of what it needs."""
        inputs = ", ".join(self.header_item(d) for d in self.program.inputs)
        lines = [rf"& \algoProc{{\F}}\pa{{{inputs}}} \\"]
        for statement in self.program.statements:
            lines += self.algorithm_statement(statement, 1)
        lines.append(rf"& \indent{{1}} \algoReturn {self.results()} \\")
        lines.append(r"& \algoEndProc")
        return "\n".join(["\\begin{align*}", *lines, "\\end{align*}", *self.table()]) + "\n"

    def algorithmic(self) -> str:
        """`\\Procedure` with what it requires."""
        lines = [r"\begin{algorithmic}"]
        lines += [rf"\Require ${self.row(d)}$" for d in self.program.declarations if d.style not in ("none", "header")]
        inputs = ", ".join(self.header_item(d) for d in self.program.inputs)
        lines.append(rf"\Procedure{{F}}{{${inputs}$}}")
        for statement in self.program.statements:
            lines += self.algorithm_statement(statement, 1)
        lines.append(rf"  \State \Return ${self.results()}$")
        return "\n".join([*lines, r"\EndProcedure", r"\end{algorithmic}"]) + "\n"

    def results(self) -> str:
        texts = [self.expr(e)[0] for e in self.program.results]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def header_item(self, declaration: Declaration) -> str:
        if declaration.style == "header":
            return rf"{self.name(declaration.name)} \in {self.type(declaration.axes)}"
        return self.name(declaration.name)

    def table(self) -> list[str]:
        rows = [f"  {self.row(d)} & \\\\" for d in self.program.declarations if d.style not in ("none", "header")]
        return [r"\begin{where}", *rows, r"\end{where}"] if rows else []

    def row(self, declaration: Declaration) -> str:
        indexed = {"ranged": declaration.rank, "vectors": 1}.get(declaration.style, 0)
        letters = declaration.letters[:indexed]
        ranges = "".join(rf", {letter} = {self.bounds(axis)}" for letter, axis in zip(letters, declaration.axes[:indexed], strict=True))
        left = self.scripted(declaration.name, [Index(letter) for letter in letters])
        return rf"{left} \in {self.type(declaration.axes[indexed:])}{ranges}"

    def type(self, axes: Sequence[Range]) -> str:
        if not axes:
            return r"\mathbb{R}"
        extents = r" \times ".join(self.extent(axis) for axis in axes)
        return rf"\mathbb{{R}}^{{{extents}}}"

    def extent(self, axis: Range) -> str:
        more = axis.high.offset + 1 - axis.low.offset
        text = self.index(Index(axis.high.name, more))
        return f"({text})" if more and axis.high.name else text

    # ---- statements --------------------------------------------------------------------------

    def module_statement(self, statement: Statement) -> str:
        match statement:
            case Function():
                return self.function(statement, r"\gets")
            case Define():
                gets = pick(statement.form, r"\gets", "=", r"\leftarrow", r"\coloneqq")
                body = self.expr(statement.body)[0]
                if not statement.binders:
                    return f"{self.name(statement.name)} {gets} {body}"
                bracketed = statement.form // 7 % 5 == 0
                if bracketed:
                    inside = ", ".join(self.inequality(b) for b in statement.binders)
                    self.features.add("domain in brackets")
                    return f"{self.name(statement.name)}[{inside}] {gets} {body}"
                left = self.scripted(statement.name, [Index(b.index) for b in statement.binders], statement.form)
                return f"{left} {gets} {body}{self.domain(statement)}"
            case _:
                raise ValueError("module notation has no assignments in order")

    def domain(self, define: Define) -> str:
        declared = self.declared_letters()
        if define.form // 11 % 8 and all(declared.get(b.index) == {b.range} for b in define.binders):
            self.features.add("domain from a declaration")
            return ""
        equal = r",\ ".join(f"{b.index} = {self.bounds(b.range)}" for b in define.binders)
        member = ", ".join(rf"{b.index} \in {self.set_of(b.range)}" for b in define.binders)
        if define.form // 13 % 43 == 7:
            return rf" \quad {equal}"
        return pick(
            define.form // 13,
            rf" \quad ({equal})",
            rf" \quad ({equal})",
            rf", \quad {equal}",
            rf" \quad \forall {member}",
            rf" \quad \text{{for }} {equal}",
        )

    def is_reserved(self, letter: str) -> bool:
        """Whether a bare letter has its reserved meaning here: nothing, or a family only, is written with it."""
        return letter not in self.arguments and letter not in authors_letters(self.program)

    def declared_letters(self) -> dict[str, set[Range]]:
        found: dict[str, set[Range]] = {}
        for d in self.program.declarations:
            indexed = {"ranged": d.rank, "vectors": 1}.get(d.style, 0)
            for letter, axis in zip(d.letters[:indexed], d.axes, strict=False):
                found.setdefault(letter, set()).add(axis)
        return found

    def inequality(self, binder: Binder) -> str:
        return rf"{self.index(binder.range.low)} \leq {binder.index} \leq {self.index(binder.range.high)}"

    def function(self, function: Function, gets: str) -> str:
        inside = ", ".join(self.name(name) for name, _ in function.parameters)
        self.arguments = frozenset(name.base for name, _ in function.parameters if not name.label)
        body = self.expr(function.body)[0]
        self.arguments = frozenset()
        return f"{self.name(function.name)}{self.argument_list(inside, 0)} {gets} {body}"

    def algorithm_statement(self, statement: Statement, depth: int) -> list[str]:
        match statement:
            case Function():
                return [self.line(self.function(statement, self.gets(statement.form)), depth)]
            case Assign():
                left = self.scripted(statement.name, statement.indices, statement.form)
                return [self.line(f"{left} {self.gets(statement.form)} {self.expr(statement.body)[0]}", depth)]
            case Define():
                own = Assign(statement.name, tuple(Index(b.index) for b in statement.binders), statement.body, form=statement.form)
                inner: Statement = own
                for binder in reversed(statement.binders):
                    inner = For(binder.index, binder.range, (inner,), statement.form)
                return self.algorithm_statement(inner, depth)
            case For():
                inner_lines = [line for s in statement.body for line in self.algorithm_statement(s, depth + 1)]
                return [self.loop(statement, depth), *inner_lines, self.control("EndFor", "", depth)]
            case If():
                lines = [self.control("If", self.condition(statement.condition), depth)]
                lines += [line for s in statement.then for line in self.algorithm_statement(s, depth + 1)]
                if statement.otherwise:
                    lines.append(self.control("Else", "", depth))
                    lines += [line for s in statement.otherwise for line in self.algorithm_statement(s, depth + 1)]
                return [*lines, self.control("EndIf", "", depth)]

    def gets(self, form: int) -> str:
        return r"\algoEq" if self.notation == "docstring" else pick(form, r"\gets", r"\leftarrow", "=")

    def line(self, text: str, depth: int) -> str:
        if self.notation == "docstring":
            return rf"& \indent{{{depth}}} {text} \\"
        return rf"{'  ' * depth}\State ${text}$"

    def loop(self, loop: For, depth: int) -> str:
        low, high = self.index(loop.range.low), self.index(loop.range.high)
        if self.notation == "docstring":
            return rf"& \indent{{{depth}}} \algoFor{{{loop.index} \in \set{{{low}, \dots, {high}}}}} \\"
        text = pick(
            loop.form,
            rf"${loop.index} = {low}, \dots, {high}$",
            rf"${loop.index} \gets {low} \To {high}$",
            rf"${loop.index} = {low}$ \textbf{{to}} ${high}$",
            rf"${loop.index} = {low}$ to ${high}$",
        )
        return rf"{'  ' * depth}\For{{{text}}}"

    def control(self, word: str, condition: str, depth: int) -> str:
        if self.notation == "docstring":
            return rf"& \indent{{{depth}}} \algo{word}{f'{{{condition}}}' if condition else ''} \\"
        return rf"{'  ' * depth}\{word}{f'{{${condition}$}}' if condition else ''}"

    # ---- names and indices -------------------------------------------------------------------

    def name(self, name: Name) -> str:
        return self.scripted(name, [])

    def scripted(self, name: Name, indices: Sequence[Index], form: int = 1) -> str:
        items = [self.index(i) for i in indices]
        if name.label:
            label = name.label
            if len(label) > 1 and self.program.form % 3 == 0 and label.isalpha():
                label = rf"\mathrm{{{label}}}"
            items.insert(0, label)
        if not items:
            return name.base
        if len(items) == 1:
            return f"{name.base}_{items[0]}" if len(items[0]) == 1 and form % 2 else f"{name.base}_{{{items[0]}}}"
        if not name.label and form % 5 == 0 and all(i.name in LETTERS and not i.offset for i in indices):
            self.features.add("juxtaposed indices")
            return f"{name.base}_{{{''.join(items)}}}"
        inside = pick(form, ", ", ",").join(items)
        return f"{name.base}_{{{inside}}}"

    def index(self, index: Index) -> str:
        if index.name is None:
            return str(index.offset)
        if index.offset == 0:
            return index.name
        return f"{index.name} {'+' if index.offset > 0 else '-'} {abs(index.offset)}".replace(" ", "" if index.offset % 2 else " ")

    def bounds(self, bounds: Range) -> str:
        return rf"{self.index(bounds.low)}, \dots, {self.index(bounds.high)}"

    def set_of(self, bounds: Range) -> str:
        inside = self.bounds(bounds)
        return rf"\set{{{inside}}}" if self.notation == "docstring" else rf"\{{{inside}\}}"

    # ---- expressions -------------------------------------------------------------------------

    def expr(self, expr: Expr) -> Text:
        """An expression and how tightly it binds."""
        match expr:
            case Number() if r"\pi" in expr.text and not self.is_reserved(r"\pi"):
                return repr(expr.value), ATOM
            case Number():
                return expr.text, JUXT if " " in expr.text else ATOM if expr.value >= 0 else ADD
            case IndexValue():
                return self.index(expr.index), ADD if expr.index.offset and expr.index.name else ATOM
            case Ref():
                return self.ref(expr), ATOM
            case Unary():
                return self.unary(expr)
            case Binary():
                return self.binary(expr)
            case Reduce():
                return self.reduction(expr)
            case Cases():
                return self.cases(expr), INNER
            case Call():
                inside = ", ".join(self.expr(a)[0] for a in expr.arguments)
                return f"{self.name(expr.function)}{self.argument_list(inside, expr.form)}", ATOM
            case MatVec():
                left, right = self.need(expr.matrix, ATOM), self.need(expr.vector, ATOM)
                if expr.form % 3 == 0 and not right.startswith(("(", r"\left", r"\pa", "[")):
                    return f"{left} {right}", JUXT
                sign = pick(expr.form, "@", r"\cdot")
                return f"{left} {sign} {right}", DOT
            case Dot():
                left, right = self.need(expr.left, ATOM), self.need(expr.right, ATOM)
                match expr.form % 3:
                    case 0:
                        return f"{left} \\cdot {right}", INNER
                    case 1:
                        return rf"\langle {self.expr(expr.left)[0]}, {self.expr(expr.right)[0]} \rangle", ATOM
                    case _ if not right.startswith(("(", r"\left", r"\pa", "[")):
                        scripted = isinstance(expr.left, Each | EachOf) or self.is_whole_family(expr.left)
                        return rf"{f'({left})' if scripted else left}^\top {right}", INNER
                    case _:
                        return f"{left} @ {right}", INNER
            case Norm():
                inside = self.expr(expr.vector)[0]
                bars = pick(expr.form, rf"\lVert {inside} \rVert", rf"\left\| {inside} \right\|", rf"\| {inside} \|")
                script = {"squared": pick(expr.form // 3, "^2", "_2^2", "^2_2"), "two": pick(expr.form // 3, "", "_2"), "one": "_1"}
                return bars + script[expr.kind], ATOM
            case Softmax():
                inside = self.expr(expr.vector)[0]
                return pick(expr.form, r"\softmax", r"\operatorname{softmax}") + self.argument_list(inside, expr.form), ATOM
            case SoftmaxAt():
                inside = self.expr(expr.body)[0]
                return rf"\operatorname{{softmax}}_{expr.index}({inside})", ATOM
            case Each():
                return self.each(expr), ATOM
            case EachOf():
                body, source = self.expr(expr.body)[0], self.expr(expr.source)[0]
                bar = pick(expr.form, ";", r"\mid")
                inside = rf"{body} {bar} {self.name(expr.element)} \in {source}"
                return rf"\{{ {inside} \}}", ATOM

    def each(self, expr: Each) -> str:
        body = self.expr(expr.body)[0]
        low, high = self.index(expr.range.low), self.index(expr.range.high)
        script = rf"_{{{expr.index}={low}}}^{{{high}}}"
        match expr.form % 4:
            case 0:
                return rf"\{{ {body} ; {expr.index} \in {self.set_of(expr.range)} \}}"
            case 1:
                return f"[{body}]{script}"
            case 2:
                return f"({body}){script}"
            case _:
                return rf"\{{ {body} \}}{script}"

    def need(self, expr: Expr, level: int) -> str:
        """An operand, in parentheses where it binds too loosely."""
        text, own = self.expr(expr)
        return text if own >= level else self.parentheses(text, getattr(expr, "form", 0))

    def parentheses(self, text: str, form: int) -> str:
        if self.notation == "docstring" and form % 3:
            return rf"\pa{{{text}}}"
        chosen = form // 3 % 18
        if chosen in (3, 4):
            self.features.add("brackets as parentheses")
            return f"[{text}]" if chosen == 3 else rf"\left[ {text} \right]"
        return rf"\left( {text} \right)" if chosen == 2 else f"({text})"

    def argument_list(self, inside: str, form: int) -> str:
        if self.notation == "docstring":
            return rf"\pa{{{inside}}}"
        return rf"\left( {inside} \right)" if form % 4 == 3 else f"({inside})"

    def ref(self, ref: Ref) -> str:
        if self.is_whole_family(ref):
            return self.whole(ref.name)
        if ref.indices and ref.form % 6 == 5:
            items = [self.index(i) for i in ref.indices]
            self.features.add("indices in brackets")
            inside = f"[{', '.join(items)}]" if ref.form % 4 else "".join(f"[{i}]" for i in items)
            return self.name(ref.name) + inside
        return self.scripted(ref.name, ref.indices, ref.form)

    def is_whole_family(self, expr: Expr) -> bool:
        """Whether an expression is a family of a reserved letter as a whole."""
        if not isinstance(expr, Ref) or not expr.rank or expr.indices or expr.name.label:
            return False
        return expr.name.base in RESERVED and self.is_reserved(expr.name.base)

    def whole(self, name: Name) -> str:
        """A family of a reserved letter as a whole, which is never written bare: `(e_r)_{r=1}^{n}`."""
        axes = axes_of(self.program)[name]
        text = self.scripted(name, [Index(letter) for letter in WHOLES[: len(axes)]])
        for letter, axis in reversed(list(zip(WHOLES, axes, strict=False))):
            text = rf"({text})_{{{letter}={self.index(axis.low)}}}^{{{self.index(axis.high)}}}"
        return text

    def unary(self, expr: Unary) -> Text:
        argument, form = expr.argument, expr.form
        inside, level = self.expr(argument)
        match expr.op:
            case "neg":
                return f"-{self.need(argument, TIMES)}", ADD
            case "square" | "cube":
                power = "2" if expr.op == "square" else "3"
                if isinstance(argument, Unary) and argument.op in ("tanh", "sin", "cos") and form % 4:
                    self.features.add("power of a function's name")
                    return rf"\{argument.op}^{power}{self.argument_list(self.expr(argument.argument)[0], form)}", ATOM
                atom = isinstance(argument, Ref | Call) and level == ATOM
                return f"{inside if atom else f'({inside})'}^{pick(form, power, f'{{{power}}}')}", ATOM
            case "sqrt":
                return rf"\sqrt{{{inside}}}", ATOM
            case "reciprocal":
                return rf"\frac{{1}}{{{inside}}}", ATOM
            case "abs":
                return pick(form, rf"\lvert {inside} \rvert", rf"\left| {inside} \right|", f"|{inside}|"), ATOM
            case "exp" if form % 4 and self.is_reserved("e"):
                self.features.add("e as the base")
                return f"e^{{{inside}}}", ATOM
            case "relu" if form % 8 and rank_of(argument) == 0:
                if form % 8 > 2:
                    self.features.add("positive parts")
                    return f"({inside})_+", ATOM
                return pick(form // 8, rf"\max(0, {inside})", rf"\max\{{0, {inside}\}}"), ATOM
            case "softplus" if form % 3 != 1 and self.is_reserved("e"):
                return rf"\log(1 + e^{{{inside}}})", ATOM
            case _:
                functions = [f for f in NAMED[expr.op] if f not in RESERVED or self.is_reserved(f)]
                if not functions:
                    raise NothingFits  # `\Gamma` has no other spelling
                function = pick(form // 3, *functions)
                if function in (r"\sigma", r"\Gamma"):
                    self.features.add("reserved functions")
                if isinstance(argument, Ref) and argument.rank == 0 and form % 5 == 1 and function not in (r"\sigma", r"\Gamma"):
                    if "operatorname" not in function:
                        return f"{function} {inside}", APPLIED
                if level == ATOM and inside.startswith(r"\frac") and form % 2:
                    if function not in (r"\sigma", r"\Gamma") and "operatorname" not in function:
                        return f"{function} {inside}", APPLIED
                if form % 29 == 2 and function[1:2].islower() and "operatorname" not in function and function not in (r"\sigma", r"\Gamma"):
                    self.features.add("brackets as parentheses")
                    return rf"{function}\left[ {inside} \right]", ATOM
                return function + self.argument_list(inside, form), ATOM

    def binary(self, expr: Binary) -> Text:
        left, right, form = expr.left, expr.right, expr.form
        match expr.op:
            case "add":
                return f"{self.need(left, ADD)} + {self.need(right, REDUCTION)}", ADD
            case "sub":
                return f"{self.need(left, ADD)} - {self.need(right, REDUCTION)}", ADD
            case "max" | "min":
                return rf"\{expr.op}{self.argument_list(f'{self.expr(left)[0]}, {self.expr(right)[0]}', form)}", ATOM
            case "div":
                if form % 3:
                    command = pick(form // 3, r"\frac", r"\dfrac", r"\tfrac")
                    return rf"{command}{{{self.expr(left)[0]}}}{{{self.expr(right)[0]}}}", ATOM
                return f"{self.need(left, DOT)} / {self.need(right, ATOM)}", TIMES
            case _:
                return self.product(expr)

    def product(self, expr: Binary) -> Text:
        left, right, form = expr.left, expr.right, expr.form
        if rank_of(left) and rank_of(right):
            sign = pick(form, r"\odot", r"\circ", "*")
            return f"{self.need(left, TIMES)} {sign} {self.need(right, DOT)}", TIMES
        if form % 4 == 0:
            return f"{self.need(left, TIMES)} * {self.need(right, DOT)}", TIMES
        if form % 4 == 1:
            return f"{self.need(left, DOT)} \\cdot {self.need(right, JUXT)}", DOT
        left_text, left_level = self.expr(left)
        right_text, right_level = self.expr(right)
        if isinstance(right, Reduce) and left_level == ATOM:
            self.features.add("a sum as the last factor")
            return f"{left_text} {right_text}", REDUCTION
        if left_level not in (ATOM, JUXT):
            left_text = self.parentheses(left_text, getattr(left, "form", 0))
        if right_level < APPLIED:
            right_text = self.parentheses(right_text, 0)
        if right_text[0].isdigit() or (right_text.startswith(("(", r"\left", r"\pa", "[", "|", r"\|")) and not isinstance(left, Number)):
            return f"{left_text} \\cdot {right_text}", DOT
        return f"{left_text} {right_text}", JUXT

    def reduction(self, expr: Reduce) -> Text:
        operator = {"sum": r"\sum", "prod": r"\prod", "max": r"\max", "min": r"\min", "mean": r"\operatorname{mean}"}[expr.op]
        if expr.form % 7 == 3 and expr.op in ("sum", "prod"):
            operator += r"\limits"
        body = self.need(expr.body, INNER)
        if isinstance(expr.body, Reduce):
            body = self.expr(expr.body)[0]
        low, high, i = self.index(expr.range.low), self.index(expr.range.high), expr.index
        condition = self.condition(expr.condition) if expr.condition is not None else ""
        if expr.bare:
            if not condition:
                self.features.add("bare range")
                return f"{operator}_{i} {body}", REDUCTION
            skips = isinstance(expr.condition, Compare) and expr.condition.op == "!="
            self.features.add("sum without one" if skips else "sum under a condition")
            return f"{operator}_{{{condition if skips else f'{i} : {condition}'}}} {body}", REDUCTION
        if condition:
            self.features.add("sum without one")
            return f"{operator}_{{{i}={low}, {condition}}}^{{{high}}} {body}", REDUCTION
        plain = expr.op in ("sum", "prod")
        forms = [
            ("range from to", rf"_{{{i}={low}}}^{{{high}}}") if plain else ("range between", rf"_{{{low} \leq {i} \leq {high}}}"),
            ("range in a set", rf"_{{{i} \in {self.set_of(expr.range)}}}"),
            ("range from to", rf"_{{{i} = {low}}}^{{{high}}}") if plain else ("range in a set", rf"_{{{i} \in {self.set_of(expr.range)}}}"),
            ("range between", rf"_{{{low} \leq {i} \leq {high}}}"),
            ("range from to", rf"^{{{high}}}_{{{i}={low}}}") if plain else ("range between", rf"_{{{low} \leq {i} \leq {high}}}"),
        ]
        feature, script = forms[expr.form % 5]
        self.features.add(feature)
        return f"{operator}{script} {body}", REDUCTION

    def cases(self, expr: Cases) -> str:
        rows = [f"{self.expr(row)[0]} & {self.condition(condition)}" for condition, row in expr.rows]
        word = pick(expr.form, r"\text{otherwise}", "otherwise", r"\text{else}")
        rows.append(f"{self.expr(expr.otherwise)[0]} & {word}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"

    def condition(self, condition: Condition) -> str:
        match condition:
            case Compare():
                return f"{self.expr(condition.left)[0]} {RELATIONS[condition.op]} {self.expr(condition.right)[0]}"
            case Both():
                word = r"\land" if condition.op == "and" else r"\lor"
                return f"{self.condition(condition.left)} {word} {self.condition(condition.right)}"
            case Even():
                return rf"{self.index(condition.index)} \text{{ is even}}"


def authors_letters(program: Program) -> set[str]:
    """Reserved letters that stand bare as the author's own: numbers, arrays declared without indices, whole updates."""
    bare = {d.name for d in program.declarations if not d.axes or d.style not in ("ranged", "vectors")}
    own = {n.name for n in walk(program) if isinstance(n, Assign) and not n.indices or isinstance(n, Define) and not n.binders}
    return {letter for letter in RESERVED if Name(letter) in bare | own}


def pick(form: int, *choices: str) -> str:
    """One of several spellings."""
    return choices[form % len(choices)]
