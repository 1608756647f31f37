"""The ladder panel: one rung per device and framework, its dtypes along one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from ..experiments.table import Row
from .scale import has_place, scale_axis
from .style import DTYPES, colour, draw_interval, legible, marker_style, muted

_TEXT_POINTS = 6.5
_LETTER_POINTS = 0.62 * _TEXT_POINTS


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
    texts = [
        _Text([math.log10((row.value or 0.0) / unit_scale)], [_word(row, key)])
        for row in sorted(rows, key=lambda row: row.value or 0.0)
        if key in row.point
    ]
    above = axes.transData + ScaledTranslation(0, 5 / 72, figure.dpi_scale_trans)
    for text in _clear_of_each_other(texts, decades_per_point):
        axes.text(
            10**text.middle,
            position,
            text.words,
            transform=above,
            fontsize=_TEXT_POINTS,
            color=muted(),
            ha="center",
            va="bottom",
        )


def _word(row: Row, key: str) -> str:
    return DTYPES.get(str(row.point[key]), str(row.point[key]))


@dataclass
class _Text:
    """One text over points; `places` are the points' logarithms, in order."""

    places: list[float]
    names: list[str]

    @property
    def middle(self) -> float:
        return (self.places[0] + self.places[-1]) / 2

    @property
    def words(self) -> str:
        return " ".join(dict.fromkeys(self.names))


def _clear_of_each_other(texts: Sequence[_Text], decades_per_point: float) -> list[_Text]:
    """The texts, from left to right; one that grew by a neighbour's words may meet the next."""
    apart: list[_Text] = []
    for text in texts:
        apart.append(text)
        while len(apart) > 1:
            left, right = apart[-2:]
            letters = len(left.words) + len(right.words) + 2
            if right.middle - left.middle >= decades_per_point * _LETTER_POINTS * letters / 2:
                break
            apart[-2:] = [_Text(left.places + right.places, left.names + right.names)]
    return apart
