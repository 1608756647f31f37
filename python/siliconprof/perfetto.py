"""A profile as a Chrome trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from .atomic import write_text

if TYPE_CHECKING:
    from ._core import Profile


def to_perfetto(profile: Profile, path: str | Path) -> None:
    """Writes the spans as complete events and the memory of each call as a counter; times in
    microseconds, as the format wants.

    Spans hold durations, not start times: the children of a span are laid one after another
    from its beginning, which is how they ran.
    """
    document = {
        "traceEvents": _events(profile),
        "displayTimeUnit": "ms",
        "otherData": {
            "origin": profile.origin,
            "label": profile.label,
            "device": profile.device,
            "framework": profile.framework,
        },
    }
    where = arguments.path("to_perfetto", "path", path)
    write_text(where, json.dumps(document, allow_nan=False) + "\n")


def _events(profile: Profile) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    # Where the next child of each span begins; a root begins at zero.
    next_child_s: list[float] = []
    held = _held_by_call(profile)
    for span in profile.spans:
        start_s = next_child_s[span.parent] if span.parent >= 0 else 0.0
        if span.parent >= 0:
            next_child_s[span.parent] += span.wall_s
        next_child_s.append(start_s)
        if span.kind == "op" and span.call in held:
            events.append(_counter(held[span.call], start_s))
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


def _held_by_call(profile: Profile) -> dict[int, dict[str, int]]:
    """Bytes of every role that there is, also where it has none: a counter keeps its last value."""
    points = profile.memory_timeline
    roles = sorted({role for point in points for role in point.by_role})
    return {point.call: {role: point.by_role.get(role, 0) for role in roles} for point in points}


def _counter(by_role: Mapping[str, int], start_s: float) -> dict[str, Any]:
    """From here on; viewers stack its values."""
    return {"name": "memory, bytes", "ph": "C", "ts": start_s * 1e6, "pid": 1, "args": by_role}
