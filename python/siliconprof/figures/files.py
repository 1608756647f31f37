"""A drawing as a file of the kind that its name says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import arguments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".png", ".svg", ".pdf")


def figure_path(place: str, given: str | Path | None) -> Path | None:
    """The path, if one is given. Raises: ArgumentError for a name that says no kind; `place`
    asks."""
    if given is None:
        return None
    path = arguments.path(place, "figure", given)
    if path.suffix not in KINDS:
        raise arguments.refused(place, "figure", str(given), "a .png, .svg or .pdf file is needed")
    return path


def save_figure(place: str, path: Path, draw: Callable[[], Figure]) -> None:
    """Draws, once the name is seen to be right. Raises: ArgumentError as above."""
    figure_path(place, path)
    from .style import LIGHT, style

    with style(LIGHT):
        draw().savefig(path)
