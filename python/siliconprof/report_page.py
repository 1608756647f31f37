"""The report's page: experiments, claims and environment as one HTML file without links out."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from .environment import for_readers
from .experiments.claim import Claim, Evidence
from .experiments.experiment import Experiment
from .experiments.table import Row, Table
from .quantity import scaled


@dataclass(frozen=True)
class Section:
    """One experiment's part of the page: its table and its figure in both themes, as SVG."""

    experiment: Experiment
    table: Table
    light_svg: str
    dark_svg: str


def page(
    sections: Sequence[Section],
    claims: Sequence[Claim],
    environment: Mapping[str, str],
    version: str,
    quick: bool,
) -> str:
    """The whole page as HTML text."""
    from jinja2 import Environment, StrictUndefined

    template = files("siliconprof") / "data" / "report.html.j2"
    engine = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return engine.from_string(template.read_text(encoding="utf-8")).render(
        sections=[_section(section) for section in sections],
        claims=[_claim(claim) for claim in claims],
        verdicts={v: sum(c.verdict == v for c in claims) for v in ("holds", "fails", "undecided")},
        environment=environment,
        facts=[for_readers(name, value) for name, value in environment.items()],
        version=version,
        quick=quick,
        date=sections[0].table.date if sections else "",
    )


def _section(section: Section) -> dict[str, Any]:
    experiment, table = section.experiment, section.table
    counts = {
        origin: len([row for row in table.rows if row.origin == origin])
        for origin in ("measured", "predicted", "recorded")
    }
    return {
        "id": experiment.id,
        "title": experiment.title,
        "kicker": experiment.paper_item or "siliconprof",
        "width_in": experiment.layout.width_in,
        "label": experiment.paper_item or experiment.title,
        "claim": experiment.claim,
        "light": _data_uri(section.light_svg),
        "dark": _data_uri(section.dark_svg),
        "counts": counts,
        # A table is shown; the numbers behind a figure wait for a click.
        "open": not experiment.paper_item.startswith("Figure"),
        "parameters": table.parameters,
        "rows": [_row(row) for row in table.rows],
    }


def _row(row: Row) -> dict[str, str]:
    interval = ""
    if row.lo is not None and row.hi is not None and row.lo != row.hi:
        interval = f"{scaled(row.lo, row.unit)} – {scaled(row.hi, row.unit)}"
    return {
        "origin": row.origin,
        "device": row.device,
        "framework": row.framework,
        "what": row.what,
        # What others printed, to their last digit.
        "value": scaled(row.value, row.unit, 5 if row.origin == "recorded" else 3),
        "interval": interval,
        "source": row.source,
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "text": claim.text,
        "rule": claim.rule,
        "verdict": claim.verdict,
        "span": _span([entry.value for entry in claim.evidence]),
        "origins": sorted({entry.origin for entry in claim.evidence}),
        "evidence": [
            {
                "what": entry.what,
                "origin": entry.origin,
                "value": f"{entry.value:.3g}",
                "interval": _interval(entry),
            }
            for entry in claim.evidence
        ],
    }


def _interval(entry: Evidence) -> str:
    if entry.lo is None or entry.hi is None:
        return "none: decides nothing"
    return "" if entry.lo == entry.hi else f"{entry.lo:.3g} – {entry.hi:.3g}"


def _span(values: Sequence[float]) -> str:
    if not values:
        return "no numbers"
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _data_uri(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
