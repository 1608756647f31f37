"""`siliconprof compare`."""

from __future__ import annotations

from typing import Any

import typer

from .. import _core
from ..names import unknown_name
from ..overview import of_gap, phases_of
from ..profile_document import listed
from .output import print_json, print_overview
from .profile_argument import profile_of
from .workload_options import JSON, OptionalText

JUDGED_BAD = 1
MARGIN = typer.Option(0.02, help="Ratios within 1 ± margin count as the same.")
FAIL_ON = typer.Option(
    None, "--fail-on", help="Exit with 1 on this verdict: slower, faster, same, unresolved."
)
ALL = typer.Option(False, "--all", help="Every call by itself, in order.")
_VERDICTS = ["faster", "slower", "same", "unresolved"]


def compare(
    before: str = typer.Argument(..., metavar="FROM", help="A saved profile, or TABLE:ROW."),
    after: str = typer.Argument(..., metavar="TO", help="The profile to compare with it."),
    margin: float = MARGIN,
    fail_on: OptionalText = FAIL_ON,
    all: bool = ALL,
    json: bool = JSON,
) -> None:
    """Is the second profile faster or slower than the first, and by how much?

    Shows phases, and the operations of each that differ most, their calls summed.

    TABLE:ROW is one time of a recorded table: table4:1 is the first time of the packaged table4,
    own.csv:2 the second of a file.

    Example: siliconprof compare old.json new.json --fail-on slower
    """
    if fail_on is not None and fail_on not in _VERDICTS:
        raise unknown_name("verdict", fail_on, _VERDICTS)
    sides = profile_of(before), profile_of(after)
    gap = _core.compare(*sides, margin)
    if json:
        print_json(_document(gap, sides))
    else:
        print_overview(of_gap(gap, phases_of(sides), all))
    if gap.verdict == fail_on:
        raise typer.Exit(JUDGED_BAD)


def _document(gap: _core.Gap, sides: tuple[_core.Profile, _core.Profile]) -> dict[str, Any]:
    return {
        "verdict": gap.verdict,
        "ratio": gap.ratio,
        "interval": list(gap.interval),
        "margin": gap.margin,
        "from_s": sides[0].time_s,
        "to_s": sides[1].time_s,
        "phases": [
            {"name": name, "from_s": from_s, "to_s": to_s, "difference_s": difference_s}
            for name, _, from_s, to_s, difference_s in phases_of(sides)
        ],
        "rows": [
            {
                "name": row.name,
                "phase": row.phase,
                "from_s": row.from_s,
                "to_s": row.to_s,
                "difference_s": row.difference_s,
                "interval_s": listed(row.interval_s),
            }
            for row in gap.rows
        ],
        "notes": list(gap.notes),
    }
