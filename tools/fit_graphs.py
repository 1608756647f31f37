"""Fit what a CUDA graph adds to its kernels: the constants of torch-cuda@graphs.

    python tools/fit_graphs.py [--record h200_graph_ops]

Reads the record that tools/measure_cuda_graphs.py wrote. graph_gap_s is the median over chains of
what a kernel takes beyond its own time. AdamW's capturable step does more than the plain one: each
parameter has kernels of its own, which many short tensors show, and its numbers are read and
written again, which long ones do. Prints TOML; no training step is read.
"""

from __future__ import annotations

import argparse
from statistics import median, quantiles

import siliconprof as sp

PLAIN = "torch-cuda"


def facts(row) -> dict[str, float]:
    """Of its words and its note."""
    words = [*row.what.split()[1:], *row.note.split()]
    return {key: float(value) for key, value in (word.split("=") for word in words)}


def chain_gaps(rows) -> list[float]:
    """Seconds between a chain's kernels; not of chains of one number, whose kernels overlap."""
    found = []
    for row in rows:
        known = facts(row)
        if row.what.startswith("chain.") and known.get("n") != 1:
            found.append((row.value - known["kernel_s"]) / known["kernels"])
    return found


def adamw(rows) -> tuple[float, float]:
    """(seconds of each tensor, time of endless numbers over the plain step's)."""
    steps = [(facts(row), row.value) for row in rows if row.what.startswith("adamw")]
    shortest = min(known["n"] for known, _ in steps)
    few, many = ([k["tensors"], s - k["plain_s"]] for k, s in extremes(steps, shortest))
    each_s = (many[1] - few[1]) / (many[0] - few[0])
    longer = [
        (seconds - each_s * known["tensors"]) / known["plain_s"]
        for known, seconds in steps
        if known["n"] >= 1 << 24
    ]
    return each_s, median(longer)


def extremes(steps, n):
    """Of the fewest and of the most tensors of so many numbers."""
    found = sorted((step for step in steps if step[0]["n"] == n), key=lambda s: s[0]["tensors"])
    return found[0], found[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="h200_graph_ops")
    rows = sp.load(parser.parse_args().record).rows
    gaps = chain_gaps(rows)
    low, _, high = quantiles(gaps, n=4)
    print(f"# {len(gaps)} chains, quartiles {low:.3g} to {high:.3g}")
    print(f"graph_gap_s = {median(gaps):.3g}")
    each_s, longer = adamw(rows)
    print(f"adamw.start_s = {each_s:.3g}")
    numbers = sp.framework(PLAIN).numbers
    for key in ("efficiency.nvidia.adamw.bandwidth", "row.nvidia.adamw.float32.bytes_per_cycle"):
        print(f"{key} = {numbers[key].value / longer:.3g}  # of {numbers[key].value:g}")


if __name__ == "__main__":
    main()
