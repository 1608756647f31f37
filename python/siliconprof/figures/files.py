"""A drawing as a file of the kind that its name says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import arguments
from ..atomic import check_writable, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (".png", ".svg", ".pdf")


def figure_path(place: str, given: str | Path | None) -> Path | None:
    """The path, if one is given. Raises: ArgumentError for a name that says no kind; Error where
    nothing can be written; `place` asks."""
    if given is None:
        return None
    path = arguments.path(place, "figure", given)
    if path.suffix.lower() not in KINDS:
        raise arguments.refused(place, "figure", str(given), "a .png, .svg or .pdf file is needed")
    check_writable(place, path)
    return path


def save_figure(place: str, path: Path, draw: Callable[[], Figure]) -> None:
    """Draws, once the name is seen to be right, and writes the file whole or not at all.

    Raises: ArgumentError as above; Error with the system's reason.
    """
    figure_path(place, path)
    kind = path.suffix[1:].lower()
    # Equal for equal drawings: not with the time at which it was drawn.
    no_date = {"CreationDate" if kind == "pdf" else "Date": None}
    metadata = no_date if kind != "png" else None
    from .style import LIGHT, style

    with style(LIGHT):
        figure = draw()
        write_file(path, lambda file: figure.savefig(file, format=kind, metadata=metadata))
