"""`siliconprof validate --here`: the machine at hand, calibrated, predicted, then measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .._core import Device, Error
from ..calibrate import calibration
from ..devices import device as find_device
from ..validate import Summary, summarise
from ..validate_here import Judged, judge, judge_ops, totals
from .output import print_json, print_table, print_text
from .validate import errors_of, print_scores


def validate_here(
    device: str | None, budget_s: float | None, samples: int, precision: str, json: bool
) -> Summary:
    """Prints each step's error and each phase's by kind of op; returns the summary of the steps."""
    machine, notes = _machine(device, budget_s, precision)
    judged = list(judge(machine, samples=samples, precision=precision))
    overall = summarise([one.score for one in judged])
    if json:
        print_json(_document(judged, overall, notes))
    else:
        _print(judged, overall, notes)
    return overall


def validate_ops_here(device: str | None, budget_s: float | None, json: bool) -> Summary:
    """Prints the error of each row of the op suite, and by operation; returns their summary.

    Raises: Error where no row could be measured.
    """
    machine, notes = _machine(device, budget_s, "fp32")
    scores, left_out = judge_ops(machine)
    if not scores:
        raise Error(f"[validate] no row of the op suite could be measured; {left_out[0]}")
    overall = summarise(scores)
    if json:
        rows = [dataclasses.asdict(score) for score in scores]
        print_json({"rows": rows, **errors_of(overall), "left_out": left_out, "notes": notes})
        return overall
    print_scores(scores, "measured")
    for line in left_out:
        print_text(f"left out: {line}", style="dim")
    for note in notes:
        print_text(note, style="yellow")
    return overall


def _machine(
    device: str | None, budget_s: float | None, precision: str
) -> tuple[Device, list[str]]:
    """As it is known, or calibrated now, with what there is to say about that."""
    if device is not None:
        return find_device(device), []
    made = calibration("cpu", budget_s, [precision])
    return made.device, made.notes


def _document(judged: Sequence[Judged], overall: Summary, notes: list[str]) -> dict[str, object]:
    return {
        "rows": [
            {
                **dataclasses.asdict(one.score),
                "pace": one.pace,
                "memory_pace": one.memory_pace,
                "error_at_pace": one.error_at_pace,
                "others": one.others,
            }
            for one in judged
        ],
        **errors_of(overall),
        "parts": [
            {**dataclasses.asdict(part), "error": part.error}
            for one in judged
            for part in one.parts
        ],
        "notes": notes,
    }


def _print(judged: Sequence[Judged], overall: Summary, notes: list[str]) -> None:
    print_table(
        "Steps (paces: how much longer products and memory take than when the machine was "
        "calibrated; at pace: had the prediction drifted along)",
        ("step", "measured", "predicted", "error", "others", "paces", "error at pace"),
        [
            [
                one.score.what,
                f"{one.score.recorded:.3f} s",
                f"{one.score.predicted:.3f} s",
                f"{one.score.error:+.1%}",
                "–" if one.others is None else f"{one.others:.0%}",
                f"{one.pace:.2f}, {one.memory_pace:.2f}",
                f"{one.error_at_pace:+.1%}",
            ]
            for one in judged
        ],
    )
    print_table(
        "Parts of all steps (the quickest sample of each op)",
        ("phase", "kind", "measured", "predicted", "error"),
        [
            [p.phase, p.op_class, f"{p.measured:.3f} s", f"{p.predicted:.3f} s", f"{p.error:+.0%}"]
            for p in totals(judged)
        ],
    )
    drifted = [abs(one.error_at_pace) for one in judged]
    print_text(
        f"{overall.rows} steps: error mean {overall.mape:.1%}, median {overall.median:.1%}, "
        f"p90 {overall.p90:.1%}, max {overall.max:.1%}; at pace mean "
        f"{sum(drifted) / len(drifted):.1%}, max {max(drifted):.1%}"
    )
    for note in notes:
        print_text(note, style="yellow")
