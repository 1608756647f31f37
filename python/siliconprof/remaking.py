"""Traces that can be made again: as they are, and steps of models with other sizes or options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from weakref import finalize

from ._core import Trace

Changes = Mapping[str, Any]
Make = Callable[[Changes], Trace]

# By the step's identity while it lives: its options, sizes among them, and how to make others.
_steps: dict[int, tuple[Changes, Make]] = {}
# By the trace's identity while it lives: the call that gave it.
_calls: dict[int, partial[Trace]] = {}


def _kept(known: dict[int, Any], trace: Trace, told: Any) -> Trace:
    """`trace`, of which this is known while it lives."""
    known[id(trace)] = told
    finalize(trace, known.pop, id(trace), None).atexit = False
    return trace


def with_options(trace: Trace, options: Changes, make: Make) -> Trace:
    """`trace`, a step with `options`, sizes among them, which `make` makes again with some of them
    changed; `make` must not hold it."""
    return _kept(_steps, trace, (options, make))


def options_of(trace: Trace) -> tuple[Changes, Make] | None:
    """What `with_options` was told; None for what is no step of a model."""
    return _steps.get(id(trace))


def given_by(trace: Trace, call: partial[Trace]) -> Trace:
    """`trace`, which `call` gives anywhere."""
    return _kept(_calls, trace, call)


def call_of(trace: Trace) -> partial[Trace] | None:
    """What `given_by` was told."""
    return _calls.get(id(trace))
