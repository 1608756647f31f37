"""Derive the launch constants of data/frameworks/*.toml from published measurements.

    python tools/fit_launch.py --data DIR

DIR holds launch_latency.csv (published figures, collected; the project runs without it). Rows of
arXiv 2501.14925 (its Table 6) and the op suite's floors on an M3 Max (of the table that is the
record m3max_ops) are dropped: they are what the predictions are compared with.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from fit_efficiency import BACKENDS, HELD_OUT, interval, rows

# Every card with a launch through OpenCL, by family.
OPENCL_CARDS = {
    "nvidia-turing": ("RTX 2080 Ti",),
    "nvidia-ga100": ("A100-SXM4-40GB",),
    "nvidia-volta": ("TITAN V", "GV100", "V100-PCIE-32GB"),
}
# Boards of a family with a round trip of its own: two tables agree on a longer one than others'.
FAMILIES_WITH_TRIPS = {"V100": "nvidia-volta"}


def launch(folder: Path) -> Iterator[str]:
    """One line per constant, with the figures behind it.

    MLX: total = kernels x dispatch + buffers x command_buffer, solved for the two published runs
    of 3200 dependent kernels, at 50 and at 200 kernels per command buffer.
    """
    table = [r for r in rows(folder, "launch_latency.csv") if "2501.14925" not in r["source"]]
    mlx = {r["what"]: float(r["value"]) for r in table if "mlx/issues/4521" in r["source"]}
    chain = next(v for k, v in mlx.items() if k.startswith("chain of 3200"))
    longer = next(v for k, v in mlx.items() if k.startswith("same chain"))
    buffer_us = (chain - longer) / (3200 / 50 - 3200 / 200)
    yield f"mlx launch.command_buffer_s = {buffer_us:.3g}e-6"
    yield f"mlx launch.dispatch_s = {(chain - 3200 / 50 * buffer_us) / 3200:.3g}e-6"
    for name, label in (("MPSGraph", "torch-mps"), ("torch CPU", "torch-cpu")):
        values = [float(r["value"]) for r in table if name in r["api"] and "per op" in r["what"]]
        yield f"{label} launch.dispatch_s = {median(values):.3g}e-6 over {sorted(values)}"
    nvidia = [r for r in table if r["api"] == "OpenCL" and "kernel launch latency" in r["what"]]
    values = [float(r["value"]) for r in nvidia]
    yield f"torch-cuda launch.dispatch_s = {median(values):.3g}e-6 over {sorted(values)} (OpenCL)"
    for family, cards in OPENCL_CARDS.items():
        own = sorted(float(r["value"]) for r in nvidia if r["device"] in cards)
        yield f"torch-cuda launch.{family}.dispatch_s = {median(own):.3g}e-6 over {own} (OpenCL)"
    yield from _round_trips(table)


def _round_trips(table: list[dict[str, str]]) -> Iterator[str]:
    for (framework, scope), values in sorted(round_trips(table).items()):
        error = interval(values, median(values))
        yield (
            f"{framework} launch.{scope}.round_trip_s = {median(values):.3g}e-6 "
            f"relative_error {error:.2f} over {sorted(values)}"
        )


def round_trips(
    table: list[dict[str, str]], left_out: tuple[str, ...] = HELD_OUT
) -> dict[tuple[str, str], list[float]]:
    """Microseconds by framework and scope, without rows of devices that begin with `left_out`."""
    trips: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in table:
        floor = row["what"].startswith("floor of one synchronized")
        if floor and row["api"] in BACKENDS and not f"{row['device']} (".startswith(left_out):
            generation = re.match(r"M(\d)", row["device"])
            scope = f"apple-m{generation.group(1)}" if generation else "nvidia"
            own = [f for board, f in FAMILIES_WITH_TRIPS.items() if row["device"].startswith(board)]
            for name in own or (scope, "any"):
                trips[(BACKENDS[row["api"]], name)].append(float(row["value"]))
        if row["api"] == "torch CUDA" and "sync" in row["what"] and row["device"] == "RTX A6000":
            trips[("torch-cuda", "any")].append(float(row["value"]))
    return trips


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    for line in launch(parser.parse_args().data):
        print(line)


if __name__ == "__main__":
    main()
