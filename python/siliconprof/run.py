"""Running a trace on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from . import _core, arguments
from ._core import BoundTrace, Profile, Sampling, Trace
from .capacity import refuse_what_cannot_fit
from .environment import environment
from .names import unknown_name
from .sampling import sampling_rule

if TYPE_CHECKING:
    import numpy


def backends() -> list[str]:
    """Names of the measuring backends of this version."""
    return ["cpu"]


def run(
    trace: Trace,
    backend: str = "cpu",
    engine: str = "openblas",
    threads: int | None = None,
    sampling: str | Sampling = "adaptive",
    *,
    relative_half_width: float | None = None,
    budget_s: float | None = None,
    warmups: int | None = None,
    min_samples: int | None = None,
    max_samples: int | None = None,
    confidence: float | None = None,
    min_time_s: float | None = None,
) -> Profile:
    """Measures `trace` here and returns every sample, the counters and the environment.

    Arguments: engine openblas | eigen | reference; threads None for all that this process may use;
               sampling "adaptive" (whose parameters the keywords replace), "paper" or a Sampling.
    Raises:    UnknownNameError, ArgumentError, EngineUnavailable, DtypeError.
    """
    arguments.instance("run", "trace", trace, Trace)
    arguments.text("run", "engine", engine)
    if arguments.text("run", "backend", backend) not in backends():
        raise unknown_name("backend", backend, backends())
    rule = sampling_rule(
        sampling,
        relative_half_width=relative_half_width,
        budget_s=budget_s,
        warmups=warmups,
        min_samples=min_samples,
        max_samples=max_samples,
        confidence=confidence,
        min_time_s=min_time_s,
    )
    refuse_what_cannot_fit("run", trace)
    profile = _core.run_on_cpu(trace, engine, _threads("run", threads), rule)
    return profile.with_environment({**environment(), **profile.environment})


def evaluate(
    trace: Trace,
    *arrays: numpy.ndarray,
    engine: str = "openblas",
    threads: int | None = None,
    named: Mapping[str, numpy.ndarray] | None = None,
) -> list[numpy.ndarray]:
    """Runs `trace` once on the given inputs and returns its outputs, untimed.

    Arrays: C-contiguous, exactly of the trace's shapes and dtype, in the order of its inputs,
            nothing masked; bfloat16 travels as numpy uint16. Nothing is converted or copied
            silently.
    Results: the same bits for any number of threads, but for matmul and matvec, and so for what is
            made of them: gradients of linear and outer, steps of training. A library shares the
            terms of their sums among threads as it likes. The sign of a NaN is no result.
    named:  values that parameters and states start with, by name; others start as the trace says.
    Raises: ShapeError, DtypeError, ArgumentError, EngineUnavailable.
    """
    arguments.instance("evaluate", "trace", trace, Trace)
    arguments.text("evaluate", "engine", engine)
    if named is not None and not isinstance(named, Mapping):
        raise arguments.refused("evaluate", "named", named, "arrays by name are needed")
    for name in named or ():
        arguments.text(
            "evaluate", "a name of named", name, "a parameter's or state's name is needed"
        )
    _check_unmasked("evaluate", arrays, named)
    refuse_what_cannot_fit("evaluate", trace)
    return _core.evaluate(
        trace, list(arrays), engine, _threads("evaluate", threads), dict(named or {})
    )


def bind(
    trace: Trace, *arrays: numpy.ndarray, engine: str = "openblas", threads: int | None = None
) -> BoundTrace:
    """`trace` with memory and kernels behind it, to be called as often as wanted.

    `call = bind(trace, a, b); call(); call.results[0]`: a call runs the trace on the arrays as they
    are then, into results whose memory is reused; nothing is allocated or copied.
    Arrays: as of `evaluate`; with none given, inputs are made (`.inputs`) and filled with uniform
            numbers in [-1, 1).
    Raises: ShapeError, DtypeError, ArgumentError, EngineUnavailable.
    """
    arguments.instance("bind", "trace", trace, Trace)
    arguments.text("bind", "engine", engine)
    _check_unmasked("bind", arrays)
    refuse_what_cannot_fit("bind", trace)
    return BoundTrace(trace, list(arrays), engine, _threads("bind", threads))


def _check_unmasked(
    place: str, arrays: Sequence[object], named: Mapping[str, object] | None = None
) -> None:
    for index, array in enumerate(arrays):
        arguments.unmasked(place, f"array {index}", array)
    for name, array in (named or {}).items():
        arguments.unmasked(place, f"named[{name!r}]", array)


def _threads(place: str, threads: int | None) -> int:
    """The core's convention: 0 stands for every core that this process may use."""
    return arguments.threads(place, threads) or 0
