"""Logarithmic axes with plain numbers."""

from __future__ import annotations

from typing import Any

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter


class PlainLogLocator(LogLocator):
    """Ticks at each decade; on an axis of fewer than two, at 1, 2 and 5 of each."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        self.set_params(subs=(1.0, 2.0, 5.0) if vmax < 100.0 * vmin else (1.0,))
        return super().tick_values(vmin, vmax)


def scale_axis(axis: Axis, digits: int = 3) -> None:
    """A logarithmic axis labelled with plain numbers, minor ticks unlabelled."""
    axis.set_major_locator(PlainLogLocator(10.0))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:.{digits}g}")
    )
    axis.set_minor_formatter(NullFormatter())
