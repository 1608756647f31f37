"""Split what kernels reach of a board's memory into memory's part and its cores' (row.<vendor>...).

    python tools/fit_cores.py

Two boards with the same cores and other memories ran the same kernels (records of an H200 and
h100_ops, by tools/measure_torch_cuda.py). What a kernel takes longer where memory is slower tells
how much of its time is memory's; the rest is its cores', and takes as many cycles on other boards,
whatever their memory. Both are taken for independent: their squares add up
(cpp/siliconprof/devices/walk.cpp). By operation, the part of the bandwidth that its traffic would
get without cores in the way (efficiency.<vendor>.<op>.bandwidth), no more than the quickest kernel
gets; by dtype, what a core moves in a cycle (row.<vendor>.<op>.<dtype>.bytes_per_cycle), so that
the H200's median comes out. Errors are those of both boards' rows. Batch norms, of which a core has
a channel, keep the part that they have; PyTorch's own of bfloat16 get their cores' beside it. No
training step is read. Prints TOML.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from fit_kernels import COMPOSITES, IMAGES, TWO_BOARDS, rows
from fit_products import cycles_per_s

import siliconprof as sp
from siliconprof.recorded_ops import dims_of

BOARDS = ("h200", "h100")
LARGE = "h200_large"
RECORDS = ("h200_ops", IMAGES, COMPOSITES, LARGE)
VENDOR, SOURCE = "nvidia", "two-boards"
# Kernels whose time memory may tell: more than the second cache holds twice.
FAR_BYTES = 1e8
LEAST_STARTS = 5  # shorter ones say little beside their start
NEAR_ALL = 0.99  # of what memory gives: no cores are in the way
# Of large images, by dtype: kernels that go element by element take as long for 16 bits as for 32.
BETWEEN = ("max_pool2d", "max_pool2d_backward", "bias", "batch_norm", "batch_norm_backward")
NATIVE_NORM = "bfloat16"  # PyTorch's own; cuDNN's of other dtypes are among those of small images
LEAST_CHANNELS = 256  # of norms: fewer leave cores without one
# Families of boards with 16-bit formats alike, where one of them was not asked for.
TWIN = {"float16": "bfloat16"}


@dataclass(frozen=True)
class Kernel:
    """A kernel's bytes, and what it took on each board after its start; None: not asked there."""

    bytes: float
    seconds: float
    beside_s: float | None


@dataclass(frozen=True)
class Split:
    """Of an operation: memory's part of the bandwidth; by dtype bytes a core moves in a cycle, None
    where memory alone decides, and how many kernels said so."""

    memory_part: float
    bytes_per_cycle: Mapping[str, float | None]
    counts: Mapping[str, int]
    error: float


def memory_share(longer: float, memories: float) -> float:
    """Memory's share of a kernel's time, of 1, from what the kernel takes longer on a board whose
    memory takes `memories` times as long."""
    return math.sqrt(min(max((longer**2 - 1.0) / (memories**2 - 1.0), 0.0), 1.0))


def cores_rate(reached: float, memory: float) -> float | None:
    """What cores keep up with, of a kernel that reaches less than memory alone would give it."""
    if reached >= NEAR_ALL * memory:
        return None
    return reached / math.sqrt(1.0 - (reached / memory) ** 2)


def bandwidth(board: str) -> float:
    return sp.device(board).numbers["memory.bandwidth_bytes_per_s"].value


def start_s(op: str) -> float:
    """What the kernels of an operation take besides their work."""
    numbers = sp.framework("torch-cuda").numbers
    scopes = (VENDOR, sp.device(BOARDS[0]).family)
    further = (numbers.get(f"access.{scope}.{op}.start_s") for scope in scopes)
    kernel = numbers[f"launch.{scopes[1]}.kernel_s"].value
    return kernel + max((n.value for n in further if n is not None), default=0.0)


def says_something(record: str, op: str, dtype: str, words: str) -> bool:
    """Whether a row is one of many cores: norms of few channels leave some without any."""
    if op.startswith("batch_norm"):
        channels = dims_of(words.split()[1:]).get("channels", 0)
        return record == LARGE and dtype == NATIVE_NORM and channels >= LEAST_CHANNELS
    return record != LARGE or op in BETWEEN


def kernels() -> Iterator[tuple[str, str, Kernel]]:
    """(op, dtype, kernel) of all that are long enough on the first board."""
    beside = {(words, dtype): s for words, _, dtype, _, s in rows(TWO_BOARDS)}
    for record in RECORDS:
        for words, op, dtype, cost, seconds in rows(record):
            begun_s = start_s(op)
            if op.startswith("attention") or seconds < LEAST_STARTS * begun_s:
                continue
            if not says_something(record, op, dtype, words):
                continue
            other = beside.get((words, dtype))
            yield op, dtype, Kernel(cost.bytes, seconds - begun_s, other and other - begun_s)


def memory_part(op: str, found: Mapping[str, Sequence[Kernel]], most: float) -> float | None:
    """Of an operation's kernels by dtype; `most`, what the quickest kernel gets. None where nobody
    asked a second board."""
    if op.startswith("batch_norm"):
        return sp.framework("torch-cuda").numbers[f"efficiency.{VENDOR}.{op}.bandwidth"].value
    first, second = (bandwidth(board) for board in BOARDS)
    alone = []
    for some in found.values():
        asked = [k for k in some if k.beside_s is not None]
        far = [k for k in asked if k.bytes >= FAR_BYTES] or asked
        if far:
            share = memory_share(median(k.beside_s / k.seconds for k in far), first / second)
            alone.append(reached(some) / share if share > 0.0 else math.inf)
    return min(most, max(min(alone), *map(reached, found.values()))) if alone else None


def reached(some: Sequence[Kernel]) -> float:
    return median(k.bytes / k.seconds for k in some) / bandwidth(BOARDS[0])


def split(found: Mapping[str, Sequence[Kernel]], part: float) -> Split:
    """Of an operation whose memory's part is known."""
    per_cycle = bandwidth(BOARDS[0]) / cycles_per_s(sp.device(BOARDS[0]))
    rates = {dtype: cores_rate(reached(some), part) for dtype, some in found.items()}
    own = {dtype: rate and rate * per_cycle for dtype, rate in rates.items()}
    errors = sorted(e for d, some in found.items() for k in some for e in off(k, part, own[d]))
    error = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    return Split(part, own, {d: len(some) for d, some in found.items()}, min(max(error, 0.15), 0.9))


def off(kernel: Kernel, part: float, bytes_per_cycle: float | None) -> Iterator[float]:
    """How far the split is off for a kernel on each board, as a part."""
    for board, seconds in zip(BOARDS, (kernel.seconds, kernel.beside_s), strict=True):
        if seconds is not None:
            memory_s = kernel.bytes / (part * bandwidth(board))
            each = bytes_per_cycle or math.inf
            cores_s = kernel.bytes / (each * cycles_per_s(sp.device(board)))
            yield abs(math.hypot(memory_s, cores_s) / seconds - 1.0)


def show(splits: Mapping[str, Split]) -> None:
    """What cores move in one table, then each operation's part of the bandwidth; batch norms' is
    as it was."""
    print(f"[row.{VENDOR}]")
    for op, found in splits.items():
        both = {d: x for d, x in found.bytes_per_cycle.items() if x is not None}
        for dtype, twin in TWIN.items():
            if dtype in both and twin not in found.bytes_per_cycle:
                both[twin] = both[dtype]
        for dtype, each in both.items():
            print(f"{op}.{dtype}.bytes_per_cycle = {{ value = {each:.3g}, {tail(found)}")
    for op, found in splits.items():
        if not op.startswith("batch_norm"):
            rows_of = ", ".join(f"{n} {d}" for d, n in found.counts.items())
            print(f"\n[efficiency.{VENDOR}.{op}]")
            print(f"bandwidth = {{ value = {found.memory_part:.3g}, {tail(found)}  # {rows_of}")


def tail(found: Split) -> str:
    return f'kind = "fitted", source = "{SOURCE}", relative_error = {found.error:.2f} }}'


def main() -> None:
    by_op: dict[str, dict[str, list[Kernel]]] = defaultdict(lambda: defaultdict(list))
    for op, dtype, kernel in kernels():
        by_op[op][dtype].append(kernel)
    far = [
        [k for k in some if k.bytes >= FAR_BYTES] for by in by_op.values() for some in by.values()
    ]
    most = max(reached(some) for some in far if some)
    parts = {op: memory_part(op, found, most) for op, found in sorted(by_op.items())}
    show({op: split(by_op[op], part) for op, part in parts.items() if part is not None})


if __name__ == "__main__":
    main()
