"""`train`: the loop that feeds a step, counts, shows, saves and ends."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from .. import arguments
from .._core import Error, Profile, RecordError, Trace, default_threads
from ..datasets import Dataset
from .given import (
    Rate,
    check_others,
    dataset_of,
    path_of,
    read_state,
    saving,
    trace_of,
    usual_rate,
)
from .progress import Bar, Interrupts, Progress, Silent
from .recorder import Recorder
from .saved_run import SavedRun, describe, write_run
from .step import Step
from .weights import load_weights


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
    learning_rate: Rate | None = None,
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
                   or None for a sample; `tokenizer` a folder of GPT-2's vocab.json and merges.txt,
                   `seed` of the order: both of a path or a sample alone.
    learning_rate: a number from 0, or a function of the step's number (from 0); without one a
                   trace's own, and 0.001 for a model's id.
    weights:       a .safetensors file, also of others' names, or arrays by parameter; the
                   model's published initialisation otherwise, also of adapters that aren't there.
    state:         the run's own .safetensors file: read where it exists, so that the run goes on
                   exactly where it was saved; written at the end, on Ctrl-C and after each
                   `save_every` steps, whole or not at all; not once the loss is no number any
                   more, which ends the run. Where it exists `weights` are left.
    given:         of an id, as of `workload`: sizes, precision, lora, checkpoint, accumulate...
    Raises:        ArgumentError, UnknownNameError; RecordError for files that aren't what they
                   should be; Error where the state cannot be written, whose `run` is then what
                   training gave.
    """
    total = arguments.whole("train", "steps", steps, 1, arguments.LARGEST_COUNT)
    every = saving(save_every, state)
    check_others(learning_rate, threads, show)
    trace = trace_of(train, step, given)
    dataset = dataset_of(trace, data, tokenizer, seed)
    run = read_state(state, describe(trace), dataset, total)
    bound = Step(trace, engine, threads)
    if run.step:
        _restore(bound, run, state)
    elif weights is not None:
        load_weights(bound, weights)
    rate = usual_rate(step) if learning_rate is None else learning_rate
    loop = _Loop(bound, dataset, run, path_of("state", state), rate, engine, threads)
    return loop.run(total, every, show)


def _restore(bound: Step, run: SavedRun, state: str | Path | None) -> None:
    """Parameters and states as they were saved, all of them."""
    if missing := [name for name in bound.arrays if name not in run.tensors]:
        needed = "needed: every parameter and state, as `train` saves them"
        raise RecordError(f"[train] {state}: no tensor {missing[0]!r}; {needed}")
    for name, value in run.tensors.items():
        if name in bound.arrays and value.dtype != (dtype := bound.arrays[name][0].dtype):
            needed = f"needed: {dtype}, as `train` saves it"
            raise RecordError(f"[train] {state}: {name} is {value.dtype}; {needed}")
        bound.write(name, value)
    run.tensors.clear()


class _Loop:
    def __init__(
        self,
        step: Step,
        dataset: Dataset,
        run: SavedRun,
        state: Path | None,
        rate: Rate | None,
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
            failed = None if self._diverged else self._last_save()
        stopped = "done" if self._run.step >= total else "interrupted"
        stopped = "diverged" if self._diverged else stopped
        profile = recorder.profile(
            self._engine, self._facts, f"{stopped} after {self._run.step} steps"
        )
        run = TrainingRun(
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
        if failed is not None:
            failed.run = run  # type: ignore[attr-defined]
            raise failed
        return run

    def _last_save(self) -> Error | None:
        """What went wrong, if anything did: the steps that were done aren't lost with it."""
        try:
            self._save()
        except Error as error:
            return error
        return None

    def _is_over(self, total: int) -> bool:
        return self._diverged or self._run.step >= total

    def _one(self, recorder: Recorder) -> float:
        """One step and its seconds, data and all."""
        recorder.begin()
        begin_s = time.perf_counter()
        number = self._run.step
        rate = self._rate(number) if callable(self._rate) else self._rate
        if self._rate is not None:
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
