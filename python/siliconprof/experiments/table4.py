"""Table 4: one GPT2-large training pass without the Hugging Face platform."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._core import Sampling
from ..workloads import workload
from .experiment import Experiment, Layout
from .pairs import Target
from .points import recorded, table
from .steps import MEMORY, PAGING, TIME, measured_step, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORKLOAD = "transformer-lm-gpt2-large"


@dataclass(frozen=True)
class Params:
    """layers: of the cut-down model that is timed here, the paper's being 36; 0: none is."""

    layers: int = 1
    seq: int = 256
    steps: int = 3


def run(params: Params, say: Say = silent) -> Table:
    """Recorded passes, the same predicted, and a cut of the model timed here."""
    rows = recorded_rows()
    for row in list(rows):
        if row.value is not None:
            batch = int(row.point["batch"])
            say(f"batch {batch} on {row.device}")
            trace = workload(WORKLOAD, batch=batch, framework=row.framework)
            what = f"gpt2-large step, batch {batch}"
            target = Target(row.device, row.framework)
            rows += predicted_step(what, trace, target, (TIME, MEMORY, PAGING), {"batch": batch})
    if params.layers:
        rows += _measured(params, say)
    return table("table4", rows, params)


def recorded_rows() -> list[Row]:
    """The paper's own table."""
    return recorded(
        "table4", lambda entry: {"quantity": TIME, "batch": int(entry.what.rpartition(" ")[2])}
    )


def _measured(params: Params, say: Say) -> list[Row]:
    cut = f"{params.layers} of 36 layers"
    say(f"gpt2-large step here, {cut}")
    trace = workload(WORKLOAD, batch=1, seq=params.seq, layers=params.layers)
    what = f"gpt2-large step, batch 1 of {params.seq} tokens, {cut}"
    rule = Sampling.fixed(params.steps, 1)
    return measured_step(what, trace, rule, (TIME, MEMORY), {"batch": 1, "cut": True})


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Recorded and predicted pass by device and framework."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import heading

    rows = [
        dataclasses.replace(row, point={**row.point, "dtype": row.origin})
        for row in table.where(quantity=TIME)
        if "cut" not in row.point
    ]
    draw_ladder(axes["pass"], rows, 1.0, "one pass, s")
    heading(axes["pass"], "GPT2-large pre-training", "batch 8, 4, 2 and 8")


EXPERIMENT = Experiment(
    id="table4",
    title="One pass of GPT2-large in MLX and PyTorch",
    paper_item="Table 4",
    claim=(
        "MLX trains GPT2-large faster than PyTorch's MPS backend on every Mac, and an M2 Ultra "
        "is slightly faster than an A6000. Recorded are the paper's passes; predicted is the "
        "same step (a context of 1024, PTB's 10,000 words, AdamW, float32: inferences, as the "
        "paper states none). The pass of the M2 Pro shows memory pressure: its tensors take 0.9 of "
        "what its GPU may hold, and pages that are touched are wired again and again; the rows "
        "named paging say how long that takes. Measured is a cut of the model on this machine."
    ),
    parameters=Params(),
    quick_parameters=Params(layers=0),
    run=run,
    draw=draw,
    layout=Layout((("pass",),), 7.2, 4.0, marks=("predicted", "recorded")),
)
