"""The kernel ratios panel: each kernel over a peer, row by row, and how low it could be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from .scale import scale_axis
from .style import draw_interval, heading, marker_style, muted


def draw_kernel_ratios(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """A rung for each row, in order: the ratio with its quartiles, and its floor as a stroke.

    rows: `label`, `group`, `ratio`, `ratio_low`, `ratio_high`, `floor_s`, `torch_s`; left of the
          line is faster than the peer. The first row of a group carries the group's name.
    """
    ink = marker_style("measured", "here")
    for place, row in enumerate(rows):
        ends = [row["ratio_low"], row["ratio_high"]]
        colour = ink["markeredgecolor"]
        draw_interval(axes, ends, -place, colour)
        looks = {**ink, "markersize": 4.0}
        axes.plot([row["ratio"]], [-place], linestyle="none", zorder=3, **looks)
        floor = row["floor_s"] / row["torch_s"]
        axes.plot([floor], [-place], "|", color=muted(), markersize=7, zorder=1)
    axes.axvline(1.0, color=muted(), linewidth=1.0, zorder=1)
    axes.set_xscale("log")
    scale_axis(axes.xaxis)
    axes.set_yticks([-float(place) for place in range(len(rows))], _labels(rows), fontsize=6.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    axes.set_xlabel("time over PyTorch's; left of 1 is faster")
    heading(axes, "Kernels against PyTorch", "bar: quartiles; stroke: the machine's floor")


def _labels(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    labels, last = [], ""
    for row in rows:
        group = str(row["group"])
        labels.append(str(row["label"]) if group == last else f"{group}:  {row['label']}")
        last = group
    return labels
