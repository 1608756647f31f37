"""The sweep panel: a rate over a size, one line per device and framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import LINES, colour, marker_style


def draw_sweep(axes: Axes, rows: Sequence[Row], unit_scale: float, x: str = "size") -> None:
    """Lines over the coordinate `x` of the rows, with their intervals as bands; both axes log.

    Rows without a value are left out; the table says why they have none.
    """
    lines: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if has_place(row):
            lines.setdefault((row.device, row.framework), []).append(row)
    for (device, framework), found in lines.items():
        found = sorted(found, key=lambda row: row.point[x])
        places = [row.point[x] for row in found]
        ink = colour(device)
        axes.plot(
            places,
            [(row.value or 0.0) / unit_scale for row in found],
            color=ink,
            linestyle=LINES.get(framework, ":" if framework == "eigen" else "-"),
            zorder=3,
            **{**marker_style(found[0].origin, device), "markersize": 4.2},
        )
        if all(row.lo is not None and row.hi is not None for row in found):
            low = [(row.lo or 0.0) / unit_scale for row in found]
            high = [(row.hi or 0.0) / unit_scale for row in found]
            axes.fill_between(places, low, high, color=ink, alpha=0.12, linewidth=0, zorder=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    scale_axis(axes.yaxis)


def label_places(axes: Axes, texts: Mapping[int, str]) -> None:
    """Ticks of the x axis at the sweep's own places."""
    axes.set_xticks(list(texts), list(texts.values()), fontsize=6.5)
    axes.set_xticks([], minor=True)
