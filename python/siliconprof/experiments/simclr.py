"""An epoch of SimCLR with ResNet-18 on CIFAR-10: recorded, predicted, and steps of it here."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core import Sampling
from ..workloads import workload
from .experiment import Experiment, Layout
from .pairs import Target
from .points import HERE, recorded, table
from .steps import TIME, measured_step, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EPOCH = "epoch time"
IMAGES, BATCH = 50_000, 128


@dataclass(frozen=True)
class Params:
    """targets: predicted, each in its precisions; measured_batch: of the steps that run here,
    whose time an image is taken for the epoch's."""

    targets: tuple[tuple[Target, str], ...] = (
        (Target("m1-pro", "torch-mps"), "fp32"),
        (Target("m1-pro-cpu", "torch-cpu"), "fp32"),
        (Target("m2", "torch-mps"), "fp32"),
        (Target("rtx-a6000", "torch-cuda"), "fp32"),
        (Target("rtx-a6000", "torch-cuda"), "tf32"),
    )
    measured_batch: int = 32
    steps: int = 3


def run(params: Params, say: Say = silent) -> Table:
    """The article's epochs; the training steps of an epoch predicted, and measured here."""
    rows = recorded_rows()
    for target, precision in params.targets:
        say(f"simclr on {target.device}")
        trace = workload(
            "simclr-resnet18", batch=BATCH, precision=precision, framework=target.framework
        )
        what = f"simclr-resnet18, batch {BATCH}, {precision}"
        point = {"precision": precision}
        (step,) = predicted_step(what, trace, target, (TIME,), point)
        rows += [step, epoch(step, BATCH)]
    say(f"simclr here, batch {params.measured_batch}")
    trace = workload("simclr-resnet18", batch=params.measured_batch)
    what = f"simclr-resnet18, batch {params.measured_batch}, fp32"
    rule = Sampling.fixed(params.steps, 1)
    (step,) = measured_step(what, trace, rule, (TIME,), {"precision": "fp32"})
    rows += [step, epoch(step, params.measured_batch)]
    return table("simclr", rows, params)


def recorded_rows() -> list[Row]:
    """The article's own numbers."""
    return recorded(
        "simclr", lambda entry: {"quantity": EPOCH if entry.unit == "s" else "speed ratio"}
    )


def epoch(step: Row, batch: int) -> Row:
    """The steps of an epoch: training alone, no data loading and no evaluation."""
    steps = IMAGES / batch

    def times(seconds: float | None) -> float | None:
        return None if seconds is None else seconds * steps

    return dataclasses.replace(
        step,
        what=step.what.replace(TIME, EPOCH),
        value=times(step.value),
        lo=times(step.lo),
        hi=times(step.hi),
        source=f"{step.source}; {steps:.0f} steps, without loading and evaluation",
        point={**step.point, "quantity": EPOCH},
    )


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Seconds of an epoch by device."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import heading

    rows = [
        dataclasses.replace(row, point={**row.point, "dtype": row.point.get("precision", "")})
        for row in table.where(quantity=EPOCH)
    ]
    order = [row for row in rows if row.device != HERE] + table.where(quantity=EPOCH, device=HERE)
    draw_ladder(axes["epoch"], order, 1.0, "one epoch, s")
    heading(axes["epoch"], "SimCLR on CIFAR-10", "ResNet-18, batch 128")


EXPERIMENT = Experiment(
    id="simclr",
    title="SimCLR with ResNet-18 on Apple's first chips",
    paper_item="",
    claim=(
        "An article times an epoch of SimCLR on CIFAR-10: an M1 Pro's GPU (14 cores) is 8.8 times "
        "as fast as its CPU, 13.8 times slower than an A6000, and 26 % faster than an M2's. "
        "Recorded epochs hold data loading and an evaluation; predicted and measured are the "
        "training steps alone. The A6000 is shown in fp32 and in TF32, which its convolutions "
        "use by default."
    ),
    parameters=Params(),
    quick_parameters=Params(measured_batch=4, steps=1),
    run=run,
    draw=draw,
    layout=Layout((("epoch",),), 7.2, 3.8, marks=("measured", "predicted", "recorded")),
)
