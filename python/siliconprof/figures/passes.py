"""The passes panel: a quantity over the passes of a run, a line for each limit."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..experiments.table import Row
from .style import MARKERS

_LINES = {"zram": "-", "file": "--"}


def draw_passes(
    axes: Axes, rows: Sequence[Row], unit_scale: float, label: str, legend: bool = True
) -> None:
    """Measured passes as lines, lighter the tighter the limit; predicted ones as pale markers."""
    curves: dict[tuple[str, str, float | None], list[Row]] = {}
    for row in rows:
        if row.value is not None:
            key = (row.origin, str(row.point["swap"]), row.point["share"])
            curves.setdefault(key, []).append(row)
    shares = sorted({share for _, _, share in curves if share is not None}, reverse=True)
    colours = matplotlib.colormaps["viridis"]
    for (origin, swap, share), found in curves.items():
        tight = 0.0 if share is None else (1 + shares.index(share)) / (len(shares) + 1)
        measured = origin == "measured"
        name = "no limit" if share is None else f"{share:.0%} {swap}"
        axes.plot(
            [row.point["pass"] for row in found],
            [(row.value or 0.0) / unit_scale for row in found],
            color=colours(tight),
            linestyle=_LINES.get(swap, ":") if measured else "none",
            marker=MARKERS[origin],
            markersize=3.5,
            alpha=1.0 if measured else 0.35,
            label=name if measured else None,
        )
    axes.set_xlabel("pass")
    axes.set_ylabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if curves and legend:
        axes.legend(frameon=False, fontsize=7)
