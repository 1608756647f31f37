"""The measured profile of a training run: what each call took, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from .._core import CounterReading, Profile, Span, Trace, Window, median, median_interval
from ..environment import environment

# Steps whose calls are kept one by one: the last ones.
LARGEST_STEPS = 1000
PHASES = ("forward", "backward", "optimizer", "transfer")


class Recorder:
    """Gathers the seconds of steps, of which the last LARGEST_STEPS are kept.

    The first step, in which memory is touched for the first time, counts as a warm-up. Counters
    are read around the whole of `with recorder:` and given per step.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._calls = trace.calls
        self._steps: list[float] = []
        self._seconds: list[numpy.ndarray] = []
        self._count = 0
        self._window = Window()

    def __enter__(self) -> Recorder:
        self._window.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._window.__exit__(*exception)

    @property
    def steps(self) -> int:
        """How many were added."""
        return self._count

    def add(self, step_s: float, seconds: numpy.ndarray) -> None:
        """A step and, copied, what each of its calls took."""
        self._count += 1
        self._steps.append(step_s)
        self._seconds.append(seconds.astype(numpy.float32))
        if len(self._steps) > LARGEST_STEPS:
            del self._steps[0], self._seconds[0]

    def profile(self, engine: str, facts: dict[str, str], stop_reason: str) -> Profile:
        """What was measured so far; the counters' window must be closed."""
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
            notes=[*notes, *_interruptions(counters)],
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
        readings = []
        for reading in self._window.readings():
            value = reading.value
            if value is not None and reading.kind == "delta":
                value /= max(self._count, 1)
            readings.append(
                CounterReading(reading.name, reading.unit, value, reading.reason, reading.kind)
            )
        return readings


def _interruptions(counters: Sequence[CounterReading]) -> list[str]:
    """What a step measured without data says too, by the same rule (profile/loop.cpp)."""
    return [
        f"{reading.value:.1f} involuntary context switches a step: other work shared the processors"
        for reading in counters
        if reading.name == "involuntary_switches" and (reading.value or 0.0) >= 1.0
    ]


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
        median_interval(samples_s),
        samples_s,
        matrix_flops=total("matrix_flops"),
        vector_flops=total("vector_flops"),
        bytes_read=total("bytes_read"),
        bytes_written=total("bytes_written"),
    )
