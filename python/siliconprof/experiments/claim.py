"""A claim of the paper, and how numbers with intervals decide it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .table import Row

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
INFINITE = float("inf")
SHARED_ERRORS = (
    "both errors are taken as independent: wider than it need be where two predictions share a "
    "constant"
)


@dataclass(frozen=True)
class Evidence:
    """One number that speaks to a claim: a ratio of two rows, with the interval both give it.

    lo, hi: None where a measured or predicted row has no interval; such a number decides nothing.
    """

    origin: str
    what: str
    value: float
    lo: float | None
    hi: float | None
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

    def unjudged(self, why: str) -> Claim:
        """The same numbers without a verdict; they, and the rule, say why."""
        evidence = tuple(
            dataclasses.replace(entry, source=f"{why}; {entry.source}") for entry in self.evidence
        )
        return dataclasses.replace(
            self, rule=f"{self.rule} Not judged: {why}.", verdict=UNDECIDED, evidence=evidence
        )

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
    return quotient(what, _evidence(over), _evidence(under))


def quotient(what: str, over: Evidence, under: Evidence) -> Evidence:
    """over / under. Errors that both sides share don't cancel: the sources then say so."""
    origins = sorted({*over.origin.split(" and "), *under.origin.split(" and ")})
    sources = dict.fromkeys((*over.source.split("; "), *under.source.split("; ")))
    if over.origin == under.origin == "predicted":
        sources[SHARED_ERRORS] = None
    return Evidence(
        " and ".join(origins),
        what,
        over.value / under.value,
        over.lo / under.hi if over.lo is not None and under.hi else None,
        over.hi / under.lo if over.hi is not None and under.lo else None,
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
    if evidence.lo is None or evidence.hi is None:
        return UNDECIDED
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


def some(evidence: Sequence[Evidence], low: float, high: float) -> str:
    """holds when one number holds, fails when each fails, undecided else or without numbers."""
    verdicts = [within(entry, low, high) for entry in evidence]
    if HOLDS in verdicts:
        return HOLDS
    return FAILS if verdicts and all(verdict == FAILS for verdict in verdicts) else UNDECIDED


def _evidence(row: Row) -> Evidence:
    """A recorded number without an interval stands for itself; no other kind of number does."""
    assert row.value is not None
    low, high = row.lo, row.hi
    if row.origin == "recorded" and low is None and high is None:
        low = high = row.value
    return Evidence(row.origin, row.what, row.value, low, high, row.source)
