r"""Numbers and units of siunitx in running text.

\SI{3e-4}{\metre\per\second}   →   3 × 10⁻⁴ m s⁻¹        \ang{30}   →   30°
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType


def _rows(rows: str) -> dict[str, str]:
    return dict(row.split("=") for row in rows.split())


_PREFIXES = _rows("kilo=k mega=M giga=G tera=T peta=P milli=m micro=µ nano=n pico=p centi=c deci=d kibi=Ki mebi=Mi gibi=Gi")
_UNITS = _rows(
    "metre=m meter=m second=s gram=g kilogram=kg hertz=Hz byte=B bit=bit joule=J watt=W volt=V ampere=A kelvin=K mole=mol newton=N "
    "pascal=Pa minute=min hour=h day=d percent=% degree=° degreeCelsius=°C celsius=°C litre=l liter=l electronvolt=eV bel=B radian=rad "
    "ohm=Ω tesla=T candela=cd coulomb=C farad=F henry=H lumen=lm lux=lx siemens=S weber=Wb"
)
_POWERS_BEFORE = {"square": "2", "cubic": "3"}
_POWERS_BEHIND = {"squared": "2", "cubed": "3"}
_RAISED = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_UNIT = re.compile(r"\\(?P<command>[A-Za-z]+)|(?P<other>[^\\]+)")
_EXPONENT = re.compile(r"(?P<before>.*?)[eEdD](?P<sign>[+-]?)(?P<digits>\d+)\Z", re.DOTALL)
_NO_SPACE = frozenset("°")


def _number(written: str) -> str:
    found = _EXPONENT.match(written.strip().replace(" ", ""))
    if found is None:
        return written.strip().replace("-", "−")
    exponent = f"10{(found['sign'].replace('+', '') + found['digits']).translate(_RAISED)}"
    before = found["before"].replace("-", "−")
    return f"{before} × {exponent}" if before else exponent


def _unit(written: str) -> str:
    """The unit's signs; what is no command of a unit stays as it is."""
    parts: list[str] = []
    prefix, power, is_below = "", "", False
    for match in _UNIT.finditer(written):
        name = match["command"]
        if name is None:
            parts.append(match["other"].strip().replace(".", "\N{NARROW NO-BREAK SPACE}").replace("~", "\N{NARROW NO-BREAK SPACE}"))
        elif name == "per":
            is_below = True
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name in _POWERS_BEFORE:
            power = _POWERS_BEFORE[name]
        elif name in _POWERS_BEHIND and parts:
            parts[-1] = parts[-1].removesuffix("⁻¹") + ("⁻" if parts[-1].endswith("⁻¹") else "") + _POWERS_BEHIND[name].translate(_RAISED)
        else:
            raised = f"-{power or '1'}" if is_below else power
            parts.append(prefix + _UNITS.get(name, f"\\{name}") + raised.translate(_RAISED))
            prefix, power, is_below = "", "", False
    return "\N{NARROW NO-BREAK SPACE}".join(filter(None, parts))


def _quantity(number: str, unit: str) -> str:
    sign = _unit(unit)
    return _number(number) + ("" if sign in _NO_SPACE or not sign else "\N{NARROW NO-BREAK SPACE}") + sign


def _range(first: str, last: str, unit: str = "") -> str:
    return f"{_quantity(first, unit)} to {_quantity(last, unit)}"


QUANTITIES: Mapping[str, tuple[int, Callable[..., str]]] = MappingProxyType(
    {
        "num": (1, _number),
        "ang": (1, lambda written: "".join(part + sign for part, sign in zip(written.split(";"), "°′″") if part)),
        **dict.fromkeys(("SI", "qty"), (2, _quantity)),
        **dict.fromkeys(("si", "unit"), (1, _unit)),
        "numrange": (2, _range),
        **dict.fromkeys(("SIrange", "qtyrange"), (3, _range)),
    }
)
"""How many arguments each command has, and how they read."""


def write_quantity(name: str, arguments: Sequence[str]) -> str | None:
    """What is read; None where an argument is missing."""
    count, write = QUANTITIES[name]
    return write(*arguments) if len(arguments) == count else None
