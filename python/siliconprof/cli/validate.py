"""`siliconprof validate`."""

from __future__ import annotations

import dataclasses
from typing import Any

import typer

from ..arguments import LARGEST_COUNT, refused, whole
from ..calibration_plan import FORMATS
from ..names import unknown_name
from ..quantity import counted, scaled
from ..validate import BY, LeftOut, Score, Summary, groups, summarise
from ..validate import validate as scored
from .output import print_json, print_table, print_text
from .workload_options import JSON, OptionalInt, OptionalNumber, OptionalText

JUDGED_BAD = 1
_LEFT_OUT_SHOWN = 20
DEVICE = typer.Option(None, help="Score the rows of this device alone.")
RECORDS = typer.Option(None, help="A packaged table or a .csv file, instead of all held out.")
LIMIT = typer.Option(None, help="Exit with 1 when the mean absolute error of times is above this.")
HERE = typer.Option(
    False, "--here", help="Calibrate this machine (or take --device), predict, then measure steps."
)
LEAVE_OUT = typer.Option(
    None, help="device or op: score what no constant was fitted on, once it is left out of the fit."
)
BUDGET = typer.Option(
    None, help="With --here: seconds of the calibration; by default 60 for each precision."
)
OPS = typer.Option(
    False, "--ops", help="With --here: the rows of the op suite instead of whole steps."
)
PRECISION = typer.Option(
    None, help="With --here: that of the steps, fp32 by default; fp64, amp-bf16, amp-fp16."
)
SAMPLES = typer.Option(
    None, help="With --here: measurements of each step, at each of two times; 3 by default."
)


def validate(
    device: OptionalText = DEVICE,
    records: OptionalText = RECORDS,
    limit: OptionalNumber = LIMIT,
    leave_out: OptionalText = LEAVE_OUT,
    here: bool = HERE,
    ops: bool = OPS,
    budget: OptionalNumber = BUDGET,
    precision: OptionalText = PRECISION,
    samples: OptionalInt = SAMPLES,
    json: bool = JSON,
) -> None:
    """How far are predictions from recorded numbers that nothing was fitted on?

    --records takes a table of your own (docs/record-files.md). Rows that can't be predicted are
    left out, with each reason and the first row that it holds for; --json has file and line of all.

    Example: siliconprof validate --device h200
    """
    if limit is not None and not limit >= 0.0:
        raise refused("validate", "limit", limit, "a mean error of 0 or more, as 0.15")
    if here:
        _check_here(device, records, leave_out, budget, samples, precision, ops)
        from .validate_here import validate_here, validate_ops_here

        if ops:
            summary = validate_ops_here(device, budget, json)
        else:
            rounds = 3 if samples is None else samples
            summary = validate_here(device, budget, rounds, precision or "fp32", json)
        if limit is not None and summary.mape > limit:
            raise typer.Exit(JUDGED_BAD)
        return
    of_here = {"budget": budget, "samples": samples, "precision": precision, "ops": ops or None}
    for option, value in of_here.items():
        if value is not None:
            raise refused("validate", option, value, "--here is needed: nothing else is measured")
    scores, left_out = _scored(device, records, leave_out)
    times = [s for s in scores if s.unit == "s" and s.quantity != "step kernel time"]
    if limit is not None and not times:
        raise refused("validate", "limit", limit, "none is needed: no row is a time to be judged")
    overall = summarise(times or scores)
    if json:
        print_json(_document(scores, overall, left_out))
    else:
        _print(scores, left_out)
        if limit is not None:
            print_text(f"mean absolute error of times: {overall.mape:.1%}, limit {limit:.1%}")
    if limit is not None and overall.mape > limit:
        raise typer.Exit(JUDGED_BAD)


def _check_here(
    device: str | None,
    records: str | None,
    leave_out: str | None,
    budget: float | None,
    samples: int | None,
    precision: str | None,
    ops: bool,
) -> None:
    """Refuses what --here has no use for, and no number of samples, before it takes minutes."""
    for name, given in (("records", records), ("leave_out", leave_out)):
        if given is not None:
            raise refused("validate", name, given, "with --here nothing recorded is scored")
    if budget is not None and device is not None:
        need = "no --device is needed: one that is given isn't calibrated"
        raise refused("validate", "budget", budget, need)
    if samples is not None and ops:
        raise refused("validate", "samples", samples, "with --ops rows are repeated for 0.3 s each")
    if samples is not None:
        whole("validate", "samples", samples, 1, LARGEST_COUNT)
    if precision is not None and ops:
        raise refused("validate", "precision", precision, "the op suite's rows are in float32")
    if precision is not None and precision not in FORMATS:
        raise unknown_name("precision", precision, list(FORMATS))


def _scored(
    device: str | None, records: str | None, leave_out: str | None
) -> tuple[list[Score], list[LeftOut]]:
    if leave_out is None:
        return scored(device, records)
    from ..leave_out import leave_out as without

    if device is not None or records is not None:
        need = "stands alone: it chooses devices and records itself"
        raise refused("validate", "leave_out", leave_out, need)
    return without(leave_out)


def _document(scores: list[Score], overall: Summary, left_out: list[LeftOut]) -> dict[str, Any]:
    return {
        "rows": [dataclasses.asdict(score) for score in scores],
        **errors_of(overall),
        "groups": _summaries(scores, BY[0]),
        "by_op_class": _summaries(scores, BY[1]),
        "by_workload": _summaries(scores, BY[2]),
        "left_out": [str(row) for row in left_out],
    }


def errors_of(overall: Summary) -> dict[str, float]:
    """Those that a document has of all its rows."""
    return {name: getattr(overall, name) for name in ("mape", "median", "p90", "max")}


def _summaries(scores: list[Score], by: str) -> dict[str, dict[str, Any]]:
    return {key: dataclasses.asdict(summarise(some)) for key, some in groups(scores, by)}


def _print(scores: list[Score], left_out: list[LeftOut]) -> None:
    print_scores(scores, "recorded")
    _print_left_out(left_out)


def print_scores(scores: list[Score], origin: str) -> None:
    """A line for each, and for each group of them; `origin`: of what predictions stand beside."""
    columns = ("what", "device", "framework", origin, "predicted", "interval", "error")
    print_table(
        "",
        columns,
        [
            [
                score.what,
                score.device,
                score.framework,
                scaled(score.recorded, score.unit),
                scaled(score.predicted, score.unit),
                _interval(score),
                _percent(score.error),
            ]
            for score in scores
        ],
    )
    for by in BY:
        _print_groups(scores, by)


def _print_left_out(left_out: list[LeftOut]) -> None:
    """A line for each reason in a table, with the first row that it holds for; without the names
    that there are, which errors list."""
    by_reason: dict[tuple[str, str], list[LeftOut]] = {}
    for row in left_out:
        by_reason.setdefault((row.table, row.reason), []).append(row)
    fits = len(by_reason) == len(left_out) <= _LEFT_OUT_SHOWN
    more = "" if fits else "; --json has each"
    print_text(f"{counted(len(left_out), 'row')} left out{more}")
    for rows in list(by_reason.values())[:_LEFT_OUT_SHOWN]:
        more = f" ({len(rows)} rows, this the first)" if rows[1:] else ""
        print_text(str(rows[0]).partition(" (there are: ")[0] + more, "dim")


def _print_groups(scores: list[Score], by: str) -> None:
    columns = (by, "rows", "mean", "median", "p90", "max", "in 90 % interval")
    rows = [[key, *_cells(summarise(some))] for key, some in groups(scores, by)]
    print_table(f"Error by {by}", columns, rows)


def _cells(s: Summary) -> list[str]:
    errors = [f"{error:.1%}" for error in (s.mape, s.median, s.p90, s.max)]
    return [str(s.rows), *errors, "–" if s.covered is None else f"{s.covered:.0%}"]


def _percent(error: float) -> str:
    """Whole per cent; a digit more of small ones, and no minus zero."""
    return f"{error:+.0%}" if abs(error) >= 0.1 else f"{round(error, 3) + 0.0:+.1%}"


def _interval(score: Score) -> str:
    if score.interval is None:
        return "–"
    low, high = score.interval
    return f"{scaled(low, score.unit)} to {scaled(high, score.unit)}"
