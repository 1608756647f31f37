"""Predicted peak memory of whole steps against what the process really grew by."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import Error, Trace
from ..quantity import counted
from ..workloads import workload
from .claim import Claim, claim, ratios
from .experiment import Experiment, Layout
from .fresh_process import fresh_process
from .points import HERE, table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TENSORS, PEAK, GROWTH, RATIO = "tensors at the peak", "predicted peak", "growth", "ratio"

# In a fresh process: a small product first loads the engine and starts its threads, which are no
# part of a step; then the peak is forgotten, the step run, and the peak read.
_FRESH = """
import json, sys
import siliconprof as sp
id, sizes, passes = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
def kilobytes(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name))
trace = sp.workload(id, **sizes)
before = kilobytes("VmRSS")
product = sp.bind(sp.op("matmul", batch=1, m=256, k=256, n=256))
product()
del product
with open("/proc/self/clear_refs", "w") as file: file.write("5")
ready = kilobytes("VmRSS")
step = sp.bind(trace)
for _ in range(passes): step()
print(json.dumps([1024 * (kilobytes("VmHWM") - ready), 1024 * (ready - before)]))
"""


@dataclass(frozen=True)
class Case:
    """A step by its workload and sizes."""

    workload: str
    sizes: tuple[tuple[str, int], ...]

    @property
    def name(self) -> str:
        return " ".join([self.workload, *(f"{key} {size}" for key, size in self.sizes)])

    def trace(self) -> Trace:
        sizes: dict[str, Any] = dict(self.sizes)
        return workload(self.workload, **sizes)


def _gpt2(batch: int, seq: int) -> Case:
    return Case("gpt2-small", (("batch", batch), ("seq", seq)))


ALL_CASES = (
    *(_gpt2(batch, seq) for batch in (1, 2, 4, 8) for seq in (64, 128, 256, 512)),
    *(Case("whisper-tiny", (("batch", batch),)) for batch in (1, 2, 4, 8)),
    *(Case("simclr-resnet18", (("batch", batch),)) for batch in (8, 16, 32, 64, 128)),
    *(Case("resnet18", (("batch", batch),)) for batch in (8, 16, 32, 64)),
)


@dataclass(frozen=True)
class Params:
    """The default is some of ALL_CASES; all take minutes (`make memory`)."""

    cases: tuple[Case, ...] = (
        _gpt2(1, 64),
        _gpt2(8, 64),
        _gpt2(1, 512),
        _gpt2(4, 256),
        Case("whisper-tiny", (("batch", 1),)),
        Case("whisper-tiny", (("batch", 4),)),
        Case("simclr-resnet18", (("batch", 16),)),
        Case("simclr-resnet18", (("batch", 128),)),
        Case("resnet18", (("batch", 8),)),
    )
    passes: int = 1


def run(params: Params, say: Say = silent) -> Table:
    """For each case what is predicted, part by part, what was measured, and their ratio."""
    rows: list[Row] = []
    for case in params.cases:
        say(f"memory of {case.name}")
        trace = case.trace()
        parts = predicted_parts(trace)
        rows += [_row("predicted", case, part, bytes) for part, bytes in parts.items()]
        predicted = _row("predicted", case, PEAK, sum(parts.values()), ", ".join(parts))
        rows.append(predicted)
        rows += _measured(case, predicted, params.passes)
    return table("memory", rows, params)


def predicted_parts(trace: Trace) -> Mapping[str, int]:
    """Bytes by name: the tensors, and what comes on top of them when they lie in memory."""
    tensors = trace.peak_memory_bytes + trace.host_memory_bytes
    planned = trace.planned_memory_bytes
    parts = {
        TENSORS: tensors,
        "gaps in the arena": planned - tensors,
        **_core.workspaces(trace),
    }
    return {name: bytes for name, bytes in parts.items() if bytes}


def _measured(case: Case, predicted: Row, passes: int) -> list[Row]:
    sizes = json.dumps(dict(case.sizes))
    if not sys.platform.startswith("linux"):
        reason = "not measured: the peak of a process is forgotten through /proc, on Linux alone"
        return [_row("measured", case, GROWTH, None, reason)]
    try:
        grown, engine = fresh_process("memory", _FRESH, case.workload, sizes, passes)
    except Error as error:
        return [_row("measured", case, GROWTH, None, f"not measured: {error}")]
    source = f"peak resident memory over {counted(passes, 'pass')}, less that of the process before"
    assert predicted.value is not None
    ratio = predicted.value / grown
    return [
        _row("measured", case, GROWTH, grown, source),
        _row("measured", case, "engine, loaded", engine, "taken before the step"),
        Row(
            "measured",
            HERE,
            "native",
            f"{case.name}, predicted over measured",
            ratio,
            "1",
            ratio,
            ratio,
            source,
            {"quantity": RATIO, "case": case.name},
        ),
    ]


def _row(origin: str, case: Case, quantity: str, value: float | None, source: str = "") -> Row:
    place = (origin, HERE, "native", f"{case.name}, {quantity}")
    point = {"quantity": quantity, "case": case.name}
    return Row(*place, value, "bytes", value, value, source or "liveness of the trace", point)


def memory_growth_claims(table: Table) -> list[Claim]:
    """The project's own: predicted memory is what a run takes."""
    pairs = []
    for row in table.where(quantity=GROWTH):
        (predicted,) = table.where(quantity=PEAK, case=row.point["case"])
        pairs.append((str(row.point["case"]), predicted, row))
    return [
        claim(
            "memory-within-2-percent",
            "A step's predicted peak memory is within 2 % of what the process grows by.",
            ratios(pairs),
            (0.98, 1.02),
            "predicted / measured between 0.98 and 1.02 in every case",
        )
    ]


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Predicted over measured for each case; the band is 2 %."""
    from ..figures.style import colour, heading, marker_style

    panel = axes["ratio"]
    rows = table.where(quantity=RATIO)
    for place, row in enumerate(rows):
        panel.plot([row.value or 0.0], [-place], **marker_style("measured", HERE))
    panel.set_yticks([-place for place in range(len(rows))], [row.point["case"] for row in rows])
    panel.axvspan(0.98, 1.02, color=colour(HERE), alpha=0.08)
    panel.set_xlabel("predicted peak over measured growth")
    heading(panel, "Memory of a step", "band: 2 %")


EXPERIMENT = Experiment(
    id="memory",
    title="Memory predicted and taken",
    paper_item="",
    claim=(
        "A step's peak memory is known before it runs: the tensors that live at once, the gaps "
        "that placing them leaves, what kernels and OpenBLAS keep for themselves, and the ends of "
        "huge pages, each by name. Measured is the growth of a fresh process' peak resident "
        "memory. What loading the engine takes is shown apart: it is no part of a step."
    ),
    parameters=Params(),
    quick_parameters=Params(cases=(_gpt2(1, 64),)),
    run=run,
    draw=draw,
    layout=Layout((("ratio",),), 7.2, 3.6, marks=("measured",), bars=""),
)


def main() -> int:
    """Every case; status 1 when one is more than 2 % off, or can't be measured."""
    found = run(Params(cases=ALL_CASES), lambda text: print(text, file=sys.stderr, flush=True))
    for row in found.where(quantity=RATIO):
        print(f"{row.value:.4f}  {row.point['case']}")
    lacking = [row for row in found.where(quantity=GROWTH) if row.value is None]
    for row in lacking:
        print(f"-       {row.point['case']}: {row.source}")
    (verdict,) = memory_growth_claims(found)
    print(f"{verdict.text} {verdict.verdict}")
    return 0 if verdict.verdict == "holds" and not lacking else 1


if __name__ == "__main__":
    sys.exit(main())
