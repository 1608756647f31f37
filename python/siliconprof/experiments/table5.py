"""Table 5: energy of one training iteration of Whisper-medium."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import records
from ..devices import device as find_device
from .experiment import Experiment, Layout
from .points import table
from .scenarios import ENOUGH, configurations
from .steps import ENERGY, TIME, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POWER = "recorded energy over predicted time"


@dataclass(frozen=True)
class Params:
    """workload: of scenario 1, with the paper's batch size; devices: of the paper's four."""

    workload: str = "whisper-medium"
    devices: tuple[str, ...] = ("m2-ultra", "m2-max", "rtx-a6000", "rtx-4090")


def run(params: Params, say: Say = silent) -> Table:
    """Recorded joules, predicted joules and seconds, and the power that both imply."""
    record = records.load("table5")
    rows: list[Row] = []
    for entry in configurations():
        if (entry.scenario, entry.workload) != (ENOUGH, params.workload):
            continue
        if entry.target.device not in params.devices:
            continue
        say(f"{entry.name} on {entry.target.device}")
        (found,) = (row for row in record.rows if row.device == entry.target.device)
        assert found.value is not None
        place = (entry.target.device, entry.target.framework)
        point = {"quantity": ENERGY}
        rows.append(
            Row("recorded", *place, found.what, found.value, "J", None, None, record.source, point)
        )
        predicted = predicted_step(entry.name, entry.trace(), entry.target, (TIME, ENERGY), {})
        rows += [*predicted, _power(found.value, predicted[0])]
    return table("table5", rows, params)


def _power(energy_joules: float, time: Row) -> Row:
    """Mean power in watts: a predicted time that is far off gives one that no board can draw."""
    place = ("predicted", time.device, time.framework, POWER)
    board = find_device(time.device).numbers["power.board_watts"]
    point = {"quantity": POWER, "board_watts": board.value}
    if time.value is None:
        return Row(*place, None, "W", None, None, time.source, point)
    low = energy_joules / time.hi if time.hi else None
    high = energy_joules / time.lo if time.lo else None
    source = (
        f"{time.source}; {energy_joules:g} J recorded; its board: {board.value:g} W ({board.kind})"
    )
    return Row(*place, energy_joules / time.value, "W", low, high, source, point)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Joules of an iteration, and the power implied beside the board's."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import colour, heading

    for panel, quantity, label in (
        ("energy", ENERGY, "energy, J"),
        ("power", POWER, f"{POWER}, W"),
    ):
        rows = [
            dataclasses.replace(row, point={**row.point, "dtype": row.origin})
            for row in table.where(quantity=quantity)
        ]
        draw_ladder(axes[panel], rows, 1.0, label)
    for place, row in zip(axes["power"].get_yticks(), table.where(quantity=POWER), strict=False):
        board, ink = [row.point.get("board_watts")], colour(row.device)
        axes["power"].plot(board, [place], "|", color=ink, markersize=14, markeredgewidth=1.6)
    heading(axes["energy"], "Energy of an iteration")
    heading(axes["power"], "Power implied", "stroke: the board's power")


EXPERIMENT = Experiment(
    id="table5",
    title="Energy of a Whisper-medium iteration",
    paper_item="Table 5",
    claim=(
        "An iteration costs the two Macs about as many joules as the RTX 4090, and far fewer "
        "than the A6000. Recorded are the paper's joules of the GPU alone; predicted are joules "
        "where the model has a power term, and the mean power that the recorded joules and the "
        "predicted time imply together, which should lie below the board's power: its limit, or "
        "what an Apple GPU draws at work."
    ),
    parameters=Params(),
    quick_parameters=Params(devices=("m2-ultra", "rtx-a6000", "rtx-4090")),
    run=run,
    draw=draw,
    layout=Layout((("energy", "power"),), 10.4, 3.6, marks=("predicted", "recorded")),
)
