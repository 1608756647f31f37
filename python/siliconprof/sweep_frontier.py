"""The frontier of a whole sweep, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from ._core import frontier
from .sweep_file import COLUMNS, MAY_LACK, Labels

_RESPECTS = ("time_per_item_s", "joules_per_item", "price_usd", "peak_memory_bytes")
_UNKNOWN = float("inf")


class Frontier:
    """What nothing else of its workload beats so far in time and energy for a token or image,
    launch price and memory: a smaller model's tokens are no choice for a larger one.

    Without a price or an energy a device counts as the dearest, or as what draws the most. Only
    what fits is on it.
    """

    def __init__(self) -> None:
        self._labels: list[tuple[str, ...]] = []
        self._workloads: dict[str, int] = {}
        self._columns: dict[str, numpy.ndarray] = {}

    def add(self, labels: Labels, columns: Mapping[str, numpy.ndarray]) -> None:
        """A chunk's rows, by its columns: only those on their own size's frontier can be on the
        whole's."""
        columns = {name: values[columns["frontier"]] for name, values in columns.items()}
        entries = columns.pop("entry")
        columns["label"] = entries + len(self._labels)
        of = [self._workloads.setdefault(label[0], len(self._workloads)) for label in labels]
        columns["workload"] = numpy.array(of)[entries]
        self._labels += labels
        if self._columns:
            columns = {
                name: numpy.concatenate([self._columns[name], values])
                for name, values in columns.items()
            }
        costs = numpy.stack([columns[name].astype(float) for name in _RESPECTS], axis=1)
        costs = numpy.nan_to_num(costs, nan=_UNKNOWN, posinf=_UNKNOWN)
        kept = numpy.zeros(len(costs), bool)
        for workload in numpy.unique(columns["workload"]):
            own = columns["workload"] == workload
            kept[own] = frontier(costs[own])
        self._columns = {name: values[kept] for name, values in columns.items()}

    def rows(self) -> tuple[dict[str, Any], ...]:
        """As dictionaries by column, workload by workload as they came, the quickest of each first;
        None what isn't known."""
        found = []
        order = numpy.lexsort((self._columns["time_per_item_s"], self._columns["workload"]))
        for index in order:
            row = {name: values[index].item() for name, values in self._columns.items()}
            row |= dict(zip(COLUMNS, self._labels[row.pop("label")]))
            row |= {name: None for name in MAY_LACK if row[name] != row[name]}  # NaN
            found.append(row)
        return tuple(found)
