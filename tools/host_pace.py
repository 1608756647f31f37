"""The pace of a host (host.pace, docs/device-files.md): its chains of modules, as
torch_cuda_host.py times them, against those of the machines that torch-cuda's host costs were
fitted on.

Pace 1 is that of the median machine of the record h200_ops, to which tools/fit_host.py brings all
of them; 0.7 takes 1 / 0.7 as long. The costs themselves are no yardstick: fit_host.py raises them
to what whole layers take. Needs neither torch nor siliconprof.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

RECORD = Path(__file__).parents[1] / "python" / "siliconprof" / "data" / "records" / "h200_ops.csv"
# Chains that every pace is read off, also under autocast.
PACERS = ("linear", "product", "layer_norm", "gelu_tanh", "relu", "add", "linear_attention")
KINDS = ("", "_autocast")
ROWS = tuple(f"host.module.{name}{kind}" for kind in KINDS for name in PACERS)

Chains = Mapping[tuple[str, str], float]  # seconds a module by row and direction


@dataclass(frozen=True)
class Pace:
    """Of a host; `spread` is the quartile distance over the median of its chains."""

    pace: float
    spread: float
    chains: int

    def __str__(self) -> str:
        chains = f"{self.chains} chains, quartile distance {self.spread:.0%} of their median"
        return f"host.pace = {self.pace:.3f} ({chains})"

    def document(self) -> dict[str, float]:
        return asdict(self)


def reference(record: Path = RECORD) -> Chains:
    """Seconds of each pacer at pace 1: the median over the record's machines."""
    found: dict[tuple[str, str], list[float]] = {}
    with record.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name, *words = row["what"].split()
            if name in ROWS and row["value"]:
                found.setdefault((name, words[-1]), []).append(float(row["value"]))
    return {key: median(seconds) for key, seconds in found.items()}


def pace_of(times: Chains, usual: Chains) -> Pace:
    """The median over chains of what pace 1 takes over what this host takes."""
    longer = [times[key] / usual[key] for key in times if key in usual]
    if len(longer) < 4:
        raise ValueError(f"[pace] {len(longer)} chains of the reference were timed; needed: 4")
    low, _, high = quantiles(longer, n=4)
    middle = median(longer)
    return Pace(1.0 / middle, (high - low) / middle, len(longer))


def of_run(readings: Sequence[Pace]) -> float:
    """The pace of all that ran between the readings: their median. Each wanders by so much that the
    two beside a step say nothing of it (record h200_paced)."""
    return median(reading.pace for reading in readings)


def beside(before: Pace, after: Pace) -> str:
    """Words on the two readings around a step."""
    return f"host pace {before.pace:.3f} before, {after.pace:.3f} after"
