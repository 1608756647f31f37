"""The same training step at another batch: how a step of a model may be made again."""

from __future__ import annotations

from collections.abc import Callable

from ._core import Error, Trace
from .remaking import options_of

_LARGEST = 1 << 20


def batch_of(trace: Trace) -> int | None:
    """Sequences or images of the step; None for what is no step of a model."""
    found = options_of(trace)
    return None if found is None else found[0]["batch"]


def largest_batch(trace: Trace, fits: Callable[[Trace], bool]) -> int:
    """The largest batch of the step that `fits` says yes to, by bisection; 0 where none is found.

    A batch that can't be made doesn't fit, nor does any of what is no step of a model.
    """
    found = options_of(trace)
    if found is None:
        return 0
    options, make = found
    batch = options["batch"]

    def fits_at(size: int) -> bool:
        try:
            return fits(make({"batch": size}))
        except Error:
            return False

    low, high = 0, batch
    if fits(trace):
        low, high = batch, 2 * batch
        while high <= _LARGEST and fits_at(high):
            low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits_at(middle) else (low, middle)
    return low
