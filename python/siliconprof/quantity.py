"""Values with units as a reader wants them: the one place where seconds become milliseconds."""

from __future__ import annotations

_PREFIXES = (
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
)
_LEAST, _MOST = 1e-12, 1e18
_PREFIXED = ("s", "bytes", "bytes/s", "FLOP/s", "FLOP", "W", "J")
GIB = 2**30
_SHORT = {"bytes": "B", "bytes/s": "B/s"}


def scaled(value: float | None, unit: str, digits: int = 3, gib: bool = True) -> str:
    """The value with its unit as a reader wants it: 3.2e11 FLOP/s as "320 GFLOP/s".

    gib: whole GiB as such; not where the memory stands beside what is needed of it.
    A missing value is a dash.
    """
    if value is None:
        return "–"
    if gib and unit == "bytes" and GIB <= value < _MOST and value % GIB == 0:
        return f"{value / GIB:,.0f} GiB"  # a memory's capacity: what makers print as GB
    if unit not in _PREFIXED:
        return f"{_digits(value, digits)} {unit.removeprefix('1')}".strip()  # "1": a plain number
    if unit == "s" and 1e3 <= abs(value) < _MOST:
        return f"{value:,.0f} s"  # nobody counts in kiloseconds
    factor, prefix = _prefix(value)
    shown = _digits(value / factor, digits)
    return f"{shown} {prefix}{_SHORT.get(unit, unit)}"


def signed(value: float, unit: str) -> str:
    """The same of a difference: "+23 ms"."""
    return f"{'+' if value > 0 else ''}{scaled(value, unit)}"


def counted(count: int, what: str) -> str:
    """ "1 step", "2 steps"."""
    ending = "" if count == 1 else "es" if what.endswith("s") else "s"
    return f"{count} {what}{ending}"


def _prefix(value: float) -> tuple[float, str]:
    if not _LEAST <= abs(value) < _MOST:  # zero, no number, and what no prefix makes readable
        return 1.0, ""
    for factor, prefix in _PREFIXES:
        if abs(value) >= factor:
            return factor, prefix
    return _PREFIXES[-1]


def _digits(value: float, digits: int) -> str:
    if 10.0 ** (digits - 1) <= abs(value) < _MOST:
        return f"{value:,.0f}"
    return f"{value:,.{digits}g}"
