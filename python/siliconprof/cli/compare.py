"""`siliconprof compare`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import typer

from .. import _core
from ..names import unknown_name
from ..quantity import scaled
from .output import print_json, print_table, print_text
from .profile_argument import profile_of
from .workload_options import JSON, OptionalText

JUDGED_BAD = 1
MARGIN = typer.Option(0.02, help="Ratios within 1 ± margin count as the same.")
FAIL_ON = typer.Option(
    None, "--fail-on", help="Exit with 1 on this verdict: slower, faster, same, unresolved."
)
ALL = typer.Option(False, "--all", help="Every call by itself, in order.")
SHOWN = 20
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
        _print(gap, sides, all)
    if gap.verdict == fail_on:
        raise typer.Exit(JUDGED_BAD)


Line = tuple[str, str, float | None, float | None, float]


def _size(line: Line) -> float:
    return abs(line[4])


def _phases(sides: tuple[_core.Profile, _core.Profile]) -> Iterator[Line]:
    """Those that either side tells."""
    for phase in ("forward", "backward", "optimizer", "transfer"):
        from_s, to_s = (getattr(side, f"{phase}_s") for side in sides)
        if from_s or to_s:
            yield phase, phase, from_s, to_s, (to_s or 0.0) - (from_s or 0.0)


def _calls(gap: _core.Gap) -> list[Line]:
    return [(row.name, row.phase or "", row.from_s, row.to_s, row.difference_s) for row in gap.rows]


def _summed(gap: _core.Gap) -> list[Line]:
    """The calls of each operation and phase as one line, in order of appearance."""
    by_op: dict[tuple[str, str], list[Line]] = {}
    for line in _calls(gap):
        by_op.setdefault(line[:2], []).append(line)
    return [
        (f"{name} x {len(lines)}" if lines[1:] else name, phase, *_sums(lines))
        for (name, phase), lines in by_op.items()
    ]


def _sums(lines: list[Line]) -> tuple[float | None, float | None, float]:
    from_s, to_s = _sum(line[2] for line in lines), _sum(line[3] for line in lines)
    return from_s, to_s, sum(line[4] for line in lines)


def _sum(times: Iterable[float | None]) -> float | None:
    """None where there is no time."""
    known = [seconds for seconds in times if seconds is not None]
    return sum(known) if known else None


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
            for name, _, from_s, to_s, difference_s in _phases(sides)
        ],
        "rows": [
            {
                "name": row.name,
                "phase": row.phase,
                "from_s": row.from_s,
                "to_s": row.to_s,
                "difference_s": row.difference_s,
                "interval_s": None if row.interval_s is None else list(row.interval_s),
            }
            for row in gap.rows
        ],
        "notes": list(gap.notes),
    }


def _print(gap: _core.Gap, sides: tuple[_core.Profile, _core.Profile], every: bool) -> None:
    low, high = gap.interval
    print_text(f"{gap.verdict}: ratio {gap.ratio:.4g} ({low:.4g} to {high:.4g})", "bold")
    rows = _calls(gap) if every else _summed(gap)
    shown = rows if every else sorted(rows, key=_size, reverse=True)[:SHOWN]
    print_table(
        "",
        ("span", "phase", "from", "to", "difference"),
        [
            (name, phase, *(scaled(seconds, "s") for seconds in times))
            for name, phase, *times in [*_phases(sides), *shown]
        ],
    )
    if len(shown) < len(rows):
        left = f"{len(rows) - len(shown)} of {len(rows)} with smaller differences left out"
        print_text(f"{left}; --all has every call", "dim")
    for note in gap.notes:
        print_text(f"note: {note}", "dim")
