"""What all datasets share: batches by number, each epoch in an order of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy

from .._core import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Batch = Mapping[str, "numpy.ndarray"]


class Dataset(Protocol):
    """Arrays for the inputs of a step, batch by batch.

    description: one line; a run that is resumed must find the same.
    """

    @property
    def description(self) -> str:
        """One line."""
        ...

    def batch(self, index: int) -> Batch:
        """The arrays of batch `index`, counted from 0, by the names of the step's inputs."""
        ...


class Order:
    """`items` things in a random order, another one in each epoch, by a running number."""

    def __init__(self, items: int, seed: int = 0) -> None:
        self._items = items
        self._seed = seed
        self._epoch = -1
        self._order: NDArray[numpy.int64] = numpy.empty(0, numpy.int64)

    def item(self, number: int) -> int:
        """The thing with the running number: of epoch number // items."""
        epoch, place = divmod(number, self._items)
        if epoch != self._epoch:
            random = numpy.random.default_rng([self._seed, epoch])
            self._epoch, self._order = epoch, random.permutation(self._items)
        return int(self._order[place])

    def items(self, index: int, batch: int) -> list[int]:
        """Those of batch `index`."""
        return [self.item(index * batch + row) for row in range(batch)]


def not_enough(place: str, what: str, found: int, needed: str) -> ArgumentError:
    """The error for data that can't fill a batch."""
    return ArgumentError(f"[{place}] {found} {what}; needed: {needed}")
