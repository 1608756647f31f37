"""Whose kernels a model's step is made of: every framework fuses, copies and launches its own."""

from __future__ import annotations

from collections.abc import Callable
from weakref import finalize

from ._core import Trace, lowering_names

# Steps that nobody chose kernels for, by their identity while they live, as one whose kernels were
# chosen may equal one: how to make the same in other kernels, and those made so far.
_open: dict[int, tuple[Callable[[str], Trace], dict[str, Trace]]] = {}


def own_lowering(framework: str) -> str:
    """Whose kernels a model's step is made of under a framework: its own where they are known,
    this library's elsewhere. What `workload` takes as `framework`. A version of a framework has the
    kernels of the framework, where it has none of its own."""
    for id in (framework, framework.partition("@")[0]):
        if id in lowering_names():
            return id
    return "native"


def left_open(trace: Trace, make: Callable[[str], Trace]) -> Trace:
    """`trace`, a step in this library's kernels that `lowered` may make again by `make`."""
    _open[id(trace)] = (make, {})
    finalize(trace, _open.pop, id(trace)).atexit = False
    return trace


def is_left_open(trace: Trace) -> bool:
    """Whether nobody chose its kernels: it is in this library's, and `lowered` makes others."""
    return id(trace) in _open


def lowered(trace: Trace, kernels: str) -> Trace:
    """The same step in the kernels of `kernels` (see `own_lowering`), made once; `trace` itself
    where they were chosen when it was made, and where it is no step of a model."""
    found = _open.get(id(trace))
    if found is None or kernels == "native":
        return trace
    make, made = found
    if kernels not in made:
        made[kernels] = make(kernels)
    return made[kernels]
