"""A profile as a Chrome trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from .atomic import write_text

if TYPE_CHECKING:
    from ._core import Profile


def to_perfetto(profile: Profile, path: str | Path) -> None:
    """Writes the spans as complete events; times in microseconds, as the format wants.

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
