"""The measured profile of a training run: what each call took, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from .._core import (
    CounterReading,
    Profile,
    Span,
    Trace,
    Window,
    disturbance_notes,
    median,
    median_interval_of_series,
)
from ..environment import environment

# Steps whose calls are kept one by one: the last ones.
LARGEST_STEPS = 1000
PHASES = ("forward", "backward", "optimizer", "transfer")


class Recorder:
    """Gathers what steps took, of which the last LARGEST_STEPS are kept, and what counters say of
    them: `begin` before each, `add` after it.

    The first step, in which memory is touched for the first time, counts as a warm-up: its time
    and its counters tell nothing of the others.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._calls = trace.calls
        self._steps: list[float] = []
        self._seconds: list[numpy.ndarray] = []
        self._count = 0
        self._window = Window()
        self._counted: list[CounterReading] = []

    def begin(self) -> None:
        """From here on counters are read."""
        self._window.__enter__()

    @property
    def steps(self) -> int:
        """How many were added."""
        return self._count

    def add(self, step_s: float, seconds: numpy.ndarray) -> None:
        """The step that was begun and, copied, what each of its calls took."""
        self._window.__exit__()
        self._count += 1
        now = self._window.readings()
        if self._count > 2:  # with the second step the first one is forgotten
            now = [_sum(*both) for both in zip(self._counted, now, strict=True)]
        self._counted = now
        self._steps.append(step_s)
        self._seconds.append(seconds.astype(numpy.float32))
        if len(self._steps) > LARGEST_STEPS:
            del self._steps[0], self._seconds[0]

    def profile(self, engine: str, facts: dict[str, str], stop_reason: str) -> Profile:
        """What was measured so far."""
        # Of more steps the first one isn't among those kept.
        warm = 1 if 1 < self._count <= LARGEST_STEPS else 0
        notes = [f"whole training steps on data; sampled are the last {len(self._steps) - warm}"]
        counters = self._counters()
        return Profile(
            "measured",
            self._trace.label,
            "cpu",
            engine,
            self._spans(warm),
            statistic="median",
            sampling="training",
            stop_reason=stop_reason,
            warmup_samples_s=self._steps[:warm],
            counters=counters,
            environment={**environment(), "engine": engine, **facts},
            notes=[*notes, *disturbance_notes(counters, self._steps[warm:])],
            work=self._trace.work,
        )

    def _spans(self, warm: int) -> list[Span]:
        cost = self._trace.cost
        steps = self._steps[warm:]
        table = numpy.array(self._seconds[warm:], dtype=numpy.float64)
        spans = [_span("step", "step", "forward", -1, -1, steps, cost)]
        phases = [call.phase for call in self._calls]
        present = sorted(set(phases), key=phases.index)
        for phase in present:
            own = [i for i, name in enumerate(phases) if name == phase]
            costs = [self._calls[i].cost for i in own]
            spans.append(_span(phase, "phase", phase, 0, -1, table[:, own].sum(1), *costs))
        for i, call in enumerate(self._calls):
            parent = 1 + present.index(call.phase)
            spans.append(_span(call.op, "op", call.phase, parent, i, table[:, i], call.cost))
        return spans

    def _counters(self) -> list[CounterReading]:
        """Differences per step; levels as they stand."""
        steps = max(self._count - 1, 1)
        return [
            reading
            if reading.value is None or reading.kind == "level"
            else _with_value(reading, reading.value / steps)
            for reading in self._counted
        ]


def _sum(before: CounterReading, now: CounterReading) -> CounterReading:
    """Differences add up, where both are there; of levels the last one counts."""
    if now.kind == "level" or now.value is None:
        return now
    return before if before.value is None else _with_value(now, before.value + now.value)


def _with_value(reading: CounterReading, value: float) -> CounterReading:
    return CounterReading(reading.name, reading.unit, value, reading.reason, reading.kind)


def _span(
    name: str,
    kind: str,
    phase: str,
    parent: int,
    call: int,
    samples: Sequence[float] | numpy.ndarray,
    *costs: object,
) -> Span:
    def total(field: str) -> int:
        return sum(getattr(cost, field) for cost in costs)

    samples_s = [float(sample) for sample in samples]
    return Span(
        name,
        kind,
        phase,
        parent,
        call,
        median(samples_s),
        median_interval_of_series(samples_s),
        samples_s,
        matrix_flops=total("matrix_flops"),
        vector_flops=total("vector_flops"),
        bytes_read=total("bytes_read"),
        bytes_written=total("bytes_written"),
    )
