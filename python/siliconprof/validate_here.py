"""Calibration judged where it was made: whole steps predicted first, then measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import _core
from ._core import Device, Profile, Sampling, Trace
from .predict import predict
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
    """A step's score, its parts, and its quickest sample: what the machine does undisturbed."""

    score: Score
    parts: list[Part]
    quickest_s: float


def judge(
    device: Device,
    steps: Sequence[tuple[str, Mapping[str, int]]] = STEPS,
    samples: int = 3,
    measure: Callable[[Trace, Sampling], Profile] | None = None,
) -> Iterator[Judged]:
    """Predicts each step on `device`, then measures it here; one after the other."""
    measure = measure or (lambda trace, rule: run(trace, sampling=rule))
    for name, sizes in steps:
        trace = workload(name, framework=FRAMEWORK, **sizes)
        guess = predict(trace, device, FRAMEWORK)
        found = measure(trace, Sampling.fixed(samples, 1))
        what = " ".join([name, *(f"{key}={value}" for key, value in sizes.items())])
        low, high = guess.interval or (guess.time_s, guess.time_s)
        score = Score(
            what,
            device.id,
            FRAMEWORK,
            found.time_s,
            guess.time_s,
            "s",
            guess.time_s / found.time_s - 1.0,
            low <= found.time_s <= high,
        )
        yield Judged(score, parts_of(what, trace, found, guess), min(found.samples_s or [found.time_s]))


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


def _kind(call: _core.OpCall) -> str:
    """The layout of a product, else the op's class."""
    name, _ = _core.kernel_work(call, 0.0)
    return name if name.startswith("product_") else call.op_class
