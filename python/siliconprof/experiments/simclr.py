"""An epoch of SimCLR with ResNet-18 on CIFAR-10: recorded, predicted, and steps of it here."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import records
from .._core import Sampling
from ..workloads import workload
from .experiment import Experiment, Layout
from .pairs import Target
from .points import HERE, recorded, table
from .steps import FORWARD, TIME, measured_step, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from .._core import Trace

EPOCH = "epoch time"
IMAGES, BATCH = 50_000, 128
# A kNN classifier is made of the features of all training images and asked for CIFAR-10's test
# images: each passes the network once.
EVALUATED = IMAGES + 10_000
VIEWS = 2  # of an image, in a training step


@dataclass(frozen=True)
class Params:
    """targets: predicted, each in its precisions; measured_batch: of the steps that run here,
    whose time an image is taken for the epoch's."""

    targets: tuple[tuple[Target, str], ...] = (
        (Target("m1-pro", "torch-mps"), "fp32"),
        (Target("m1-pro-cpu", "torch-cpu"), "fp32"),
        (Target("m2-8", "torch-mps"), "fp32"),
        (Target("rtx-a6000", "torch-cuda"), "fp32"),
        (Target("rtx-a6000", "torch-cuda"), "tf32"),
    )
    measured_batch: int = 32
    steps: int = 3


def run(params: Params, say: Say = silent) -> Table:
    """The article's epochs; the steps and the evaluation of an epoch predicted, and measured."""
    rows = recorded_rows()
    for target, precision in params.targets:
        say(f"simclr on {target.device}")
        trace = workload(
            "simclr-resnet18", batch=BATCH, precision=precision, framework=target.framework
        )
        what = f"simclr-resnet18, batch {BATCH}, {precision}"
        point = {"precision": precision}
        rows += _with_epoch(_predicted(what, trace, target, point), BATCH)
    say(f"simclr here, batch {params.measured_batch}")
    trace = workload("simclr-resnet18", batch=params.measured_batch)
    what = f"simclr-resnet18, batch {params.measured_batch}, fp32"
    rule = Sampling.fixed(params.steps, 1)
    point = {"precision": "fp32"}
    rows += _with_epoch(
        measured_step(what, trace, rule, (TIME, FORWARD), point), params.measured_batch
    )
    return table("simclr", rows, params)


def _predicted(what: str, trace: Trace, target: Target, point: Mapping[str, Any]) -> list[Row]:
    """Under the framework as it was when the article measured."""
    then = Target(target.device, records.load("simclr").software(target.framework))
    rows = predicted_step(what, trace, then, (TIME, FORWARD), point)
    return [dataclasses.replace(row, framework=target.framework) for row in rows]


def _with_epoch(rows: Sequence[Row], batch: int) -> list[Row]:
    step, forward = rows
    return [step, forward, epoch(step, forward, batch)]


def recorded_rows() -> list[Row]:
    """The article's own numbers."""
    return recorded(
        "simclr", lambda entry: {"quantity": EPOCH if entry.unit == "s" else "speed ratio"}
    )


def epoch(step: Row, forward: Row, batch: int) -> Row:
    """The steps of an epoch and its evaluation, each image passing forward as in a step; the data
    are loaded beside them."""
    steps = IMAGES / batch
    passes = EVALUATED / (VIEWS * batch)

    def sum_of(step_s: float | None, forward_s: float | None) -> float | None:
        if step_s is None or forward_s is None:
            return None
        return step_s * steps + forward_s * passes

    return dataclasses.replace(
        step,
        what=step.what.replace(TIME, EPOCH),
        value=sum_of(step.value, forward.value),
        lo=sum_of(step.lo, forward.lo),
        hi=sum_of(step.hi, forward.hi),
        source=f"{step.source}; {steps:.0f} steps and {EVALUATED} images forward, without loading",
        point={**step.point, "quantity": EPOCH},
    )


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Seconds of an epoch by device."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import heading

    rows = [
        dataclasses.replace(
            row, point={**row.point, "dtype": row.point.get("precision", row.origin)}
        )
        for row in table.where(quantity=EPOCH)
    ]
    order = sorted(rows, key=lambda row: row.device == HERE)
    draw_ladder(axes["epoch"], order, 1.0, "one epoch, s")
    heading(axes["epoch"], "SimCLR on CIFAR-10", "ResNet-18, batch 128")


EXPERIMENT = Experiment(
    id="simclr",
    title="SimCLR with ResNet-18 on Apple's first chips",
    paper_item="",
    claim=(
        "An article times an epoch of SimCLR on CIFAR-10: an M1 Pro's GPU (14 cores) is 8.8 times "
        "as fast as its CPU, 13.8 times slower than an A6000, and 26 % faster than an M2's. "
        "Predicted and measured are the training steps and the forward passes of the kNN "
        "evaluation that recorded epochs hold (50,000 images for its features, 10,000 to "
        "classify); loading and augmenting the images on the CPU, beside the GPU or before it, "
        "is in the recorded ones alone. No published operation times a convolution's gradients "
        "on MPS: theirs are taken to reach what the forward ones do, with a wide error. The "
        "A6000 is shown in fp32 and in TF32, which its convolutions use by default."
    ),
    parameters=Params(),
    quick_parameters=Params(measured_batch=4, steps=1),
    run=run,
    draw=draw,
    layout=Layout((("epoch",),), 7.2, 3.8, marks=("measured", "predicted", "recorded")),
)
