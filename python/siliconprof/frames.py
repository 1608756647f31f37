"""A profile as a pandas table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from ._core import Profile


def to_frame(profile: Profile) -> pandas.DataFrame:
    """One row per span, in the profile's order; `parent` is the row of the enclosing span.

    Units: *_s seconds, flops FLOP, bytes compulsory bytes, rates per second; the columns
           `term_*` hold a predicted span's terms. What a span lacks is <NA>.
    """
    import pandas

    rows = []
    for span in profile.spans:
        low, high = span.interval_s or (None, None)
        row = {
            "name": span.name,
            "kind": span.kind,
            "phase": span.phase,
            "parent": span.parent,
            "wall_s": span.wall_s,
            "low_s": low,
            "high_s": high,
            "samples": len(span.samples_s),
            "flops": span.cost.flops,
            "bytes": span.cost.bytes,
            "flops_per_s": span.cost.flops / span.wall_s if span.wall_s > 0 else None,
            "bytes_per_s": span.cost.bytes / span.wall_s if span.wall_s > 0 else None,
            "origin": profile.origin,
        }
        row.update({f"term_{name}": value for name, value in (span.terms or {}).items()})
        rows.append(row)
    frame = pandas.DataFrame(rows)
    numbers = [name for name in frame.columns if name.endswith("_s") or name.startswith("term_")]
    return frame.astype({name: "Float64" for name in numbers})
