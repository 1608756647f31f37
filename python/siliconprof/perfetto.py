"""A profile as a Chrome trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from .atomic import write_text
from .store import check_form

if TYPE_CHECKING:
    from ._core import Profile


def to_perfetto(profile: Profile, path: str | Path) -> None:
    """Writes the spans as complete events and the memory of each call as counters, of all and of
    each role; times in microseconds, as the format wants.

    Spans hold durations, not start times: the children of a span are laid one after another
    from its beginning, which is how they ran where phases don't take turns. Medians of children
    may sum to more than their parent's, and calls that overlap do: such children are drawn shorter
    by one factor, so that slices nest, and `wall_s` says what each took. Memory is in the order of
    the calls, also where phases take turns.
    Raises: ArgumentError where a saved profile lies; Error where the file cannot be written.
    """
    where = arguments.path("to_perfetto", "path", path)
    drawn_s = _drawn_s(profile)
    document = {
        "traceEvents": [
            *_names(profile),
            *_events(profile, drawn_s),
            *_counters(profile, drawn_s),
        ],
        "displayTimeUnit": "ms",
        "otherData": {
            "origin": profile.origin,
            "label": profile.label,
            "device": profile.device,
            "framework": profile.framework,
        },
    }
    check_form("to_perfetto", where)
    write_text(where, json.dumps(document, allow_nan=False) + "\n", "to_perfetto")


def _names(profile: Profile) -> Iterator[dict[str, Any]]:
    """What viewers write beside the slices: else they are "Process 1" and "Thread 1"."""
    where = f"{profile.origin} · {profile.device} · {profile.framework}"
    for name, text in (("process_name", profile.label), ("thread_name", where)):
        yield {"name": name, "ph": "M", "pid": 1, "tid": 1, "args": {"name": text}}


def _drawn_s(profile: Profile) -> list[float]:
    """How long each span is drawn: its time, or less of it where its parent would be too short."""
    sums_s = [0.0] * len(profile.spans)
    for span in profile.spans:
        if span.parent >= 0:
            sums_s[span.parent] += span.wall_s
    drawn_s: list[float] = []
    inside: list[float] = []  # by what the children of each span are shortened
    for span, sum_s in zip(profile.spans, sums_s, strict=True):
        factor = inside[span.parent] if span.parent >= 0 else 1.0
        drawn_s.append(factor * span.wall_s)
        inside.append(factor * span.wall_s / sum_s if sum_s > span.wall_s else factor)
    return drawn_s


def _events(profile: Profile, drawn_s: Sequence[float]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    # Where the next child of each span begins, and where it ends; a root begins at zero.
    next_child_us: list[float] = []
    ends_us: list[float] = []
    for span, own_s in zip(profile.spans, drawn_s, strict=True):
        start_us, end_us = 0.0, own_s * 1e6
        if span.parent >= 0:
            start_us = next_child_us[span.parent]
            # Rounded sums may pass the parent's end by a hair, which viewers take for overlap.
            end_us = min(start_us + end_us, ends_us[span.parent])
            next_child_us[span.parent] = end_us
        next_child_us.append(start_us)
        ends_us.append(end_us)
        events.append(
            {
                "name": span.name,
                "cat": span.kind,
                "ph": "X",
                "ts": start_us,
                "dur": end_us - start_us,
                "pid": 1,
                "tid": 1,
                "args": {
                    "phase": None if span.kind == "step" else span.phase,
                    "wall_s": span.wall_s,
                    "flops": span.cost.flops if span.cost else None,
                    "bytes": span.cost.bytes if span.cost else None,
                    **{f"term_{name}_s": part for name, part in (span.terms or {}).items()},
                },
            }
        )
    return events


def _counters(profile: Profile, drawn_s: Sequence[float]) -> Iterator[dict[str, Any]]:
    """Each of one value, as viewers take them, at every change; of calls that hide behind others
    the one that holds most."""
    calls = zip(profile.spans, drawn_s, strict=True)
    calls_s = {span.call: seconds for span, seconds in calls if span.kind == "op"}
    most_at: dict[float, Mapping[str, int]] = {}
    begin_s = 0.0
    for point in profile.memory_timeline:
        other = most_at.get(begin_s, {})
        most_at[begin_s] = max(other, point.by_role, key=lambda by_role: sum(by_role.values()))
        begin_s += calls_s.get(point.call, 0.0)
    roles = sorted({role for by_role in most_at.values() for role in by_role})
    shown: dict[str, int] = {}
    for time_s, by_role in most_at.items():
        values = {"memory": sum(by_role.values())}
        values |= {f"memory: {role.replace('_', ' ')}": by_role.get(role, 0) for role in roles}
        for name, value in values.items():
            if shown.get(name) != value:
                shown[name] = value
                args = {"bytes": value}
                yield {"name": name, "ph": "C", "ts": time_s * 1e6, "pid": 1, "args": args}
