"""A profile as `run` and `predict` print it."""

from __future__ import annotations

from typing import Any

from .._core import CounterReading, Device, Framework, Profile, Trace
from ..capacity import memory_of, shares_memory, would_fit
from ..predict import predict
from ..quantity import counted, scaled
from .output import print_table, print_text

Target = tuple[Device, Framework]


def profile_document(
    profile: Profile, trace: Trace, target: Target | None = None
) -> dict[str, Any]:
    """The JSON fields that others rely on; what is not known is null with a reason. target: what
    was predicted for."""
    content: dict[str, Any] = {
        "origin": profile.origin,
        "workload": profile.label,
        "work": _work(profile),
        "device": profile.device,
        "framework": profile.framework,
        "time_s": profile.time_s,
        "interval_s": _ends(profile.interval),
        "forward_s": profile.forward_s,
        "backward_s": profile.backward_s,
        "optimizer_s": profile.optimizer_s,
        "transfer_s": profile.transfer_s,
        "peak_memory_bytes": profile.peak_memory_bytes,
        "peak_memory_interval_bytes": _ends(profile.peak_memory_interval_bytes),
        "energy_joules": profile.energy_joules,
        "energy_interval_joules": _ends(profile.energy_interval_joules),
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
        "notes": list(profile.notes),
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
    return needed <= memory_of(target[0])


def _what_would_fit(trace: Trace, target: Target) -> str:
    """In the memory that the framework's allocator takes."""
    machine = target[0]

    def peak_of(step: Trace) -> int | None:
        return predict(step, *target).peak_memory_bytes

    return would_fit(trace, memory_of(machine), shares_memory(machine), peak_of)


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
    print_text(_work(profile), "bold")
    print_text(f"{profile.origin} · {profile.device} · {profile.framework}")
    interval = _range(profile.interval, "s") or f"no interval: {profile.reason('interval')}"
    rows = [("time", scaled(profile.time_s, "s"), interval)]
    for phase in ("forward", "backward", "optimizer", "transfer"):
        if seconds := getattr(profile, f"{phase}_s"):
            rows.append((phase, scaled(seconds, "s"), ""))
    rows += _memory_and_energy(profile, trace, target)
    for name, amount, unit, how in (
        ("compute rate", profile.flops, "FLOP/s", "flops / time"),
        ("traffic rate", profile.bytes, "bytes/s", "compulsory / time"),
    ):
        if amount is not None and profile.time_s > 0:
            rows.append((name, scaled(amount / profile.time_s, unit), how))
    for name, seconds in (profile.terms or {}).items():
        if seconds:
            rows.append((f"term {name}", scaled(seconds, "s"), "terms overlap: not a sum"))
    for reading in profile.counters:
        rows.append((reading.name, _counted(reading), reading.reason))
    print_table("", ("", "value", ""), rows)
    if profile.stop_reason:
        print_text(
            f"{profile.statistic} of {counted(len(profile.samples_s), 'sample')}; "
            f"{profile.stop_reason}",
            "dim",
        )
    for note in profile.notes:
        print_text(f"note: {note}", "dim")


def _work(profile: Profile) -> str:
    """What ran, with its sizes: an operation's label has them."""
    return profile.work or profile.label


def _memory_and_energy(
    profile: Profile, trace: Trace | None, target: Target | None
) -> list[tuple[str, str, str]]:
    rows = []
    if (needed := profile.peak_memory_bytes) is not None:
        how = ""
        if target is not None:
            there = scaled(memory_of(target[0]), "bytes", gib=False)
            fits = _fits(profile, target)
            how = f"fits in {there}" if fits else f"doesn't fit in {there}"
            most = max(profile.peak_memory_interval_bytes or (needed,))
            if fits and most > memory_of(target[0]):
                how += ", not with all of its interval"
            if trace is not None and not fits:
                how += f": {_what_would_fit(trace, target)}"
        held = _range(profile.peak_memory_interval_bytes, "bytes")
        how = "; ".join(filter(None, (held, how)))
        rows.append(("peak memory", scaled(needed, "bytes", gib=False), how))
    if (joules := profile.energy_joules) is not None:
        rows.append(("energy", scaled(joules, "J"), _range(profile.energy_interval_joules, "J")))
    return rows


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _range(interval: tuple[float, float] | None, unit: str) -> str:
    """ "1.2 s to 1.4 s"; nothing where there is none."""
    return " to ".join(scaled(end, unit, gib=False) for end in interval or ())


def _counted(reading: CounterReading) -> str:
    """Bytes and seconds as they are shown above; counts to the last one."""
    if reading.value is not None and reading.unit not in ("bytes", "s"):
        return f"{reading.value:,.6g} {reading.unit}"
    return scaled(reading.value, reading.unit)


def _reasons(profile: Profile, content: dict[str, Any]) -> dict[str, str]:
    own = {
        "fits": "told of predictions",
    }
    missing = [name for name, value in content.items() if value is None]
    return {name: own.get(name) or profile.reason(_ATTRIBUTES.get(name, name)) for name in missing}


_ATTRIBUTES = {"interval_s": "interval"}
