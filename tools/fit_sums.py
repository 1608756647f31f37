"""Errors that sums of kernels have (interval.apple) where no kernel was measured by ourselves.

    python tools/fit_sums.py --data DIR --framework torch-mps

DIR as tools/leave_published_out.py has it, whose predictions these are: each device's rows by a fit
without it. As tools/fit_intervals.py finds an H200's: of each kind, groups of shapes of one device
under one version are drawn, as many as a step has of that kind, and the error is the 90th
percentile of predicted over measured sums. Left out are rows that mostly wait, as a step's calls
don't, and products with a side that no step has. What a group has in common is its device, which
the fit hasn't seen. The suite has no kernels of gradients and optimizers: what is said of others
and of convolutions is of their forward pass alone. Prints TOML.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from fit_intervals import SHAPES, Families, grouped
from leave_published_out import Published, Scored, name_of

LONGEST_SIDE = 100_000  # a vocabulary's, or a batch's tokens
MOST = 0.9  # an interval's part is below one


def kind_of(entry: Scored) -> str:
    if entry.row.op_class == "convolution":
        return "convolution"
    return "product" if entry.row.op_class.endswith("product") else "other"


def is_in_steps(entry: Scored) -> bool:
    if entry.bound == "waiting":
        return False
    sides = [int(side) for side in re.findall(r"\d+", entry.row.label)]
    return kind_of(entry) != "product" or (1 not in sides and max(sides) <= LONGEST_SIDE)


def families(scored: Iterable[Scored]) -> dict[str, Families]:
    """Rows of each kind, by device and version, and by shape."""
    found: dict[str, Families] = {}
    for entry in scored:
        if not is_in_steps(entry):
            continue
        place = f"{name_of(entry.row)} {entry.version}"
        rows = found.setdefault(kind_of(entry), {}).setdefault(place, {})
        rows.setdefault(entry.row.label, []).append((entry.predicted_s, entry.row.seconds))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--framework", default="torch-mps")
    arguments = parser.parse_args()
    published = Published(arguments.data, "device")
    some = [row for (f, _), t in published.tables.items() if f == arguments.framework for row in t]
    scored: list[Scored] = []
    for left in dict.fromkeys(map(name_of, some)):
        scored += published.scored(arguments.framework, left)
    for kind, places in families(scored).items():
        shapes = [list(of.values()) for of in places.values()]
        error = min(grouped(shapes, SHAPES[kind]), MOST)
        count = sum(len(rows) for of in shapes for rows in of)
        key = "apple.other_part" if kind == "other" else f"apple.float32.{kind}_part"
        tail = 'kind = "fitted", source = "op-suite", relative_error = 0.3'
        print(f"{key} = {{ value = {error:.3g}, {tail} }}  # {count} rows, {len(places)} fits")


if __name__ == "__main__":
    main()
