"""A claim of the paper, and how numbers with intervals decide it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .table import Row

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
INFINITE = float("inf")


@dataclass(frozen=True)
class Evidence:
    """One number that speaks to a claim: a ratio of two rows, with the interval both give it."""

    origin: str
    what: str
    value: float
    lo: float
    hi: float
    source: str


@dataclass(frozen=True)
class Claim:
    """What the paper says, the rule by which it is judged, and the numbers.

    verdict: holds, fails, or undecided where intervals straddle the rule or numbers are lacking.
    """

    id: str
    text: str
    rule: str
    verdict: str
    evidence: tuple[Evidence, ...]

    def result(self) -> dict[str, Any]:
        """The claim as results.json holds it."""
        return {
            "id": self.id,
            "text": f"{self.text} Rule: {self.rule}",
            "verdict": self.verdict,
            "evidence": [dataclasses.asdict(entry) for entry in self.evidence],
        }


def ratio(what: str, over: Row, under: Row) -> Evidence | None:
    """over / under; the widest interval that both rows allow. None where a value is missing."""
    if over.value is None or under.value is None or under.value == 0:
        return None
    over_lo, over_hi = _interval(over)
    under_lo, under_hi = _interval(under)
    origins = sorted({over.origin, under.origin})
    sources = list(dict.fromkeys((over.source, under.source)))
    return Evidence(
        " and ".join(origins),
        what,
        over.value / under.value,
        over_lo / under_hi,
        over_hi / under_lo,
        "; ".join(sources),
    )


def ratios(entries: Iterable[tuple[str, Row | None, Row | None]]) -> list[Evidence]:
    """The ratio of each (what, over, under) whose rows are there and have values."""
    found = [
        ratio(what, over, under)
        for what, over, under in entries
        if over is not None and under is not None
    ]
    return [entry for entry in found if entry is not None]


def claim(
    id: str, text: str, evidence: Sequence[Evidence], bounds: tuple[float, float], rule: str
) -> Claim:
    """A claim that holds when all of its evidence lies within the bounds."""
    return Claim(id, text, f"{rule}.", every(evidence, *bounds), tuple(evidence))


def within(evidence: Evidence, low: float, high: float) -> str:
    """holds when the whole interval is in [low, high], fails when none of it is."""
    if low <= evidence.lo and evidence.hi <= high:
        return HOLDS
    if evidence.hi < low or evidence.lo > high:
        return FAILS
    return UNDECIDED


def every(evidence: Sequence[Evidence], low: float, high: float) -> str:
    """holds when each number holds, fails when one fails, undecided else or without numbers."""
    verdicts = [within(entry, low, high) for entry in evidence]
    if FAILS in verdicts:
        return FAILS
    return HOLDS if verdicts and all(verdict == HOLDS for verdict in verdicts) else UNDECIDED


def most(evidence: Sequence[Evidence], low: float, high: float) -> str:
    """holds when more than half of the numbers hold, fails when at least half fail."""
    verdicts = [within(entry, low, high) for entry in evidence]
    if verdicts and verdicts.count(HOLDS) * 2 > len(verdicts):
        return HOLDS
    if verdicts and verdicts.count(FAILS) * 2 >= len(verdicts):
        return FAILS
    return UNDECIDED


def _interval(row: Row) -> tuple[float, float]:
    """A number without an interval (a recorded one) stands for itself."""
    assert row.value is not None
    low = row.value if row.lo is None else row.lo
    high = row.value if row.hi is None else row.hi
    return low, high
