"""`siliconprof validate --here`: the machine at hand, calibrated, predicted, then measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..calibrate import calibration
from ..devices import device as find_device
from ..validate import Summary, summarise
from ..validate_here import Judged, judge, totals
from .output import print_json, print_table, print_text


def validate_here(device: str | None, budget_s: float, samples: int, json: bool) -> Summary:
    """Prints each step's error and each phase's by kind of op; returns the summary of the steps."""
    notes: list[str] = []
    if device is None:
        made = calibration("cpu", budget_s)
        machine, notes = made.device, made.notes
    else:
        machine = find_device(device)
    judged = list(judge(machine, samples=samples))
    overall = summarise([one.score for one in judged])
    if json:
        print_json(_document(judged, overall, notes))
    else:
        _print(judged, overall, notes)
    return overall


def _document(judged: Sequence[Judged], overall: Summary, notes: list[str]) -> dict[str, object]:
    return {
        "rows": [
            {
                **dataclasses.asdict(one.score),
                "pace": one.pace,
                "error_at_pace": one.error_at_pace,
                "others": one.others,
            }
            for one in judged
        ],
        "mape": overall.mape,
        "median": overall.median,
        "p90": overall.p90,
        "max": overall.max,
        "parts": [
            {**dataclasses.asdict(part), "error": part.error}
            for one in judged
            for part in one.parts
        ],
        "notes": notes,
    }


def _print(judged: Sequence[Judged], overall: Summary, notes: list[str]) -> None:
    print_table(
        "Steps (at pace: had the prediction drifted as the machine did since it was calibrated)",
        ("step", "measured", "predicted", "error", "others", "pace", "error at pace"),
        [
            [
                one.score.what,
                f"{one.score.recorded:.3f} s",
                f"{one.score.predicted:.3f} s",
                f"{one.score.error:+.1%}",
                "–" if one.others is None else f"{one.others:.0%}",
                f"{one.pace:.2f}",
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
