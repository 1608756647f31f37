"""What a picture of a profile has a bar for: every op, or the kinds of ops that take longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .._core import Profile, Span

MOST_OPS = 24  # of more, a bar is all calls of one op in one phase
MOST_KINDS = 15


@dataclass
class Bar:
    """Seconds of one op or of many calls; interval_s is None of many, whose errors may add up or
    cancel out; samples_s are of a step each."""

    label: str
    wall_s: float = 0.0
    interval_s: tuple[float, float] | None = None
    samples_s: Sequence[float] = ()
    terms: Mapping[str, float] = field(default_factory=dict)


def bars(profile: Profile) -> list[Bar]:
    """Of each op in order, or of the step where none is told; of a step of many, of the kinds that
    take longest, the longest first, and of all others together."""
    ops = [span for span in profile.spans if span.kind == "op"] or profile.spans[:1]
    if len(ops) <= MOST_OPS:
        return [Bar(op.name, op.wall_s, op.interval_s, op.samples_s, op.terms or {}) for op in ops]
    kinds: dict[tuple[str, str], list[Span]] = {}
    for op in ops:
        kinds.setdefault((op.phase, op.name), []).append(op)
    longest = sorted(kinds.items(), key=lambda kind: -sum(op.wall_s for op in kind[1]))
    found = [
        together(f"{name}, {phase} ({counted(calls)})", calls)
        for (phase, name), calls in longest[:MOST_KINDS]
    ]
    others = [op for _, calls in longest[MOST_KINDS:] for op in calls]
    if others:
        found.append(together(f"all others ({counted(others)})", others))
    return found


def together(label: str, calls: Sequence[Span]) -> Bar:
    """The calls' times, terms and samples added up."""
    terms: dict[str, float] = {}
    for call in calls:
        for name, seconds in (call.terms or {}).items():
            terms[name] = terms.get(name, 0.0) + seconds
    steps = min(len(call.samples_s) for call in calls)
    samples_s = [sum(call.samples_s[i] for call in calls) for i in range(steps)]
    return Bar(label, sum(call.wall_s for call in calls), None, samples_s, terms)


def counted(calls: Sequence[Span]) -> str:
    """ "1 call", "2 calls"."""
    return "1 call" if len(calls) == 1 else f"{len(calls)} calls"
