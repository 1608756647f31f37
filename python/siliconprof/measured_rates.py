"""What rates of measured kernels become where a number is set that they were measured beside."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ._core import Number
from .numbers import LOCAL
from .peaks import UNITS, peak_key

_SOURCE = f"measured, times what was set of what it follows (what-if), {LOCAL}"
_BANDWIDTH = "memory.bandwidth_bytes_per_s"
_PEAK = re.compile(r"peak\.(?P<unit>[a-z]+)\.(?P<dtype>[a-z0-9]+)_flops_per_s")


def with_rates_in_proportion(
    before: Mapping[str, Number], after: Mapping[str, Number], name: str
) -> dict[str, Number]:
    """`after`, where kernels move what comes from memory as much quicker as the bandwidth that was
    set, and do arithmetic as much quicker as a matrix peak; caches and starts stay."""
    numbers = dict(after)
    ends = _following(name)
    if ends is None or name not in before:
        return numbers
    times = after[name].value / before[name].value
    for key, number in before.items():
        if key.startswith("kernel.") and key.endswith(ends):
            error = number.relative_error
            numbers[key] = Number(number.value * times, "assumed", _SOURCE, error)
    return numbers


def _following(name: str) -> str | None:
    """How the keys of rates end that follow the number; None for one that none follows."""
    if name == _BANDWIDTH:
        return ".memory_bytes_per_s"
    peak = _PEAK.fullmatch(name)
    if peak and name == peak_key(UNITS[0], peak["dtype"]):
        return f".{peak['dtype']}.arithmetic_flops_per_s"
    return None
