"""What rates of measured kernels become where a number is set that they were measured beside."""

from __future__ import annotations

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
    set, and do arithmetic as much quicker as a matrix peak; caches and starts stay. Of what streams
    past the cache the part follows that it takes longer than within."""
    numbers = dict(after)
    ends = _FOLLOWING.get(name)
    if ends is None or name not in before:
        return numbers
    times = after[name].value / before[name].value
    for key, number in before.items():
        if key.startswith("kernel.") and key.endswith(ends):
            value = times * number.value
            cached = before.get(key.removesuffix(_STREAMED) + _CACHED)
            if key.endswith(_STREAMED) and cached is not None:
                value = _streamed(number.value, cached.value, times)
            numbers[key] = Number(value, "assumed", _SOURCE, number.relative_error)
    return numbers


def _streamed(rate: float, cached: float, times: float) -> float:
    """What a byte takes beyond its time within the cache is memory's."""
    beyond_s = max(0.0, 1.0 / rate - 1.0 / cached)
    return 1.0 / (1.0 / rate - beyond_s + beyond_s / times)
