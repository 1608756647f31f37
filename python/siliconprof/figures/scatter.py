"""Predicted against recorded: one mark for each number, and a band about equality."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import colour, marker_style, muted, series_ink

BAND = 0.1


def draw_scatter(axes: Axes, rows: Sequence[Row], by: str, unit_scale: float, unit: str) -> None:
    """Predicted rows over what was recorded of the same (point["recorded"]), with their intervals.

    A series is a device or a framework, as `by` names the field; the band is 10 % to either side.
    """
    series = list(dict.fromkeys(str(getattr(row, by)) for row in rows))
    inks = {
        name: colour(name) if by == "device" else series_ink(name, index)
        for index, name in enumerate(series)
    }
    ends = []
    for row in rows:
        if row.value is None or not has_place(row):
            continue
        ink = inks[str(getattr(row, by))]
        recorded, predicted = float(row.point["recorded"]) / unit_scale, row.value / unit_scale
        ends += [recorded, predicted]
        if row.lo is not None and row.hi is not None:
            # A lower end of zero or less has no place on this axis.
            low = max(row.lo / unit_scale, predicted / 100.0)
            high = row.hi / unit_scale
            axes.plot([recorded] * 2, [low, high], color=ink, alpha=0.15, linewidth=2.0, zorder=2)
        looks = {**marker_style(row.origin, "here"), "markersize": 4.0, "markeredgecolor": ink}
        axes.plot([recorded], [predicted], linestyle="none", zorder=3, **looks)
    axes.set_xscale("log")
    axes.set_yscale("log")
    if ends:
        line = [min(ends) / 1.5, max(ends) * 1.5]
        low_edge, high_edge = ([end * (1.0 + side) for end in line] for side in (-BAND, BAND))
        axes.fill_between(line, low_edge, high_edge, color=muted(), alpha=0.2, linewidth=0)
        axes.plot(line, line, color=muted(), linewidth=0.9, zorder=1)
        axes.set_xlim(*line)
        axes.set_ylim(*line)
    for axis in (axes.xaxis, axes.yaxis):
        scale_axis(axis)
    axes.set_xlabel(f"recorded, {unit}")
    axes.set_ylabel(f"predicted, {unit}")
    handles = [Line2D([], [], color=inks[name], linewidth=3, label=name) for name in series]
    if handles:
        axes.legend(handles=handles, loc="upper left", fontsize=7)
