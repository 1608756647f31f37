"""How far predicted peaks of memory are off (interval.<family>.memory_part).

    python tools/fit_peak_memory.py h200_steps h200_others h200_blind h200_fresh h200_paced ...

Peaks are replays of what a framework asks for (cpp/siliconprof/devices/eager_memory.h): no constant
of them is fitted, so no single operation says how far off they are. The part is the 90 % quantile
of split-conformal prediction over the whole steps of these records; no predicted number changes
with it, and the records of other boards judge it. Prints TOML.
"""

from __future__ import annotations

import argparse
from math import log

from conformal_errors import conformal

import siliconprof as sp
from siliconprof.validate import validate


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("records", nargs="+", metavar="RECORD")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--source", default="h200-peaks", help="a key of the file's sources")
    arguments = parser.parse_args()
    scores = [s for record in arguments.records for s in validate(arguments.device, record)[0]]
    peaks = [log(s.predicted / s.recorded) for s in scores if s.quantity == "memory"]
    tail = f'kind = "fitted", source = "{arguments.source}", relative_error = 0.2'
    family = sp.device(arguments.device).family
    print(
        f"{family}.memory_part = {{ value = {conformal(peaks):.2g}, {tail} }}  # {len(peaks)} rows"
    )


if __name__ == "__main__":
    main()
