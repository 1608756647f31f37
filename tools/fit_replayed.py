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

import numpy

import siliconprof as sp

COLUMNS = ("forward pass", "backward pass", "kernel", "forward parameter", "backward parameter")
HOST_ERROR = 0.35  # as that of compiled and of plain steps


def counted(note: str) -> dict[str, float]:
    """ "triton 8, parameter 16" by its words."""
    return {kind: float(n) for kind, n in (part.split() for part in note.split(", "))}


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
    """Seconds by what they are of; least squares of parts."""
    table = []
    for way, counts, seconds in passes(record):
        amounts = {f"{way} pass": 1.0, "kernel": counts["triton"]}
        amounts[f"{way} parameter"] = counts["parameter"]
        table.append([amounts.get(column, 0.0) / seconds for column in COLUMNS])
    matrix = numpy.array(table)
    solved, *_ = numpy.linalg.lstsq(matrix, numpy.ones(len(table)), rcond=None)
    off = numpy.abs(matrix @ solved - 1.0)
    middle, most = numpy.median(off), numpy.quantile(off, 0.9)
    print(f"# {len(table)} passes of chains, median {middle:.3f}, p90 {most:.3f}")
    return dict(zip(COLUMNS, map(float, solved), strict=True))


def number(value: float) -> str:
    text = f'kind = "fitted", source = "replayed", relative_error = {HOST_ERROR:.2f}'
    return f"{{ value = {value:.3g}, {text} }}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default="h100_replayed_ops")
    found = host(sp.load(parser.parse_args().record))
    print(f"launch.nvidia.issue_s = {number(found['kernel'])}")
    for way in ("forward", "backward"):
        print(f"issue.nvidia.{way}.pass_s = {number(found[f'{way} pass'])}")
    parameter_s = found["forward parameter"] + found["backward parameter"]
    plain = sp.framework("torch-cuda").numbers
    for op in ("adamw", "sgd"):
        own_s = plain[f"issue.nvidia.optimizer.{op}_s"].value
        print(f"issue.nvidia.optimizer.{op}_s = {number(own_s + parameter_s)}")


if __name__ == "__main__":
    main()
