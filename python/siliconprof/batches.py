"""The same training step at another batch: how a step of a model may be made again."""

from __future__ import annotations

from collections.abc import Callable
from weakref import finalize

from ._core import Error, Trace

# Steps of models by their identity while they live: their batch, and how to make others.
_steps: dict[int, tuple[int, Callable[[int], Trace]]] = {}
_LARGEST = 1 << 20


def with_batch(trace: Trace, batch: int, make: Callable[[int], Trace]) -> Trace:
    """`trace`, a step of `batch`, which `make` makes again at another. `make` must not hold it."""
    _steps[id(trace)] = (batch, make)
    finalize(trace, _forget, id(trace)).atexit = False
    return trace


def _forget(key: int) -> None:
    _steps.pop(key, None)


def batch_of(trace: Trace) -> int | None:
    """Sequences or images of the step; None for what is no step of a model."""
    found = _steps.get(id(trace))
    return None if found is None else found[0]


def largest_batch(trace: Trace, fits: Callable[[Trace], bool]) -> int:
    """The largest batch of the step that `fits` says yes to, by bisection; 0 where none is found.

    The step must be one that `batch_of` knows. A batch that can't be made doesn't fit.
    """
    batch, make = _steps[id(trace)]

    def fits_at(size: int) -> bool:
        try:
            return fits(make(size))
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
