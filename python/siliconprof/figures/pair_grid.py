"""The grid of a sweep: a column for each of the paper's pairs, a row for each dtype, a roofline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from ..experiments.pairs import Pair, pairs
from ..experiments.points import HERE
from ..experiments.table import Table
from .roofline import draw_roofline
from .style import DTYPES, colour, coloured_heading, corner_note, legible, muted
from .sweep import draw_sweep, label_places


def draw_pair_grid(
    axes: dict[str, Axes],
    table: Table,
    quantity: str,
    scale: tuple[float, str],
    places: Mapping[int, str],
    x_label: str,
    roof_sizes: Sequence[int] | None = None,
) -> None:
    """Lines of `quantity` over the sweep, this machine's in every column for orientation.

    scale:  divisor of the values and the label of the y axis.
    places: ticks of the sweep with their texts.
    roof_sizes: the sizes whose points stand on the roofline; all of them by default.
    """
    divisor, y_label = scale
    for column, pair in enumerate(pairs()):
        for dtype in ("float32", "float16"):
            panel = axes[f"{column}-{dtype}"]
            devices = (pair.nvidia, pair.apple, HERE)
            found = table.where(quantity=quantity, dtype=dtype)
            draw_sweep(panel, [row for row in found if row.device in devices], divisor)
            label_places(panel, places)
            corner_note(panel, DTYPES[dtype])
            if dtype == "float32":
                coloured_heading(panel, _title(pair))
            if column == 0:
                panel.set_ylabel(y_label)
            if dtype == "float16":
                panel.set_xlabel(x_label)
    for dtype in ("float32", "float16"):
        _share_limits([axes[f"{column}-{dtype}"] for column in range(len(pairs()))])
    draw_roofline(axes["roof"], table, ("float32", "float16"), roof_sizes)


def _title(pair: Pair) -> list[tuple[str, str]]:
    nvidia, apple = pair.title.split(" / ")
    left, right = (legible(colour(device)) for device in (pair.nvidia, pair.apple))
    return [(nvidia, left), ("  /  ", muted()), (apple, right)]


def _share_limits(panels: list[Axes]) -> None:
    limits = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
