"""A profile as `run` and `predict` print it."""

from __future__ import annotations

from typing import Any

from .._core import Device, Framework, Profile, Trace
from ..capacity import beyond_note, held_bytes, memory_of, shares_memory, swap_note, would_fit
from ..overview import of_profile, work_of
from ..predict import predict
from ..profile_document import listed
from ..quantity import scaled
from .output import print_overview

Target = tuple[Device, Framework]


def profile_document(
    profile: Profile, trace: Trace, target: Target | None = None
) -> dict[str, Any]:
    """The JSON fields that others rely on; what is not known is null with a reason. target: what
    was predicted for."""
    content: dict[str, Any] = {
        "origin": profile.origin,
        "workload": profile.label,
        "work": work_of(profile),
        "device": profile.device,
        "framework": profile.framework,
        "time_s": profile.time_s,
        "interval_s": listed(profile.interval),
        "forward_s": profile.forward_s,
        "backward_s": profile.backward_s,
        "optimizer_s": profile.optimizer_s,
        "transfer_s": profile.transfer_s,
        "peak_memory_bytes": profile.peak_memory_bytes,
        "peak_memory_interval_bytes": listed(profile.peak_memory_interval_bytes),
        "energy_joules": profile.energy_joules,
        "energy_interval_joules": listed(profile.energy_interval_joules),
        "fits": _fits(profile, target),
        "terms": profile.terms,
        "flops": profile.flops,
        "kernels": len(trace),
        "counters": {
            reading.name: {
                "value": reading.value,
                "unit": reading.unit,
                "reason": reading.reason or None,
            }
            for reading in profile.counters
        },
        "notes": [*profile.notes, *_notes_of(profile, target)],
    }
    if target is not None and content["fits"] is False:
        content["would_fit"] = _what_would_fit(trace, target)
    content["reasons"] = _reasons(profile, content)
    return content


def _fits(profile: Profile, target: Target | None) -> bool | None:
    """Whether the predicted peak fits the machine."""
    needed = profile.peak_memory_bytes
    if target is None or needed is None:
        return None
    return needed <= memory_of(*target)


def _what_would_fit(trace: Trace, target: Target) -> str:
    """In the memory that the framework's allocator takes."""
    machine = target[0]

    def peak_of(step: Trace) -> int | None:
        return predict(step, *target).peak_memory_bytes

    def held_of(step: Trace) -> float:
        return held_bytes(predict(step, *target), machine)

    return would_fit(trace, memory_of(*target), shares_memory(machine), peak_of, held_of)


def _notes_of(profile: Profile, target: Target | None) -> list[str]:
    """What the machine adds to the profile's own. PyTorch's allocator gives back what it keeps
    before it fails."""
    if target is None:
        return []
    beyond = beyond_note(profile, *target)
    if beyond:
        beyond += (
            ": it has to give back what it keeps and ask again, in time that isn't predicted; "
        )
        beyond += "where that is too little, it is out of memory"
    return list(filter(None, (beyond, swap_note(profile, target[0]))))


def measured_document(profile: Profile, trace: Trace) -> dict[str, Any]:
    """The same, with samples and environment."""
    return {
        **profile_document(profile, trace),
        "statistic": profile.statistic,
        "sampling": profile.sampling,
        "stop_reason": profile.stop_reason,
        "samples": list(profile.samples_s),
        "environment": dict(profile.environment),
    }


def print_profile(
    profile: Profile, trace: Trace | None = None, target: Target | None = None
) -> None:
    """Time, rates, memory, energy and what they are made of, for a reader; whether the trace fits
    the machine of the target that was predicted for."""
    notes = _notes_of(profile, target)
    print_overview(of_profile(profile, _room(profile, trace, target), notes))


def _room(profile: Profile, trace: Trace | None, target: Target | None) -> str:
    """Whether the predicted peak fits the target, and what would; nothing where none was asked."""
    needed = profile.peak_memory_bytes
    if needed is None or target is None:
        return ""
    there = scaled(memory_of(*target), "bytes", gib=False)
    if not _fits(profile, target):
        more = "" if trace is None else f": {_what_would_fit(trace, target)}"
        return f"doesn't fit in {there}{more}"
    most = max(profile.peak_memory_interval_bytes or (needed,))
    more = ", not with all of its interval" if most > memory_of(*target) else ""
    return f"fits in {there}{more}"


def _reasons(profile: Profile, content: dict[str, Any]) -> dict[str, str]:
    own = {
        "fits": "told of predictions",
    }
    missing = [name for name, value in content.items() if value is None]
    return {name: own.get(name) or profile.reason(_ATTRIBUTES.get(name, name)) for name in missing}


_ATTRIBUTES = {"interval_s": "interval"}
