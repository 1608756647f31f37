"""A profile as a pandas table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from ._core import Profile


def to_frame(profile: Profile) -> pandas.DataFrame:
    """One row per span, in the profile's order; `parent` is the row of the enclosing span, `phase`
    None for the whole step.

    Units: *_s seconds, flops FLOP, bytes compulsory bytes, rates per second; the columns
           `term_*` hold a predicted span's terms. What a span lacks is <NA>.
    """
    import pandas

    rows = []
    for span in profile.spans:
        low, high = span.interval_s or (None, None)
        flops, moved = (span.cost.flops, span.cost.bytes) if span.cost else (None, None)
        row = {
            "name": span.name,
            "kind": span.kind,
            "phase": None if span.kind == "step" else span.phase,
            "parent": span.parent,
            "wall_s": span.wall_s,
            "low_s": low,
            "high_s": high,
            "samples": len(span.samples_s),
            "flops": flops,
            "bytes": moved,
            "flops_per_s": _rate(flops, span.wall_s),
            "bytes_per_s": _rate(moved, span.wall_s),
            "origin": profile.origin,
        }
        row.update({f"term_{name}": value for name, value in (span.terms or {}).items()})
        rows.append(row)
    frame = pandas.DataFrame(rows)
    numbers = [name for name in frame.columns if name.endswith("_s") or name.startswith("term_")]
    amounts = {name: "Int64" for name in ("flops", "bytes")}
    return frame.astype({**{name: "Float64" for name in numbers}, **amounts})


def _rate(amount: int | None, seconds: float) -> float | None:
    return None if amount is None or seconds == 0.0 else amount / seconds
