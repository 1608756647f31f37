"""Measuring a machine through a backend: a device file whose every number was measured here."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from . import _core, arguments
from ._core import Device, Profile, Sampling, Trace
from .calibration_device import build_device
from .calibration_plan import MOST_KERNELS, kernels, memory_levels
from .calibration_samples import Measured, Runner, cache_bytes, measure, notes_of
from .environment import environment
from .names import unknown_name
from .rest import Usage, usage
from .run import run

# Each kernel is measured in so many rounds, so that a disturbance of some seconds meets none of
# them in all.
_ROUNDS = 3
# Of a kernel's share of the budget; the rest is setting up.
_SAMPLED_PART = 0.7


class CalibrationWarning(UserWarning):
    """The machine was not at rest while it was calibrated, or the calibration was cut short."""


@dataclass
class Calibration:
    """What a calibration found, and how it went."""

    device: Device
    seconds_used: float
    kernels_measured: int
    notes: list[str] = field(default_factory=list)


class _Cpu:
    """This machine's CPU through its own engine."""

    vendor = "cpu"
    framework = "native"

    @property
    def last_cache_bytes(self) -> float:
        return float(_core.last_level_cache_bytes())

    def measure(self, trace: Trace, sampling: Sampling) -> Profile:
        return run(trace, "cpu", sampling=sampling)

    def facts(self) -> dict[str, str]:
        return environment()

    def usage(self) -> Usage | None:
        return usage()


RUNNERS: dict[str, Callable[[], Runner]] = {"cpu": _Cpu}


def calibrate(backend: str = "cpu", budget_s: float = 60.0) -> Device:
    """Measures this machine for about `budget_s` seconds and returns it as a Device.

    At most 64 kernels: products in the three layouts of training, convolutions, attention,
    normalisations, losses, streams by working set. Every number of the device is measured, or
    fitted and states its residual. Ctrl-C ends it early and keeps what was measured, from 8 kernels
    on.
    Warns:  CalibrationWarning when the machine was noisy, slowed down or interrupted.
    Raises: UnknownNameError, ArgumentError.
    """
    found = calibration(backend, budget_s)
    for note in found.notes:
        warnings.warn(note, CalibrationWarning, stacklevel=2)
    return found.device


def calibration(backend: str = "cpu", budget_s: float = 60.0) -> Calibration:
    """The same with its cost and its notes."""
    if arguments.text("calibrate", "backend", backend) not in RUNNERS:
        raise unknown_name("backend", backend, sorted(RUNNERS))
    budget_s = arguments.real("calibrate", "budget_s", budget_s)
    if not 1.0 <= budget_s <= 86400.0:
        raise arguments.refused("calibrate", "budget_s", budget_s, "1 to 86400 seconds")
    return calibrated(RUNNERS[backend](), budget_s)


def calibrated(
    runner: Runner, budget_s: float, clock: Callable[[], float] = time.perf_counter
) -> Calibration:
    """Calibrates whatever `runner` runs; `clock` tells seconds."""
    start_s = clock()
    found: list[Measured] = []
    ended = _measure_all(runner, found, start_s + budget_s, clock)
    used_s = clock() - start_s
    device = build_device(
        runner.vendor, runner.framework, runner.facts(), found, date.today().isoformat()
    )
    return Calibration(device, used_s, len(found), [*ended, *notes_of(found)])


def _measure_all(
    runner: Runner, found: list[Measured], end_s: float, clock: Callable[[], float]
) -> list[str]:
    """Fills `found`; returns what cut it short, if anything did."""
    levels, rest = memory_levels(runner.last_cache_bytes), kernels()
    plan = [*levels, *rest][:MOST_KERNELS]
    needed = len(levels) + 3  # with fewer there is no device to speak of
    share_s = (end_s - clock()) / (_ROUNDS * len(plan))
    cache = cache_bytes([])
    try:
        while (index := _next(found, len(plan))) is not None:
            if clock() >= end_s and len(found) >= needed:
                break
            sample = measure(runner, plan[index], cache, _SAMPLED_PART * share_s)
            if index == len(found):
                found.append(sample)
            else:
                found[index].add(sample)
            if index == len(levels) - 1:
                cache = cache_bytes(found[: len(levels)])
    except KeyboardInterrupt as reason:
        if len(found) < needed:
            reason.add_note(f"kernels measured: {len(found)}; a device takes {needed}")
            raise
        return [f"interrupted after {len(found)} kernels; what was measured is kept"]
    if len(found) < len(plan):
        return [f"the budget was spent after {len(found)} of {len(plan)} kernels"]
    return []


def _next(found: Sequence[Measured], count: int) -> int | None:
    """The kernel to measure next: one that never was, else the one with the fewest rounds; once all
    have theirs, one that was disturbed in each. None when there is nothing left to do."""
    if len(found) < count:
        return len(found)
    least = min(range(count), key=lambda i: found[i].attempts)
    if found[least].attempts < _ROUNDS:
        return least
    again = [i for i in range(count) if found[i].disturbed and found[i].attempts < 4 * _ROUNDS]
    return min(again, key=lambda i: found[i].attempts) if again else None
