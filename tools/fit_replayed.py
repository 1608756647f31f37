"""Fit what replaying each pass of a compiled model as a CUDA graph costs the host
(data/frameworks/versions/torch-cuda@reduce-overhead.toml).

    python tools/fit_replayed.py [--record h100_replayed_ops]

Reads chains of modules that tools/measure_torch_compile.py --mode reduce-overhead measured; no
training step is read. A pass costs the host so much, each of the compiler's kernels in it a little,
a parameter what the forward pass keeps of it and what its gradient takes to be handed over. Prints
TOML.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from fit_compile import HOST_ERROR, counted, number, of_parts, updates

import siliconprof as sp

COLUMNS = ("forward pass", "backward pass", "kernel", "forward parameter", "backward parameter")


def passes(record: sp.Record) -> Iterator[tuple[str, dict[str, float], float]]:
    """(direction, what it holds, seconds at pace 1) of each; a chain's backward pass alone says
    how many parameters both have."""
    forward: dict[tuple[str, float | None], tuple[dict[str, float], float]] = {}
    for row in record.rows:
        chain, _, way = row.what.rpartition(" ")
        counts, seconds = counted(row.note), row.value * (row.host_pace or 1.0)
        if way == "forward":
            forward[chain, row.host_pace] = counts, seconds
            continue
        before, before_s = forward[chain, row.host_pace]
        yield "forward", before | {"parameter": counts["parameter"]}, before_s
        yield way, counts, seconds


def host(record: sp.Record) -> dict[str, float]:
    """Seconds of a pass's parts."""
    table = []
    for way, counts, seconds in passes(record):
        amounts = {f"{way} pass": 1.0, "kernel": counts["triton"]}
        amounts[f"{way} parameter"] = counts["parameter"]
        table.append([amounts.get(column, 0.0) / seconds for column in COLUMNS])
    return of_parts(COLUMNS, table, "passes of chains")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="h100_replayed_ops")
    found = host(sp.load(parser.parse_args().record))
    constants = {"launch.nvidia.issue": found["kernel"]}
    for way in ("forward", "backward"):
        constants[f"issue.nvidia.{way}.pass"] = found[f"{way} pass"]
    for update, seconds in updates(found["forward parameter"] + found["backward parameter"]):
        constants[f"issue.nvidia.{update}"] = seconds
    for key, seconds in constants.items():
        print(f"{key}_s = {number(seconds, HOST_ERROR, 'replayed')}")


if __name__ == "__main__":
    main()
