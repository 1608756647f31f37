"""Which machine for a job: every device predicted, ranked, and said why."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _core, arguments
from ._core import ArgumentError, Causes, DeviceError, DtypeError, Model, Profile, Trace
from .capacity import beyond_note, memory_of
from .lowerings import lowered, own_lowering
from .predict import model
from .quantity import scaled
from .targets import Devices, chosen_targets
from .workloads import check_keywords, check_model
from .workloads import workload as build


@dataclass(frozen=True)
class Advice:
    """One machine for the job.

    fits:          whether what is predicted to be needed is no more than a step may take there;
                   None where the step can't be predicted (a format that the machine lacks, a host
                   that nothing is known of), and then there is no time either.
    energy_joules: None where it isn't predicted; price_usd: None where it isn't known, of the card
                   or processor alone, but of the whole machine for Apple.
    why:           what decides its place: too little memory, or what slows it down; and where not
                   all of the memory's interval fits.
    Intervals are `predict`'s, of 90 %; None where it has none.
    """

    device: str
    framework: str
    fits: bool | None
    time_s: float | None
    interval_s: tuple[float, float] | None
    peak_memory_bytes: int | None
    peak_memory_interval_bytes: tuple[float, float] | None
    energy_joules: float | None
    energy_interval_joules: tuple[float, float] | None
    price_usd: float | None
    why: str


def advise(
    workload: str,
    *,
    devices: Devices | None = None,
    frameworks: str | Iterable[str] | None = None,
    **given: Any,
) -> list[Advice]:
    """Machines for a step of `workload`, the best first: those that it fits by time, then the rest.

    Arguments: devices ids, vendors, paths of device files or Devices, all that ship by default;
               frameworks ids, each vendor's own by default; given as `workload` takes it (batch,
               seq, precision, optimizer, lora...).
    Raises:    as `workload` and `predict`; a device that the step can't be predicted on, for a
               format or a host that nothing is known of, is a row that says so; ArgumentError
               where every one is. Warns of frameworks that run on none of the devices, and of
               devices that none of the frameworks runs on.
    """
    rows, left_out = advised(workload, devices, frameworks, given)
    if left_out:
        warnings.warn(f"[advise] left out: {'; '.join(left_out)}", stacklevel=2)
    return rows


def advised(
    workload: str,
    devices: Devices | None,
    frameworks: str | Iterable[str] | None,
    given: Mapping[str, Any],
) -> tuple[list[Advice], tuple[str, ...]]:
    """What `advise` gives, and what it warns of."""
    check_model("advise", "workload", workload)
    if "framework" in given:  # else every machine would run the kernels of that one
        need = "frameworks=... is needed in its place"
        raise arguments.refused("advise", "framework", given["framework"], need)
    check_keywords(advise, [workload], given, ("framework",))
    chosen = chosen_targets("advise", devices, frameworks)
    step = build(workload, **given)
    found: list[tuple[Model, Trace, Profile | None, str]] = []
    for target in chosen.targets:
        machine = model(*target)
        trace = lowered(step, own_lowering(target[1]))
        try:
            found.append((machine, trace, machine.predict(trace), ""))
        except (DtypeError, DeviceError) as reason:
            found.append((machine, trace, None, str(reason)))
    found.sort(key=_rank)
    if found[0][2] is None:
        raise ArgumentError(f"[advise] {workload}: nothing can be predicted; {found[0][3]}")
    return [_advice(*entry, first=found[0]) for entry in found], chosen.left_out


def _rank(entry: tuple[Model, Trace, Profile | None, str]) -> tuple[int, float]:
    machine, _, profile, _ = entry
    if profile is None:
        return 2, 0.0
    return int(not _fits(machine, profile)), profile.time_s


def _advice(
    machine: Model,
    trace: Trace,
    profile: Profile | None,
    reason: str,
    first: tuple[Model, Trace, Profile | None, str],
) -> Advice:
    price = machine.device.numbers.get("price.launch_usd")
    price_usd = None if price is None else price.value
    device, framework = machine.device.id, machine.framework.id
    if profile is None:
        unknown = (None, None, None, None, None, None, None)
        return Advice(device, framework, *unknown, price_usd, reason)
    return Advice(
        device,
        framework,
        _fits(machine, profile),
        profile.time_s,
        profile.interval,
        profile.peak_memory_bytes,
        profile.peak_memory_interval_bytes,
        profile.energy_joules,
        profile.energy_interval_joules,
        price_usd,
        _why(machine, trace, profile, first) + _unsure(machine, profile),
    )


def _why(
    machine: Model,
    trace: Trace,
    profile: Profile,
    first: tuple[Model, Trace, Profile | None, str],
) -> str:
    if not _fits(machine, profile):
        limit = scaled(memory_of(machine.device, machine.framework), "bytes", gib=False)
        return f"needs {scaled(_needed(profile), 'bytes', gib=False)}, may hold {limit}"
    best, best_trace, best_profile, _ = first
    if machine is best or best_profile is None:
        return f"the quickest that it fits; {_largest_part(profile)}"
    causes = _core.explain([best_trace] * 4 + [trace] * 4, best, machine)
    is_other = machine.device.id != best.device.id
    return _slower(causes, best.device.id if is_other else best.framework.id)


def _largest_part(profile: Profile) -> str:
    terms = profile.terms or {"launch": 0.0}
    largest = max(terms, key=terms.__getitem__)
    if terms[largest] > 0.5 * profile.time_s:
        return f"most of its time is {largest}"
    return f"the largest part of its time is {largest}"


def _slower(causes: Causes, best: str) -> str:
    most = max(causes.terms, key=lambda term: term.seconds)
    times = causes.to_s / causes.from_s
    return f"{times:.3g} x the time of {best}, most by {most.name} (+{scaled(most.seconds, 's')})"


def _unsure(machine: Model, profile: Profile) -> str:
    """What more `predict` says of a step that fits only as long as nothing is off."""
    limit = memory_of(machine.device, machine.framework)
    most = max(profile.peak_memory_interval_bytes or (_needed(profile),))
    if not _fits(machine, profile):
        return ""
    words = [beyond_note(profile, machine.device, machine.framework)]
    if most > limit:
        words.insert(
            0, f"fits in {scaled(limit, 'bytes', gib=False)}, not with all of its interval"
        )
    return "".join(f"; {word}" for word in words if word)


def _fits(machine: Model, profile: Profile) -> bool:
    return _needed(profile) <= memory_of(machine.device, machine.framework)


def _needed(profile: Profile) -> float:
    return float(profile.peak_memory_bytes or 0)
