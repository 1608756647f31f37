"""Measuring one kernel of a calibration, and what its samples tell about the machine."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from . import _core
from ._core import Error, Profile, Sampling, Trace
from .calibration_plan import PART_OF_MEMORY, Kernel
from .rate_fit import Point, fit_rates
from .rest import Usage, is_disturbed, others

# Sets of operands together are so many caches: each set is far when its turn comes, but for what a
# cache that replaces at random still has, a sixteenth, which the fit knows of (call_traffic). With
# four of them a round of all kernels takes longer than a minute.
_CACHES_OF_SETS = 2.5
_MOST_SETS = 128
# A pass over all sets is run once to warm up and measured twice at least. Where that takes longer
# than a kernel has, two sets take turns, and what lies between pushes them out.
_PASSES = 3
_SETS_IN_TURN = 2
_TRIAL = Sampling.fixed(2, 1)
_CACHE_AT_FIRST_BYTES = 64e6
# A call larger than the cache is so many of it; one of more bytes takes longer to fill with numbers
# than a calibration has.
_LARGE_CACHES = 2.0
_MOST_LARGE_BYTES = 1.5e9
# Sizes of a cache explain as much with so many times the squares of the best one's errors.
_AS_GOOD = 1.001
_ROUNDING = 1e-12
# Interruptions only slow: what the machine does undisturbed is at the quick end of the samples.
_QUICK = 0.05
# What took over so many times as long as the middle one was interrupted.
_INTERRUPTED = 2.0
_ENOUGH = 4  # samples that tell a mean from the quickest
# A quiet machine's middle repetition lies within some per cent of its quickest.
_NOISY = 0.10
_SLOWED = 0.05


@dataclass
class Measured:
    """A kernel, the trace that ran, and its times by round: first runs on far operands, near ones.

    between: calls of the trace that follow each set's own and are not looked at;
    large_trace, large: a call larger than the cache, where there is one, and its times;
    no_large: why there was none, where there should have been;
    others: the part of the processors that other processes used, None where it can't be told;
    attempts: rounds, with those that were dropped.
    """

    kernel: Kernel
    trace: Trace
    far: list[list[float]]
    near: list[list[float]]
    others: float | None = None
    attempts: int = 1
    between: int = 0
    large_trace: Trace | None = None
    large: list[list[float]] = field(default_factory=list)
    no_large: str = ""

    @property
    def far_s(self) -> list[float]:
        """Of all rounds."""
        return [each for samples in self.far for each in samples]

    @property
    def rounds(self) -> list[float]:
        """The quick time of each round, far."""
        return [quick(samples) for samples in self.far]

    @property
    def disturbed(self) -> bool:
        """Whether others used the processors in every round."""
        return is_disturbed(self.others)

    def add(self, other: Measured) -> None:
        """Another round. A round in which others used the processors counts only while there is no
        better one."""
        self.attempts += 1
        if other.disturbed and not self.disturbed:
            return
        if self.disturbed and not other.disturbed:
            self.far, self.near, self.large = [], [], []
        self.far += other.far
        self.near += other.near
        self.large += other.large
        self.no_large = self.no_large or other.no_large
        self.others = other.others

    def points(self, cache_bytes: float, interrupted: float = 1.0) -> list[Point]:
        """What the fit sees: far and, where they were measured, near and large."""
        of_a_set = (2 if any(self.near) else 1) + self.between
        points = []
        for trace, rounds, offset, step in (
            (self.trace, self.far, 0, of_a_set),
            (self.trace, self.near, 1, of_a_set),
            (self.large_trace, self.large, 0, 1),
        ):
            if trace is not None and any(rounds):
                traffic = _core.call_traffic(trace, cache_bytes)[offset::step]
                moved, far, is_large = zip(*traffic, strict=True)
                of_bytes = (statistics.fmean(moved), statistics.fmean(far))
                amounts = _core.kernel_work(trace.calls[0], *of_bytes, all(is_large))
                points.append(Point(amounts, usual(rounds) * interrupted))
        return points


def quick(samples_s: Sequence[float]) -> float:
    """Undisturbed."""
    return _core.quantile(samples_s, _QUICK)


def usual(rounds: Sequence[Sequence[float]]) -> float:
    """The mean, without what was interrupted: a step adds up hundreds of kernels, slow and quick.
    Rounds count alike, whatever the number of their samples: they met the machine at different
    times. One that was interrupted throughout doesn't count."""
    means = [statistics.fmean(_whole(samples)) for samples in rounds if samples]
    return statistics.fmean(_whole(means))


def _whole(times_s: Sequence[float]) -> list[float]:
    """Those that nothing interrupted: the middle one is among them, so most of them are."""
    most = _INTERRUPTED * _core.median(times_s)
    return [each for each in times_s if each <= most]


class Runner(Protocol):
    """A backend as calibration sees it."""

    @property
    def vendor(self) -> str:
        """Of the device: "cpu"..."""

    @property
    def framework(self) -> str:
        """Whose kernels run."""

    @property
    def last_cache_bytes(self) -> float | None:
        """What the last cache may hold of a process, as the system says; None where it doesn't."""

    @property
    def free_bytes(self) -> float | None:
        """Memory for operands, as the system says; None where it doesn't."""

    def measure(self, trace: Trace, sampling: Sampling) -> Profile:
        """Runs the trace."""

    def facts(self) -> dict[str, str]:
        """What the numbers depend on: cpu, cores, memory_bytes."""

    def usage(self) -> Usage | None:
        """What the processors did so far; None for a machine of its own."""


def measure(
    runner: Runner, kernel: Kernel, cache: float, share_s: float, before: Measured | None = None
) -> Measured:
    """Runs a kernel for about `share_s` on sets of operands that outlast a cache of that size, as
    far as memory goes; what ran in a round `before` once more.

    Raises: Error for times that tell nothing; whatever the runner raises.
    """
    free = math.inf if runner.free_bytes is None else runner.free_bytes
    large_trace = before.large_trace if before else _large(kernel, cache, free)
    share_s *= 0.5 if large_trace else 1.0
    used = runner.usage()
    repeats = 1 if kernel.working_set_bytes else 2
    if before:
        trace, between = before.trace, before.between
    else:
        wanted = kernel.working_set_bytes or min(_CACHES_OF_SETS * cache, PART_OF_MEMORY * free)
        trace, between = _sets(runner, kernel, repeats, wanted, share_s)
    taken = _times(runner, trace, share_s)
    of_a_set = repeats + between
    far, near = ([s for call in list(taken)[i::of_a_set] for s in taken[call]] for i in (0, 1))
    _check_times(kernel, far, near)
    found = Measured(kernel, trace, [far], [near if repeats > 1 else []], between=between)
    found.large_trace = large_trace
    if large_trace is not None:
        _add_large(runner, large_trace, share_s, found)
    after = runner.usage()
    found.others = others(used, after) if used and after else None
    return found


def _sets(
    runner: Runner, kernel: Kernel, repeats: int, wanted: float, share_s: float
) -> tuple[Trace, int]:
    """Calls on so many sets that they take `wanted` bytes, or on two with a sum over as much
    between, where that leaves time for more than a pass; and the calls between."""
    sets = kernel.sets(wanted, _MOST_SETS)
    may_turn = not kernel.working_set_bytes and sets > _SETS_IN_TURN
    if may_turn and _PASSES * repeats * sets * _alone_s(runner, kernel) > share_s:
        rest = round(wanted) - _SETS_IN_TURN * kernel.set_bytes()
        return kernel.replicated(_SETS_IN_TURN, repeats, rest), 1
    return kernel.replicated(sets, repeats), 0


def _alone_s(runner: Runner, kernel: Kernel) -> float:
    """About, on operands that are near."""
    return min(_times_of(runner.measure(kernel.replicated(1, 1), _TRIAL))[0])


def _add_large(runner: Runner, trace: Trace, share_s: float, found: Measured) -> None:
    """A call that fails takes nothing from what was measured before."""
    try:
        samples = [s for call in _times(runner, trace, share_s).values() for s in call]
        _check_times(found.kernel, samples)
    except Exception as reason:
        found.no_large = str(reason) or type(reason).__name__
        return
    found.large = [samples]


def _large(kernel: Kernel, cache: float, free_bytes: float) -> Trace | None:
    """A call that no cache holds; none where it would take too much."""
    if not kernel.large:
        return None
    trace = kernel.grown(_LARGE_CACHES * cache).replicated(1, 1)
    most = min(_MOST_LARGE_BYTES, PART_OF_MEMORY * free_bytes)
    return trace if trace.peak_memory_bytes <= most else None


def _times(runner: Runner, trace: Trace, share_s: float) -> dict[int, list[float]]:
    """Seconds by call."""
    return _times_of(
        runner.measure(trace, Sampling.adaptive(0.0, share_s, 1, 2, 1000, min_time_s=0.0))
    )


def _times_of(profile: Profile) -> dict[int, list[float]]:
    spans = [span for span in profile.spans if span.kind == "op"]
    return {span.call: list(span.samples_s) or [span.wall_s] for span in spans}


def _check_times(kernel: Kernel, far: Sequence[float], near: Sequence[float] = ()) -> None:
    """A clock that is too coarse for a kernel says 0 now and a tick then: without the zeros its
    mean would be too long, and with them its quickest time is none."""
    wrong = [each for each in (*far, *near) if not 0.0 < each < math.inf]
    if wrong or not far:
        found = f"a time of {wrong[0]} s" if wrong else "no time at all"
        raise Error(f"[calibrate] {kernel.op}: {found}; finite ones above 0 are needed")


def cache_bytes(levels: Sequence[Measured]) -> float:
    """The size of the cache that best explains a stream's times by working set.

    Each size in question splits the traffic of each working set into near and far; what the best
    rates of both leave unexplained is compared. The middle one of sizes that explain it as well, as
    all do where each set is as quick; none larger than the largest set, of which nothing shows; a
    large guess for fewer than three sets.
    """
    if len(levels) < 3:
        return _CACHE_AT_FIRST_BYTES
    largest = max(level.kernel.working_set_bytes or 0.0 for level in levels)
    found = []
    for size in _sizes_up_to(largest):
        points = []
        for level in levels:
            moved, beyond, _ = zip(*_core.call_traffic(level.trace, size), strict=True)
            near, far = statistics.fmean(moved), statistics.fmean(beyond)
            points.append(Point({"near": near, "far": far}, quick(level.far_s)))
        found.append((fit_rates(points).squares, size))
    least = min(found)[0]
    alike = [size for squares, size in found if squares <= least * _AS_GOOD + _ROUNDING]
    return alike[len(alike) // 2]


def _sizes_up_to(largest: float) -> list[float]:
    """From 1 MB on, eight for each time it doubles."""
    sizes = [1e6]
    while sizes[-1] < largest:
        sizes.append(sizes[-1] * 2.0**0.125)
    return sizes


def interruptions(found: Sequence[Measured]) -> float:
    """How much longer kernels take in the mean with what interrupts them, at least 1: of all
    together, as what interrupts now and then meets few of them."""
    rounds = [samples for m in found for samples in (*m.far, *m.near, *m.large) if samples]
    ratios = [statistics.fmean(each) / usual([each]) for each in rounds]
    return statistics.fmean(min(ratio, _INTERRUPTED) for ratio in ratios) if ratios else 1.0


def disturbance(found: Sequence[Measured]) -> float:
    """How much longer this machine's kernels take in the mean than the quickest, interruptions
    apart; 1 where there are too few samples."""
    enough = [m.far_s for m in found if len(m.far_s) >= _ENOUGH]
    return _core.median([usual([each]) / quick(each) for each in enough]) if enough else 1.0


def notes_of(found: Sequence[Measured]) -> list[str]:
    """What there is to say about the machine; empty for one at rest."""
    said = []
    if (usual := disturbance(found) - 1.0) > _NOISY:
        said.append(
            f"noisy: repetitions took {usual:.0%} longer in the mean than the quickest; "
            "other work shared the machine"
        )
    if (held_up := interruptions(found) - 1.0) > _NOISY:
        said.append(
            f"interrupted: pauses made kernels {held_up:.0%} longer in the mean; other work, or a "
            "limit on this process's share of the processors"
        )
    if disturbed := sum(m.disturbed for m in found):
        said.append(
            f"noisy: other processes used the processors whenever {disturbed} of {len(found)} "
            "kernels were measured"
        )
    if lacking := [m for m in found if m.no_large and not any(m.large)]:
        ops = ", ".join(m.kernel.op for m in lacking)
        said.append(f"left out: calls larger than the cache of {ops} ({lacking[0].no_large})")
    repeated = [m.rounds for m in found if len(m.far) > 1]
    if not repeated:
        return said
    slowed = _core.median([rounds[-1] / rounds[0] for rounds in repeated]) - 1.0
    spread = _core.median([max(rounds) / min(rounds) for rounds in repeated]) - 1.0
    if slowed > _SLOWED:
        said.append(
            f"slowed down: the last round took {slowed:.0%} longer than the first; a clock that "
            "heat or power holds back, or other work that came in between"
        )
    elif spread > _NOISY:
        said.append(
            f"noisy: the slowest round of a kernel took {spread:.0%} longer than its quickest"
        )
    return said
