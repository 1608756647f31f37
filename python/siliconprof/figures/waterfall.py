"""A gap as a waterfall: from one target's time, term by term, to the other's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..quantity import scaled, signed
from .files import save_figure
from .style import axes_of, heading, style, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .._core import Causes

_SLOWER, _FASTER, _WHOLE = "#d55e00", "#009e73", "#9aa7b5"


def plot(causes: Causes, axes: Axes | None = None) -> Any:
    """The two targets' predicted times, and between them a step for each term that is not 0.

    Returns the axes; makes a figure of its own where none is given. Where both sides were
    measured, a last bar is the residual, beside the gap and not in it.
    """
    with style(theme_of(axes)):
        drawn = axes_of("plot", axes, (7.2, 3.6))
        draw(causes, drawn)
    return drawn


def draw(causes: Causes, axes: Axes) -> None:
    """Into the axes, in their style."""
    names = [causes.from_target]
    _whole(axes, 0, causes.from_s)
    begin_s = causes.from_s
    for term in causes.terms:
        if term.seconds == 0.0:
            continue
        place = len(names)
        _step(axes, place, begin_s, term.seconds)
        begin_s += term.seconds
        names.append(term.name)
    _whole(axes, len(names), causes.to_s)
    names.append(causes.to_target)
    if causes.residual_s is not None:
        bar = axes.barh(len(names), causes.residual_s, 0.6, left=causes.to_s, fill=False)
        bar[0].set_hatch("///")
        tip_s = max(causes.to_s, causes.to_s + causes.residual_s)
        _say(axes, len(names), tip_s, signed(causes.residual_s, "s"))
        names.append("residual: not predicted")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(False, axis="y")
    # Room for the figures beside the bars, also beside the longest.
    ends = [x for bar in axes.patches for x in (bar.get_x(), bar.get_x() + bar.get_width())]
    least, most = min(0.0, *ends), max(ends)
    margin = 0.02 * (most - least) if least < 0.0 else 0.0
    axes.set_xlim(least - margin, least + 1.14 * (most - least))
    axes.set_xlabel("predicted time of a step, s")
    heading(axes, "Where the gap comes from", f"gap {signed(causes.gap_s, 's')}")


def _step(axes: Axes, place: int, begin_s: float, seconds: float) -> None:
    colour = _SLOWER if seconds > 0 else _FASTER
    axes.barh(place, seconds, 0.6, left=begin_s, color=colour)
    end_s = begin_s + seconds
    axes.plot([end_s, end_s], [place - 0.3, place + 1.3], color=_WHOLE, linewidth=0.8)
    _say(axes, place, max(begin_s, end_s), signed(seconds, "s"))


def _whole(axes: Axes, place: int, seconds: float) -> None:
    axes.barh(place, seconds, 0.6, color=_WHOLE)
    _say(axes, place, seconds, scaled(seconds, "s"))


def _say(axes: Axes, place: int, tip_s: float, text: str) -> None:
    axes.annotate(f" {text}", (tip_s, place), va="center", fontsize=7.5, clip_on=False)


def save_waterfall(causes: Causes, path: Path) -> None:
    """Draws the gap to a .png, .svg or .pdf file. Raises: ArgumentError for another kind."""
    from matplotlib.figure import Figure

    def drawn() -> Figure:
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        draw(causes, figure.subplots())
        return figure

    save_figure("explain", path, drawn)
