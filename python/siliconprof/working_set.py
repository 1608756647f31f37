"""How much of a unified memory its system recommends a GPU to hold."""

from __future__ import annotations

from collections.abc import Mapping

from ._core import Number
from .quantity import GIB

CAPACITY = "memory.capacity_bytes"
LIMIT = "memory.working_set_limit_bytes"
# Metal's rule as the device files have it, whose sources are two-thirds and three-quarters.
_LARGEST_SMALL_BYTES = 36 * GIB
_OF_SMALL, _OF_LARGE = 2 / 3, 3 / 4
_NEAR = 1e-3  # a limit that was read off a machine is in whole pages


def part_of_another(capacity: float, numbers: Mapping[str, Number]) -> float:
    """The part that is recommended of a memory of `capacity` bytes, were the machine of `numbers`
    to have one: Metal's rule, or the machine's own part where that is another (a limit that was
    raised, a newer system)."""
    old = numbers[CAPACITY].value
    own = numbers[LIMIT].value / old
    return _part(capacity) if abs(own / _part(old) - 1.0) < _NEAR else own


def _part(capacity: float) -> float:
    return _OF_SMALL if capacity <= _LARGEST_SMALL_BYTES else _OF_LARGE
