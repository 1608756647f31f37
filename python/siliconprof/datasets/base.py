"""What all datasets share: batches by number, each epoch in an order of its own."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy

from .. import arguments
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


@dataclass(frozen=True)
class GivenBatches:
    """A caller's own batches: by its `description`, or by the name of its class."""

    description: str
    batch: Callable[[int], Batch]


def given_dataset(place: str, data: Any) -> GivenBatches:
    """A dataset of any object that has `batch(index)`. Raises: ArgumentError; `place` asks."""
    batch = getattr(data, "batch", None)
    if isinstance(data, type) or not callable(batch):
        need = "a path, or an object with batch(index), is needed"
        raise arguments.refused(place, "data", data, need)
    named = getattr(data, "description", None)
    if named is None:
        named = f"batches of {type(data).__qualname__}"
    description = arguments.text(place, "description of the data", named)

    def checked(index: int) -> Batch:
        found = batch(index)
        if not isinstance(found, Mapping):
            need = "an array for each input of the step, by name, is needed"
            raise arguments.refused(place, f"batch({index}) of the data", found, need)
        for name, array in found.items():
            if not isinstance(array, numpy.ndarray):
                raise arguments.refused(place, f"{name} of the data", array, "an array is needed")
            arguments.unmasked(place, f"{name} of the data", array)
        return found

    return GivenBatches(description, checked)


def name_of(path: Path) -> str:
    """A file's name as a text that descriptions can hold: bytes that are no UTF-8 as "\\xff"."""
    return os.fsencode(path.name).decode(errors="backslashreplace")


def digest(*contents: bytes | numpy.ndarray) -> str:
    """Eight digits that tell data from others of the same name and size."""
    found = 0
    for content in contents:
        held = content if isinstance(content, bytes) else numpy.ascontiguousarray(content).data
        found = zlib.crc32(held, found)
    return f"{found:08x}"


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
