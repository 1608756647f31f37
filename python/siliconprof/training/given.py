"""What `train` is given, checked and made into what the loop runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .. import arguments
from .._core import ArgumentError, Trace
from ..atomic import check_writable
from ..datasets import Dataset, open_dataset
from ..datasets.base import given_dataset
from ..workloads import check_keywords, check_model, workload
from .saved_run import SavedRun, read_run

Rate = float | Callable[[int], float]

USUAL_RATE = 1e-3


def usual_rate(step: str | Trace) -> float | None:
    """Where none is given: None for a trace, whose updates have their own."""
    return USUAL_RATE if isinstance(step, str) else None


def trace_of(train: Callable[..., Any], step: str | Trace, given: Mapping[str, Any]) -> Trace:
    """A model's by its id, with what is given besides, or the one that is given."""
    if isinstance(step, str):
        check_model("train", "step", step)
        check_keywords(train, [step], given)
        return workload(step, **given)
    if given:
        needed = "of a trace everything is said already; give a model's id with it"
        raise arguments.refused("train", *next(iter(given.items())), needed)
    return arguments.instance("train", "step", step, Trace)


def dataset_of(
    trace: Trace, data: str | Path | Dataset | None, tokenizer: str | Path | None, seed: int
) -> Dataset:
    """A caller's own object, what a path leads to, or a sample."""
    seed = arguments.whole("train", "seed", seed, 0, arguments.LARGEST_SIZE)
    if data is not None and not isinstance(data, (str, os.PathLike)):
        for name, value, usual in (("tokenizer", tokenizer, None), ("seed", seed, 0)):
            if value != usual:
                need = "data as a path, or none, is needed with it; an object has its own"
                raise arguments.refused("train", name, value, need)
        return given_dataset("train", data)
    return open_dataset(trace, path_of("data", data), path_of("tokenizer", tokenizer), seed)


def path_of(name: str, value: str | Path | None) -> Path | None:
    """Nothing of None."""
    return None if value is None else arguments.path("train", name, value)


def saving(value: int | None, state: str | Path | None) -> int | None:
    """After how many steps each; None for at the end alone."""
    if value is None:
        return None
    count = arguments.whole("train", "save_every", value, 1, arguments.LARGEST_COUNT)
    if state is None:
        raise arguments.refused("train", "save_every", count, "state, a file to save to, is needed")
    return count


def check_others(rate: Rate | None, threads: int | None, show: bool) -> None:
    """Before a step is made; a function's rates are looked at one by one."""
    arguments.threads("train", threads)
    arguments.truth("train", "show", show)
    if rate is not None and not callable(rate):
        arguments.real("train", "learning_rate", rate, 0.0)


def read_state(
    state: str | Path | None, described: dict[str, Any], dataset: Dataset, steps: int
) -> SavedRun:
    """What the file holds of this very run, of less than `steps` steps; a run of none where there
    is no file yet."""
    path = path_of("state", state)
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
    if found.step >= steps:
        done = f"{path} has done {found.step} steps"
        needed = f"needed: more than {found.step}, or another file"
        raise ArgumentError(f"[train] steps = {steps}: {done}; {needed}")
    return found
