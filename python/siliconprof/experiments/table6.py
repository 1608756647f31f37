"""Table 6: the first launch of a kernel and the following ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..predict import model
from .experiment import Experiment, Layout
from .fresh_process import fresh_process
from .pairs import Target
from .points import HERE, recorded, table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLD, FOLLOW_UP = "cold launch", "follow-up launch"
DISPATCH, ROUND_TRIP = "pipelined launch", "synchronised launch"

# Run in a fresh process: the first call of the operation there, and the calls after it.
_FRESH = """
import json, sys
from siliconprof import _core
size, calls = int(sys.argv[1]), int(sys.argv[2])
trace = _core.single_op("matmul", {"batch": 1, "m": size, "k": size, "n": size})
profile = _core.run_on_cpu(trace, "openblas", 0, _core.Sampling.fixed(calls, 1))
print(json.dumps([profile.warmup_samples_s, profile.samples_s]))
"""


@dataclass(frozen=True)
class Params:
    """processes: fresh processes for the cold launch; calls: follow-up launches in each;
    size: side of the square product that is launched, small so that launching is all it costs."""

    targets: tuple[Target, ...] = (
        Target("quadro-rtx-4000", "torch-cuda"),
        Target("rtx-2080-ti", "torch-cuda"),
        Target("rtx-4090", "torch-cuda"),
        Target("rtx-a6000", "torch-cuda"),
        Target("m2-ultra", "mlx"),
        Target("m2-ultra", "torch-mps"),
        Target("m2-max", "mlx"),
        Target("m2-max", "torch-mps"),
        Target("m2-pro", "mlx"),
        Target("m2-pro", "torch-mps"),
    )
    processes: int = 9
    calls: int = 100
    size: int = 8


def run(params: Params, say: Say = silent) -> Table:
    """Recorded launch times, those that the model takes, and this machine's calls."""
    rows = recorded_rows()
    rows += predicted_rows(params.targets)
    rows += measured_rows(params, say)
    return table("table6", rows, params)


def recorded_rows() -> list[Row]:
    """The paper's own table."""
    return recorded(
        "table6",
        lambda entry: {"quantity": COLD if "cold" in entry.what.lower() else FOLLOW_UP},
    )


def predicted_rows(targets: Sequence[Target]) -> list[Row]:
    """Launch costs that the model takes for each target: pipelined and synchronised.

    No cold launch is predicted: nothing was published on it but the paper's own table.
    """
    rows = []
    for target in targets:
        machine = model(target.device, target.framework)
        for what, key in ((DISPATCH, "launch.dispatch_s"), (ROUND_TRIP, "launch.round_trip_s")):
            number = machine.number(key)
            rows.append(
                Row(
                    "predicted",
                    target.device,
                    target.framework,
                    what,
                    number.value,
                    "s",
                    number.value * (1.0 - number.relative_error),
                    number.value * (1.0 + number.relative_error),
                    f"{number.kind}: {number.source}",
                    {"quantity": what},
                )
            )
    return rows


def measured_rows(params: Params, say: Say = silent) -> list[Row]:
    """First and following calls of a tiny product, in fresh processes of this machine."""
    cold_s: list[float] = []
    following_s: list[float] = []
    for index in range(params.processes):
        say(f"cold launch, fresh process {index + 1} of {params.processes}")
        first, following = _fresh_process(params.size, params.calls)
        cold_s += first
        following_s.append(_core.median(following))
    return [
        _measured(COLD, cold_s, f"first call in each of {len(cold_s)} fresh processes, median"),
        _measured(
            FOLLOW_UP,
            following_s,
            f"median of {len(following_s)} processes' medians of {params.calls} calls",
        ),
    ]


def _fresh_process(size: int, calls: int) -> tuple[list[float], list[float]]:
    first, following = fresh_process("table6", _FRESH, size, calls)
    return first, following


def _measured(what: str, samples_s: list[float], source: str) -> Row:
    low, high = _core.median_interval(samples_s) or (None, None)
    point = {"quantity": what, "n": len(samples_s)}
    middle = _core.median(samples_s)
    return Row("measured", HERE, "openblas", what, middle, "s", low, high, source, point)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Recorded cold and follow-up launches by device; beside them the model's launch costs."""
    from ..figures.ladder import draw_ladder
    from ..figures.style import heading

    rows = [_labelled(row) for row in table.rows]
    recorded = [row for row in rows if row.origin != "predicted"]
    draw_ladder(axes["recorded"], recorded, 1e-6, "launch time, µs")
    heading(axes["recorded"], "Cold and follow-up launches", "paper's table, and here")
    predicted = [row for row in rows if row.origin == "predicted"]
    draw_ladder(axes["predicted"], predicted, 1e-6, "launch time, µs")
    heading(axes["predicted"], "Launches in the model", "published elsewhere")


def _labelled(row: Row) -> Row:
    word = str(row.point["quantity"]).removesuffix(" launch")
    return dataclasses.replace(row, point={**row.point, "dtype": word})


EXPERIMENT = Experiment(
    id="table6",
    title="Launching a kernel, cold and again",
    paper_item="Table 6",
    claim=(
        "The first launch of a kernel is slower than the following ones, and CUDA launches faster "
        "than Apple's GPUs, cold and warm. Recorded are the paper's times; predicted are the "
        "launch costs that the model takes from other publications, pipelined (one of many in a "
        "queue) and synchronised (submit, run, wait). How the paper's launches ended isn't "
        "stated: its follow-up times on Apple lie near the second, those on CUDA near the first, "
        "and each cell is judged by that. Measured is the first call of a tiny product in fresh "
        "processes of this machine, and the calls after it; a CPU call is no GPU launch: it shows "
        "a cold penalty only."
    ),
    parameters=Params(),
    quick_parameters=Params(processes=6, calls=30),
    run=run,
    draw=draw,
    layout=Layout(
        (("recorded", "predicted"),), 10.4, 4.4, marks=("measured", "predicted", "recorded")
    ),
)
