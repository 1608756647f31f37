"""The pace of a host that nobody has measured (host.pace of device and framework files).

    python tools/fit_pace.py [--record h200_ops]

Pace 1 is that of the machines that host costs were fitted on (host_pace.py). A host that nobody has
measured is to be expected at the median of all machines that were met: those of the record, read
off their chains of modules, and those of every other packaged record that states its host's, by its
readings of the same chains. Boards differ in the hosts that they are put beside, so a board of
which enough machines were met has the median of its own. relative_error is what nine in ten of them
are within in time, the quantile that split-conformal prediction takes. No training step's time is
read. Prints TOML.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

import fit_host
import host_pace
from fit_arguments import fit_arguments

import siliconprof as sp
from siliconprof import records
from siliconprof.frameworks import COMPILED

FEWEST_OF_A_BOARD = 10  # machines


def machines(record: str) -> dict[str, list[float]]:
    """Paces of all machines, by the device that the host issues to."""
    found: dict[str, list[float]] = {}
    for device, pace in (*of_chains(record), *of_records()):
        found.setdefault(device, []).append(pace)
    return found


def of_chains(record: str) -> Iterator[tuple[str, float]]:
    """Of the machines that host costs were fitted on; those without all chains tell none."""
    (device,) = {row.device for row in sp.load(record).rows}
    every = list(fit_host.raw_machines(record))
    longer = (fit_host.pace(times, every, set(host_pace.ROWS)) for times in every)
    yield from ((device, 1.0 / times) for times in longer if times)


def of_records() -> Iterator[tuple[str, float]]:
    """Of the machines of records that state them: the median where each row has its own."""
    for name in records.names():
        found: dict[tuple[str, str], list[float]] = {}
        table = sp.load(name)
        # Their hosts' paces were read with a compiler at work beside.
        if not set(COMPILED).isdisjoint(table.versions.values()):
            continue
        for row in table.rows:
            if row.host_pace:
                words = row.what.split()
                machine = next((word for word in words if word.startswith("machine=")), "")
                found.setdefault((row.device, machine), []).append(row.host_pace)
        yield from ((device, median(paces)) for (device, _), paces in found.items())


def usual(paces: Sequence[float]) -> tuple[float, float]:
    """The median machine's pace, and what nine in ten machines' times are within beside it."""
    middle = median(paces)
    distances = sorted(abs(middle / pace - 1.0) for pace in paces)
    return middle, distances[min(math.ceil(0.9 * (len(paces) + 1)), len(paces)) - 1]


def main() -> None:
    arguments = fit_arguments(__doc__ or "", source="host-paces")
    found = machines(arguments.record)
    print(number([pace for paces in found.values() for pace in paces], arguments.source, "all"))
    for device, paces in sorted(found.items()):
        if len(paces) >= FEWEST_OF_A_BOARD:
            print(number(paces, arguments.source, device))


def number(paces: Sequence[float], source: str, device: str) -> str:
    """The section of a file."""
    pace, error = usual(paces)
    tail = f'kind = "measured", source = "{source}", relative_error = {error:.2f}'
    return f"[host]\npace = {{ value = {pace:.3g}, {tail} }}  # {len(paces)} machines, {device}"


if __name__ == "__main__":
    main()
