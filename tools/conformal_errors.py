"""How far predictions are off, as split-conformal prediction tells it of residuals; used by
fit_suite.py, fit_calls.py, fit_cpu_calls.py, fit_stand_ins.py and leave_published_out.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from fit_efficiency import FEW_ROWS_ERROR, HARDLY_ANY_ERROR

# So many rows of the median of all stand beside those of a group: few rows say little of their own.
PRIOR_ROWS = 4
Kind = tuple[str, bool]  # a class of operations, and whether the call mostly waits, or is short


def error_parts(logs: Mapping[Kind, Sequence[float]]) -> dict[Kind, float]:
    """By kind, what 90 % of max(p/m, m/p) - 1 are within."""
    middle = median(abs(log) for some in logs.values() for log in some)
    scales = {}
    for kind, some in logs.items():
        own = len(some) * median(abs(log) for log in some)
        scales[kind] = (own + PRIOR_ROWS * middle) / (len(some) + PRIOR_ROWS)
    scores = sorted(abs(log) / scales[kind] for kind, some in logs.items() for log in some)
    rank = math.ceil(0.9 * (len(scores) + 1))
    worst = scores[min(rank, len(scores)) - 1]
    return {kind: math.exp(worst * scale) - 1.0 for kind, scale in scales.items()}


def conformal(logs: Iterable[float]) -> float:
    """The 90 % quantile of split-conformal prediction; of fewer than nine rows, which can't carry
    one, the largest, and no less than tools/fit_efficiency.py takes there."""
    errors = sorted(math.exp(abs(log)) - 1.0 for log in logs)
    if _rank(errors) <= len(errors):
        return quantile(errors)
    return max(errors[-1], FEW_ROWS_ERROR if len(errors) > 2 else HARDLY_ANY_ERROR)


def quantile(errors: Iterable[float]) -> float:
    """The 90 % quantile of split-conformal prediction; the largest of fewer than nine."""
    found = sorted(errors)
    return found[min(_rank(found), len(found)) - 1]


def _rank(errors: Sequence[float]) -> int:
    return math.ceil(0.9 * (len(errors) + 1))
