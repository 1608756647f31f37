"""A figure's samples as three numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core


@dataclass(frozen=True)
class Quartiles:
    """Lower quartile, median and upper quartile, and what they are the quartiles of."""

    low: float
    middle: float
    high: float
    of: str


def quartiles(samples: Sequence[float]) -> Quartiles:
    """Of at least one sample. Raises: ArgumentError for none."""
    low, middle, high = (_core.quantile(samples, q) for q in (0.25, 0.5, 0.75))
    return Quartiles(low, middle, high, f"{len(samples)} samples")
