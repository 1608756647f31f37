"""Measuring a machine through a backend: a device file whose every number was measured here."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from . import _core, arguments
from ._core import Device, Error, Profile, Sampling, Trace
from .calibration_device import build_device, capacity_bytes
from .calibration_plan import (
    FORMATS,
    MOST_KERNELS,
    Kernel,
    kernels,
    kernels_in,
    memory_levels,
)
from .calibration_samples import Measured, Runner, cache_bytes, measure, notes_of
from .capacity import free_bytes
from .environment import environment
from .names import unknown_name
from .quantity import counted
from .rest import Usage, usage
from .run import run
from .targets import chosen_names

# Each kernel is measured in so many rounds, so that a disturbance of some seconds meets none of
# them in all.
_ROUNDS = 3
# Of a kernel's share of the budget; the rest is setting up.
_SAMPLED_PART = 0.7
# Below so many working sets of a stream nothing tells where the cache ends.
_FEWEST_LEVELS = 3
_PRODUCT = "matrix_product"
BUDGET_S = 60.0  # for each precision


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

    @property
    def free_bytes(self) -> float | None:
        return free_bytes()

    def measure(self, trace: Trace, sampling: Sampling) -> Profile:
        return run(trace, "cpu", sampling=sampling)

    def facts(self) -> dict[str, str]:
        return environment()

    def usage(self) -> Usage | None:
        return usage()


RUNNERS: dict[str, Callable[[], Runner]] = {"cpu": _Cpu}


def calibrate(
    backend: str = "cpu", budget_s: float | None = None, precisions: Sequence[str] = ("fp32",)
) -> Device:
    """Measures this machine for about `budget_s` seconds, by default 60 for each precision, and
    returns it as a Device, for steps in `precisions`: fp32, which is always among them, fp64,
    amp-bf16, amp-fp16.

    At most 64 kernels of each: products in the three layouts of training and with a vector,
    convolutions, attention, normalisations, losses, sums, a gather, a sort, streams by working set;
    for 16 bits casts, too. Of what streams a call larger than the cache as well, where memory and
    time allow one. Every number of the device is measured, or fitted and states its residual.
    Ctrl-C ends it early and keeps what was measured, from 8 kernels on. A kernel that fails, as
    where memory is short, is left out.
    Warns:  CalibrationWarning when the machine was noisy, slowed down or interrupted, and for what
            was left out.
    Raises: UnknownNameError, ArgumentError; Error where too little could be measured.
    """
    found = calibration(backend, budget_s, precisions)
    for note in found.notes:
        warnings.warn(note, CalibrationWarning, stacklevel=2)
    return found.device


def calibration(
    backend: str = "cpu", budget_s: float | None = None, precisions: Sequence[str] = ("fp32",)
) -> Calibration:
    """The same with its cost and its notes."""
    if arguments.text("calibrate", "backend", backend) not in RUNNERS:
        raise unknown_name("backend", backend, sorted(RUNNERS))
    formats = _formats(precisions)
    if budget_s is None:
        budget_s = BUDGET_S * (1 + len(formats))
    budget_s = arguments.real("calibrate", "budget_s", budget_s)
    if not 1.0 <= budget_s <= 86400.0:
        raise arguments.refused("calibrate", "budget_s", budget_s, "1 to 86400 seconds")
    return calibrated(RUNNERS[backend](), budget_s, formats)


def _formats(precisions: Sequence[str]) -> list[str]:
    """The formats that the precisions need besides float32, each once."""
    named = chosen_names("calibrate", "precisions", precisions, list(FORMATS))
    return [dtype for name, dtype in FORMATS.items() if dtype and name in named]


def calibrated(
    runner: Runner,
    budget_s: float,
    formats: Sequence[str] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> Calibration:
    """Calibrates whatever `runner` runs, in float32 and in `formats`; `clock` tells seconds."""
    start_s = clock()
    facts = runner.facts()
    capacity_bytes(facts)  # what it lacks is told before the work
    found: list[Measured] = []
    failed: dict[str, str] = {}
    levels = memory_levels(runner.last_cache_bytes, runner.free_bytes)
    plan = [*levels, *kernels()][:MOST_KERNELS]
    for dtype in formats:
        plan += kernels_in(dtype)[:MOST_KERNELS]
    ended = _measure_all(runner, plan, found, failed, start_s + budget_s, budget_s, clock)
    used_s = max(0.0, clock() - start_s)
    _check_enough(found, failed)
    device = build_device(runner.vendor, runner.framework, facts, found, date.today().isoformat())
    if failed:
        first = next(iter(failed.values()))
        ended.append(f"left out, in some rounds or all: {', '.join(failed)} ({first})")
    return Calibration(device, used_s, len(found), [*ended, *notes_of(found)])


def _measure_all(
    runner: Runner,
    plan: list[Kernel],
    found: list[Measured],
    failed: dict[str, str],
    end_s: float,
    budget_s: float,
    clock: Callable[[], float],
) -> list[str]:
    """Fills `found`, and `failed` by op with why; returns what cut it short, if anything did."""
    share_s = _SAMPLED_PART * budget_s / (_ROUNDS * len(plan))
    cache: float | None = None
    try:
        while (index := _next(found, len(plan))) is not None:
            if clock() >= end_s and len(found) >= _needed(plan):
                break
            kernel = plan[index]
            if cache is None and not kernel.working_set_bytes:
                cache = cache_bytes(_levels(found))
            known = found[index] if index < len(found) else None
            sample = _tried(runner, kernel, cache or 0.0, share_s, known)
            if isinstance(sample, Measured):
                _keep(found, index, sample)
                continue
            failed.setdefault(kernel.op, sample)
            if index == len(found):
                del plan[index]
            else:  # what its other rounds took is kept
                found[index].attempts += 1
    except KeyboardInterrupt as reason:
        if len(found) < _needed(plan):
            reason.add_note(f"kernels measured: {len(found)}; a device takes {_needed(plan)}")
            raise
        return [f"interrupted after {counted(len(found), 'kernel')}; what was measured is kept"]
    if len(found) < len(plan):
        return [f"the budget was spent after {len(found)} of {len(plan)} kernels"]
    return []


def _tried(
    runner: Runner, kernel: Kernel, cache: float, share_s: float, known: Measured | None
) -> Measured | str:
    """What it took, or why that isn't known: the other kernels are not lost with one, whatever a
    backend has to say of it."""
    try:
        return measure(runner, kernel, cache, share_s, known)
    except Exception as reason:
        return str(reason) or type(reason).__name__


def _keep(found: list[Measured], index: int, sample: Measured) -> None:
    if index == len(found):
        found.append(sample)
    else:
        found[index].add(sample)


def _levels(found: Sequence[Measured]) -> list[Measured]:
    return [each for each in found if each.kernel.working_set_bytes]


def _needed(plan: Sequence[Kernel]) -> int:
    """With fewer there is no device to speak of."""
    return sum(kernel.working_set_bytes is not None for kernel in plan) + 3


def _check_enough(found: Sequence[Measured], failed: Mapping[str, str]) -> None:
    """Raises: Error where too much of the machine could not be measured."""
    levels = len(_levels(found))
    calls = [each.trace.calls[0] for each in found]
    products = sum(call.op_class == _PRODUCT and call.dtype == "float32" for call in calls)
    if levels < _FEWEST_LEVELS or not products:
        raise Error(
            f"[calibrate] {levels} working sets of a stream and {products} products could be "
            f"measured; {_FEWEST_LEVELS} and 1 are needed; {next(iter(failed.values()))}"
        )


def _next(found: Sequence[Measured], count: int) -> int | None:
    """The kernel to measure next: one that never was, else the one with the fewest rounds; once all
    have theirs, one that was disturbed in each. None when there is nothing left to do."""
    if len(found) < count:
        return len(found)
    least = min(range(count), key=lambda i: found[i].attempts, default=None)
    if least is None:
        return None
    if found[least].attempts < _ROUNDS:
        return least
    again = [i for i in range(count) if found[i].disturbed and found[i].attempts < 4 * _ROUNDS]
    return min(again, key=lambda i: found[i].attempts) if again else None
