"""Logarithmic axes with plain numbers."""

from __future__ import annotations

from typing import Any

from matplotlib.axis import Axis
from matplotlib.ticker import AutoLocator, FuncFormatter, LogLocator, NullFormatter

from ..experiments.table import Row


class PlainLogLocator(LogLocator):
    """Ticks at each decade; on an axis of fewer than two, at 1, 2 and 5 of each; of less than one,
    at more; of less than half of one, where a linear axis has them."""

    def tick_values(self, vmin: float, vmax: float) -> Any:
        subs: tuple[float, ...] = (1.0,)
        if vmax < 3.0 * vmin:
            return AutoLocator().tick_values(vmin, vmax)
        if vmax < 10.0 * vmin:
            subs = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
        elif vmax < 100.0 * vmin:
            subs = (1.0, 2.0, 5.0)
        self.set_params(subs=subs)
        return super().tick_values(vmin, vmax)


def scale_axis(axis: Axis) -> None:
    """A logarithmic axis labelled with plain numbers, minor ticks unlabelled."""
    axis.set_major_locator(PlainLogLocator(10.0))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
    axis.set_minor_formatter(NullFormatter())


def _plain(value: float) -> str:
    """Whole numbers as such; an axis of less than a factor of two has ticks at 1.1 and 1.075."""
    return f"{value:,.0f}" if value >= 1.0 and value == round(value) else f"{value:.4g}"


def has_place(row: Row) -> bool:
    """Whether the row's value has a place on a logarithmic axis: 0 has none, the table has it."""
    return row.value is not None and row.value > 0.0
