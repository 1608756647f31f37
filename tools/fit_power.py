"""Fit the constants of power (power.<vendor or family>) of a framework file.

    python tools/fit_power.py --device h200 [--record h200_ops]

Reads the power rows of packaged records, measured by tools/measure_torch_cuda.py: of that one and
of h200_images. Above idle a product, or a convolution by the tensor cores, draws a constant, less
where its operands are small, and the energy of its flops, carried to the full clock by the
exponent. Cores that work on a channel of a batch norm draw a constant each, and the norm's bytes
their energy, less where a cache holds them. Any other kernel draws a constant where its operands
are large and less where they are small, half of it at some bytes. Everything is a part of the
board's power, energies of the power at the peak rate and bandwidth. Of those others all but
attention stream: two boards of the same cores and limit, an H200 and an H100 (h100_power), tell
what their cores draw from what a byte of their bandwidth takes. No training step is read.
Prints TOML.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from fit_arguments import fit_arguments
from fit_products import nelder_mead

import siliconprof as sp

IMAGES = "h200_images"
BOARDS = {"h200": ("h200_ops", IMAGES), "h100": ("h100_power",)}
LARGE_BYTES = 100e6  # more than a cache holds
LONG_S = 1e-4  # calls of a loop that its host doesn't decide
EXPONENT = 2.2  # of a unit's power by its clock: voltage falls with it
ROUNDS = 12  # of the search, each from the end of the last


@dataclass(frozen=True)
class Work:
    """One kernel that ran again and again: watts above idle, and amounts of a call."""

    name: str
    dtype: str
    watts: float
    seconds: float
    flops: float
    count_bytes: float
    clock: float  # as a part of the full one
    channels: int

    @property
    def is_product(self) -> bool:
        return self.name == "linear" or (self.name == "conv2d" and self.dtype != "float32")

    @property
    def is_other(self) -> bool:
        return self.name == "attention" or (
            self.flops == 0 and self.count_bytes > 0 and self.name != "batch_norm"
        )

    @property
    def is_stream(self) -> bool:
        return self.is_other and self.name != "attention"


def works(record: str, full_mhz: float) -> list[Work]:
    """Each row of power, but products in loops that their host decides; above no idle yet."""
    found = []
    for row in sp.load(record).rows:
        if row.unit != "W" or row.value is None:
            continue
        name, *words = row.what.removeprefix("power.").split()
        facts = {k: float(v) for k, v in (w.split("=") for w in row.note.split())}
        seconds = facts["seconds_a_call"]
        if name == "linear" and record != IMAGES and seconds <= LONG_S and "graph" not in words:
            continue
        clock = min(facts["clock_mhz"] / full_mhz, 1.0)
        channels = next((int(w[9:]) for w in words if w.startswith("channels=")), 0)
        amounts = (facts["flops"], facts["bytes"], clock, channels)
        found.append(Work(name, row.dtype or "", row.value, seconds, *amounts))
    return found


def above_idle(records: Sequence[str], full_mhz: float) -> tuple[float, list[Work]]:
    """Idle watts of the records' boards, and their works above them."""
    every = [work for record in records for work in works(record, full_mhz)]
    idle = median(work.watts for work in every if work.name == "idle")
    return idle, [dataclasses.replace(work, watts=work.watts - idle) for work in every]


def saturated(count_bytes: float, half_bytes: float) -> float:
    return count_bytes / (count_bytes + half_bytes)


def product_watts(work: Work, constants: dict[str, float], peaks: dict[str, float]) -> float:
    """Above idle, at the clock that was read."""
    full_s = work.seconds * work.clock
    busy = constants["busy"] * saturated(work.count_bytes, constants["busy_half_bytes"]) * full_s
    joules = busy + constants[work.dtype] * work.flops / peaks[work.dtype]
    return joules * work.clock ** (EXPONENT - 1.0) / work.seconds


def norm_watts(work: Work, constants: dict[str, float], cores: float) -> float:
    moved = constants["row_joules"] * work.count_bytes / work.seconds
    part = saturated(work.count_bytes, constants["row_half_bytes"])
    return constants["row"] * min(1.0, work.channels / cores) + moved * part


def fitted(
    rows: Sequence[Work],
    start: dict[str, float],
    watts: Callable[[Work, dict[str, float]], float],
) -> dict[str, float]:
    """The constants with the least mean error of the logarithm, errors cut at a factor of two."""
    names = list(start)

    def constants(logs: Sequence[float]) -> dict[str, float]:
        return {name: math.exp(x) for name, x in zip(names, logs, strict=True)}

    def loss(logs: list[float]) -> float:
        tried = constants(logs)
        errors = (abs(math.log(watts(row, tried) / row.watts)) for row in rows)
        return sum(min(e, math.log(2.0)) for e in errors) / len(rows)

    best = [math.log(x) for x in start.values()]
    for _ in range(ROUNDS):
        best = nelder_mead(loss, best, 400)
    print(f"# {len(rows)} rows of {', '.join(sorted({r.name for r in rows}))}: {loss(best):.3f}")
    return constants(best)


def main() -> None:
    arguments = fit_arguments(__doc__)
    device = sp.device(arguments.device)
    board = device.numbers["power.board_watts"].value
    full_mhz = device.numbers["compute.clock_hz"].value / 1e6
    bandwidth = device.numbers["memory.bandwidth_bytes_per_s"].value
    cores = device.numbers["compute.cores"].value
    idle, above = above_idle((arguments.record, IMAGES), full_mhz)
    products = [work for work in above if work.is_product]
    peaks = {
        dtype: device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
        for dtype in dict.fromkeys(work.dtype for work in products)
    }
    start = {"busy": 300.0, "busy_half_bytes": 5e6} | {dtype: board for dtype in peaks}
    found = fitted(products, start, lambda work, c: product_watts(work, c, peaks))
    start = {"row": 100.0, "row_joules": 2e-10, "row_half_bytes": 3e7}
    norms = [work for work in above if work.name == "batch_norm"]
    found |= fitted(norms, start, lambda work, c: norm_watts(work, c, cores))
    other, half = saturation([(w.count_bytes, w.watts) for w in above if w.is_other])
    parts = {"idle_part": idle / board, "busy_part": found["busy"] / board}
    parts |= {"busy_half_bytes": found["busy_half_bytes"]}
    parts |= {"other_part": other / board, "half_bytes": half, "row_part": found["row"] / board}
    parts |= {"row_stream_part": found["row_joules"] * bandwidth / board}
    parts |= {"row_half_bytes": found["row_half_bytes"]}
    parts |= {f"{dtype}.peak_part": found[dtype] / board for dtype in peaks}
    parts |= streams(board)
    for key, value in parts.items():
        error = 0.4 if key.endswith("bytes") else 0.3 if key.startswith("row") else 0.15
        source = "two-boards-power" if key.startswith("stream") else arguments.source
        tail = f'source = "{source}", relative_error = {error}'
        print(f'{key} = {{ value = {value:.3g}, kind = "fitted", {tail} }}')


def streams(board: float) -> dict[str, float]:
    """What streaming kernels' cores draw, as a part of the boards' power, and joules of a byte."""
    watts, rates = [], []
    for id, records in BOARDS.items():
        numbers = sp.device(id).numbers
        full_mhz = numbers["compute.clock_hz"].value / 1e6
        _, above = above_idle(records, full_mhz)
        watts.append(saturation([(w.count_bytes, w.watts) for w in above if w.is_stream])[0])
        rates.append(numbers["memory.bandwidth_bytes_per_s"].value)
    joules = (watts[0] - watts[1]) / (rates[0] - rates[1])
    return {
        "stream_part": (watts[0] - joules * rates[0]) / board,
        "stream_byte_joules": joules,
    }


def saturation(rows: list[tuple[float, float]]) -> tuple[float, float]:
    """(watts of endless operands, bytes at which a kernel draws half of them): medians, the first
    of large operands and the second of small ones, each with the other as it was found before."""
    watts = half = 0.0
    for _ in range(20):
        watts = median(w * (1.0 + half / b) for b, w in rows if b >= LARGE_BYTES)
        half = median(max(b * (watts / w - 1.0), 0.0) for b, w in rows if b < LARGE_BYTES)
    return watts, half


if __name__ == "__main__":
    main()
