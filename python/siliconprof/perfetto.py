"""A profile as a Chrome trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from .atomic import write_text
from .store import check_no_profile

if TYPE_CHECKING:
    from ._core import Profile


def to_perfetto(profile: Profile, path: str | Path) -> None:
    """Writes the spans as complete events and the memory of each call as counters, of all and of
    each role; times in microseconds, as the format wants.

    Spans hold durations, not start times: the children of a span are laid one after another
    from its beginning, which is how they ran where phases don't take turns. Memory is in the order
    of the calls, also where they do.
    Raises: ArgumentError where a saved profile lies; Error where the file cannot be written.
    """
    where = arguments.path("to_perfetto", "path", path)
    document = {
        "traceEvents": [*_events(profile), *_counters(profile)],
        "displayTimeUnit": "ms",
        "otherData": {
            "origin": profile.origin,
            "label": profile.label,
            "device": profile.device,
            "framework": profile.framework,
        },
    }
    check_no_profile("to_perfetto", where)
    write_text(where, json.dumps(document, allow_nan=False) + "\n")


def _events(profile: Profile) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    # Where the next child of each span begins; a root begins at zero.
    next_child_s: list[float] = []
    for span in profile.spans:
        start_s = next_child_s[span.parent] if span.parent >= 0 else 0.0
        if span.parent >= 0:
            next_child_s[span.parent] += span.wall_s
        next_child_s.append(start_s)
        events.append(
            {
                "name": span.name,
                "cat": span.kind,
                "ph": "X",
                "ts": start_s * 1e6,
                "dur": span.wall_s * 1e6,
                "pid": 1,
                "tid": 1,
                "args": {
                    "phase": span.phase,
                    "flops": span.cost.flops if span.cost else None,
                    "bytes": span.cost.bytes if span.cost else None,
                    **(span.terms or {}),
                },
            }
        )
    return events


def _counters(profile: Profile) -> Iterator[dict[str, Any]]:
    """Each of one value, as viewers take them, at every change; of calls that hide behind others
    the one that holds most."""
    calls_s = {span.call: span.wall_s for span in profile.spans if span.kind == "op"}
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
