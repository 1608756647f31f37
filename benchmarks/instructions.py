"""What a row's instructions take where memory costs nothing: the same operation on less of it.

A floor counts a function such as exp as one operation, and a sort as its comparisons. Where a row
is slower than memory allows, this tells whether it waits for memory or for its own instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kernel_rows import Call, trace_of

from siliconprof import _core


@dataclass(frozen=True)
class Less:
    """A call on `part` of the data."""

    op: str
    sizes: Mapping[str, float]
    part: float


def within(call: Call, bytes: int, dtype: str = "float32") -> Less | None:
    """The call with one axis cut so that it moves at most `bytes`; None where no axis can be cut
    without changing what is done for each element."""
    op, sizes = call
    whole = trace_of(op, sizes, dtype=dtype).cost
    dims = sorted(_core.op_dims(op), key=lambda name: -sizes[name])
    for dim in dims:
        length = int(sizes[dim])
        cut = length * bytes // max(whole.bytes, 1)
        if cut < 1 or cut >= length:
            continue
        less = {**sizes, dim: cut}
        cost, part = trace_of(op, less, dtype=dtype).cost, cut / length
        if is_part(cost.bytes, whole.bytes, part) and is_part(cost.flops, whole.flops, part):
            return Less(op, less, part)
    return None


def is_part(less: int, whole: int, part: float) -> bool:
    return abs(less - whole * part) <= 0.01 * whole * part


def instructions_s(calls: list[Less], seconds_of: Callable[[Less], float]) -> float:
    """Of the whole calls, from what their parts take in a cache."""
    return sum(seconds_of(call) / call.part for call in calls)
