"""Gaps as stacked bars: terms that slow a step down to the right, those that speed it up left."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from ..experiments.table import Row
from .style import marker_style

_COLOURS = {
    "matrix kernels": "#0072b2",
    "dtype support": "#2aa7de",
    "vector kernels and bandwidth": "#e69f00",
    "fusion": "#009e73",
    "launch and dispatch": "#c4569b",
    "transfers": "#d55e00",
    "paging and capacity": "#7f6bd1",
    "clock and power": "#8a6d3b",
}


def draw_gaps(axes: Axes, rows: Sequence[Row]) -> None:
    """A bar for each case, its terms over the time on CUDA; a square at their sum, the gap."""
    by_case: dict[int, list[Row]] = {}
    for row in rows:
        by_case.setdefault(row.point["case"], []).append(row)
    labelled: set[str] = set()
    for place, found in enumerate(by_case.values()):
        _draw_case(axes, place, found, labelled)
    titles = [found[0].point["title"].replace(": ", "\n") for found in by_case.values()]
    axes.set_yticks(range(len(titles)), titles, fontsize=7)
    axes.set_ylim(len(titles) - 0.5, -0.5)
    axes.axvline(0.0, color="#16202b", linewidth=0.8)
    axes.grid(False, axis="y")
    axes.set_xlabel("gap over the time on CUDA")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5, borderaxespad=0.3)


def _draw_case(axes: Axes, place: int, rows: Sequence[Row], labelled: set[str]) -> None:
    whole_s = next(row.value for row in rows if row.point.get("side") == "nvidia")
    ends = {True: 0.0, False: 0.0}
    for row in rows:
        term = row.point.get("term")
        if term is None or not row.value or not whole_s:
            continue
        part, slower = row.value / whole_s, row.value > 0.0
        label = None if term in labelled else term
        labelled.add(term)
        axes.barh(place, part, 0.6, left=ends[slower], color=_COLOURS[term], label=label)
        ends[slower] += part
    gap = next(row for row in rows if row.point["quantity"] == "gap")
    if gap.value is not None and whole_s:
        looks = marker_style("predicted", "here") | {"markersize": 4}
        axes.plot([gap.value / whole_s], [place], linestyle="none", zorder=4, **looks)
