"""The margins panel: each figure over the limit that it should reach, on one logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import colour, draw_interval, heading, marker_style, muted


def draw_margins(axes: Axes, rows: Sequence[Row]) -> None:
    """A rung for each row with a value; right of 1 the limit (`point["limit"]`) is reached."""
    found = [row for row in rows if has_place(row)]
    for place, row in enumerate(found):
        ends = [margin(row, end) for end in (row.lo, row.hi) if end]
        ink = colour(row.device)
        draw_interval(axes, ends, -place, ink)
        looks = marker_style(row.origin, row.device)
        axes.plot([margin(row, row.value or 0.0)], [-place], linestyle="none", zorder=3, **looks)
    axes.axvline(1.0, color=muted(), linewidth=1.0, zorder=1)
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    labels = [str(row.point["label"]) for row in found]
    axes.set_yticks([-float(place) for place in range(len(found))], labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_ylim(-len(found) + 0.4, 0.6)
    axes.set_xlabel("margin: how many times better than the limit")
    heading(axes, "Figures to reach", "right of the line: reached")


def margin(row: Row, value: float) -> float:
    """Above 1 on the right side of the limit, whichever side that is."""
    limit = float(row.point["limit"])
    return value / limit if row.point["at_least"] else limit / value
