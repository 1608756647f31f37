"""Figure 4: a training step near the capacity of memory, pass by pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._core import Trace
from ..memory_limit import LimitUnavailable
from ..paging import limited_passes
from ..swap_space import KINDS
from ..workloads import workload
from .claim import Claim, claim, ratios
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

# What a page that comes back takes, with the one that leaves for it. Tried on one machine with a
# loop over plain memory; another's differ.
PAGE_S = {"zram": 7e-6, "file": 25e-6}


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
    batches: tuple[int, ...] = (1, 2, 3, 4, 5)


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
    the Mac's 64 GB; three fit beside the system."""
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
    """The free pass and what comes back from swap, by the rules of Linux' lists of pages."""
    rows = []
    limit = int(share * trace.peak_memory_bytes)
    source = (
        f"Linux' active and inactive pages, replayed; {PAGE_S[swap] * 1e6:g} µs a page (assumed) "
        "on the free pass's time"
    )
    for index, each in enumerate(limited_passes(trace, limit, passes, swap)):
        seconds = free_s + each.pages_in * PAGE_S[swap]
        values = ((PASS, seconds), (MAJOR, each.major_faults), (MINOR, each.minor_faults))
        for quantity, value in values:
            rows.append(_row("predicted", swap, share, index, quantity, value, source))
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


def near_capacity_claims(table: Table) -> list[Claim]:
    """The project's own: which pages come back, pass by pass, is known before the run."""
    pairs = []
    for swap in KINDS:
        for share in sorted({row.point.get("share") or 0.0 for row in table.where(swap=swap)}):
            # The first pass, which finds memory half empty, isn't one among many.
            predicted, measured = (
                {
                    row.point["pass"]: row
                    for row in table.where(origin=origin, swap=swap, share=share)
                }
                for origin in ("predicted", "measured")
            )
            later = sorted(index for index in measured.keys() & predicted.keys() if index > 1)
            if share >= 1.0 or not later:
                continue
            over, under = (
                _came_back(table, origin, swap, share, later)
                for origin in ("predicted", "measured")
            )
            pairs.append((label(swap, share), over, under))
    return [
        claim(
            "near-capacity-faults",
            "A step's page faults below its need of memory are predicted from the order in which "
            "it touches its pages and the rules by which Linux gives pages up.",
            ratios(pairs),
            (0.5, 2.0),
            "predicted / measured faults of all passes but the first between 0.5 and 2",
        )
    ]


def _came_back(table: Table, origin: str, swap: str, share: float, passes: list[int]) -> Row:
    """Faults of either kind, added up."""
    rows = table.where(origin=origin, swap=swap, share=share)
    faults = sum(
        row.value or 0.0
        for row in rows
        if row.point["quantity"] in (MAJOR, MINOR) and row.point["pass"] in passes
    )
    what = f"{label(swap, share)}, faults of passes {passes[0]} to {passes[-1]}"
    return Row(origin, HERE, "native", what, faults, "1", faults, faults, "summed", {})


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Time, faults and resident memory over the passes; a line for each limit."""
    from ..figures.passes import draw_passes
    from ..figures.style import heading

    for panel, quantity, scale, text in (
        ("time", PASS, 1.0, "pass, s"),
        ("major", MAJOR, 1.0, "faults of a pass that read from swap"),
        ("rss", RSS, 2.0**20, "MiB at the end of a pass"),
    ):
        rows = table.where(quantity=quantity)
        draw_passes(axes[panel], rows, scale, text, legend=panel == "rss")
        heading(axes[panel], quantity.capitalize())
    heading(axes["major"], MAJOR.capitalize(), "predicted, half-filled: swap file")


EXPERIMENT = Experiment(
    id="figure4",
    title="Training near the capacity of memory",
    paper_item="Figure 4",
    claim=(
        "Near the capacity of its memory, a Mac's resident memory stays below what the model "
        "needs, and passes become slow and unsteady. Here it is done for real: one training step "
        "again and again in a process whose memory is limited, with compressed memory (zram) as "
        "the compressor and a file as the SSD's swap, both taken away afterwards. Predicted are "
        "the faults of each pass: the step's pages, touched in its order, go through the rules by "
        "which Linux keeps and gives up pages. A step goes round in its memory: what leaves is "
        "what it needs next, so that a little too much of it makes many pages come back, several "
        "times what doesn't fit, and passes differ from one to the next. The paper's own series "
        "isn't published; for its model and Mac the table predicts a step's time, page faults and "
        "resident memory by batch, up to and beyond the Mac's memory."
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
    layout=Layout((("time", "major", "rss"),), 12.4, 3.8, bars=""),
)
