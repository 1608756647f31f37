"""Table 1: the paper's machines, what their makers state, and the limits of this one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..devices import device as find_device
from .experiment import Experiment, Layout
from .points import HERE, recorded, table
from .roofs import bandwidth_row, device_roof_rows, measured_roof_rows, number_row
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAPER = "arxiv.org/abs/2501.14925"
_FACTS = (
    ("memory.capacity_bytes", "memory", "bytes"),
    ("price.launch_usd", "launch price", "USD"),
)


@dataclass(frozen=True)
class Params:
    """seconds: measuring time of each limit; bytes: each array of the bandwidth patterns."""

    devices: tuple[str, ...] = (
        "quadro-rtx-4000",
        "rtx-2080-ti",
        "rtx-4090",
        "rtx-a6000",
        "m2-ultra",
        "m2-max",
        "m2-pro",
    )
    dtypes: tuple[str, ...] = ("float64", "float32", "float16", "bfloat16")
    patterns: tuple[str, ...] = ("triad", "copy", "add", "scale", "read")
    seconds: float = 0.4
    bytes: int = 268435456


def run(params: Params, say: Say = silent) -> Table:
    """The recorded table, the device files' facts and roofs, and this machine's limits."""
    rows = recorded_rows()
    rows += fact_rows(params.devices)
    rows += device_roof_rows(params.devices, params.dtypes)
    rows += ridge_rows(rows)
    say("multiply-add peaks and bandwidth of this machine")
    first, *others = params.patterns
    rows += measured_roof_rows(params.dtypes, first, params.seconds, params.bytes)
    for pattern in others:
        say(f"{pattern} bandwidth of this machine")
        row = bandwidth_row(pattern, params.seconds, params.bytes)
        rows.append(_replace_quantity(row, "bandwidth"))
    return table("table1", rows, params)


def recorded_rows() -> list[Row]:
    """The paper's own table."""
    return recorded(
        "table1",
        lambda entry: {"quantity": f"paper {entry.what}", "dtype": entry.dtype or ""},
    )


def fact_rows(devices: Sequence[str]) -> list[Row]:
    """Memory and price from the device files, where another source than the paper states them."""
    rows = []
    for id in devices:
        numbers = find_device(id).numbers
        for key, what, unit in _FACTS:
            if key in numbers and _PAPER not in numbers[key].source:
                rows.append(number_row(id, what, numbers[key], unit, {"quantity": what}))
    return rows


def ridge_rows(rows: Sequence[Row]) -> list[Row]:
    """Ridge of each roofline: the intensity above which products are bound by arithmetic."""
    bandwidth = {r.device: r for r in rows if r.point.get("quantity") == "bandwidth roof"}
    ridges = []
    for row in rows:
        below = bandwidth.get(row.device)
        if row.point.get("quantity") == "peak roof" and row.value and below and below.value:
            (peak_lo, peak_hi), (below_lo, below_hi) = _bounds(row), _bounds(below)
            ridges.append(
                Row(
                    "predicted",
                    row.device,
                    "",
                    f"{row.point['dtype']} roofline ridge",
                    row.value / below.value,
                    "FLOP/byte",
                    peak_lo / below_hi,
                    peak_hi / below_lo,
                    "the device file's peak over its bandwidth; the interval is that of both",
                    {"quantity": "ridge", "dtype": row.point["dtype"]},
                )
            )
    return ridges


def _bounds(row: Row) -> tuple[float, float]:
    """A maker's number without an interval stands for itself."""
    assert row.value is not None
    return row.lo or row.value, row.hi or row.value


def _replace_quantity(row: Row, quantity: str) -> Row:
    return dataclasses.replace(row, point={**row.point, "quantity": quantity})


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Left: each machine's product peaks by dtype. Right: their rooflines in float32."""
    from ..figures.ladder import draw_ladder
    from ..figures.roofline import draw_roofline
    from ..figures.style import heading

    here = [row for row in table.where(device=HERE, quantity="peak roof")]
    draw_ladder(
        axes["peaks"],
        [*[row for row in table.where(quantity="peak roof") if row.device != HERE], *here],
        1e12,
        "peak rate of matrix products, TFLOP/s",
    )
    heading(axes["peaks"], "Peak by dtype")
    draw_roofline(axes["roof"], table, ("float32",))


EXPERIMENT = Experiment(
    id="table1",
    title="The machines and their limits",
    paper_item="Table 1",
    claim=(
        "The paper sets seven machines of comparable price side by side by memory, computing power "
        "and launch price. Beside its numbers stand the makers' own, as the device files hold them "
        "with their sources, the ridge of each roofline, and what this machine reaches when it "
        "does nothing but multiply-adds or nothing but memory traffic."
    ),
    parameters=Params(),
    quick_parameters=Params(seconds=0.05, bytes=67108864),
    run=run,
    draw=draw,
    layout=Layout(
        (("peaks", "roof"),), 10.4, 4.4, (1.15, 1.0), marks=("measured", "predicted", "recorded")
    ),
)
