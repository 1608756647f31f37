"""The library's own speed against what it should reach, each as a figure of one run.

Run by `make bench` with PYTHONPATH at the built package; the argument is the C++ benchmark. The
figures are those of the report's section on speed, from longer runs. Exits with 1 when one is
missed or was not measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from siliconprof.experiments.speed import Params, run
from siliconprof.experiments.table import Row
from siliconprof.quantity import scaled


def parameters(program: str) -> Params:
    """Long runs: some two minutes on two cores."""
    return Params(
        rounds=9,
        run_samples=5,
        peak_s=0.3,
        numpy_batch=8,
        calls=20000,
        repeats=25,
        imports=15,
        native_rounds=15,
        native=Path(program),
    )


def line(row: Row) -> str:
    """One row as text: what, median, quartiles, and whether it is reached, or why it is not."""
    if row.value is None:
        return f"{row.what:88} MISSED: {row.source}"
    low, high = scaled(row.lo, row.unit), scaled(row.hi, row.unit)
    value = scaled(row.value, row.unit)
    return f"{row.what:88} {value:>9} {low:>9} {high:>9}  {row.source.partition(';')[0]}"


def main() -> None:
    """Prints the figures as they stand, median and quartiles."""
    rows = run(parameters(sys.argv[1]), lambda text: print(text, file=sys.stderr)).rows
    print("\n".join(map(line, rows)))
    if not all(row.point.get("reached") for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
