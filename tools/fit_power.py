"""Fit the constants of power (power.<vendor or family>) of a framework file.

    python tools/fit_power.py --device h200 [--record h200_ops]

Reads the power rows of a packaged record, measured by tools/measure_torch_cuda.py. Above idle a
product draws a constant and the energy of its flops, least squares over rows at full clock in
float32 and over rows of all clocks elsewhere, whose energy is carried to the full clock by the
exponent; any other kernel draws a constant where its operands are large and less where they are
small, half of it at some bytes. Everything is a part of the board's power,
energies of the power at the peak rate. No training step is read. Prints TOML.
"""

from __future__ import annotations

from statistics import median

from fit_arguments import fit_arguments

import siliconprof as sp

LARGE_BYTES = 100e6  # more than a cache holds
EXPONENT = 2.2  # of a unit's power by its clock: voltage falls with it


def rows(record: str) -> list[tuple[str, str, float, dict[str, float]]]:
    """(name, dtype, watts, facts of the note) of each row of power."""
    found = []
    for row in sp.load(record).rows:
        if row.unit == "W" and row.value is not None:
            facts = dict(word.split("=") for word in row.note.split())
            numbers = {key: float(value) for key, value in facts.items()}
            name = row.what.removeprefix("power.").split()[0]
            found.append((name, row.dtype or "", row.value, numbers))
    return found


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    board = device.numbers["power.board_watts"].value
    clock = device.numbers["compute.clock_hz"].value / 1e6
    table = rows(arguments.record)
    idle = median(watts for name, _, watts, _ in table if name == "idle")
    work: dict[str, list[tuple[float, float, float]]] = {}  # seconds, flops, joules at full clock
    others: list[tuple[float, float]] = []  # bytes, watts above idle
    for name, dtype, watts, facts in table:
        seconds = facts["seconds_a_call"]
        if name == "linear" and seconds > 1e-4:
            part = min(facts["clock_mhz"] / clock, 1.0)
            joules = (watts - idle) * seconds / part ** (EXPONENT - 1.0)
            work.setdefault(dtype, []).append((seconds * part, facts["flops"], joules))
        elif (facts["flops"] == 0 and facts["bytes"] > 0) or name == "attention":
            others.append((facts["bytes"], watts - idle))
    busy = median(slope(points)[0] for points in work.values())
    tail = f'source = "{arguments.source}", relative_error = 0.15'
    other, half = saturation(others)
    for key, value in (("idle", idle), ("busy", busy), ("other", other)):
        print(f'{key}_part = {{ value = {value / board:.3g}, kind = "fitted", {tail} }}')
    print(f'half_bytes = {{ value = {half:.3g}, kind = "fitted", {tail} }}')
    for dtype, points in work.items():
        peak = device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
        energies = [(joules - busy * seconds) / flops for seconds, flops, joules in points]
        part = median(energies) * peak / board
        print(f'{dtype}.peak_part = {{ value = {part:.3g}, kind = "fitted", {tail} }}')


def saturation(rows: list[tuple[float, float]]) -> tuple[float, float]:
    """(watts of endless operands, bytes at which a kernel draws half of them): medians, the first
    of large operands and the second of small ones, each with the other as it was found before."""
    watts = half = 0.0
    for _ in range(20):
        watts = median(w * (1.0 + half / b) for b, w in rows if b >= LARGE_BYTES)
        half = median(max(b * (watts / w - 1.0), 0.0) for b, w in rows if b < LARGE_BYTES)
    return watts, half


def slope(points: list[tuple[float, float, float]]) -> tuple[float, float]:
    """(watts, joules a flop) by least squares of relative errors."""
    a = [(s / j, f / j) for s, f, j in points]
    ss, sf, ff = (sum(x[i] * x[k] for x in a) for i, k in ((0, 0), (0, 1), (1, 1)))
    s, f = sum(x[0] for x in a), sum(x[1] for x in a)
    det = ss * ff - sf * sf
    return (s * ff - f * sf) / det, (f * ss - s * sf) / det


if __name__ == "__main__":
    main()
