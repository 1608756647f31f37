"""`train`: the loop that feeds a step, counts, shows, saves and ends."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from .. import arguments
from .._core import ArgumentError, Profile, RecordError, Trace, default_threads
from ..atomic import check_writable
from ..datasets import Dataset, open_dataset
from ..datasets.base import given_dataset
from ..workloads import check_keywords, check_model, workload
from .progress import Bar, Interrupts, Progress, Silent
from .recorder import Recorder
from .saved_run import SavedRun, describe, read_run, write_run
from .step import Step
from .weights import load_weights

Rate = float | Callable[[int], float]


@dataclass
class TrainingRun:
    """What training gave.

    losses:      of every step, from the first one of the run on, resumed or not.
    skipped:     steps whose gradients overflowed, so that the parameters stayed.
    stopped:     "done", "interrupted", or "diverged": the last loss is no finite number, and nor
                 are the parameters that its step left.
    saved_step:  the step that the state file stands at; None where nothing was saved.
    profile:     measured: what steps, phases and calls of this process took.
    items_per_s: trained tokens, or images where `item` says so, over the median step.
    weights:     name → array over the parameters as they are now.
    """

    trace: Trace
    losses: list[float]
    skipped: int
    stopped: str
    saved_step: int | None
    profile: Profile
    items_per_s: float
    item: str
    weights: Mapping[str, numpy.ndarray] = field(repr=False)


def train(
    step: str | Trace,
    /,
    *,
    steps: int = 100,
    data: str | Path | Dataset | None = None,
    tokenizer: str | Path | None = None,
    learning_rate: Rate = 1e-3,
    weights: str | Path | Mapping[str, numpy.ndarray] | None = None,
    state: str | Path | None = None,
    save_every: int | None = None,
    seed: int = 0,
    engine: str = "openblas",
    threads: int | None = None,
    show: bool = False,
    **given: Any,
) -> TrainingRun:
    """Trains on this CPU until `steps` steps are done, and says how it went.

    step:          a model's id, or a whole training step as `workload` makes it.
    data:          a path, an object with `batch(index)` (a resumed run compares its `description`),
                   or None for a sample; `tokenizer` a folder of GPT-2's vocab.json and merges.txt.
    learning_rate: a number from 0, or a function of the step's number (from 0).
    weights:       a .safetensors file, also of others' names, or arrays by parameter; the
                   model's published initialisation otherwise.
    state:         the run's own .safetensors file: read where it exists, so that the run goes on
                   exactly where it was saved; written at the end, on Ctrl-C and after each
                   `save_every` steps, whole or not at all; not once the loss is no number any
                   more, which ends the run. Where it exists `weights` are left.
    given:         of an id, as of `workload`: sizes, precision, lora, checkpoint, accumulate...
    Raises:        ArgumentError, UnknownNameError; RecordError for files that aren't what they
                   should be; Error where the state cannot be written.
    """
    total = arguments.whole("train", "steps", steps, 1, arguments.LARGEST_COUNT)
    every = _every(save_every, state)
    _check_others(learning_rate, threads, show)
    trace = _trace(step, given)
    dataset = _dataset(trace, data, tokenizer, seed)
    run = _read_state(state, describe(trace), dataset)
    if run.step >= total:
        needed = f"needed: more than {run.step}, or another file"
        raise ArgumentError(f"[train] steps = {total}: {state} has done {run.step} steps; {needed}")
    bound = Step(trace, engine, threads)
    if run.step:
        _restore(bound, run, state)
    elif weights is not None:
        load_weights(bound, weights)
    loop = _Loop(bound, dataset, run, _path("state", state), learning_rate, engine, threads)
    return loop.run(total, every, show)


def _restore(bound: Step, run: SavedRun, state: str | Path | None) -> None:
    """Parameters and states as they were saved, all of them."""
    if missing := [name for name in bound.arrays if name not in run.tensors]:
        needed = "needed: every parameter and state, as `train` saves them"
        raise RecordError(f"[train] {state}: no tensor {missing[0]!r}; {needed}")
    for name, value in run.tensors.items():
        bound.write(name, value)
    run.tensors.clear()


class _Loop:
    def __init__(
        self,
        step: Step,
        dataset: Dataset,
        run: SavedRun,
        state: Path | None,
        rate: Rate,
        engine: str,
        threads: int | None,
    ) -> None:
        self._step, self._dataset, self._run = step, dataset, run
        self._state, self._rate, self._engine = state, rate, engine
        self._saved_step = run.step or None
        self._diverged = False
        self._facts = {"threads": str(threads or default_threads()), "data": dataset.description}
        self._micro_batches = 1 + max(
            (int(name.rpartition(".")[2]) for name in step.inputs if "." in name), default=0
        )
        unit = "tokens" if "tokens" in step.inputs else "images"
        one = step.inputs[unit]
        rows = one.size if unit == "tokens" else len(one)
        self._unit, self._trained = unit, rows * self._micro_batches

    def run(self, total: int, every: int | None, show: bool) -> TrainingRun:
        progress: Progress = Bar(self._run.step, total, self._unit) if show else Silent()
        recorder = Recorder(self._step.trace)
        with Interrupts() as interrupts:
            try:
                while not recorder.steps or not (self._is_over(total) or interrupts.asked):
                    seconds = self._one(recorder)
                    progress.update(self._run.step, self._run.losses[-1], self._trained / seconds)
                    if every and self._run.step % every == 0 and not self._is_over(total):
                        self._save()
            finally:
                progress.close()
            if not self._diverged:
                self._save()
        stopped = "done" if self._run.step >= total else "interrupted"
        stopped = "diverged" if self._diverged else stopped
        profile = recorder.profile(
            self._engine, self._facts, f"{stopped} after {self._run.step} steps"
        )
        return TrainingRun(
            self._step.trace,
            self._run.losses,
            self._run.step - self._run.updates,
            stopped,
            self._saved_step,
            profile,
            self._trained / profile.time_s,
            self._unit,
            {name: self._step.arrays[name][0] for name in self._step.parameters},
        )

    def _is_over(self, total: int) -> bool:
        return self._diverged or self._run.step >= total

    def _one(self, recorder: Recorder) -> float:
        """One step and its seconds, data and all."""
        recorder.begin()
        begin_s = time.perf_counter()
        number = self._run.step
        rate = self._rate(number) if callable(self._rate) else self._rate
        self._step.set_learning_rate(arguments.real("train", "learning_rate", rate, 0.0))
        batch: dict[str, numpy.ndarray] = {}
        for micro in range(self._micro_batches):
            suffix = f".{micro}" if micro else ""
            found = self._dataset.batch(number * self._micro_batches + micro)
            batch |= {name + suffix: array for name, array in found.items()}
        loss = self._step.run(number, self._run.updates, batch)
        self._run.losses.append(loss)
        self._run.updates += not self._step.skipped
        # An update that was left out left the parameters as they were.
        self._diverged = not math.isfinite(loss) and not self._step.skipped
        seconds = time.perf_counter() - begin_s
        recorder.add(seconds, self._step.bound.seconds)
        return seconds

    def _save(self) -> None:
        if self._state is None:
            return
        self._run.tensors = {name: held[0] for name, held in self._step.arrays.items()}
        write_run(self._state, self._run)
        self._run.tensors = {}
        self._saved_step = self._run.step


def _trace(step: str | Trace, given: Mapping[str, Any]) -> Trace:
    if isinstance(step, str):
        check_model("train", "step", step)
        check_keywords(train, [step], given)
        return workload(step, **given)
    if given:
        needed = "of a trace everything is said already; give a model's id with it"
        raise arguments.refused("train", *next(iter(given.items())), needed)
    return arguments.instance("train", "step", step, Trace)


def _dataset(
    trace: Trace, data: str | Path | Dataset | None, tokenizer: str | Path | None, seed: int
) -> Dataset:
    if data is not None and not isinstance(data, (str, os.PathLike)):
        return given_dataset("train", data)
    seed = arguments.whole("train", "seed", seed, 0, arguments.LARGEST_SIZE)
    return open_dataset(trace, _path("data", data), _path("tokenizer", tokenizer), seed)


def _path(name: str, value: str | Path | None) -> Path | None:
    return None if value is None else arguments.path("train", name, value)


def _every(value: int | None, state: str | Path | None) -> int | None:
    if value is None:
        return None
    count = arguments.whole("train", "save_every", value, 1, arguments.LARGEST_COUNT)
    if state is None:
        raise arguments.refused("train", "save_every", count, "state, a file to save to, is needed")
    return count


def _check_others(rate: Rate, threads: int | None, show: bool) -> None:
    """Before a step is made; a function's rates are looked at one by one."""
    arguments.threads("train", threads)
    arguments.truth("train", "show", show)
    if not callable(rate):
        arguments.real("train", "learning_rate", rate, 0.0)


def _read_state(state: str | Path | None, described: dict[str, Any], dataset: Dataset) -> SavedRun:
    path = _path("state", state)
    fresh = SavedRun(described, dataset.description)
    if path is None:
        return fresh
    # Not Path.is_dir: that one raises where a folder can't be searched, or a name is too long.
    if not os.path.isdir(path.parent):
        raise arguments.refused("train", "state", str(path), "a file in a folder that is there")
    check_writable("train", path)
    if not os.path.exists(path):
        return fresh
    if not os.path.isfile(path):
        raise arguments.refused("train", "state", str(path), "a file that can be read again")
    found = read_run(path)
    found.check_same(fresh, path)
    return found
