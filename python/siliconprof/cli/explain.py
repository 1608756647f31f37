"""`siliconprof explain`."""

from __future__ import annotations

from typing import Any

import typer

from .._core import ArgumentError, Causes, Trace
from ..figures.files import figure_path
from ..overview import of_causes, residual_reason
from .output import print_json, print_overview
from .profile_argument import profile_of
from .workload_options import JSON, OptionalText, offloading, taking_a_workload, trace_of

FROM = typer.Option(..., "--from", help="DEVICE or DEVICE/FRAMEWORK.")
TO = typer.Option(..., "--to", help="The target to compare with it.")
SET_TO = typer.Option(
    [], "--set", help="A number of --to's target changed, as memory.bandwidth=1e12; repeatable."
)
SET_FROM = typer.Option([], "--set-from", help="As --set, for the target of --from.")
MEASURED_FROM = typer.Option(
    None, "--measured-from", help="Seconds measured there, a saved profile, or TABLE:ROW."
)
MEASURED_TO = typer.Option(None, "--measured-to", help="The same for the target of --to.")
PRECISION_TO = typer.Option(
    None, "--precision-to", help="What the target of --to trains in, where it differs."
)
OFFLOAD_FROM = typer.Option(False, "--offload-from", help="Only the target of --from offloads.")
OFFLOAD_TO = typer.Option(False, "--offload-to", help="Only the target of --to offloads.")
DETAIL = typer.Option(None, "--by", help="phase or class: each term split further.")
FIGURE = typer.Option(None, "--figure", help="Also draw the waterfall to this file.")


@taking_a_workload
def explain(
    described: dict[str, Any],
    from_: str = FROM,
    to: str = TO,
    set: list[str] = SET_TO,
    set_from: list[str] = SET_FROM,
    precision_to: OptionalText = PRECISION_TO,
    offload_from: bool = OFFLOAD_FROM,
    offload_to: bool = OFFLOAD_TO,
    measured_from: OptionalText = MEASURED_FROM,
    measured_to: OptionalText = MEASURED_TO,
    by: OptionalText = DETAIL,
    figure: OptionalText = FIGURE,
    json: bool = JSON,
) -> None:
    """Why does a step take longer on one target than on another?

    The predicted gap, split exactly over matrix kernels, vector kernels and bandwidth, launches...
    What was measured of it and isn't predicted stands beside, as the residual.

    Example: siliconprof explain gpt2-large --batch 8 --seq 256
    --from rtx-a6000/torch-cuda --to m2-ultra/mlx
    """
    from ..explain import Ways, explain_steps

    _check_detail(by)
    target = figure_path("explain", figure)
    precision = described.pop("precision")
    ways = Ways(
        (precision, precision_to or precision), _offloads(described, offload_from, offload_to)
    )

    def make(framework: str, precision: str | None, offload: bool | str) -> Trace:
        return trace_of(framework=framework, precision=precision, offload=offload, **described)

    causes = explain_steps(
        make,
        _target(from_, set_from),
        _target(to, set),
        (_measured(measured_from), _measured(measured_to)),
        ways,
    )
    if target is not None:
        from ..figures.waterfall import save_waterfall

        save_waterfall(causes, target)
    if json:
        print_json(_document(causes, by))
    else:
        print_overview(of_causes(causes, by))


def _offloads(described: dict[str, Any], from_: bool, to: bool) -> tuple[bool | str, bool | str]:
    """How each target offloads; a mode alone is both targets'."""
    asked, mode = described.pop("offload"), described.pop("offload_mode")
    if asked and (from_ or to):
        side = "--offload-from" if from_ else "--offload-to"
        needed = "needed: one of them, as --offload is both targets'"
        raise ArgumentError(f"[explain] --offload and {side} are given; {needed}")
    both = asked or (mode is not None and not (from_ or to))
    way = offloading(True, mode)
    return (both or from_) and way, (both or to) and way


def _check_detail(by: str | None) -> None:
    from ..names import unknown_name

    if by not in (None, "phase", "class"):
        raise unknown_name("split", by, ["phase", "class"])


def _target(text: str, settings: list[str]) -> tuple[Any, Any]:
    from ..explain import parse_target
    from ..what_if import with_settings

    return with_settings(*parse_target(text), settings)


def _measured(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return profile_of(text)


def _document(causes: Causes, by: str | None) -> dict[str, Any]:
    terms = []
    for term in causes.terms:
        entry: dict[str, Any] = {"name": term.name, "seconds": term.seconds, "share": term.share}
        if by is not None:
            entry[f"by_{by}"] = term.by_phase if by == "phase" else term.by_class
        terms.append(entry)
    return {
        "from": causes.from_target,
        "to": causes.to_target,
        "from_s": causes.from_s,
        "to_s": causes.to_s,
        "gap_s": causes.gap_s,
        "terms": terms,
        "measured_from_s": causes.measured_from_s,
        "measured_to_s": causes.measured_to_s,
        "residual_s": causes.residual_s,
        "residual_reason": residual_reason(causes),
        "notes": causes.notes,
    }
