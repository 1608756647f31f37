"""One profile as a picture: its samples when measured, its terms when predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .style import LIGHT, heading, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._core import Profile, Span

_TERM_COLOURS = {
    "matrix": "#0072b2",
    "vector": "#2aa7de",
    "bandwidth": "#e69f00",
    "launch": "#c4569b",
    "paging": "#7f6bd1",
    "transfers": "#d55e00",
    "host optimizer": "#009e73",
}


_UNITS = ((1.0, "seconds"), (1e-3, "milliseconds"), (1e-6, "microseconds"))


def plot(profile: Profile, axes: Axes | None = None) -> Any:
    """A bar for each op: every sample below it when measured, its terms below it when predicted.

    Returns the axes; makes a figure of its own where none is given. The line is the interval.
    """
    with style(LIGHT):
        if axes is None:
            from matplotlib import pyplot

            ops = [span for span in profile.spans if span.kind == "op"]
            _, axes = pyplot.subplots(figsize=(7.2, 1.3 + 0.65 * len(ops)), layout="constrained")
        _draw(profile, axes)
    return axes


def _draw(profile: Profile, axes: Axes) -> None:
    ops = [span for span in profile.spans if span.kind == "op"]
    longest_s = max((span.wall_s for span in ops), default=0.0)
    scale_s, unit = next((u for u in _UNITS if longest_s >= u[0]), _UNITS[-1])
    for place, span in enumerate(ops):
        axes.barh(place, span.wall_s / scale_s, 0.3, color="#9aa7b5", alpha=0.45, zorder=1)
        if span.interval_s is not None:
            ends = [bound / scale_s for bound in span.interval_s]
            axes.plot(ends, [place, place], color="#16202b", linewidth=2, zorder=3)
        _draw_terms(axes, span, place, scale_s)
        _draw_samples(axes, span, place, scale_s)
    axes.set_yticks(range(len(ops)), [span.name for span in ops])
    axes.set_ylim(len(ops) - 0.4, -0.4)
    axes.set_xlim(left=0)
    axes.grid(False, axis="y")
    predicted = any(span.terms for span in ops)
    axes.set_xlabel(f"{unit}; terms overlap, so they are no sum" if predicted else unit)
    heading(axes, profile.label, f"{profile.origin} · {profile.device} · {profile.framework}")
    if predicted:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7.5, borderaxespad=0.3)


def _draw_samples(axes: Axes, span: Span, place: int, scale_s: float) -> None:
    if span.samples_s:
        # Three rows of dots, so that equal samples do not hide each other.
        spots = [place + 0.22 + 0.05 * (index % 3) for index in range(len(span.samples_s))]
        times = [sample / scale_s for sample in span.samples_s]
        axes.plot(times, spots, "o", markersize=2.5, color="#0072b2", alpha=0.6)


def _draw_terms(axes: Axes, span: Span, place: int, scale_s: float) -> None:
    shown = [(name, seconds) for name, seconds in (span.terms or {}).items() if seconds > 0]
    for index, (name, seconds) in enumerate(shown):
        axes.barh(
            place + 0.21 + 0.08 * index,
            seconds / scale_s,
            0.06,
            color=_TERM_COLOURS.get(name, "#5b6876"),
            label=name if place == 0 else None,
            zorder=2,
        )
