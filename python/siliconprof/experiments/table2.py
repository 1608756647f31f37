"""Table 2: parameters and theoretical memory of the paper's workloads, exact and as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import records
from ..quantity import GIB
from ..workloads import BYTES_A_PARAMETER, workload
from .experiment import Experiment, Layout
from .points import recorded, table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Why the printed number of parameters is what it is.
EXPLAINED = {
    "whisper-medium": (
        "the paper prints 769 million, the figure of Whisper's own paper, which is 5.1 million "
        "above the published model: the architecture, counted exactly, has 763,857,920 with the "
        "1,536,000 sinusoids that are stored and not trained"
    ),
    "whisper-large": (
        "the paper prints 1550 million, the figure of Whisper's own paper, which is 6.7 million "
        "above the published model: the architecture, counted exactly, has 1,543,304,960 with the "
        "1,920,000 sinusoids that are stored and not trained"
    ),
    "gpt2-large": "774 million is the exact count, 774,030,080 with the tied head once, rounded",
    "gpt2-xl": "1558 million is the exact count, 1,557,611,200 with the tied head once, rounded",
}


@dataclass(frozen=True)
class Params:
    """The workloads, in the order of the table."""

    workloads: tuple[str, ...] = ("whisper-medium", "whisper-large", "gpt2-large", "gpt2-xl")


def run(params: Params, say: Say = silent) -> Table:
    """The recorded table, the exact counts, and what a step holds before any activation."""
    rows = recorded_rows()
    for id in params.workloads:
        say(f"{id} counted")
        rows += counted_rows(id)
    return table("table2", rows, params)


def recorded_rows() -> list[Row]:
    """The paper's own table."""
    return recorded("table2", _coordinates)


def _coordinates(entry: records.Row) -> dict[str, str]:
    name, _, quantity = entry.what.partition(" ")
    return {"workload": name, "quantity": quantity}


def counted_rows(id: str) -> list[Row]:
    """The model as it is built here; exact, so that the interval is a point."""
    step = workload(id)
    held = step.memory_timeline[0].by_role
    lasting = held["parameter"] + held["optimizer_state"] + 4 * step.trained_parameters
    why = EXPLAINED.get(id, "counted on the trace")
    quantities = (
        ("parameters", step.parameters, "1", why),
        (
            "theoretical memory",
            BYTES_A_PARAMETER * step.parameters,
            "bytes",
            "16 bytes for each parameter: weight, gradient and two AdamW moments in float32",
        ),
        (
            "memory of weights, gradients and moments",
            lasting,
            "bytes",
            "of the trace: what isn't trained has neither gradient nor moments",
        ),
    )
    return [
        Row(
            "predicted",
            "",
            "",
            f"{id} {quantity}",
            float(value),
            unit,
            float(value),
            float(value),
            source,
            {"workload": id, "quantity": quantity},
        )
        for quantity, value, unit, source in quantities
    ]


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Memory of each workload: the paper's figure, and the exact one."""
    from ..figures.style import heading, muted

    panel = axes["memory"]
    ids = list(dict.fromkeys(row.point["workload"] for row in table.rows))
    for offset, origin, label, fill in (
        (-0.18, "recorded", "recorded: the paper's", muted()),
        (0.18, "predicted", "predicted: of the exact count", "none"),
    ):
        found = {
            row.point["workload"]: row.value / GIB
            for row in table.where(origin=origin, quantity="theoretical memory")
            if row.value is not None
        }
        places = [ids.index(id) + offset for id in found]
        looks = {"width": 0.34, "color": fill, "edgecolor": muted(), "linewidth": 1.2}
        bars = panel.bar(places, list(found.values()), label=label, **looks)
        panel.bar_label(bars, fmt="%.2f", fontsize=7, padding=2)
    panel.set_xticks(range(len(ids)), ids)
    panel.set_xlim(-0.5, len(ids) - 0.5)
    panel.set_ylabel("memory at 16 bytes a parameter, GiB")
    panel.margins(y=0.3)
    panel.grid(False, axis="x")
    panel.legend(loc="upper left")
    heading(panel, "Theoretical memory")


EXPERIMENT = Experiment(
    id="table2",
    title="The workloads and their memory",
    paper_item="Table 2",
    claim=(
        "The paper lists four models with the memory that AdamW needs in fp32, 16 bytes a "
        "parameter. Here each model is built to the last parameter. The GPT-2 rows are exact "
        "counts, rounded. The Whisper rows are the figures of Whisper's paper, 769 and 1550 "
        "million, and 0.7 and 0.4 % above what the published models have. The memory column "
        "divides millions of bytes by 1024 and calls that GiB (16 x 774 / 1024 = 12.094), which "
        "is 4.9 % above 16 bytes a parameter."
    ),
    parameters=Params(),
    quick_parameters=Params(workloads=("whisper-medium", "gpt2-large")),
    run=run,
    draw=draw,
    layout=Layout((("memory",),), 7.2, 3.6, marks=(), bars=""),
)
