"""The document form of a profile, written and read here only."""

from __future__ import annotations

from typing import Any

from ._core import CounterReading, Error, MemoryPoint, Profile, RecordError, Span
from .profile_schema import FORMAT, VERSION, check_document

# Files were written without these.
_LATER: dict[str, Any] = {
    "work": "",
    "peak_memory_interval_bytes": None,
    "energy_interval_joules": None,
}


def document(profile: Profile) -> dict[str, Any]:
    """The profile as plain lists, dicts, numbers and strings; floats are kept as they are."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "origin": profile.origin,
        "label": profile.label,
        "work": profile.work,
        "device": profile.device,
        "framework": profile.framework,
        "source": profile.source,
        "statistic": profile.statistic,
        "sampling": profile.sampling,
        "stop_reason": profile.stop_reason,
        "warmup_samples_s": list(profile.warmup_samples_s),
        "peak_memory_bytes": profile.peak_memory_bytes,
        "peak_memory_interval_bytes": listed(profile.peak_memory_interval_bytes),
        "energy_joules": profile.energy_joules,
        "energy_interval_joules": listed(profile.energy_interval_joules),
        "counters": [
            {
                "name": reading.name,
                "unit": reading.unit,
                "value": reading.value,
                "reason": reading.reason,
                "kind": reading.kind,
            }
            for reading in profile.counters
        ],
        "memory_timeline": [
            {"call": point.call, "by_role": dict(point.by_role)}
            for point in profile.memory_timeline
        ],
        "environment": dict(profile.environment),
        "notes": list(profile.notes),
        "spans": [span_document(span) for span in profile.spans],
    }


def profile_from(content: Any, where: str) -> Profile:
    """The profile of a document; `where` names the file in errors.

    Raises: RecordError naming the file, the key, the value found and what was needed.
    """
    if isinstance(content, dict):
        content = {**_LATER, **content}
    check_document(content, where)
    try:
        return _profile(content)
    except Error as error:
        raise RecordError(f"[load] {where}: {error}") from error


def _profile(content: dict[str, Any]) -> Profile:
    return Profile(
        content["origin"],
        content["label"],
        content["device"],
        content["framework"],
        [span_from(entry) for entry in content["spans"]],
        statistic=content["statistic"],
        sampling=content["sampling"],
        stop_reason=content["stop_reason"],
        warmup_samples_s=content["warmup_samples_s"],
        peak_memory_bytes=content["peak_memory_bytes"],
        peak_memory_interval_bytes=_pair(content["peak_memory_interval_bytes"]),
        energy_joules=content["energy_joules"],
        energy_interval_joules=_pair(content["energy_interval_joules"]),
        counters=[CounterReading(**entry) for entry in content["counters"]],
        memory_timeline=[MemoryPoint(**entry) for entry in content["memory_timeline"]],
        environment=content["environment"],
        notes=content["notes"],
        source=content["source"],
        work=content["work"],
    )


def span_document(span: Span) -> dict[str, Any]:
    """A span as it stands in its profile's document."""
    cost = span.cost
    return {
        "name": span.name,
        "kind": span.kind,
        "phase": span.phase,
        "parent": span.parent,
        "call": span.call,
        "wall_s": span.wall_s,
        "interval_s": listed(span.interval_s),
        "samples_s": list(span.samples_s),
        "terms": None if span.terms is None else dict(span.terms),
        "matrix_flops": cost.matrix_flops if cost else None,
        "vector_flops": cost.vector_flops if cost else None,
        "bytes_read": cost.bytes_read if cost else None,
        "bytes_written": cost.bytes_written if cost else None,
    }


def span_from(entry: dict[str, Any]) -> Span:
    """The span of what `span_document` gave."""
    fields: dict[str, Any] = {**entry, "interval_s": _pair(entry["interval_s"])}
    return Span(**fields)


def listed(interval: tuple[float, float] | None) -> list[float] | None:
    """An interval as a document has it."""
    return None if interval is None else list(interval)


def _pair(interval: list[float] | None) -> tuple[float, float] | None:
    return None if interval is None else (interval[0], interval[1])
