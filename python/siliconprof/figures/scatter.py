"""Predicted against recorded: one mark for each number, and a band about equality."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import device_inks, marker_style, muted, series_ink

BAND = 0.1


def draw_scatter(axes: Axes, rows: Sequence[Row], by: str, unit_scale: float, unit: str) -> None:
    """Predicted over recorded (point["recorded"]) of the same, against the recorded value; the bars
    are the predictions' intervals.

    A series is a device or a framework, as `by` names the field; the band is 10 % to either side.
    On both axes a value a tenth off would be a hair's breadth from equality.
    """
    series = list(dict.fromkeys(str(getattr(row, by)) for row in rows))
    inks = {name: series_ink(name, index) for index, name in enumerate(series)}
    if by == "device":
        inks = device_inks(series)
    for row in rows:
        if row.value is None or not has_place(row):
            continue
        ink, recorded = inks[str(getattr(row, by))], float(row.point["recorded"])
        place, ratio = recorded / unit_scale, row.value / recorded
        if row.lo is not None and row.hi is not None:
            # A lower end of zero or less has no place on this axis.
            ends = [max(row.lo / recorded, ratio / 100.0), row.hi / recorded]
            axes.plot([place] * 2, ends, color=ink, alpha=0.15, linewidth=2.0, zorder=2)
        looks = {**marker_style(row.origin, "here"), "markersize": 4.0, "markeredgecolor": ink}
        axes.plot([place], [ratio], linestyle="none", zorder=3, **looks)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.axhspan(1.0 - BAND, 1.0 + BAND, color=muted(), alpha=0.2, linewidth=0, zorder=0)
    axes.axhline(1.0, color=muted(), linewidth=0.9, zorder=1)
    for axis in (axes.xaxis, axes.yaxis):
        scale_axis(axis)
    axes.set_xlabel(f"recorded, {unit}")
    axes.set_ylabel("predicted / recorded")
    handles = [Line2D([], [], color=inks[name], linewidth=3, label=name) for name in series]
    if handles:
        axes.legend(handles=handles, loc="best", fontsize=7)
