"""The passes panel: a quantity over the passes of a run, a line for each limit."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from ..experiments.table import Row
from .style import MARKERS, colour, is_dark

_LINES = {"zram": "-", "file": "--"}
_SWAPS = {"zram": "compressed", "file": "swap file"}


def draw_passes(
    axes: Axes, rows: Sequence[Row], unit_scale: float, label: str, legend: bool = True
) -> None:
    """Measured passes as lines, lighter the tighter the limit; predicted ones as markers alone,
    half-filled for the swap file."""
    curves: dict[tuple[str, str, float | None], list[Row]] = {}
    for row in rows:
        if row.value is not None:
            key = (row.origin, str(row.point["swap"]), row.point["share"])
            curves.setdefault(key, []).append(row)
    shares = sorted({share for _, _, share in curves if share is not None}, reverse=True)
    colours = matplotlib.colormaps["viridis"]
    for (origin, swap, share), found in curves.items():
        ink = colour("here")
        if share is not None:
            ink = to_hex(colours(_lightness(1 + shares.index(share), len(shares))))
        measured = origin == "measured"
        half = not measured and swap == "file"
        name = "no limit"
        if share is not None:
            name = f"{share * 100:.0f} % of need, {_SWAPS.get(swap, swap)}"
        axes.plot(
            [row.point["pass"] for row in found],
            [(row.value or 0.0) / unit_scale for row in found],
            color=ink,
            linestyle=_LINES.get(swap, ":") if measured else "none",
            marker=MARKERS[origin],
            markersize=3.5,
            fillstyle="left" if half else "full",
            markerfacecolor=ink if measured or half else "none",
            label=name if measured else None,
        )
    axes.set_xlabel("pass")
    axes.set_ylabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    if curves and legend:
        # Long enough that a dashed line is seen as one beside its marker.
        axes.legend(frameon=False, fontsize=7, handlelength=4.0)


def _lightness(tight: int, limits: int) -> float:
    """Of 1 to `limits`, where in the colour map, whose dark end is not seen on a dark ground."""
    return (0.3 if is_dark() else 0.0) + 0.65 * tight / limits
