"""Panels of the op suite: one rung for each operation, and predictions over what was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ..experiments.table import Row
from .scale import scale_axis
from .style import colour, marker_style, muted, series_ink

_PALE = 0.25


def draw_operations(
    axes: Axes,
    operations: Iterable[str],
    rows: Sequence[Row],
    unit_scale: float,
    label: str,
    legend: str = "best",
    by_device: bool = False,
) -> None:
    """A rung for each operation from top to bottom, on it the values of every column.

    A column (point["column"]) has one colour, an origin one marker; rows that are not what their
    label says (point["same"]) are pale. Rows without a value are left out.
    by_device: a column has its device's colour, and MPS, whose MLX is there too, a half fill.
    """
    places = {operation: -float(place) for place, operation in enumerate(operations)}
    columns = {str(row.point["column"]): row for row in rows if row.value}
    inks = {
        column: colour(row.device) if by_device else series_ink(column, index)
        for index, (column, row) in enumerate(columns.items())
    }
    for row in rows:
        if row.value:
            looks = _looks(row, inks[str(row.point["column"])], by_device)
            pale = 1.0 if row.point["same"] else _PALE
            place = places[str(row.point["operation"])]
            value = row.value / unit_scale
            axes.plot([value], [place], linestyle="none", alpha=pale, zorder=3, **looks)
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    axes.set_yticks(list(places.values()), list(places))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-len(places) + 0.4, 0.6)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(label)
    if unit_scale == 1.0:
        axes.axvline(1.0, color=muted(), linewidth=1.0, zorder=1)
    handles = [Line2D([], [], color=ink, linewidth=3, label=c) for c, ink in inks.items()]
    if by_device:
        handles = [
            Line2D([], [], linestyle="none", label=c, **_looks(row, inks[c], by_device))
            for c, row in columns.items()
        ]
    if legend == "below":
        axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.08), ncol=3)
    else:
        axes.legend(handles=handles, loc=legend, fontsize=7)


def _looks(row: Row, ink: str, by_device: bool) -> dict[str, Any]:
    looks: dict[str, Any] = {**marker_style(row.origin, "here"), "markersize": 4.8}
    looks["markeredgecolor"] = ink
    if row.origin != "predicted":
        looks["markerfacecolor"] = ink
    if by_device and row.framework == "torch-mps":
        looks |= {"fillstyle": "left", "markerfacecoloralt": looks["markerfacecolor"]}
        looks["markerfacecolor"] = ink
    return looks


def draw_agreement(axes: Axes, rows: Sequence[Row]) -> None:
    """Predicted over recorded time against the recorded one, a colour for each column; the bars
    are the predictions' intervals, the band is a factor of 1.5 to either side."""
    columns = list(dict.fromkeys(str(row.point["column"]) for row in rows))
    for row in rows:
        ink = series_ink(str(row.point["column"]), columns.index(str(row.point["column"])))
        looks = {**marker_style(row.origin, "here"), "markersize": 4.4, "markeredgecolor": ink}
        place = row.point["recorded_s"] / 1e-3
        axes.plot([place] * 2, [row.lo, row.hi], color=ink, alpha=0.15, linewidth=2.0, zorder=2)
        axes.plot([place], [row.value], linestyle="none", zorder=3, **looks)
    axes.axhspan(1 / 1.5, 1.5, color=muted(), alpha=0.12, linewidth=0, zorder=0)
    axes.axhline(1.0, color=muted(), linewidth=1.0, zorder=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        scale_axis(axis)
    axes.set_xlabel("recorded, ms")
    axes.set_ylabel("predicted / recorded")
    inks = [(column, series_ink(column, index)) for index, column in enumerate(columns)]
    handles = [Line2D([], [], color=ink, linewidth=3, label=column) for column, ink in inks]
    axes.legend(handles=handles, loc="best", fontsize=7)
