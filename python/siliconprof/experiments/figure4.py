"""Figure 4: a training step near the capacity of memory, pass by pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._core import Trace
from ..memory_limit import LimitUnavailable
from ..paging import swapped_in
from ..swap_space import KINDS
from ..workloads import workload
from .experiment import Experiment, Layout
from .near_capacity import LimitedRun, limited_run
from .pairs import Target
from .points import HERE, table
from .steps import FAULTS, MEMORY, PAGING, RESIDENT, TIME, predicted_step
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PASS, MAJOR, MINOR, RSS = "pass time", "major faults", "minor faults", "resident memory"
FREE = "no limit"
UNITS = {PASS: "s", MAJOR: "1", MINOR: "1", RSS: "bytes"}

PAGE_BYTES = 4096
# What reading a page back takes, and how many come with one major fault: of zram each is one, a
# file is read ahead by eight. Tried on one machine; another's differ.
PAGE_S = {"zram": 7e-6, "file": 25e-6}
PAGES_A_FAULT = {"zram": 1, "file": 8}


@dataclass(frozen=True)
class Params:
    """sizes: of a GPT-2 small enough for passes of a fraction of a second; shares: limits as
    shares of what its tensors need; budget_s: of each process;
    batches: of Whisper-large on an M2 Max, predicted."""

    sizes: Mapping[str, Any] = field(
        default_factory=lambda: {
            "layers": 4,
            "width": 512,
            "heads": 8,
            "vocab": 16384,
            "batch": 2,
            "seq": 64,
        }
    )
    shares: tuple[float, ...] = (1.2, 0.9, 0.7)
    swaps: tuple[str, ...] = KINDS
    passes: int = 5
    swap_bytes: int = 1_000_000_000
    budget_s: float = 12.0
    batches: tuple[int, ...] = (1, 2, 3, 4)


def run(params: Params, say: Say = silent) -> Table:
    """The step without a limit and under each, measured; and what the replay of paging expects.

    Where limits can't be set, one row says why, and the predicted curve stands alone.
    """
    trace = workload("gpt2-small", **params.sizes)
    rows: list[Row] = []
    say(f"near capacity: {FREE}")
    free = limited_run("gpt2-small", params.sizes, params.passes, None, "", 0, params.budget_s)
    rows += _measured(free, FREE, None, "")
    free_s = sorted(each.time_s for each in free.passes)[len(free.passes) // 2]
    for swap in params.swaps:
        for share in params.shares:
            rows += _predicted(trace, swap, share, params.passes, free_s)
            say(f"near capacity: {share:.0%} of the need, swap on {swap}")
            limit = int(share * trace.peak_memory_bytes)
            try:
                found = limited_run(
                    "gpt2-small",
                    params.sizes,
                    params.passes,
                    limit,
                    swap,
                    params.swap_bytes,
                    params.budget_s,
                )
            except LimitUnavailable as error:
                rows.append(_refused(swap, share, str(error)))
                break
            rows += _measured(found, swap, share, found.ended)
    for batch in params.batches:
        say(f"near capacity: Whisper-large, batch {batch}, on an M2 Max")
        rows += _on_a_mac(batch)
    return table("figure4", rows, params)


def _on_a_mac(batch: int) -> list[Row]:
    """The paper's model on its Mac. Its batch of 32 at once would take eight times
    the Mac's 64 GB; three fit."""
    trace = workload("whisper-large", batch=batch, framework="torch-mps")
    quantities = (TIME, PAGING, FAULTS, MEMORY, RESIDENT)
    what = f"whisper-large step, batch {batch}"
    return predicted_step(what, trace, Target("m2-max", "torch-mps"), quantities, {"batch": batch})


def label(swap: str, share: float | None) -> str:
    """How a curve is called."""
    return FREE if share is None else f"{share:.0%} of the need, swap on {swap}"


def _measured(found: LimitedRun, swap: str, share: float | None, ended: str) -> list[Row]:
    rows = []
    source = "one pass in a fresh process" + (f"; {ended}" if ended else "")
    for index, each in enumerate(found.passes):
        values = (each.time_s, each.major_faults, each.minor_faults, each.rss_bytes)
        for quantity, value in zip(UNITS, values, strict=True):
            rows.append(_row("measured", swap, share, index, quantity, value, source))
    if not found.passes:
        rows.append(_row("measured", swap, share, 0, PASS, None, ended or "no pass ended"))
    return rows


def _predicted(trace: Trace, swap: str, share: float, passes: int, free_s: float) -> list[Row]:
    """The free pass and what reading back adds, were the least recently used to leave first."""
    rows = []
    limit = int(share * trace.peak_memory_bytes)
    source = (
        f"replay of the trace; {PAGE_S[swap] * 1e6:g} µs a page (assumed) on the free pass's time"
    )
    for index, read_bytes in enumerate(swapped_in(trace, limit, passes)):
        pages = read_bytes / PAGE_BYTES
        seconds = free_s + pages * PAGE_S[swap]
        rows.append(_row("predicted", swap, share, index, PASS, seconds, source))
        faults = pages / PAGES_A_FAULT[swap]
        rows.append(_row("predicted", swap, share, index, MAJOR, faults, source))
    return rows


def _refused(swap: str, share: float, reason: str) -> Row:
    return _row("measured", swap, share, 0, PASS, None, f"not measured: {reason}")


def _row(
    origin: str,
    swap: str,
    share: float | None,
    index: int,
    quantity: str,
    value: float | None,
    source: str,
) -> Row:
    point: dict[str, Any] = {"quantity": quantity, "swap": swap, "share": share, "pass": index + 1}
    what = f"{label(swap, share)}, pass {index + 1}, {quantity}"
    return Row(origin, HERE, "native", what, value, UNITS[quantity], None, None, source, point)


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Time, faults and resident memory over the passes; a line for each limit."""
    from ..figures.passes import draw_passes

    for panel, quantity, scale, text in (
        ("time", PASS, 1.0, "pass, s"),
        ("major", MAJOR, 1.0, "major faults of a pass"),
        ("rss", RSS, 2.0**20, "resident memory, MiB"),
    ):
        rows = table.where(quantity=quantity)
        draw_passes(axes[panel], rows, scale, text, legend=panel == "rss")
        axes[panel].set_title(quantity, loc="left", fontsize=9)


EXPERIMENT = Experiment(
    id="figure4",
    title="Training near the capacity of memory",
    paper_item="Figure 4",
    claim=(
        "Near the capacity of its memory, a Mac's resident memory stays below what the model "
        "needs, and passes become slow and unsteady. Here it is done for real: one training step "
        "again and again in a process whose memory is limited, with compressed memory (zram) as "
        "the compressor and a file as the SSD's swap, both taken away afterwards. Predicted is a "
        "replay of the trace in which the least recently used memory leaves first; the kernel, "
        "which pushes out more than it must, reads back several times as much. The paper's own "
        "series isn't published; for its model and Mac the table predicts a step's time, page "
        "faults and resident memory by batch, up to and beyond the Mac's memory. That passes "
        "differ from one to the next isn't predicted."
    ),
    parameters=Params(),
    quick_parameters=Params(
        sizes={"layers": 2, "width": 256, "heads": 4, "vocab": 8192, "batch": 1, "seq": 32},
        shares=(1.2, 0.7),
        swaps=("zram",),
        passes=3,
        swap_bytes=300_000_000,
        batches=(1, 2),
    ),
    run=run,
    draw=draw,
    layout=Layout((("time", "major", "rss"),), 12.4, 3.8),
)
