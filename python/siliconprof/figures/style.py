"""The one style of every figure: colours by device, markers by origin, lines by framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.lines import Line2D

from .. import arguments


@dataclass(frozen=True)
class Theme:
    """Ground and ink of a page."""

    name: str
    ground: str
    ink: str
    muted: str
    grid: str


LIGHT = Theme("light", "#ffffff", "#16202b", "#5b6876", "#e3e8ee")
DARK = Theme("dark", "#12181f", "#e8edf3", "#9aa7b5", "#28323d")

MARKERS: Mapping[str, str] = {"measured": "o", "predicted": "s", "recorded": "D"}
INTERVAL: Mapping[str, Any] = {"alpha": 0.3, "linewidth": 4.5, "solid_capstyle": "butt"}
# Frameworks that are not here have the solid line.
LINES: Mapping[str, str] = {"torch-cuda": "-", "mlx": "-", "torch-mps": "--"}
DTYPES: Mapping[str, str] = {
    "float64": "fp64",
    "float32": "fp32",
    "tf32": "tf32",
    "float16": "fp16",
    "bfloat16": "bf16",
}

# Okabe and Ito's palette, chosen to be told apart by colour-blind readers; one machine of a pair
# is warm, the other cool.
_COLOURS: Mapping[str, str] = {
    "rtx-a6000": "#d55e00",
    "m2-ultra": "#0072b2",
    "rtx-2080-ti": "#e69f00",
    "m2-max": "#2aa7de",
    "quadro-rtx-4000": "#c4569b",
    "m2-pro": "#009e73",
    "rtx-4090": "#8a6d3b",
    "m1-pro": "#7f6bd1",
    "m1-pro-cpu": "#a3a500",
    "m2-8": "#5c8a8a",
    "h200": "#b0413e",
    "h100": "#a3a500",
    "epyc-zen5-2": "#5c8a8a",
    "xeon-amx-16": "#7f6bd1",
}
# Told apart by colour, whoever's machine it is.
_SERIES = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#c4569b",
    "#e69f00",
    "#2aa7de",
    "#8a6d3b",
    "#7f6bd1",
    "#5c8a8a",
)
_LEAST_CONTRAST = 4.5  # of small text
_SPARE = ("#7f6bd1", "#a3a500", "#b0413e", "#5c8a8a")


def colour(device: str) -> str:
    """The device's colour in every figure; this machine has the ink of the page."""
    if device == "here":
        return str(matplotlib.rcParams["text.color"])
    return _on_ground(_COLOURS.get(device, _SPARE[sum(device.encode()) % len(_SPARE)]))


def _on_ground(ink: str) -> str:
    """Lighter on a dark ground."""
    light = 0.3 if is_dark() else 0.0
    return to_hex([part + light * (1.0 - part) for part in to_rgb(ink)])


def legible(ink: str) -> str:
    """The ink for a text: as near to the page's own as it must be to stand out from the ground."""
    ground, page = (matplotlib.rcParams[name] for name in ("axes.facecolor", "text.color"))
    for tenths in range(10):
        part = tenths / 10
        mixed = [(1 - part) * x + part * y for x, y in zip(to_rgb(ink), to_rgb(page))]
        if contrast(to_hex(mixed), ground) >= _LEAST_CONTRAST:
            return to_hex(mixed)
    return str(page)


def contrast(one: str, other: str) -> float:
    """Of two colours, from 1 to 21, as WCAG 2 counts it."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(ink: str) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in to_rgb(ink)]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear))


def is_dark() -> bool:
    """Whether the ground is dark."""
    return sum(to_rgb(matplotlib.rcParams["axes.facecolor"])) < 1.5


def series_ink(column: str, index: int) -> str:
    """Of the series that comes at this place; this machine's is always the page's ink."""
    return colour("here") if column == "here" else _on_ground(_SERIES[index % len(_SERIES)])


def device_inks(devices: Sequence[str]) -> dict[str, str]:
    """A colour for each device, no two alike: one whose own is taken has another series' colour."""
    inks: dict[str, str] = {}
    for device in devices:
        others = (_on_ground(ink) for ink in _SERIES)
        free = (ink for ink in (colour(device), *others) if ink not in inks.values())
        inks[device] = next(free, colour(device))
    return inks


def muted() -> str:
    """The page's second ink."""
    return str(matplotlib.rcParams["xtick.color"])


def marker_style(origin: str, device: str) -> dict[str, Any]:
    """Marker of an origin in a device's colour; predicted ones are open, the others filled."""
    ink = colour(device)
    ground = str(matplotlib.rcParams["axes.facecolor"])
    return {
        "marker": MARKERS[origin],
        "markerfacecolor": ground if origin == "predicted" else ink,
        "markeredgecolor": ink,
        "markeredgewidth": 1.3,
        "markersize": 5.5,
    }


# That draw into files alone, where pyplot's list of open figures serves no window and no cell.
_FILE_BACKENDS = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")
_OWN_FIGURE = "siliconprof"


def _new_axes(figsize: tuple[float, float]) -> Axes:
    """Of a figure that pyplot knows, so that a window, a notebook and `pyplot.savefig` have it.

    pyplot keeps every figure until it is closed, and warns of the 21st. Without a window the
    figure before is closed, which whoever holds it can still draw and save.
    """
    from matplotlib import pyplot

    if matplotlib.get_backend().lower() not in _FILE_BACKENDS:
        return pyplot.subplots(figsize=figsize, layout="constrained")[1]
    pyplot.close(_OWN_FIGURE)
    return pyplot.subplots(num=_OWN_FIGURE, figsize=figsize, layout="constrained")[1]


def axes_of(place: str, axes: object, figsize: tuple[float, float]) -> Axes:
    """The axes that a caller gave, or those of a new figure for None; `place` asks.

    Raises: ArgumentError for what are no axes.
    """
    if axes is None:
        return _new_axes(figsize)
    if not isinstance(axes, Axes):
        raise arguments.refused(place, "axes", axes, "axes of matplotlib are needed, or None")
    return axes


def draw_interval(axes: Axes, ends: Sequence[float], place: float, ink: str) -> None:
    """An interval as the pale bar that every figure's legend names."""
    axes.plot(ends, [place] * len(ends), color=ink, zorder=2, **INTERVAL)


def theme_of(axes: object) -> Theme:
    """That in which texts can be read on the ground of a caller's axes; light for None."""
    if not isinstance(axes, Axes):
        return LIGHT
    ground = axes.get_facecolor()
    if to_rgba(ground)[3] == 0.0:
        ground = axes.get_figure().get_facecolor()
    return max((LIGHT, DARK), key=lambda theme: contrast(theme.ink, to_hex(ground)))


@contextmanager
def style(theme: Theme = LIGHT) -> Iterator[None]:
    """Draws under the theme, and leaves matplotlib's settings as they were."""
    with matplotlib.rc_context(_settings(theme)):
        yield


def heading(axes: Axes, title: str, note: str = "", stacked: bool = False) -> None:
    """A panel's title, bold at the left, with a lighter note after it; or, stacked, below it."""
    first = f"{title}\n" if stacked else title  # the titles of axes have one offset
    axes.set_title(first, loc="left", fontweight="bold", fontsize=9.5, pad=8)
    if note:
        axes.set_title(note, loc="right", fontsize=8, color=muted(), pad=8)


def corner_note(axes: Axes, note: str) -> None:
    """A word in the upper left corner of a panel."""
    place = axes.transAxes
    axes.text(0.03, 0.97, note, transform=place, va="top", fontsize=8, color=muted(), zorder=4)


def coloured_heading(axes: Axes, parts: Sequence[tuple[str, str]]) -> None:
    """A panel's title made of words in the colours of their devices."""
    last: Any = None
    for text, ink in parts:
        place, at = (axes.transAxes, (0.0, 1.0)) if last is None else (last, (1.0, 0.0))
        last = axes.annotate(
            text,
            at,
            xycoords=place,
            xytext=(0, 8) if last is None else (0, 0),
            textcoords="offset points",
            va="bottom",
            fontweight="bold",
            fontsize=9.5,
            color=ink,
        )


def origin_handles(origins: Sequence[str]) -> list[Line2D]:
    """Legend entries that say which marker is which origin."""
    ink = str(matplotlib.rcParams["text.color"])
    handles = []
    for origin in MARKERS:
        if origin in origins:
            looks = {**marker_style(origin, "here"), "color": ink, "linestyle": "none"}
            label = "measured here" if origin == "measured" else origin
            handles.append(Line2D([], [], label=label, **looks))
    return handles


def _settings(theme: Theme) -> dict[str, Any]:
    return {
        "figure.facecolor": theme.ground,
        "savefig.facecolor": theme.ground,
        "axes.facecolor": theme.ground,
        "axes.edgecolor": theme.muted,
        "axes.labelcolor": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.labelsize": 8.5,
        "grid.color": theme.grid,
        "grid.linewidth": 0.7,
        "text.color": theme.ink,
        "xtick.color": theme.muted,
        "ytick.color": theme.muted,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "font.family": "DejaVu Sans",
        "font.size": 8.5,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "lines.linewidth": 1.4,
        "svg.fonttype": "path",
        "svg.hashsalt": "siliconprof",
    }
