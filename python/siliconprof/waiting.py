"""How long threads that wait for each other keep a processor busy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_POLICY, _COUNT = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"
# Some 0.1 ms, longer than there is between two operations of a step, which take no longer for it.
# GCC's runtime turns 300 000 times, 12 ms: where another process has one of two processors, a step
# takes up to 1.6 times as long by that, and an operation of 0.1 ms now and then 12.
_TURNS = "2000"


@contextmanager
def bounded_waiting() -> Iterator[None]:
    """Within, a runtime of threads that is loaded lets its threads sleep soon, unless the
    environment says how they wait; afterwards the environment is as before."""
    if _POLICY in os.environ or _COUNT in os.environ:
        yield
        return
    os.environ[_COUNT] = _TURNS
    try:
        yield
    finally:
        del os.environ[_COUNT]
