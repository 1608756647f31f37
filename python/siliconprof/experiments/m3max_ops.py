"""The op suite on an M3 Max: what was recorded there, measured here and predicted anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _core, records
from ..predict import model, synchronised
from ..quantity import counted
from ..run import run as run_here
from ..suite import SUITE, SuiteRow, suite
from .experiment import Experiment, Layout
from .pairs import Target, targets
from .points import HERE, table
from .table import Row, Say, Table, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECORD, SPEEDUPS = "m3max_ops", "m3max_speedups"
TIME, MEAN, SPEEDUP, RATIO = "time", "mean time", "speed-up", "predicted over recorded"

# The article's columns, by where they ran.
COLUMNS = {
    ("m3-max", "mlx"): "mlx_gpu",
    ("m3-max", "mlx-compile"): "mlx_gpu_compile",
    ("m3-max-cpu", "mlx-cpu"): "mlx_cpu",
    ("m3-max", "torch-mps"): "mps",
    ("m3-max-cpu", "torch-cpu"): "cpu",
}
M3_MAX = (
    Target("m3-max", "mlx"),
    Target("m3-max", "mlx-compile"),
    Target("m3-max-cpu", "mlx-cpu"),
    Target("m3-max", "torch-mps"),
    Target("m3-max-cpu", "torch-cpu"),
)
# The article's speed-ups: the first is how many times as fast as the second.
PAIRS = (("mlx-compile", "mlx"), ("mlx", "torch-mps"), ("mlx", "mlx-cpu"))
_AVERAGE = ", mean over shapes"


@dataclass(frozen=True)
class Params:
    """budget_s: measuring time of a row here; largest_bytes: rows with more memory than this are
    not measured; others: devices predicted beside the M3 Max."""

    others: tuple[Target, ...] = targets()
    budget_s: float = 0.3
    largest_bytes: int = 6_000_000_000


def run(params: Params, say: Say = silent) -> Table:
    """The article's two tables; the same rows measured here and predicted; their means."""
    rows = recorded_rows()
    measured = []
    for entry in suite():
        if not _too_large(entry, params.largest_bytes):
            say(entry.label)
        measured.append(measured_row(entry, params))
    rows += measured
    rows += mean_rows(measured)
    for target in (*M3_MAX, *params.others):
        predicted = [predicted_row(entry, target) for entry in suite()]
        rows += [*predicted, *mean_rows(predicted)]
    rows += ratio_rows(rows)
    rows += speedup_rows(rows)
    return table("m3max-ops", rows, params)


def recorded_rows() -> list[Row]:
    """The article's times and its speed-ups, as printed.

    point["same"] is False where the row timed something else than its label says.
    """
    rows = []
    for name in (RECORD, SPEEDUPS):
        record = records.load(name)
        for entry in record.rows:
            what, _, rest = entry.what.partition(", ")
            quantity = TIME if name == RECORD else SPEEDUP
            average = _AVERAGE in f", {rest}"
            point = {
                "quantity": MEAN if average and quantity == TIME else quantity,
                "operation": what.partition(" ")[0],
                "label": what,
                "average": average,
                "column": _column(entry.device, entry.framework, rest),
                "same": not other_work(what, entry.device, entry.framework or ""),
            }
            source = f"{record.source}; {entry.note}" if entry.note else record.source
            place = (entry.device, entry.framework or "", entry.what)
            value, unit = entry.value, entry.unit
            rows.append(Row("recorded", *place, value, unit, None, None, source, point))
    return rows


def other_work(label: str, device: str, framework: str) -> bool:
    """Whether the recorded row, or mean, timed something else than its label: MLX was called
    without the axis, and its ScatterSum and ScatterMax did nothing."""
    operation = label.partition(" ")[0]
    notes = {
        row.note
        for row in records.load(RECORD).rows
        if row.what.partition(" ")[0] == operation
        and (row.device, row.framework or "") == (device, framework)
    }
    return any(note.startswith(("different computation", "not a computation")) for note in notes)


def measured_row(entry: SuiteRow, params: Params) -> Row:
    """One row here, in float32 on all cores; without a value where it can't be run, and why."""
    place = ("measured", HERE, "openblas", entry.label)
    point = {**_point(entry), "column": "here"}
    reason = _too_large(entry, params.largest_bytes)
    if reason is None:
        rule = _core.Sampling.adaptive(budget_s=params.budget_s, warmups=1, min_samples=6)
        try:
            profile = run_here(entry.trace(), sampling=rule)
        except _core.Error as error:
            reason = str(error).partition("; needed: one of")[0]
        else:
            low, high = profile.interval or (None, None)
            count = len(profile.samples_s)
            source = (
                f"{profile.statistic} of {counted(count, 'sample')}, {profile.sampling} sampling"
            )
            return Row(*place, profile.time_s, "s", low, high, source, {**point, "n": count})
    return Row(*place, None, "s", None, None, reason, point)


def _too_large(entry: SuiteRow, largest_bytes: int) -> str | None:
    if not entry.available:
        return f"this version has no op {entry.op}"
    found = entry.trace().peak_memory_bytes
    if found <= largest_bytes:
        return None
    return f"takes {found} bytes; this run measures rows of up to {largest_bytes}"


def predicted_row(entry: SuiteRow, target: Target) -> Row:
    """One synchronised call, as the suite times it: the launch is a whole round trip."""
    column = COLUMNS.get((target.device, target.framework), f"{target.device} {target.framework}")
    place = ("predicted", target.device, target.framework, entry.label)
    point = {**_point(entry), "column": column}
    if not entry.available:
        reason = f"this version has no op {entry.op}"
        return Row(*place, None, "s", None, None, reason, point)
    software = target.framework
    if target in M3_MAX:  # as it was when the article measured
        software = records.load(RECORD).software(software)
    trace = entry.trace(framework=target.framework)
    value, low, high = synchronised(model(target.device, software), trace)
    return Row(
        *place,
        value,
        "s",
        low,
        high,
        f"model of {target.device} under {software}, launched and waited for",
        point,
    )


def _point(entry: SuiteRow) -> dict[str, Any]:
    point: dict[str, Any] = {"quantity": TIME, "operation": entry.operation, "label": entry.label}
    return {**point, "average": False, "same": True}


def mean_rows(rows: Sequence[Row]) -> list[Row]:
    """The mean over an operation's shapes, as the article has it; none where a shape lacks."""
    means = []
    for operation in SUITE:
        found = [row for row in rows if row.point["operation"] == operation]
        values = [row.value for row in found if row.value is not None]
        first = found[0]
        lacking = len(found) - len(values)
        reason = f"{lacking} of {len(found)} shapes have no value: {_reason(found)}"
        source = reason if lacking else f"mean over {len(found)} shapes"
        point = {**first.point, "quantity": MEAN, "average": True, "label": operation}
        point.pop("n", None)
        place = (first.origin, first.device, first.framework, f"{operation}{_AVERAGE}")
        numbers = (None,) * 3 if lacking else (_mean(values), *_ends(found))
        means.append(Row(*place, numbers[0], "s", numbers[1], numbers[2], source, point))
    return means


def _reason(rows: Sequence[Row]) -> str:
    return next((row.source for row in rows if row.value is None), "")


def _ends(rows: Sequence[Row]) -> tuple[float | None, float | None]:
    """As if all errors went one way."""
    low = [row.lo for row in rows if row.lo is not None]
    high = [row.hi for row in rows if row.hi is not None]
    return (_mean(low), _mean(high)) if len(low) == len(high) == len(rows) else (None, None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def ratio_rows(rows: Sequence[Row]) -> list[Row]:
    """Predicted over recorded time for each row of the M3 Max that did what its label says, and
    the median of the relative errors by framework."""
    recorded = {
        (row.framework, row.point["label"]): row.value
        for row in rows
        if row.origin == "recorded" and row.point["same"]
        if row.point["quantity"] == TIME and row.value is not None
    }
    ratios: list[Row] = []
    for target in M3_MAX:
        errors = []
        for row in rows:
            known = recorded.get((row.framework, row.point["label"]))
            here = (row.origin, row.device, row.framework, row.point["quantity"])
            if here != ("predicted", target.device, target.framework, TIME) or known is None:
                continue
            if row.value is None or row.lo is None or row.hi is None:
                continue
            ratio, low, high = (value / known for value in (row.value, row.lo, row.hi))
            place = ("predicted", row.device, row.framework, f"{row.what}, {RATIO}")
            source = f"{row.source}; over the recorded {known:g} s"
            point = {**row.point, "quantity": RATIO, "recorded_s": known}
            ratios.append(Row(*place, ratio, "1", low, high, source, point))
            errors.append(abs(row.value / known - 1.0))
        if errors:
            what = f"median of |{RATIO} - 1|"
            low, high = _core.quantile(errors, 0.25), _core.quantile(errors, 0.75)
            source = f"{len(errors)} rows that did what they say; interval: quartiles"
            point = {"quantity": "error", "label": "", "operation": "", "same": True}
            place = ("predicted", target.device, target.framework, what)
            ratios.append(Row(*place, _core.median(errors), "1", low, high, source, point))
    return ratios


def speedup_rows(rows: Sequence[Row]) -> list[Row]:
    """The article's speed-ups as the model has them: of each row, and of each operation's mean."""
    times = {
        (row.framework, row.what): row
        for row in rows
        if row.origin == "predicted" and Target(row.device, row.framework) in M3_MAX
        if row.point["quantity"] in (TIME, MEAN)
    }
    whats = [row.label for row in suite()] + [f"{operation}{_AVERAGE}" for operation in SUITE]
    return [
        _speedup_row(times[slower, what], times[faster, what])
        for what in whats
        for faster, slower in PAIRS
    ]


def _speedup_row(over: Row, under: Row) -> Row:
    """How many times as fast the second is."""
    column = "/".join(COLUMNS[row.device, row.framework] for row in (under, over))
    point = {**under.point, "quantity": SPEEDUP, "column": column}
    place = ("predicted", under.device, under.framework, f"{under.what}, {column} speedup")
    value = over.value / under.value if over.value and under.value else None
    kind = "means" if under.point["average"] else "times"
    source = f"ratio of two predicted {kind}" if value else under.source
    return Row(*place, value, "1", None, None, source, point)


def _column(device: str, framework: str | None, rest: str) -> str:
    if rest.endswith(" speedup"):
        return rest.rpartition(", ")[2].removesuffix(" speedup")
    return COLUMNS[device, framework or ""]


def draw(table: Table, axes: dict[str, Axes]) -> None:
    """Means by operation, prediction against record, speed-ups, and other devices."""
    from ..figures.op_suite import draw_agreement, draw_operations
    from ..figures.style import heading

    means = [row for row in table.rows if row.point["quantity"] == MEAN]
    chip = [target.device for target in M3_MAX]
    m3 = [row for row in means if row.device in (*chip, HERE)]
    draw_operations(axes["means"], SUITE, m3, 1e-3, "mean over shapes, ms")
    heading(axes["means"], "The op suite on an M3 Max, and here", "pale: other work than the label")
    draw_agreement(axes["agreement"], table.where(quantity=RATIO))
    heading(axes["agreement"], "Predicted and recorded", "band: a factor of 1.5")
    speedups = [row for row in table.where(quantity=SPEEDUP) if row.point["average"]]
    draw_operations(axes["speedups"], SUITE, speedups, 1.0, "times faster")
    heading(axes["speedups"], "Speed-ups of the means", "right of 1: the first is faster")
    others = [row for row in means if row.origin == "predicted" and row.device not in chip]
    draw_operations(
        axes["others"], SUITE, others, 1e-3, "mean over shapes, ms", "below", by_device=True
    )
    heading(axes["others"], "The same suite predicted elsewhere", "intervals: in the table")


EXPERIMENT = Experiment(
    id="m3max-ops",
    title="21 operations on an M3 Max",
    paper_item="",
    claim=(
        "A public op suite times 21 operations at 85 shapes on an M3 Max with MLX (GPU, compiled, "
        "CPU) and PyTorch (MPS, CPU). Its times and speed-ups are shown as recorded; the same "
        "calls are measured here and predicted for the M3 Max and for other devices. None of these "
        "times went into a fit; of an M3 Max only square products that others published did. Each "
        "call was waited for: its launch is a round trip. MLX ran Argmax, Softmax, Sum and Sort "
        "without their axis and did nothing for ScatterSum and ScatterMax: those rows are shown "
        "pale, and compared with nothing."
    ),
    parameters=Params(),
    quick_parameters=Params(budget_s=0.02, largest_bytes=110_000_000),
    run=run,
    draw=draw,
    layout=Layout(
        (("means", "agreement"), ("speedups", "others")),
        12.4,
        12.0,
        marks=("measured", "predicted", "recorded"),
    ),
)
