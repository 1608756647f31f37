"""A predicted step in one picture: where its time goes, and its memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import memory, profile
from .files import save_figure
from .profile_bars import bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .._core import Profile

_MEMORY_IN = 3.0


def draw(predicted: Profile) -> Figure:
    """The longest kinds of operations with their terms above, the memory of each call below."""
    from matplotlib.figure import Figure

    time_in = 1.3 + 0.45 * len(bars(predicted))
    figure = Figure(figsize=(8.4, time_in + _MEMORY_IN), layout="constrained")
    upper, lower = figure.subplots(2, height_ratios=(time_in, _MEMORY_IN))
    profile.plot(predicted, upper)
    memory.plot(predicted, lower)
    return figure


def save_prediction(predicted: Profile, path: Path) -> None:
    """Draws it to a .png, .svg or .pdf file. Raises: ArgumentError for another kind."""
    save_figure("predict", path, lambda: draw(predicted))
