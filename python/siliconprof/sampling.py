"""The named sampling rules: how often a measurement repeats, and when it stops."""

from __future__ import annotations

from typing import Any

from . import arguments
from ._core import ArgumentError, Sampling
from .names import unknown_name

_COUNTS = ("samples", "warmups", "min_samples", "max_samples")
_adaptive, _fixed = Sampling.adaptive, Sampling.fixed  # the core's


def sampling_rules() -> list[str]:
    """Names of the rules that `sampling_rule` knows."""
    return ["adaptive", "paper"]


def sampling_rule(sampling: str | Sampling = "adaptive", **overrides: float | None) -> Sampling:
    """The rule called `sampling`, with the parameters of the adaptive rule replaced where given.

    adaptive: median and distribution-free interval, stops when narrow or out of time.
    paper:    10 warm-ups, 100 launches, mean (arXiv 2501.14925, section 4.4).
    Raises:   UnknownNameError; ArgumentError when a rule that has no such parameter is given one.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    rule = sampling if isinstance(sampling, Sampling) else _named(sampling)
    if sampling == "adaptive":
        return _adaptive(**{name: _checked(name, value) for name, value in given.items()})
    if given:
        raise ArgumentError(
            f"[sampling] {', '.join(sorted(given))} given together with the rule {rule.name!r}: "
            "only 'adaptive' takes parameters"
        )
    return rule


def _named(name: str) -> Sampling:
    if arguments.text("sampling", "sampling", name) not in sampling_rules():
        raise unknown_name("sampling", name, sampling_rules())
    return _adaptive() if name == "adaptive" else Sampling.paper()


def attach_sampling_checks() -> None:
    """Has Sampling.adaptive and Sampling.fixed say what is wrong with an argument."""
    setattr(Sampling, adaptive.__name__, staticmethod(adaptive))
    setattr(Sampling, fixed.__name__, staticmethod(fixed))


def adaptive(
    relative_half_width: float = 0.02,
    budget_s: float = 2.0,
    warmups: int = 2,
    min_samples: int = 9,
    max_samples: int = 1000,
    confidence: float = 0.95,
    min_time_s: float = 0.2,
) -> Sampling:
    """Samples until the median is known well, time is out or there are enough; gives the median and
    its distribution-free interval. Of a short call a sample is taken now and then while it runs on:
    a machine changes within seconds, and neighbours know nothing of it.

    Arguments: relative_half_width the part of the median that half of its interval may be, 0.02 for
               2 %; 0 doesn't stop for that. It is looked at after min_samples, then at a third more
               each time;
               budget_s seconds from the first warm-up on; 0 is no limit. Once spent, only as many
               samples follow as an interval needs (min_samples, 6 at most for 95 %), up to 4
               budgets;
               warmups runs before the first sample, kept apart (`warmup_samples_s`); a spent budget
               cuts them short;
               min_samples, max_samples counts, from 1 on and the former no more than the latter;
               confidence of the interval, above 0 and below 1. Neighbours that are alike, as on a
               shared machine, widen it; stopping once it is narrow takes up to two points off 0.95,
               neighbours that correlate by a half about five more. Of what changes more slowly
               than it measures, profiles of other processes tell;
               min_time_s seconds over which samples are spread at least, as far as the budget goes:
               one each thirty-second of it; 0 takes them back to back.
    Raises:    ArgumentError naming the parameter, its value and what is needed.
    """
    given = {
        "relative_half_width": relative_half_width,
        "budget_s": budget_s,
        "warmups": warmups,
        "min_samples": min_samples,
        "max_samples": max_samples,
        "confidence": confidence,
        "min_time_s": min_time_s,
    }
    return _adaptive(**{name: _checked(name, value) for name, value in given.items()})


def fixed(samples: int, warmups: int = 1) -> Sampling:
    """The median of `samples` samples, 1 or more, after `warmups` runs that are kept apart, 0 or
    more; without a limit of time. Raises: ArgumentError naming the parameter and its value."""
    return _fixed(_checked("samples", samples), _checked("warmups", warmups))


def _checked(name: str, value: float) -> Any:
    """The core says which range a parameter has; here it becomes a number that it can hold."""
    if name in _COUNTS:
        most = arguments.LARGEST_COUNT
        return arguments.whole("sampling", name, value, -most, most)
    return arguments.real("sampling", name, value)
