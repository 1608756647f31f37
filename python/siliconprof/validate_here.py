"""Calibration judged where it was made: whole steps, or rows of the op suite, predicted first, then
measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import _core
from ._core import Device, Profile, Sampling, Trace
from .predict import model, predict, synchronised
from .rest import is_disturbed, others, usage, wait_for_rest
from .run import run
from .suite import suite
from .validate import Score
from .workloads import workload

FRAMEWORK = "native"
# The steps whose times nothing was fitted on: GPT-2 small in six shapes, and three other models.
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
# What is measured around each step, on several sets of operands: a product, and an update of more
# than this process may count on of a cache (155 MB). Memory's rate changes where arithmetic's
# doesn't, as when others use it.
_ARITHMETIC_PACER = ("matmul", {"m": 512, "k": 768, "n": 768}, 8)
_MEMORY_PACER = ("adamw", {"n": 600_000}, 16)
_PACER_SAMPLES = 9
# Parts that go by the processors' clock more than by memory.
_ARITHMETIC = (
    *(f"product_{layout}" for layout in ("forward", "data_gradient", "weight_gradient")),
    "convolution",
    "attention",
)
# A row of the suite, repeated.
_ROW_SAMPLING = Sampling.adaptive(budget_s=0.3, warmups=1, min_samples=6)
_TRIES = 3
_WAYS = 2  # through all steps
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

    pace, memory_pace: what a product and an update in memory took around the step over their
    predictions, the machine's own drift since it was calibrated; error_at_pace: the step's error
    had the prediction drifted along; others: the part of the processors that other processes used
    during the step, None where it can't be told.
    """

    score: Score
    parts: list[Part]
    pace: float
    memory_pace: float
    others: float | None

    @property
    def error_at_pace(self) -> float:
        """Predicted, products at their pace and the rest at memory's, over measured, minus 1."""
        drifted = sum(
            part.predicted * (self.pace if part.op_class in _ARITHMETIC else self.memory_pace)
            for part in self.parts
        )
        drift = drifted / sum(part.predicted for part in self.parts)
        return self.score.predicted * drift / self.score.recorded - 1.0


class OneCall(Protocol):
    """What judge_ops is asked about: a row of the op suite, or any other call alone."""

    @property
    def label(self) -> str:
        """Its words."""

    @property
    def operation(self) -> str:
        """Whose call it is."""

    def trace(self) -> Trace:
        """The call."""


# A profile, and the part of the processors that others used meanwhile.
Measure = Callable[[Trace, Sampling], tuple[Profile, float | None]]


@dataclass(frozen=True)
class _Visit:
    """A step as it was found at one time."""

    profile: Profile
    others: float | None
    paces: list[float]  # read before and after
    memory_paces: list[float]

    @property
    def samples_s(self) -> list[float]:
        return list(self.profile.samples_s) or [self.profile.time_s]


def judge(
    device: Device,
    steps: Sequence[tuple[str, Mapping[str, int]]] | None = None,
    samples: int = 3,
    measure: Measure | None = None,
    precision: str = "fp32",
) -> Iterator[Judged]:
    """Predicts each step on `device`, then measures it here: `samples` times on the way through all
    steps and as often on a second way, so that a slow half minute doesn't pass for a slow step."""
    measure = measure or at_rest
    chosen = steps or STEPS
    traces = [step_trace(name, sizes, precision) for name, sizes in chosen]
    guesses = [predict(trace, device, FRAMEWORK) for trace in traces]
    visits: list[list[_Visit]] = [[] for _ in traces]
    for way in range(_WAYS):
        for (name, sizes), trace, guess, found in zip(chosen, traces, guesses, visits, strict=True):
            found.append(_visit(device, trace, samples, measure))
            if way == _WAYS - 1:
                words = [f"{key}={value}" for key, value in sizes.items()]
                words += [f"precision={precision}"] if precision != "fp32" else []
                yield _judged(" ".join([name, *words]), trace, guess, found)


def judge_ops(
    device: Device, rows: Sequence[OneCall] | None = None, measure: Measure | None = None
) -> tuple[list[Score], list[str]]:
    """Predicts each of `rows`, by default the op suite's, on `device`, then measures it here,
    repeated; and what was left out, as where memory is short, with the reason."""
    measure = measure or at_rest
    machine = model(device, FRAMEWORK)
    scores: list[Score] = []
    left_out: list[str] = []
    for row in suite() if rows is None else rows:
        trace = row.trace()
        seconds, low, high = synchronised(machine, trace)
        try:
            found, _ = measure(trace, _ROW_SAMPLING)
        except _core.Error as error:
            left_out.append(f"{row.label}: {error}")
            continue
        scores.append(
            Score.of(
                row.label,
                device.id,
                FRAMEWORK,
                found.time_s,
                seconds,
                "s",
                (low, high),
                source=f"measured here: {found.statistic} of {len(found.samples_s)} samples",
                subject=row.operation,
                op_class=trace.calls[0].op_class,
            )
        )
    return scores, left_out


def step_trace(name: str, sizes: Mapping[str, int], precision: str = "fp32") -> Trace:
    """A step of this library's own kernels."""
    arguments: dict[str, Any] = {"framework": FRAMEWORK, "precision": precision, **sizes}
    return workload(name, **arguments)


def _visit(device: Device, trace: Trace, samples: int, measure: Measure) -> _Visit:
    def paces() -> list[float]:
        return [_pace(device, measure, *pacer) for pacer in (_ARITHMETIC_PACER, _MEMORY_PACER)]

    before = paces()
    profile, part = measure(trace, Sampling.fixed(samples, 1))
    arithmetic, memory = zip(before, paces(), strict=True)
    return _Visit(profile, part, list(arithmetic), list(memory))


def _judged(what: str, trace: Trace, guess: Profile, visits: Sequence[_Visit]) -> Judged:
    samples_s = [each for visit in visits for each in visit.samples_s]
    known = [visit.others for visit in visits if visit.others is not None]
    score = Score.of(
        what,
        guess.device,
        FRAMEWORK,
        _core.median(samples_s),
        guess.time_s,
        "s",
        guess.interval,
        source=f"measured here: median of {len(samples_s)} samples at {len(visits)} times",
    )
    parts = parts_of(what, trace, [visit.profile for visit in visits], guess)
    # A core that is taken away for a moment slows one reading: it is no pace of the step.
    pace = _core.median([each for visit in visits for each in visit.paces])
    memory_pace = _core.median([each for visit in visits for each in visit.memory_paces])
    return Judged(score, parts, pace, memory_pace, max(known, default=None))


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


def _pace(device: Device, measure: Measure, op: str, dims: Mapping[str, int], sets: int) -> float:
    """What a call takes now over what the device says, on operands far away."""
    trace = _core.replicate(_core.single_op(op, dict(dims)), sets, 1, op == "adamw")
    found, _ = measure(trace, Sampling.fixed(_PACER_SAMPLES, 1))
    return found.time_s / predict(trace, device, FRAMEWORK).time_s


def parts_of(what: str, trace: Trace, found: Sequence[Profile], guess: Profile) -> list[Part]:
    """By phase and op class, in order of appearance; each op's quickest sample counts, so that
    what disturbed the machine doesn't pass for a wrong term."""
    seconds: dict[tuple[str, str], list[float]] = {}
    calls = trace.calls
    for profiles, side in ((found, 0), ([guess], 1)):
        for call, (phase, quickest) in _quickest(profiles).items():
            seconds.setdefault((phase, _kind(calls[call])), [0.0, 0.0])[side] += quickest
    return [Part(what, *key, *both) for key, both in seconds.items()]


def _quickest(profiles: Sequence[Profile]) -> dict[int, tuple[str, float]]:
    """By call its phase and its quickest sample."""
    found: dict[int, tuple[str, float]] = {}
    for profile in profiles:
        for span in profile.spans:
            if span.kind == "op":
                _, before = found.get(span.call, ("", math.inf))
                found[span.call] = span.phase, min(before, *(span.samples_s or [span.wall_s]))
    return found


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
    """What a product is measured as, else the op's class."""
    name = _core.kernel_name(call)
    return name if name.startswith("product_") else call.op_class
