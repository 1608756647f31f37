"""How far predicted peaks of memory are off (interval.<family>.memory_part, workspace_bytes).

    python tools/fit_peak_memory.py h200_steps h200_others h200_blind h200_fresh h200_paced ...

Peaks are replays of what a framework asks for (cpp/siliconprof/devices/eager_memory.h): no constant
of them is fitted, so no single operation says how far off they are. The part is the 90 % quantile
of split-conformal prediction over the whole steps of these records. Of small steps that convolve,
under 1 GB, cuDNN's choices of workspaces decide, whose bytes have nothing to do with the peak: of
those it is a quantile of bytes. No predicted number changes with either, and the records of other
boards judge them. Prints TOML.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import log

from conformal_errors import conformal, quantile

import siliconprof as sp
from siliconprof import _core
from siliconprof.validate import Score, validate

SMALL_BYTES = 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("records", nargs="+", metavar="RECORD")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--source", default="h200-peaks", help="a key of the file's sources")
    arguments = parser.parse_args()
    scores = [s for record in arguments.records for s in validate(arguments.device, record)[0]]
    peaks = [s for s in scores if s.quantity == "memory"]
    family = sp.device(arguments.device).family
    for key, value, rows in errors(peaks):
        tail = f'kind = "fitted", source = "{arguments.source}", relative_error = 0.2'
        print(f"{family}.{key} = {{ value = {value:.2g}, {tail} }}  # {rows} rows")


def errors(peaks: Sequence[Score]) -> Iterator[tuple[str, float, int]]:
    """Each key, its value and of how many peaks it is."""
    parts = [log(s.predicted / s.recorded) for s in peaks]
    yield "memory_part", conformal(parts), len(parts)
    small = [s for s in peaks if s.predicted < SMALL_BYTES and s.subject in convolving()]
    if small:
        off = [abs(s.predicted - s.recorded) for s in small]
        yield "workspace_bytes", quantile(off), len(off)


def convolving() -> set[str]:
    """The models that convolve."""
    models = [entry.id for entry in _core.models()]
    return {id for id in models if any(_convolves(c) for c in sp.workload(id, batch=1).calls)}


def _convolves(call: _core.OpCall) -> bool:
    return call.op_class == "convolution"


if __name__ == "__main__":
    main()
