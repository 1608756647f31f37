"""Gaps as stacked bars: terms that slow a step down to the right, those that speed it up left."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from ..experiments.table import Row
from .style import colour, marker_style

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
    """A bar for each case, its terms over the time on CUDA; a square at their sum, the gap, with
    its interval. A term has a colour and, where there is room, a letter."""
    by_case: dict[int, list[Row]] = {}
    for row in rows:
        by_case.setdefault(row.point["case"], []).append(row)
    there = {row.point.get("term") for row in rows if row.value}
    letters = dict(zip((term for term in _COLOURS if term in there), "abcdefgh"))
    for place, found in enumerate(by_case.values()):
        _draw_case(axes, place, found)
    low, high = axes.get_xlim()
    for bar in axes.containers:
        _name_term(axes, bar.patches[0], letters[bar.get_label()], 0.03 * (high - low))
    ends = [_draw_gap(axes, place, found) for place, found in enumerate(by_case.values())]
    # A wide interval leaves the frame before it makes the bars too small to be read.
    lowest, highest = min(low, *(end[0] for end in ends)), max(high, *(end[1] for end in ends))
    span = 0.6 * (high - low)
    axes.set_xlim(max(lowest, low - span), min(1.02 * highest, high + span))
    titles = [found[0].point["title"].replace(": ", "\n") for found in by_case.values()]
    axes.set_yticks(range(len(titles)), titles, fontsize=7)
    axes.set_ylim(len(titles) - 0.5, -0.5)
    axes.axvline(0.0, color=colour("here"), linewidth=0.8)
    axes.grid(False, axis="y")
    axes.set_xlabel("gap over the time on CUDA; right of 0: slower on Apple")
    handles = [
        Patch(color=_COLOURS[term], label=f"{letter}  {term}") for term, letter in letters.items()
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5)


def _draw_case(axes: Axes, place: int, rows: Sequence[Row]) -> None:
    whole_s = _whole_s(rows)
    ends = {True: 0.0, False: 0.0}
    for row in rows:
        term = row.point.get("term")
        if term is None or not row.value or not whole_s:
            continue
        part, slower = row.value / whole_s, row.value > 0.0
        axes.barh(place, part, 0.6, left=ends[slower], color=_COLOURS[term], label=term)
        ends[slower] += part


def _draw_gap(axes: Axes, place: int, rows: Sequence[Row]) -> tuple[float, float]:
    """The gap and its interval; the ends of what is drawn."""
    whole_s = _whole_s(rows)
    gap = next(row for row in rows if row.point["quantity"] == "gap")
    if gap.value is None or not whole_s:
        return 0.0, 0.0
    known = [x / whole_s for x in (gap.value, gap.lo, gap.hi) if x is not None]
    axes.plot([min(known), max(known)], [place] * 2, color=colour("here"), linewidth=1.2)
    looks = marker_style("predicted", "here") | {"markersize": 4}
    axes.plot([known[0]], [place], linestyle="none", zorder=4, **looks)
    return min(known), max(known)


def _whole_s(rows: Sequence[Row]) -> float | None:
    """The time on CUDA."""
    return next(row.value for row in rows if row.point.get("side") == "nvidia")


def _name_term(axes: Axes, bar: Rectangle, letter: str, least: float) -> None:
    """At the upper edge, clear of the interval."""
    if abs(bar.get_width()) >= least:
        middle = bar.get_x() + bar.get_width() / 2
        looks = {"fontsize": 6.5, "color": "#ffffff", "fontweight": "bold"}
        axes.text(middle, bar.get_y() + 0.04, letter, ha="center", va="top", **looks)
