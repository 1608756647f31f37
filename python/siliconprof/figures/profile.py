"""One profile as a picture: its samples when measured, its terms when predicted."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .profile_bars import Bar, bars
from .style import axes_of, colour, heading, style, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._core import Profile

_TERM_COLOURS = {
    "matrix": "#0072b2",
    "vector": "#2aa7de",
    "bandwidth": "#e69f00",
    "launch": "#c4569b",
    "paging": "#7f6bd1",
    "transfers": "#d55e00",
    "host optimizer": "#009e73",
}


_ONE_LINE = 60  # characters of a title and its note that a figure beside a legend has room for
_UNITS = ((1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds"))


def plot(profile: Profile, axes: Axes | None = None) -> Any:
    """A bar for each op: every sample below it when measured, its terms below it when predicted.

    Of a step of many ops a bar for each kind of them, the longest first. Returns the axes; makes a
    figure of its own where none is given. The line is the interval.
    """
    shown = bars(profile)
    with style(theme_of(axes)):
        drawn = axes_of("plot", axes, (7.2, 1.3 + 0.65 * len(shown)))
        _draw(profile, shown, drawn)
    return drawn


def _draw(profile: Profile, shown: Sequence[Bar], axes: Axes) -> None:
    longest_s = max((bar.wall_s for bar in shown), default=0.0)
    scale_s, unit = next((u for u in _UNITS if longest_s >= u[0]), _UNITS[-1])
    for place, bar in enumerate(shown):
        looks = {"color": "#9aa7b5", "alpha": 0.45, "zorder": 1}
        axes.barh(place, bar.wall_s / scale_s, 0.3, label="time", **looks)
        if bar.interval_s is not None:
            ends = [bound / scale_s for bound in bar.interval_s]
            axes.plot(
                ends, [place, place], color=colour("here"), linewidth=2, zorder=3, label="interval"
            )
        _draw_terms(axes, bar, place, scale_s)
        _draw_samples(axes, bar, place, scale_s)
    axes.set_yticks(range(len(shown)), [bar.label for bar in shown])
    axes.set_ylim(len(shown) - 0.4, -0.4)
    axes.set_xlim(left=0)
    axes.grid(False, axis="y")
    in_parts = any(seconds > 0 for bar in shown for seconds in bar.terms.values())
    axes.set_xlabel(f"{unit}; terms overlap, so they are no sum" if in_parts else unit)
    where = f"{profile.origin} · {profile.device} · {profile.framework}"
    title = "\n".join(textwrap.wrap(profile.label, _ONE_LINE))
    heading(axes, title, where, stacked=len(profile.label) + len(where) > _ONE_LINE)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        each = dict(zip(labels, handles))
        looks = {"fontsize": 7.5, "borderaxespad": 0.3}
        axes.legend(each.values(), each, loc="upper left", bbox_to_anchor=(1.0, 1.0), **looks)


def _draw_samples(axes: Axes, bar: Bar, place: int, scale_s: float) -> None:
    if bar.samples_s:
        # Three rows of dots, so that equal samples do not hide each other.
        spots = [place + 0.22 + 0.05 * (index % 3) for index in range(len(bar.samples_s))]
        times = [sample / scale_s for sample in bar.samples_s]
        axes.plot(times, spots, "o", markersize=2.5, color="#0072b2", alpha=0.6, label="samples")


def _draw_terms(axes: Axes, bar: Bar, place: int, scale_s: float) -> None:
    shown = [(name, seconds) for name, seconds in bar.terms.items() if seconds > 0]
    for index, (name, seconds) in enumerate(shown):
        axes.barh(
            place + 0.21 + 0.08 * index,
            seconds / scale_s,
            0.06,
            color=_TERM_COLOURS.get(name, "#5b6876"),
            label=name,
            zorder=2,
        )
