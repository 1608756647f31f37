"""Logarithmic axes with plain numbers."""

from __future__ import annotations

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter


def scale_axis(axis: Axis, digits: int = 3) -> None:
    """A logarithmic axis labelled with plain numbers at each decade, minor ticks unlabelled."""
    axis.set_major_locator(LogLocator(10.0))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:.{digits}g}")
    )
    axis.set_minor_formatter(NullFormatter())
