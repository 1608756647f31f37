"""Claims of this project, not of the paper: how right its predictions are, by its recorded rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median

from ..validate import WHOLE_STEP
from .claim import Claim, Evidence, claim
from .table import Row, Table
from .validation import VALUE

# What is wanted of the mean error of whole steps on an H200; its family's constants are fitted on
# single operations of one. `validate --leave-out device` judges boards that nothing is known of.
STEP_LIMITS = {"time": 0.12, "memory": 0.03, "energy": 0.15}
OFFLOADED_LIMIT = 0.1
OPERATION_LIMIT = 0.12
COVERED = (0.85, 0.95)
_DRAWS = 400


def validation_claims(table: Table) -> list[Claim]:
    """Steps and operations within the wanted errors, and intervals that cover what they say."""
    rows = table.where(origin="predicted", quantity=VALUE)
    whole = [row for row in rows if row.point["op_class"] == WHOLE_STEP]
    h200 = [row for row in whole if row.device == "h200"]
    single = [row for row in rows if row.point["op_class"] != WHOLE_STEP]
    frameworks = dict.fromkeys(row.framework for row in single)
    by_framework = {name: [row for row in single if row.framework == name] for name in frameworks}
    h100 = [row for row in whole if row.device == "h100"]  # no interval was made with its peaks
    judged = {
        "H200 steps": _of("time", h200),
        "offloaded H200 steps": _of("time, offloaded", h200),
        "energies of H200 steps": _of("energy", h200),
        "energies of H100 steps": _of("energy", h100),
        "peak memories of H100 steps": _of("memory", h100),
        **{f"operations on an M3 Max under {name}": some for name, some in by_framework.items()},
    }
    return [_steps(h200), _offloaded(h200), _operations(by_framework), _intervals(judged)]


def _steps(h200: Sequence[Row]) -> Claim:
    return claim(
        "validation-steps",
        "Of this project: whole steps on an H200, on which nothing was fitted but single "
        "operations, are predicted to 12 % in time, 3 % in peak memory and 15 % in energy, in the "
        "mean.",
        _there(
            _evidence(f"mean error of {kind}, H200 steps", _of(kind, h200), _error, fmean, limit)
            for kind, limit in STEP_LIMITS.items()
        ),
        (0.0, 1.0),
        "each mean error is at most its limit; the evidence is the error over the limit",
    )


def _offloaded(h200: Sequence[Row]) -> Claim:
    what = "mean error of time, H200 steps with the optimizer on the host"
    offloaded = _of("time, offloaded", h200)
    return claim(
        "validation-offload",
        "Of this project: steps whose optimizer is on the host beside an H200 are predicted to "
        "10 % in time, in the mean.",
        _there([_evidence(what, offloaded, _error, fmean, OFFLOADED_LIMIT)]),
        (0.0, 1.0),
        "the mean error is at most its limit; the evidence is the error over the limit",
    )


def _operations(by_framework: Mapping[str, Sequence[Row]]) -> Claim:
    return claim(
        "validation-operations",
        "Of this project: single operations of an M3 Max's suite, none of which is in a fit, are "
        "predicted to 12 % in the median.",
        _there(
            _evidence(f"median error, M3 Max under {name}", some, _error, median, OPERATION_LIMIT)
            for name, some in by_framework.items()
        ),
        (0.0, 1.0),
        "each framework's median error is at most 12 %; the evidence is the error over it",
    )


def _intervals(judged: Mapping[str, Sequence[Row]]) -> Claim:
    return claim(
        "validation-intervals",
        "Of this project: intervals that say 90 % hold 85 to 95 % of what was recorded.",
        _there(
            _evidence(f"part of {name} within their interval", some, _covered, fmean)
            for name, some in judged.items()
        ),
        COVERED,
        "the part of rows within their interval is between 0.85 and 0.95 in each group",
    )


def _of(kind: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.point["kind"] == kind]


def _error(row: Row) -> float:
    return abs((row.value or 0.0) / float(row.point["recorded"]) - 1.0)


def _covered(row: Row) -> float:
    low, high = row.lo, row.hi
    return float(low is not None and high is not None and low <= row.point["recorded"] <= high)


def _evidence(
    what: str,
    rows: Sequence[Row],
    of: Callable[[Row], float],
    middle: Callable[[Sequence[float]], float],
    limit: float = 1.0,
) -> Evidence | None:
    """The middle over the limit, with the middle 90 % of what rows drawn anew would give."""
    if not rows:
        return None
    values = [of(row) for row in rows]
    generator = random.Random(0)
    drawn = sorted(middle(generator.choices(values, k=len(values))) for _ in range(_DRAWS))
    value, cut = middle(values), _DRAWS // 20
    low, high = min(drawn[cut], value), max(drawn[-1 - cut], value)
    source = f"{len(rows)} predictions beside their records; interval: rows drawn anew"
    shown = f"{what}, over {limit:.0%}" if limit != 1.0 else what
    both = "predicted and recorded"
    return Evidence(both, shown, value / limit, low / limit, high / limit, source)


def _there(found: Iterable[Evidence | None]) -> list[Evidence]:
    return [entry for entry in found if entry is not None]
