"""Table 3: which memory scenario each end-to-end configuration falls into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..quantity import GIB
from .experiment import Experiment, Layout
from .points import recorded, table
from .scenarios import NEAR, Configuration, configurations
from .steps import MEMORY, TIME, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE = "peak memory over capacity"


@dataclass(frozen=True)
class Params:
    """scenarios: those that are predicted."""

    scenarios: tuple[int, ...] = (1, 2, 3)


def run(params: Params, say: Say = silent) -> Table:
    """The recorded settings; the memory and the time that each configuration needs."""
    rows = recorded_rows()
    for entry in configurations():
        if entry.scenario in params.scenarios:
            say(entry.name)
            rows += configuration_rows(entry)
    return table("table3", rows, params)


def recorded_rows() -> list[Row]:
    """The paper's own table."""
    return recorded("table3", lambda _: {"quantity": "batch size"})


def configuration_rows(entry: Configuration) -> list[Row]:
    """Step time, peak memory, and that peak as a share of what the device has; how much a Mac's GPU
    may take is known to some per cent only."""
    point = {"scenario": entry.scenario, "configuration": entry.name}
    what = f"scenario {entry.scenario}: {entry.name}"
    rows = predicted_step(what, entry.trace(), entry.target, (TIME, MEMORY), point)
    needed = rows[1].value
    capacity = entry.capacity()
    share = None if needed is None else needed / capacity.value
    low, high = (
        None if share is None else share / (1.0 + sign * capacity.relative_error)
        for sign in (1.0, -1.0)
    )
    place = ("predicted", entry.target.device, entry.target.framework)
    source = f"over {capacity.value / GIB:.1f} GiB; what the framework's allocator hands out"
    point = {**point, "quantity": SHARE}
    return [*rows, Row(*place, f"{what}, {SHARE}", share, "1", low, high, source, point)]


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Each configuration's share of its device's memory; at 1 it is full."""
    from ..figures.scale import scale_axis
    from ..figures.style import colour, draw_interval, heading, legible, marker_style

    panel = axes["share"]
    rows = [row for row in table.where(quantity=SHARE) if row.value is not None]
    for place, row in enumerate(rows):
        if row.lo is not None and row.hi is not None:
            draw_interval(panel, (row.lo, row.hi), -place, colour(row.device))
        panel.plot([row.value or 0.0], [-place], **marker_style("predicted", row.device))
    names = [
        f"{row.device}: {row.point['configuration']} ({row.point['scenario']})" for row in rows
    ]
    panel.set_yticks([-place for place in range(len(rows))], names, fontsize=7)
    for text, row in zip(panel.get_yticklabels(), rows, strict=True):
        text.set_color(legible(colour(row.device)))
    panel.set_xscale("log")
    scale_axis(panel.xaxis)
    panel.axvline(1.0, linestyle=":", linewidth=1.0, color=colour("here"))
    panel.set_xlabel("peak memory over the memory that there is")
    heading(panel, "Memory scenarios", "in brackets: the paper's scenario; dotted: full")


EXPERIMENT = Experiment(
    id="table3",
    title="Memory scenarios of the end-to-end runs",
    paper_item="Table 3",
    claim=(
        "Three scenarios: both kinds of device have enough memory; the CUDA device has not and "
        "offloads its optimizer (ZeRO-Offload); the Mac is near its capacity. Recorded are the "
        "batch sizes; predicted is what the framework hands out for each configuration at its "
        "peak beside what the device has (for Apple the working-set limit of its GPU). Scenario "
        f"{NEAR}, Whisper-large with batch 32, comes out far above an M2 Max's 64 GB: with 1500 "
        "positions in the encoder its activations alone take several times that."
    ),
    parameters=Params(),
    quick_parameters=Params(scenarios=(2, 3)),
    run=run,
    draw=draw,
    layout=Layout((("share",),), 8.4, 6.6, marks=("predicted",)),
)
