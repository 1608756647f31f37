"""Calibration judged where it was made: whole steps predicted first, then measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from ._core import Device, Profile, Sampling, Trace
from .predict import predict
from .rest import is_disturbed, others, usage, wait_for_rest
from .run import run
from .validate import Score
from .workloads import workload

FRAMEWORK = "native"
# The steps that nothing was fitted on: GPT-2 small in six shapes, and three other models.
STEPS: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("gpt2-small", {"batch": 1, "seq": 64}),
    ("gpt2-small", {"batch": 4, "seq": 64}),
    ("gpt2-small", {"batch": 1, "seq": 256}),
    ("gpt2-small", {"batch": 2, "seq": 256}),
    ("gpt2-small", {"batch": 1, "seq": 512}),
    ("gpt2-small", {"batch": 8, "seq": 64}),
    ("whisper-tiny", {"batch": 1}),
    ("simclr-resnet18", {"batch": 32}),
    ("bert-base", {"batch": 2, "seq": 128}),
)
# A product that is measured around each step, on several sets of operands.
_PACER = {"m": 512, "k": 768, "n": 768}
_PACER_SETS = 8
_PACER_SAMPLES = 9
_TRIES = 3
_LONGEST_WAIT_S = 20.0


@dataclass(frozen=True)
class Part:
    """A phase's share of a step by op class: seconds measured and predicted."""

    what: str
    phase: str
    op_class: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """Predicted over measured, minus 1."""
        return self.predicted / self.measured - 1.0 if self.measured > 0.0 else 0.0


@dataclass(frozen=True)
class Judged:
    """A step's score and its parts.

    pace: what a product took around the step over its prediction, the machine's own drift since it
    was calibrated; error_at_pace: the step's error had the prediction drifted along; others: the
    part of the processors that other processes used during the step, None where it can't be told.
    """

    score: Score
    parts: list[Part]
    pace: float
    others: float | None

    @property
    def error_at_pace(self) -> float:
        """Predicted times pace over measured, minus 1."""
        return self.score.predicted * self.pace / self.score.recorded - 1.0


# A profile, and the part of the processors that others used meanwhile.
Measure = Callable[[Trace, Sampling], tuple[Profile, float | None]]


def judge(
    device: Device,
    steps: Sequence[tuple[str, Mapping[str, int]]] | None = None,
    samples: int = 5,
    measure: Measure | None = None,
) -> Iterator[Judged]:
    """Predicts each step on `device`, then measures it here; one after the other."""
    measure = measure or at_rest
    for name, sizes in STEPS if steps is None else steps:
        arguments: dict[str, Any] = {"framework": FRAMEWORK, **sizes}
        trace = workload(name, **arguments)
        guess = predict(trace, device, FRAMEWORK)
        before = _pace(device, measure)
        found, part = measure(trace, Sampling.fixed(samples, 1))
        pace = 0.5 * (before + _pace(device, measure))
        what = " ".join([name, *(f"{key}={value}" for key, value in sizes.items())])
        place = (what, device.id, FRAMEWORK, found.time_s)
        source = f"measured here: {found.statistic} of {len(found.samples_s)} samples"
        score = Score.of(*place, guess.time_s, "s", guess.interval, source=source)
        yield Judged(score, parts_of(what, trace, found, guess), pace, part)


def at_rest(trace: Trace, sampling: Sampling) -> tuple[Profile, float | None]:
    """Measures here once other processes leave the processors alone, for up to three times when
    they come back meanwhile; the measurement that they disturbed least."""
    best: tuple[Profile, float | None] | None = None
    for _ in range(_TRIES):
        wait_for_rest(_LONGEST_WAIT_S)
        before = usage()
        profile = run(trace, sampling=sampling)
        part = others(before, usage())
        if best is None or (part or 0.0) < (best[1] or 0.0):
            best = profile, part
        if not is_disturbed(part):
            break
    assert best is not None
    return best


def _pace(device: Device, measure: Measure) -> float:
    """What products take now over what the device says, in one layout, on operands far away."""
    trace = _core.replicate(_core.single_op("matmul", _PACER), _PACER_SETS, 1, False)
    found, _ = measure(trace, Sampling.fixed(_PACER_SAMPLES, 1))
    return found.time_s / predict(trace, device, FRAMEWORK).time_s


def parts_of(what: str, trace: Trace, found: Profile, guess: Profile) -> list[Part]:
    """By phase and op class, in order of appearance; each op's quickest sample counts, so that
    what disturbed the machine doesn't pass for a wrong term."""
    seconds: dict[tuple[str, str], list[float]] = {}
    calls = trace.calls
    for profile, side in ((found, 0), (guess, 1)):
        for span in profile.spans:
            if span.kind != "op":
                continue
            both = seconds.setdefault((span.phase, _kind(calls[span.call])), [0.0, 0.0])
            both[side] += min(span.samples_s or [span.wall_s])
    return [Part(what, *key, *both) for key, both in seconds.items()]


def totals(judged: Sequence[Judged]) -> list[Part]:
    """The parts of all steps together, by phase and kind, the largest first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in judged:
        for part in one.parts:
            both = sums.setdefault((part.phase, part.op_class), [0.0, 0.0])
            both[0] += part.measured
            both[1] += part.predicted
    parts = [Part("all steps", *key, *both) for key, both in sums.items()]
    return sorted(parts, key=lambda part: -part.measured)


def _kind(call: _core.OpCall) -> str:
    """The layout of a product, else the op's class."""
    name, _ = _core.kernel_work(call, 0.0)
    return name if name.startswith("product_") else call.op_class
