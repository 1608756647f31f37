"""Rows of whole training steps: predicted, or measured here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import DtypeError, Profile, Sampling, Trace
from ..predict import predict
from ..quantity import counted
from ..run import run
from .pairs import Target
from .points import HERE
from .table import Row

TIME, FORWARD, BACKWARD, OPTIMIZER = "step time", "forward", "backward", "optimizer"
MEMORY, ENERGY = "peak memory", "energy"
PAGING, FAULTS, RESIDENT = "paging", "page faults", "resident memory at the peak"
_COUNTERS = {FAULTS: "page_faults", RESIDENT: "resident_bytes"}
_PHASES = {FORWARD: "forward_s", BACKWARD: "backward_s", OPTIMIZER: "optimizer_s"}

_AMOUNTS = {
    MEMORY: ("peak_memory_bytes", "peak_memory_interval_bytes"),
    ENERGY: ("energy_joules", "energy_interval_joules"),
}


def predicted_step(
    what: str, trace: Trace, target: Target, quantities: tuple[str, ...], point: Mapping[str, Any]
) -> list[Row]:
    """The wanted quantities of the step on the target; without a value, and why, where there is
    none."""
    try:
        profile = predict(trace, target.device, target.framework)
    except DtypeError as error:
        place = ("predicted", target.device, target.framework)
        return [
            Row(*place, f"{what}, {each}", None, _unit(each), None, None, str(error), dict(point))
            for each in quantities
        ]
    source = f"model of {target.device} under {target.framework}"
    return [_row(profile, what, each, target, source, point) for each in quantities]


def measured_step(
    what: str, trace: Trace, rule: Sampling, quantities: tuple[str, ...], point: Mapping[str, Any]
) -> list[Row]:
    """The same of this machine."""
    profile = run(trace, sampling=rule)
    count = len(profile.samples_s)
    source = f"{profile.statistic} of {counted(count, 'step')}, {profile.sampling} sampling"
    target = Target(HERE, "native")
    more = {**point, "n": count}
    return [_row(profile, what, each, target, source, more) for each in quantities]


def _row(
    profile: Profile,
    what: str,
    quantity: str,
    target: Target,
    source: str,
    point: Mapping[str, Any],
) -> Row:
    value, low, high, reason = _value(profile, quantity)
    return Row(
        profile.origin,
        target.device,
        target.framework,
        f"{what}, {quantity}",
        value,
        _unit(quantity),
        low,
        high,
        source if value is not None else reason,
        {**point, "quantity": quantity},
    )


def _value(profile: Profile, quantity: str) -> tuple[float | None, float | None, float | None, str]:
    if quantity == TIME:
        low, high = profile.interval or (None, None)
        return profile.time_s, low, high, ""
    if quantity in _PHASES:
        value = getattr(profile, _PHASES[quantity])
        span = next((s for s in profile.spans if s.kind == "phase" and s.name == quantity), None)
        low, high = (span.interval_s if span else None) or (None, None)
        return value, low, high, profile.reason(_PHASES[quantity])
    if quantity == PAGING:
        return (profile.terms or {}).get("paging"), None, None, "a prediction's term"
    if quantity in _COUNTERS:
        found = {counter.name: counter.value for counter in profile.counters}
        # A step that pages nothing has no such counters.
        fits = float(profile.peak_memory_bytes or 0) if quantity == RESIDENT else 0.0
        return found.get(_COUNTERS[quantity], fits), None, None, ""
    name, interval = _AMOUNTS[quantity]
    value = getattr(profile, name)
    low, high = getattr(profile, interval) or (None, None)
    return value, low, high, "" if value is not None else profile.reason(name)


def _unit(quantity: str) -> str:
    return {MEMORY: "bytes", RESIDENT: "bytes", ENERGY: "J", FAULTS: "1"}.get(quantity, "s")
