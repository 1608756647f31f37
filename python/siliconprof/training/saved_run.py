"""A training run as a file: parameters, the optimizer's states, and how far it is."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from .. import safetensors
from .._core import ArgumentError, OpCall, RecordError, Trace
from .step import UPDATES

FORMAT = "siliconprof training run"
_LOSSES = "training.losses"
# Of `describe`: what the earliest files don't say, and what says nothing to a reader.
_OPTIMIZER = "optimizer"
_DIGEST = re.compile(r", [0-9a-f]{8}(?=, )")
_CALLS = ("calls", "the calls' digest")


def describe(trace: Trace) -> dict[str, Any]:
    """What two steps must have in common so that one goes on with the other's parameters."""
    inputs = {
        info.name: list(info.shape)
        for info in trace.tensors
        if info.is_given and "." not in info.name
    }
    calls = [
        (call.op, call.dtype, sorted(call.dims.items()), _attributes(call)) for call in trace.calls
    ]
    return {
        "workload": trace.label,
        **inputs,
        "parameters": trace.parameters,
        "trained parameters": trace.trained_parameters,
        _OPTIMIZER: " and ".join(sorted({call.op for call in trace.calls if call.op in UPDATES})),
        _CALLS[0]: len(calls),
        _CALLS[1]: hashlib.sha256(json.dumps(calls).encode()).hexdigest()[:16],
    }


def _attributes(call: OpCall) -> list[tuple[str, float]]:
    """Those that don't change from step to step."""
    moving = ("learning_rate", "step", "seed")
    return sorted((name, value) for name, value in call.attributes.items() if name not in moving)


@dataclass
class SavedRun:
    """described: the step, as of `describe`; data: what it is trained on.

    updates: steps that changed the parameters; the losses are one a step.
    """

    described: dict[str, Any]
    data: str
    losses: list[float] = field(default_factory=list)
    updates: int = 0
    tensors: dict[str, numpy.ndarray] = field(default_factory=dict)

    @property
    def step(self) -> int:
        """Steps that were done."""
        return len(self.losses)

    def check_same(self, other: SavedRun, path: Path) -> None:
        """Raises: ArgumentError where the file is of another run, saying in what."""
        found = {**self.described, "data": self.data}
        wanted = {**other.described, "data": other.data}
        for name in [*wanted, *found]:
            if found.get(name) == wanted.get(name) or (name == _OPTIMIZER and name not in found):
                continue
            if name == "data" and found[name] == _DIGEST.sub("", wanted[name]):
                continue
            by, need = f"with {name} = {found.get(name)!r}", f"{wanted.get(name)!r}"
            if name in _CALLS:
                by = "by a step of other operations"
                need = "the same optimizer, precision and options (as dropout, clip or checkpoint)"
            raise ArgumentError(
                f"[train] {path} was saved {by}; needed: {need}, or another file to save to"
            )


def write_run(path: Path, run: SavedRun) -> None:
    """Replaces the file in one step: a run that is killed leaves the one before.

    Raises: Error naming the path.
    """
    metadata = {
        "format": FORMAT,
        "described": json.dumps(run.described),
        "data": run.data,
        "updates": str(run.updates),
    }
    losses = numpy.array(run.losses, numpy.float64)
    safetensors.write(path, {_LOSSES: losses, **run.tensors}, metadata)


def read_run(path: Path) -> SavedRun:
    """Raises: RecordError naming the file and what is wrong with it."""
    tensors, metadata = safetensors.read(path)
    try:
        if metadata["format"] != FORMAT:
            raise ValueError(metadata["format"])
        described, updates = dict(json.loads(metadata["described"])), int(metadata["updates"])
        losses = tensors.pop(_LOSSES)
        if losses.ndim != 1 or losses.dtype != numpy.float64 or not 0 <= updates <= len(losses):
            raise ValueError(f"{losses.dtype} {losses.shape}, {updates} updates")
        return SavedRun(described, metadata["data"], losses.tolist(), updates, tensors)
    except (KeyError, TypeError, ValueError):
        needed = "needed: a file that `train` saved; others' weights are given as `weights`"
        raise RecordError(f"[train] {path}: no saved run; {needed}") from None
