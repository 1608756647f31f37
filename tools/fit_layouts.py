"""Fit what data that lie across each other, and sums over the rows of matrices, take on a family.

    python tools/fit_layouts.py [--record hopper_layouts]

Reads single operations of two boards with the same cores, measured by tools/measure_torch_cuda.py
--only layouts. Where one operand's places are neighbours in memory and the other's channels, cores
go element by element, so many in a cycle (access.<scope>.across.elements_per_cycle): the median
over kernels that do, without their start; of a norm, whose copy is a kernel of its own, what both
take without the norm's; of sums of channels, whose places are neighbours, from CHANNELS. A sum over
rows takes its bytes and steps along them, of which the longer hides a part of the shorter; short
axes are one kernel's, with other steps (cpp/siliconprof/devices/axis_shares.h): the least mean
absolute logarithm of fitted over measured time. Of products in 16 bits whose stored rows are whole
words, but not wide loads, the part of the reach that is left
(product.<vendor>.<dtype>.unaligned_words) is that of the median one beside aligned rows. A loss of
logits of 16 bits takes, without its casts, a part of what one of float32's takes as predicted
(access.<vendor>.<op>.narrow_part). No training step is read. Prints TOML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median

from fit_arguments import fit_arguments
from fit_compile import number
from fit_kernels import spread
from fit_products import cycles_per_s, nelder_mead

import siliconprof as sp
from siliconprof import _core
from siliconprof.recorded_ops import dims_of, product_of

ACROSS, NORM, CHANNEL = "across.", "layer_norm", "channel_bias"
CHANNELS = ("h100_ops", "h200_large")
# Of a sum over rows: part of the bandwidth, start of the further kernel, cycles of a part that a
# thread gathers and of a value that it adds, what the longer of bytes and steps doesn't hide.
START = (0.8, 5e-6, 500.0, 120.0, 0.5)
STEPS = 600
LOSS, LARGE = "narrow.cross_entropy", 1e8  # logits: fewer take as long as they start
PRODUCTS_OF = "h200"  # the board of the record's products and losses
VECTOR = 8  # elements of 16 bits that a wide load takes
UNIT = ("reach", "bandwidth", "unaligned", "unaligned_result", "turned", "turned_one", "biased")
UNIT += ("tile_loss", "depth_loss", "start_s", "split_s")


@dataclass(frozen=True)
class Sum:
    """A sum over rows: its bytes over the memory's bandwidth, values of a thread and parts that one
    gathers, a core's cycle, seconds."""

    traffic_s: float
    values: int
    gathered: int
    cycle_s: float
    seconds: float


def words_of(row: sp.Row) -> tuple[str, dict[str, int], str]:
    op, *words = row.what.split()
    return op, {k: int(v) for k, v in dims_of(words).items()}, words[-1]


def elements(dims: dict[str, int]) -> int:
    return dims["batch"] * dims["tokens"] * dims["n"]


def crossings(record: sp.Record, start_s: float) -> Iterator[float]:
    """Elements in a core's cycle of each kernel that goes across; norms stand beside their own
    times, of as many rows."""
    norms: dict[tuple[str, int, str], float] = {}
    for row in record.rows:
        op, dims, direction = words_of(row)
        if op == NORM:
            norms[row.device, dims["rows"] * dims["n"], direction] = row.value
    for row in record.rows:
        op, dims, direction = words_of(row)
        if not op.startswith(ACROSS):
            continue
        alone_s = norms[row.device, elements(dims), direction] if NORM in op else 0.0
        cycles = cycles_per_s(sp.device(row.device)) * (row.value - alone_s - start_s)
        yield elements(dims) / cycles


def channels(start_s: float) -> Iterator[float]:
    """The same of sums of each channel."""
    for record in map(sp.load, CHANNELS):
        for row in record.rows:
            op, *words = row.what.split()
            if op == CHANNEL and words[-1] == "backward":
                dims = {k: int(v) for k, v in dims_of(words).items()}
                cycles = cycles_per_s(sp.device(row.device)) * (row.value - start_s)
                yield dims["rows"] * dims["n"] / cycles


def sums(record: sp.Record) -> Iterator[Sum]:
    for row in record.rows:
        op, dims, _ = words_of(row)
        if op == "sum":
            numbers = sp.device(row.device).numbers
            moved = sp.op("sum", dtype=row.dtype, **dims).cost.bytes
            traffic_s = moved / numbers["memory.bandwidth_bytes_per_s"].value
            cores = int(numbers["compute.cores"].value)
            shares = _core.axis_shares(dims["outer"], dims["size"], dims["inner"], cores)
            yield Sum(traffic_s, *shares, 1.0 / numbers["compute.clock_hz"].value, row.value)


def sum_s(row: Sum, constants: Sequence[float], start_s: float) -> float:
    part, further_s, shared_step, step, exposed = constants
    steps = row.gathered * shared_step if row.gathered else row.values * step
    steps_s = row.cycle_s * steps
    traffic_s = row.traffic_s / part
    hidden = max(steps_s, traffic_s) + exposed * min(steps_s, traffic_s)
    return start_s + (further_s if row.gathered else 0.0) + hidden


def words(record: sp.Record, dtype: str) -> Iterator[float]:
    """Of products whose rows are whole words, what is left of the aligned one's rate."""
    device = sp.device(PRODUCTS_OF)
    numbers = sp.framework("torch-cuda").numbers
    stem = f"product.{device.vendor}.{dtype}."
    unit = {k: numbers[stem + k].value for k in UNIT}
    unit["bytes_per_s"] = device.numbers["memory.bandwidth_bytes_per_s"].value * unit["bandwidth"]
    unit["peak_flops_per_s"] = device.numbers[f"peak.matrix.{dtype}_flops_per_s"].value
    unit |= {"cores": device.numbers["compute.cores"].value, "element_bytes": 2.0}
    del unit["bandwidth"]
    for row in record.rows:
        op, dims, direction = words_of(row)
        if op != "linear" or row.dtype != dtype:
            continue
        shape, stored, along_depth = product_of(op, direction, dict(dims))
        aligned = tuple(-(-one // VECTOR) * VECTOR for one in stored)
        own = {**unit, "turned": unit["turned_one"]} if direction == "data" else unit
        start_s, arithmetic_s, _ = _core.product_time(shape, aligned, along_depth, own, False)
        yield arithmetic_s / (row.value - start_s)


def narrow(record: sp.Record, tail: str) -> Iterator[float]:
    """Of large losses, or their gradients: seconds without the casts, over those of float32's."""
    values = {(row.what, row.dtype): row.value for row in record.rows}
    for (what, dtype), seconds in values.items():
        op, *words = what.split()
        if op == LOSS and words[-1] == ("backward" if tail else "forward"):
            cast_s = values[what.replace(LOSS, "narrow.cast"), dtype]
            dims = {k: int(v) for k, v in dims_of(words).items()}
            if dims["rows"] * dims["v"] < LARGE:
                continue
            wide = sp.op("cross_entropy" + tail, **dims)
            wide_s = sp.predict(wide, PRODUCTS_OF, "torch-cuda@graphs").time_s
            yield (seconds - cast_s) / wide_s


def least(loss: Callable[[list[float]], float], start: Sequence[float]) -> list[float]:
    """Constants, none below zero, with the least loss: their logarithms are what is varied."""
    found = nelder_mead(lambda p: loss([exp(x) for x in p]), [log(x) for x in start], STEPS)
    return [exp(x) for x in found]


def show(found: Mapping[str, Sequence[float]], source: str) -> None:
    for name, rates in found.items():
        centre = median(rates)
        print(f"{name} = {number(centre, spread(rates, centre), source)}  # {len(rates)} rows")


def main() -> None:
    arguments = fit_arguments(__doc__, "h100", "hopper_layouts", "layouts")
    record, device = sp.load(arguments.record), sp.device(arguments.device)
    start_s = sp.framework(arguments.framework).numbers[f"launch.{device.family}.kernel_s"].value
    across = {"across.elements_per_cycle": list(crossings(record, start_s))}
    across["sum.across_elements_per_cycle"] = list(channels(start_s))
    show({f"access.{device.vendor}.{name}": r for name, r in across.items()}, arguments.source)
    for dtype in ("float16", "bfloat16"):
        across = {f"product.{device.vendor}.{dtype}.unaligned_words": list(words(record, dtype))}
        show(across, arguments.source)
    parts = {
        f"access.{device.vendor}.cross_entropy{tail}.narrow_part": list(narrow(record, tail))
        for tail in ("", "_backward")
    }
    show(parts, arguments.source)
    rows = list(sums(record))

    def loss(constants: list[float]) -> float:
        if constants[0] > 1.0 or constants[4] > 1.0:
            return 1e9
        return fmean(abs(log(sum_s(row, constants, start_s) / row.seconds)) for row in rows)

    found = least(loss, START)
    off = [sum_s(row, found, start_s) / row.seconds for row in rows]
    error = spread(off, 1.0)
    print(f"# {len(rows)} sums, median {median(abs(x - 1.0) for x in off):.3f}")
    names = ("start_s", "shared_step_cycles", "step_cycles", "exposed_part")
    print(f"efficiency.{device.family}.sum.bandwidth = {number(found[0], error, arguments.source)}")
    for name, value in zip(names, found[1:], strict=True):
        shown = number(value, error, arguments.source)
        print(f"access.{device.family}.sum.{name} = {shown}")


if __name__ == "__main__":
    main()
