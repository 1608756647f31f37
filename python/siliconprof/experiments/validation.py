"""How right predictions are: each beside what was recorded of it, nothing of that in any fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..quantity import counted
from ..validate import WHOLE_STEP, Score, groups, summarise, validate
from .experiment import Experiment, Layout
from .points import table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VALUE, MEAN_ERROR = "value", "mean absolute error"


@dataclass(frozen=True)
class Params:
    """every: 1 for all recorded rows, n for each n-th."""

    every: int = 1


def run(params: Params, say: Say = silent) -> Table:
    """Each recorded number and its prediction, and the mean error by device and quantity."""
    say("every recorded number that can be predicted")
    scores, left_out = validate(every=params.every)
    say(f"{len(scores)} scored, {len(left_out)} left out")
    rows = [row for score in scores for row in _pair(score)]
    rows += [_mean_error(key, some) for key, some in groups(scores)]
    return table("validation", rows, params)


def _pair(score: Score) -> list[Row]:
    place = (score.device, score.framework, score.what)
    point = {
        "quantity": VALUE,
        "kind": score.quantity,
        "op_class": score.op_class,
        "subject": score.subject,
        "recorded": score.recorded,
    }
    low, high = score.interval or (None, None)
    source = f"model of {score.device} under {score.framework}"
    unit = score.unit
    return [
        Row("recorded", *place, score.recorded, unit, None, None, score.source, point),
        Row("predicted", *place, score.predicted, unit, low, high, source, point),
    ]


def _mean_error(key: str, scores: list[Score]) -> Row:
    """The interval is from the least to the 90th percentile of the rows' errors."""
    found = summarise(scores)
    covered = "" if found.covered is None else f", {found.covered:.0%} in their 90 % interval"
    rows = counted(found.rows, "row")
    source = f"{rows}, largest error {found.max:.1%}{covered}; interval: to their p90"
    least = min(abs(score.error) for score in scores)
    first = scores[0]
    place = ("predicted", first.device, first.framework, f"{key}, {MEAN_ERROR}")
    # One bad row can lift the mean above the 90th percentile.
    high = max(found.p90, found.mape)
    return Row(*place, found.mape, "1", least, high, source, {"quantity": MEAN_ERROR})


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Predicted over recorded, with the band of 10 %."""
    from ..figures.scatter import draw_scatter
    from ..figures.style import heading

    rows = table.where(origin="predicted", quantity=VALUE)
    steps = [row for row in rows if row.point["op_class"] == WHOLE_STEP]
    single = [row for row in rows if row.point["op_class"] != WHOLE_STEP]
    panels = (
        ("steps", "time", steps, "device", 1e-3, "ms", "Time of training steps"),
        ("operations", "time", single, "framework", 1e-3, "ms", "Time of single operations"),
        ("memory", "memory", steps, "device", 1e9, "GB", "Peak memory of steps"),
        ("energy", "energy", steps, "device", 1.0, "J", "Energy of steps"),
    )
    for name, kind, some, by, scale, unit, title in panels:
        chosen = [row for row in some if row.point["kind"].split(",")[0] == kind]
        draw_scatter(axes[name], chosen, by, scale, unit)
        heading(axes[name], title, f"{len(chosen)} rows; band: 10 %")


EXPERIMENT = Experiment(
    id="validation",
    title="How right the predictions are",
    paper_item="",
    claim=(
        "Every recorded number that a prediction can be made of stands beside that prediction: "
        "whole training steps on an H200, an H100 and two CPUs, measured by this project; the op "
        "suite on an M3 Max; the paper's Tables 4 and 5. None of them went into a fit; "
        "single operations of both boards did, and kernels of each CPU. Intervals of peak memory "
        "are as wide as an H200's peaks are off. Shown with its 90 % interval where it has one; "
        "rows whose label says something else than what ran are left out. Table 4 does not state "
        "its context length: 1024 is taken, and a large error there may be of that."
    ),
    parameters=Params(),
    quick_parameters=Params(every=15),
    run=run,
    draw=draw,
    layout=Layout((("steps", "operations"), ("memory", "energy")), 9.6, 9.0, marks=("predicted",)),
)
