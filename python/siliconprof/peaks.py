"""Peak rates that follow from cores and clock: what a family's cores do in a cycle, said once."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from ._core import Number
from .numbers import DTYPES, SET_BY_USER, NumberFile

UNITS = ("matrix", "vector")
# Rounding of published clocks, at least.
_LEAST_ERROR = 0.01
_DERIVED = "Derived: compute.cores x compute.clock_hz x FLOP per core and cycle; "


def peak_key(unit: str, dtype: str) -> str:
    """The key of a peak rate; unit is "matrix" or "vector"."""
    return f"peak.{unit}.{dtype}_flops_per_s"


def per_cycle_key(unit: str, dtype: str) -> str:
    """The key of the FLOP that a core does in a cycle, at best."""
    return f"compute.{unit}.{dtype}_flops_per_cycle"


def with_derived_peaks(parsed: NumberFile) -> NumberFile:
    """Each peak rate that the file leaves out and whose factors it has: cores x clock x FLOP per
    core and cycle. A published peak stays as it is."""
    return dataclasses.replace(parsed, numbers=_with_peaks(parsed.numbers))


def with_peaks_derived_again(numbers: Mapping[str, Number]) -> dict[str, Number]:
    """The same once cores, clock or FLOP per cycle have changed; published peaks stay."""
    kept = {key: n for key, n in numbers.items() if not n.source.startswith(_DERIVED)}
    return _with_peaks(kept)


def stated_despite(changed: Collection[str], numbers: Mapping[str, Number]) -> list[str]:
    """Keys of the peak rates that would follow numbers of the keys `changed` if the device's file
    didn't state them."""
    shared = any(key in changed for key in ("compute.cores", "compute.clock_hz"))
    return [
        key
        for unit in UNITS
        for dtype in DTYPES
        if shared or per_cycle_key(unit, dtype) in changed
        if (key := peak_key(unit, dtype)) in numbers
        if not numbers[key].source.startswith((_DERIVED, SET_BY_USER))
    ]


def _with_peaks(given: Mapping[str, Number]) -> dict[str, Number]:
    numbers = dict(given)
    cores, clock = numbers.get("compute.cores"), numbers.get("compute.clock_hz")
    if cores is None or clock is None:
        return numbers
    for unit in UNITS:
        for dtype in DTYPES:
            width = numbers.get(per_cycle_key(unit, dtype))
            if width is not None and peak_key(unit, dtype) not in numbers:
                numbers[peak_key(unit, dtype)] = _product(cores, clock, width)
    return numbers


def _product(cores: Number, clock: Number, width: Number) -> Number:
    factors = (cores, clock, width)
    error = max(sum(factor.relative_error for factor in factors), _LEAST_ERROR)
    source = f"{_DERIVED}{width.source}"
    return Number(cores.value * clock.value * width.value, "assumed", source, min(error, 0.9))
