"""Calls measured in turn, so that a machine that slows down slows all."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

Call = Callable[[], object]
Clock = Callable[[], float]


class RowTimeout(Exception):
    """A row took longer than it may."""


@dataclass(frozen=True)
class Rule:
    """pairs: turns, with a sample of each side in random order; sample_s: a sample repeats its call
    for about so long; budget_s: no new turn is begun after it, once there are three."""

    pairs: int = 15
    sample_s: float = 0.01
    budget_s: float = 6.0

    def few(self, budget_part: float) -> Rule:
        """Five turns at most, in a part of the budget: for what stands beside a row."""
        return replace(self, pairs=min(5, self.pairs), budget_s=self.budget_s * budget_part)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises RowTimeout in the block after `seconds`; our kernels and Python both hear of it."""

    def stop(*_: object) -> None:
        raise RowTimeout(f"took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def repetitions(call: Call, sample_s: float, clock: Clock = time.perf_counter) -> int:
    """How many calls a sample has. Calls twice at least: the first one warms up."""
    call()
    count = 1
    while True:
        taken_s = seconds_of(call, count, clock)
        if taken_s >= sample_s / 2 or count >= 1 << 20:
            return max(1, round(count * sample_s / max(taken_s, 1e-9)))
        count *= 2 if taken_s <= 0.0 else max(2, min(64, int(sample_s / taken_s)))


def seconds_of(call: Call, count: int, clock: Clock = time.perf_counter) -> float:
    """`count` calls one after the other, in seconds."""
    begin_s = clock()
    for _ in range(count):
        call()
    return clock() - begin_s


def measure_turns(
    calls: Sequence[Call],
    rule: Rule,
    order: random.Random,
    clock: Clock = time.perf_counter,
    warm: bool = False,
) -> list[list[float]]:
    """Seconds a call of each side, turn by turn, the sides in random order within a turn. With
    `warm` a call that isn't counted goes before each sample: a side on fewer threads may have let
    cores fall asleep."""
    counts = [repetitions(call, rule.sample_s, clock) for call in calls]
    samples: list[list[float]] = [[] for _ in calls]
    end_s = clock() + rule.budget_s
    while len(samples[0]) < rule.pairs and (len(samples[0]) < 3 or clock() < end_s):
        for side in order.sample(range(len(calls)), len(calls)):
            if warm:
                calls[side]()
            samples[side].append(seconds_of(calls[side], counts[side], clock) / counts[side])
    return samples


def measure_alone(call: Call, rule: Rule, clock: Clock = time.perf_counter) -> list[float]:
    """Seconds a call, sample by sample."""
    return measure_turns([call], rule, random.Random(), clock)[0]


def fastest(calls: list[tuple[str, Call]], clock: Clock = time.perf_counter) -> tuple[str, Call]:
    """Of several ways to the same result the quickest: best of three short samples each."""
    if len(calls) == 1:
        return calls[0]
    best_s: list[float] = []
    for _, call in calls:
        count = repetitions(call, 0.002, clock)
        best_s.append(min(seconds_of(call, count, clock) / count for _ in range(3)))
    return calls[best_s.index(min(best_s))]
