"""The roofline panel: attainable rate over arithmetic intensity, with the points on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from matplotlib.axes import Axes

from ..experiments.table import Row, Table
from .scale import scale_axis
from .style import DTYPES, colour, heading, legible, marker_style

_NAME_POINTS = 6.5


def draw_roofline(
    axes: Axes, table: Table, dtypes: Sequence[str], sizes: Sequence[int] | None = None
) -> None:
    """Roofs of the table's devices and its compute rates, for one or two dtypes.

    Axes: FLOP per byte of compulsory traffic, TFLOP/s. The first dtype's roof is solid, the
          second's dashed. Points of the given sizes only, where sizes are given.
    """
    points = [
        row
        for row in table.where(quantity="compute rate")
        if row.value is not None
        and row.point["dtype"] in dtypes
        and (sizes is None or row.point["size"] in sizes)
    ]
    low, high = _intensity_range(points)
    for device in _devices(table):
        for index, dtype in enumerate(dtypes):
            _draw_roof(axes, table, device, dtype, (low, high), dashed=index > 0)
    for row in points:
        x, y = _intensity(row), _tera(row.value)
        looks = marker_style(row.origin, row.device)
        axes.plot([x], [y], linestyle="none", zorder=3, **{**looks, "markersize": 4.5})
    axes.set_xscale("log")
    axes.set_yscale("log")
    scale_axis(axes.xaxis)
    scale_axis(axes.yaxis)
    axes.set_xlim(low, high)
    _name_roofs(axes, table, dtypes[0])
    axes.set_xlabel("arithmetic intensity, FLOP / byte")
    axes.set_ylabel("TFLOP/s")
    names = [DTYPES[dtype] for dtype in dtypes]
    note = names[0] if len(names) == 1 else f"{names[0]} solid, {names[1]} dashed"
    heading(axes, "Roofline", note)


def _draw_roof(
    axes: Axes, table: Table, device: str, dtype: str, range_: tuple[float, float], dashed: bool
) -> None:
    peak = _roof(table, device, "peak", dtype)
    bandwidth = _roof(table, device, "bandwidth", "")
    if peak is None or bandwidth is None:
        return
    ridge = peak / bandwidth
    low, high = range_
    corners = [low, *([ridge] if low < ridge < high else []), high]
    axes.plot(
        corners,
        [min(peak, bandwidth * x) / 1e12 for x in corners],
        linestyle=(0, (4, 2)) if dashed else "-",
        color=colour(device),
        alpha=0.55,
        linewidth=1.2 if device != "here" else 1.6,
        zorder=1,
    )


def _name_roofs(axes: Axes, table: Table, dtype: str) -> None:
    """At the right end of each roof, or as near to it as the other names let it be."""
    bottom, top = (math.log10(end) for end in axes.get_ylim())
    peaks = {device: _roof(table, device, "peak", dtype) for device in _devices(table)}
    ends = {
        device: (math.log10(peak / 1e12) - bottom) / (top - bottom)
        for device, peak in peaks.items()
        if peak is not None
    }
    points = 72 * axes.get_position().height * axes.get_figure().get_figheight()
    names = sorted(ends, key=lambda device: ends[device])
    heights = _apart([ends[device] for device in names], 1.2 * _NAME_POINTS / points)
    for device, height in zip(names, heights):
        looks = {"fontsize": _NAME_POINTS, "color": legible(colour(device)), "va": "center"}
        axes.text(1.01, height, device, transform=axes.transAxes, **looks)


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """The heights, in order, at least a gap apart: those that are nearer spread about their
    mean."""
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        while len(groups) > 1:
            below, above = groups[-2:]
            if fmean(above) - fmean(below) >= gap * (len(above) + len(below)) / 2:
                break
            groups[-2:] = [below + above]
    return [
        fmean(group) + gap * (place - (len(group) - 1) / 2)
        for group in groups
        for place in range(len(group))
    ]


def _roof(table: Table, device: str, roof: str, dtype: str) -> float | None:
    for row in table.where(device=device, quantity=f"{roof} roof"):
        if roof == "bandwidth" or row.point.get("dtype") == dtype:
            return row.value
    return None


def _devices(table: Table) -> list[str]:
    return list(dict.fromkeys(row.device for row in table.where(quantity="bandwidth roof")))


def _intensity(row: Row) -> float:
    return float(row.point["flops"]) / float(row.point["bytes"])


def _tera(value: float | None) -> float:
    assert value is not None
    return value / 1e12


def _intensity_range(points: Sequence[Row]) -> tuple[float, float]:
    found = [_intensity(row) for row in points]
    return (min([0.25, *[x / 2 for x in found]]), max([300.0, *[x * 2 for x in found]]))
