"""What rates of measured kernels become where a number is set that they were measured beside."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ._core import Number
from .numbers import DTYPES, LOCAL
from .peaks import peak_key

_SOURCE = f"measured, times what was set of what it follows (what-if), {LOCAL}"
_CACHED, _STREAMED = ".cached_bytes_per_s", ".streamed_bytes_per_s"
# How the keys of rates end that follow a number.
_FOLLOWING = {
    "memory.bandwidth_bytes_per_s": (".memory_bytes_per_s", _STREAMED),
    **{peak_key("matrix", dtype): (f".{dtype}.arithmetic_flops_per_s",) for dtype in DTYPES},
}


def with_rates_in_proportion(
    before: Mapping[str, Number], after: Mapping[str, Number], name: str
) -> dict[str, Number]:
    """`after`, where kernels move what comes from memory as much quicker as the bandwidth that was
    set, and do arithmetic as much quicker as a matrix peak; caches and starts stay. What streams
    past the cache gets no quicker than it is within."""
    numbers = dict(after)
    ends = _FOLLOWING.get(name)
    if ends is None or name not in before:
        return numbers
    times = after[name].value / before[name].value
    for key, number in before.items():
        if key.startswith("kernel.") and key.endswith(ends):
            value = min(number.value * times, _most(key, before))
            numbers[key] = Number(value, "assumed", _SOURCE, number.relative_error)
    return numbers


def _most(key: str, numbers: Mapping[str, Number]) -> float:
    """What a rate may become."""
    cached = numbers.get(key.removesuffix(_STREAMED) + _CACHED)
    if not key.endswith(_STREAMED) or cached is None:
        return math.inf
    return max(numbers[key].value, cached.value)
