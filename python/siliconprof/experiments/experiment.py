"""What an experiment is: parameters, a run that never draws, a drawing that never computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Layout:
    """The panels of a figure by name, in rows, and its size in inches.

    marks: the origins that its markers show; bars: what its pale bars and bands are, if it has any;
    framework_lines: whether line styles tell frameworks.
    """

    mosaic: tuple[tuple[str, ...], ...]
    width_in: float
    height_in: float
    width_ratios: tuple[float, ...] | None = None
    marks: tuple[str, ...] = ("measured", "predicted")
    bars: str = "interval"
    framework_lines: bool = False


@dataclass(frozen=True)
class Experiment:
    """One table or figure.

    claim: what the paper says of it and what is shown here, one paragraph.
    run:   parameters and a reporter of progress to a table.
    draw:  a table and the layout's axes by name to a figure.
    """

    id: str
    title: str
    paper_item: str
    claim: str
    parameters: Any
    quick_parameters: Any
    run: Callable[..., Table]
    draw: Callable[[Table, dict[str, Axes]], None]
    layout: Layout
