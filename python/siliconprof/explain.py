"""Why one target takes longer than another: the predicted gap, split exactly over its causes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, arguments
from ._core import Causes, Device, Framework, Model, Trace
from .devices import default_framework, device, is_path
from .lowerings import is_left_open, lowered, own_lowering
from .measured_sides import Measured, both_seconds
from .predict import model
from .side_notes import with_notes_of
from .workloads import is_model, workload

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = str | Device | tuple[str | Path | Device, str | Framework | None]


def explain(
    trace: Trace | tuple[Trace, Trace],
    from_target: Side,
    to_target: Side,
    measured: tuple[Measured, Measured] = (None, None),
) -> Causes:
    """The predicted gap, to minus from, in terms that sum to it; negative where `to` is quicker.

    Arguments: trace one step, or a pair: each is taken in its side's own kernels unless it was made
               in others (`workload(..., framework=...)`); where the two differ, the term "fusion"
               is what that makes of it, and of different formats;
               from_target, to_target (device, framework), as `predict` takes them, "m2-ultra/mlx",
               or a device alone under its vendor's default framework;
               measured seconds, or a Profile of this work, of either side: `residual_s` is what
               both add. Seconds are taken as they are.
    Raises:    as `predict`; ArgumentError for anything that is no target, and for steps of
               different work, or measured profiles of it: what they differ by is no matter of
               machines. A device without tf32
               counts as computing in float32, and a note says so.
    Notes:     also what `predict` notes of either side's step, as that memory is too little for
               it; not of its energy, which is no part of the gap.
    Source:    Shapley 1953: the terms' joint effects are shared equally.
    """
    sides = target("from", from_target), target("to", to_target)
    pair = _pair(trace)
    kernels = [own_lowering(side.framework.id) for side in sides]
    first, second = (lowered(*entry) for entry in zip(pair, kernels, strict=True))

    def same(side: int) -> tuple[Trace, ...]:
        own = (first, second)[side]
        return (pair[side], own) if is_left_open(pair[side]) else (own,)

    seconds = both_seconds(measured, sides, same)
    causes = _core.explain([first] * 4 + [second] * 4, *sides, *seconds)
    return with_notes_of(causes, pair, sides)


@dataclass(frozen=True)
class Ways:
    """How the two sides run the same step, (from, to): where they differ, that is a term too.

    precisions: None is the workload's default; a difference is in "dtype support".
    offloads:   whether the optimizer is on the host, and how, as `workload` takes it; a difference
                is in "transfers".
    """

    precisions: tuple[str | None, str | None] = (None, None)
    offloads: tuple[bool | str, bool | str] = (False, False)


def explain_steps(
    make: Callable[[str, str | None, bool | str], Trace],
    from_target: Side,
    to_target: Side,
    measured: tuple[Measured, Measured] = (None, None),
    ways: Ways = Ways(),
) -> Causes:
    """`explain` for a step as each side runs it, in the kernels of its framework.

    make: the trace of one step by framework (an id that `workload` takes), precision and offload,
          asked once for each combination that is needed.
    """
    sides = target("from", from_target), target("to", to_target)
    kernels = [own_lowering(side.framework.id) for side in sides]
    made: dict[tuple[str, str | None, bool | str], Trace] = {}
    traces = []
    for way in itertools.product(kernels, ways.precisions, ways.offloads):
        if way not in made:
            made[way] = make(*way)
        traces.append(made[way])

    def same(side: int) -> tuple[Trace, ...]:
        how = ways.precisions[side], ways.offloads[side]
        return make("native", *how), made[(kernels[side], *how)]

    causes = _core.explain(traces, *sides, *both_seconds(measured, sides, same))
    return with_notes_of(causes, (traces[0], traces[-1]), sides)


def explain_workload(
    id: str,
    from_target: Side,
    to_target: Side,
    measured: tuple[Measured, Measured] = (None, None),
    ways: Ways = Ways(),
    **given: Any,
) -> Causes:
    """`explain_steps` for a workload by name; `given` as `workload` takes it."""

    def make(framework: str, precision: str | None, offload: bool | str) -> Trace:
        if not is_model(id):
            return workload(id, **given)
        chosen = dict(given)
        if precision is not None:
            chosen["precision"] = precision
        if offload:
            chosen["offload"] = offload
        return workload(id, framework=framework, **chosen)

    return explain_steps(make, from_target, to_target, measured, ways)


def attach_causes_methods() -> None:
    """Puts plot on Causes."""
    Causes.plot = plot  # type: ignore[method-assign]


def plot(self: Causes, axes: Axes | None = None) -> Axes:
    """Draws the gap as a waterfall into `axes`, or a figure of its own. Returns the axes."""
    from .figures import waterfall

    return waterfall.plot(self, axes)


def target(place: str, side: Side) -> Model:
    """The model of (device, framework), or of a device under its vendor's default."""
    # Not Path.is_file: that one raises for a name that is too long.
    if isinstance(side, str) and "/" in side and not os.path.isfile(side):
        side = parse_target(side)
    if isinstance(side, (str, Device)):
        return model(side)
    try:
        machine, framework = side
    except (TypeError, ValueError):
        need = 'a device or a pair (device, framework) is needed, as ("m2-ultra", "mlx")'
        raise arguments.refused("explain", place, side, need) from None
    if framework is not None and not isinstance(framework, (str, Framework)):
        need = "the id of a framework, or a Framework, is needed"
        raise arguments.refused("explain", f"{place} framework", framework, need)
    return model(machine, framework)


def parse_target(text: str) -> tuple[str, str]:
    """ "m2-ultra/mlx" as a device and a framework; a device alone has its vendor's default."""
    machine, _, framework = text.rpartition("/")
    if machine and not framework.endswith(".toml"):
        if is_path(machine) and not (machine.endswith(".toml") or os.path.isfile(machine)):
            need = "DEVICE or DEVICE/FRAMEWORK is needed, as m2-ultra/mlx or my-gpu.toml/torch-cuda"
            raise arguments.refused("explain", "target", text, need)
        return machine, framework
    found = device(text)
    return text if is_path(text) else found.id, default_framework(found)


def _pair(trace: Any) -> tuple[Trace, Trace]:
    one, other = trace if isinstance(trace, (tuple, list)) and len(trace) == 2 else (trace,) * 2
    checked = [arguments.instance("explain", "trace", some, Trace) for some in (one, other)]
    works = [some.work for some in checked]
    if works[0] != works[1]:
        # One that doesn't say is made of single calls, and so no step as the other.
        works = [some.work or some.label for some in checked]
        need = f"the same work is needed of both, not {works[0]!r} and {works[1]!r}"
        raise arguments.refused("explain", "trace", "two steps", need)
    return checked[0], checked[1]
