"""One training step, bound once and run as often as wanted: what a trace cannot say by itself.

A trace has no branches and its attributes are constants. Here the optimizer's step count and
learning rate and the seeds of dropout advance, and an update whose gradients overflowed is left
out, as PyTorch's GradScaler does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy

from .._core import ArgumentError, OpCall, Trace
from ..names import unknown_name
from ..run import bind

UPDATES = ("adamw", "sgd")


class Step:
    """A whole training step, its parameters and the optimizer's states.

    `arrays`: name → arrays over the memory of that parameter or state; several where the host and
    the device have a copy each. Writing to them changes what the next step reads.
    `seeds`: each call of dropout and its number among the masks of a step.
    Raises: ArgumentError for a trace without an optimizer; what `sp.bind` raises.
    """

    def __init__(self, trace: Trace, engine: str = "openblas", threads: int | None = None) -> None:
        self.trace = trace
        self.calls = trace.calls
        self._updates = [i for i, call in enumerate(self.calls) if call.op in UPDATES]
        if not self._updates:
            needed = "needed: a step of a model with optimizer 'adamw' or 'sgd'"
            raise ArgumentError(f"[train] '{trace.label}' has no optimizer; {needed}")
        self.seeds = _seeds(self.calls)
        self._masks = len({seed for _, seed in self.seeds})
        self.bound = bind(trace, engine=engine, threads=threads)
        self.inputs: dict[str, numpy.ndarray] = {}
        self.arrays: dict[str, list[numpy.ndarray]] = {}
        self.parameters: list[str] = []
        self._name_tensors()
        self._overflowed = self._overflow_flag()
        self._ranges = self._split() if self._overflowed is not None else [(0, len(trace), False)]
        self._loss = self.bound.results[0]
        self._learning_rate = math.nan
        self.skipped = False

    def set_learning_rate(self, rate: float) -> None:
        """From the next step on."""
        if rate == self._learning_rate:
            return
        for call in self._updates:
            self.bound.set_attribute(call, "learning_rate", rate)
        self._learning_rate = rate

    def run(self, number: int, updates: int, batch: Mapping[str, Any]) -> float:
        """The loss of step `number` (from 0), the `updates` before it not left out.

        `batch` has an array for every input, of its shape. `skipped` says afterwards whether the
        gradients overflowed and the parameters stayed as they were.
        """
        self._write(batch)
        for call in self._updates:
            if self.calls[call].op == "adamw":
                self.bound.set_attribute(call, "step", updates + 1.0)
        for call, seed in self.seeds:
            self.bound.set_attribute(call, "seed", float(seed + number * self._masks))
        self.skipped = False
        for begin, end, is_update in self._ranges:
            if is_update and self._overflowed is not None and self._overflowed[0] > 0:
                self.skipped = True
                self.bound.seconds[begin:end] = 0.0
            else:
                self.bound.run(begin, end)
        return float(self._loss[0])

    def _write(self, batch: Mapping[str, Any]) -> None:
        for name, array in self.inputs.items():
            if name not in batch:
                raise ArgumentError(f"[train] the data have no {name!r}; needed: {[*self.inputs]}")
            found = batch[name]
            if found.shape != array.shape:
                needed = f"needed: {array.shape}, as the step was built for"
                raise ArgumentError(f"[train] {name} of the data has shape {found.shape}; {needed}")
            if found.dtype.kind not in "biuf":
                needed = f"needed: {array.dtype}, or numbers that it can hold"
                raise ArgumentError(f"[train] {name} of the data is {found.dtype}; {needed}")
            with numpy.errstate(all="ignore"):  # what becomes another number is told below
                array[...] = found
            whole = array.dtype.kind == "i"
            changed = array != found if whole else numpy.isinf(array) & numpy.isfinite(found)
            if (others := found[changed]).size:
                needed = f"needed: numbers that {array.dtype} has"
                raise ArgumentError(f"[train] {name} of the data holds {others[0]}; {needed}")

    def _name_tensors(self) -> None:
        for id, info in enumerate(self.trace.tensors):
            if info.is_view:
                continue
            if info.is_given:
                self.inputs[info.name] = self.bound.tensor(id)
            elif info.role in ("parameter", "optimizer_state"):
                if info.role == "parameter":
                    self.parameters.append(info.name)
                self.arrays.setdefault(info.name, []).append(self.bound.tensor(id))

    def _overflow_flag(self) -> numpy.ndarray | None:
        """Where the step says that a gradient was infinite; None without loss scaling."""
        for call in self.calls:
            if call.op == "unscale":
                return self.bound.tensor(call.outputs[1])
        return None

    def _split(self) -> list[tuple[int, int, bool]]:
        """Ranges of calls that are updates, and ranges that are not."""
        ranges: list[tuple[int, int, bool]] = []
        for i, call in enumerate(self.calls):
            is_update = call.op in UPDATES
            if ranges and ranges[-1][2] == is_update:
                ranges[-1] = (ranges[-1][0], i + 1, is_update)
            else:
                ranges.append((i, i + 1, is_update))
        return ranges

    def write(self, name: str, value: numpy.ndarray) -> None:
        """Sets a parameter or a state. Raises: UnknownNameError, ArgumentError for its shape."""
        if name not in self.arrays:
            raise unknown_name("parameter or state", name, [*self.arrays])
        for array in self.arrays[name]:
            if array.shape != value.shape:
                raise ArgumentError(
                    f"[train] {name} has shape {value.shape}; needed: {array.shape}"
                )
            array[...] = value


def _seeds(calls: list[OpCall]) -> list[tuple[int, int]]:
    """Each call of dropout and a seed from 0: one for the calls of the trace that share a seed, as
    a gradient does with its forward call, and another one in each micro-batch."""
    numbers: dict[tuple[float, int], int] = {}
    micro_batches: dict[float, int] = {}
    made = []
    for i, call in enumerate(calls):
        if call.op != "dropout":
            continue
        seed = call.attributes["seed"]
        if call.phase == "forward":
            micro_batches[seed] = micro_batches.get(seed, 0) + 1
        key = (seed, micro_batches.get(seed, 0))
        made.append((i, numbers.setdefault(key, len(numbers))))
    return made
