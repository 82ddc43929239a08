"""Programs with sizes at which they have a value."""

from __future__ import annotations

import random
from dataclasses import replace

from .drawing import Draw
from .law import Sizes, draw_values, wanted
from .meaning import Undefined
from .printing import print_program
from .soundness import is_sound
from .trees import RESERVED, Function, Name, Notation, NothingFits, Number, Program, Ref, walk

ATTEMPTS = 200


def draw_program(seed: int, notation: Notation | None = None) -> tuple[Program, Sizes]:
    """The first program of a seed that is sound and has a value, with its sizes, all different."""
    for attempt in range(ATTEMPTS):
        own = seed * ATTEMPTS + attempt
        try:
            program = Draw(own, notation).program()
        except NothingFits:
            continue
        if not program.results or not is_sound(program):
            continue
        try:
            _, spelled = print_program(program)
        except NothingFits:
            continue
        sizes = find_sizes(program, own)
        if sizes is not None:
            return replace(program, features=program.features | spelled | side_by_side(program, spelled)), sizes
    raise RuntimeError(f"seed {seed} gives no program")


def side_by_side(program: Program, spelled: frozenset[str]) -> set[str]:
    """Features that only two things together make: a family beside the reserved meaning of its letter."""
    letters = {node.base for node in walk(program) if isinstance(node, Name)}
    found = set()
    if r"\pi" in letters and any(isinstance(node, Number) and r"\pi" in node.text for node in walk(program)):
        found.add("pi beside its family")
    if letters & {r"\sigma", r"\Gamma"} and "reserved functions" in spelled:
        found.add("a function beside its family")
    if "e" in letters and "e as the base" in spelled:
        found.add("e beside its family")
    declared = {axis.high.name for d in program.declarations if d.style != "none" for axis in d.axes}
    if any(d.axes and d.axes[0].high.name in declared for d in program.inputs if d.style == "none"):
        found.add("undeclared inputs of a declared size")
    for node in walk(program):
        if isinstance(node, Ref) and node.name.label and any(i.name is None or i.name in program.sizes for i in node.indices):
            found.add("a labelled family at a fixed index")
        if isinstance(node, Function) and any(name.label and name.base in RESERVED for name, _ in node.parameters):
            found.add("indexed arguments of reserved letters")
    return found


def find_sizes(program: Program, seed: int) -> Sizes | None:
    """Different small sizes, 1 among them where the program has a value there."""
    rng = random.Random(seed)
    for choices in ([1, 2, 3, 4], [2, 3, 4], [2, 3, 4, 5]):
        sizes = dict(zip(program.sizes, rng.sample(choices, len(program.sizes)), strict=True))
        try:
            wanted(program, draw_values(program, sizes, 0), sizes)
            wanted(program, draw_values(program, sizes, 1), sizes)
        except Undefined:
            continue
        return sizes
    return None
