"""The ladder panel: one rung per device and framework, its dtypes along one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import DTYPES, colour, draw_interval, legible, marker_style, muted

_TEXT_POINTS = 6.5


def draw_ladder(
    axes: Axes, rows: Sequence[Row], unit_scale: float, label: str, key: str = "dtype"
) -> None:
    """Rungs in the order of the rows; a rung joins the points of one device and framework.

    Each point carries its interval as a bar and its `key` as a small text above it.
    """
    rungs: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if has_place(row):
            rungs.setdefault((row.device, row.framework), []).append(row)
    last_device = None
    places: dict[tuple[str, str], float] = {}
    position = 0.0
    for (device, framework), found in rungs.items():
        position -= 1.0 if device == last_device or last_device is None else 1.35
        last_device = device
        _draw_rung(axes, found, position, unit_scale)
        places[device, framework] = position
    names = [f"{device}  {framework}".strip() for device, framework in places]
    axes.set_xscale("log")
    axes.margins(x=0.1)  # for the texts above the outer points
    scale_axis(axes.xaxis)
    axes.set_yticks(list(places.values()), names)
    for text, (device, _) in zip(axes.get_yticklabels(), rungs):
        text.set_color(legible(colour(device)))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_ylim(position - 0.7, -0.2)
    axes.set_xlabel(label)
    for rung, found in rungs.items():
        _label_points(axes, found, places[rung], unit_scale, key)


def _draw_rung(axes: Axes, rows: Sequence[Row], position: float, unit_scale: float) -> None:
    values = [(row.value or 0.0) / unit_scale for row in rows]
    ink = colour(rows[0].device)
    axes.plot([min(values), max(values)], [position] * 2, color=ink, alpha=0.35, linewidth=1.0)
    for row, value in zip(rows, values):
        if row.lo is not None and row.hi is not None:
            ends = [row.lo / unit_scale, row.hi / unit_scale]
            draw_interval(axes, ends, position, ink)
        axes.plot([value], [position], zorder=3, **marker_style(row.origin, row.device))


def _label_points(
    axes: Axes, rows: Sequence[Row], position: float, unit_scale: float, key: str
) -> None:
    """Texts above the points; texts that would touch become one, over the middle of theirs."""
    figure = axes.get_figure()
    low, high = axes.get_xlim()
    decades_per_point = math.log10(high / low) / (
        axes.get_position().width * figure.get_figwidth() * 72
    )
    groups: list[tuple[list[float], list[str]]] = []
    for row in sorted(rows, key=lambda row: row.value or 0.0):
        if key not in row.point:
            continue
        place = math.log10((row.value or 0.0) / unit_scale)
        word = DTYPES.get(str(row.point[key]), str(row.point[key]))
        if groups and place - groups[-1][0][-1] < decades_per_point * _reach(groups[-1], word):
            groups[-1][0].append(place)
            groups[-1][1].append(word)
        else:
            groups.append(([place], [word]))
    above = axes.transData + ScaledTranslation(0, 5 / 72, figure.dpi_scale_trans)
    for places, words in groups:
        axes.text(
            10 ** ((places[0] + places[-1]) / 2),
            position,
            " ".join(dict.fromkeys(words)),
            transform=above,
            fontsize=_TEXT_POINTS,
            color=muted(),
            ha="center",
            va="bottom",
        )


def _reach(group: tuple[list[float], list[str]], word: str) -> float:
    """Points (1/72 inch) that a group's text and the next word need between their centres."""
    return 0.5 * 0.62 * _TEXT_POINTS * (len(" ".join(group[1])) + len(word) + 2)
