"""What a checkpointed block costs the host (issue.<vendor>.again of a framework file).

    python tools/fit_checkpoint.py [--device h100] [--record h100_checkpoint]

Chains of blocks of a packaged record, measured by tools/measure_torch_checkpoint.py. What a pass
forward and back takes longer behind a checkpoint, less the forward pass that it repeats, is a part
for the block and one for each of its calls: least squares of relative errors, freed of the host's
pace. No training step is read. Prints TOML.
"""

from __future__ import annotations

from statistics import median

import numpy
from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

CALLS_OF_LAYER = 5  # of both kinds


def excesses(record: str) -> list[tuple[int, float]]:
    """(calls, seconds) of each kind of block at pace 1."""
    seconds: dict[tuple[str, str, int], dict[str, float]] = {}
    for row in sp.load(record).rows:
        name, *words, direction = row.what.split()
        kind, way = name.removeprefix("host.checkpoint.").split(".")
        layers = dims_of(words)["layers"]
        if row.value is not None and row.host_pace is not None:
            times = seconds.setdefault((kind, row.dtype or "", layers), {})
            times[f"{way} {direction}"] = row.value * row.host_pace
    found = []
    for (_, _, layers), times in seconds.items():
        again = times["again forward"] + times["again backward"]
        plain = 2 * times["plain forward"] + times["plain backward"]
        found.append((CALLS_OF_LAYER * layers, again - plain))
    return found


def fit(points: list[tuple[int, float]]) -> tuple[float, float, float]:
    """(block_s, call_s, median relative error)."""
    sides = numpy.array([(1.0 / s, calls / s) for calls, s in points])
    (block, call), *_ = numpy.linalg.lstsq(sides, numpy.ones(len(points)), rcond=None)
    errors = [abs((block + call * calls) / s - 1.0) for calls, s in points]
    return float(block), float(call), median(errors)


def main() -> None:
    arguments = fit_arguments(__doc__ or "", "h100", "h100_checkpoint", "h100-checkpoint")
    block, call, error = fit(excesses(arguments.record))
    print(f"# blocks: error median {error:.3f}")
    for name, value in (("block", block), ("call", call)):
        print(
            f'again.{name}_s = {{ value = {value:.3g}, kind = "fitted", '
            f'source = "{arguments.source}", relative_error = {max(error, 0.35):.2f} }}'
        )


if __name__ == "__main__":
    main()
