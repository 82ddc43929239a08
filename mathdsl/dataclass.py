"""Dataclasses of which a program has a million: `@dataclass(frozen=True)`, as quick to make as one that is not frozen.

For the type checker this is the decorator of the library, so that whoever assigns to a field of a frozen value is told there, and only
there: the library's own class would set each of its fields through `object.__setattr__`, which takes four times as long.
"""

from __future__ import annotations

from dataclasses import field as field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from reprlib import recursive_repr

    def dataclass(cls=None, *, frozen=False, eq=True, **options):
        """The class with what its fields give it; a frozen one has a hash where it is compared by its fields."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq, **options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _shown
        has_hash = frozen and eq and cls.__dict__.get("__hash__") is None
        return dataclasses.dataclass(eq=eq, repr=False, unsafe_hash=has_hash, **options)(cls)

    @recursive_repr()
    def _shown(self):
        """The value as it is made, `Name(value='x')`; one function for all classes, since a class of a compiler is seldom printed."""
        shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({shown})"
