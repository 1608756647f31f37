"""Grids of predictions: devices x batch x length x precision x workload, streamed to a table."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from ._core import (
    ArgumentError,
    Device,
    DeviceError,
    DtypeError,
    Model,
    SweepChunk,
    Trace,
    sweep_chunk,
)
from ._core import models as catalogue
from .environment import usable_cores
from .lowerings import own_lowering
from .predict import model
from .sweep_file import COLUMNS, MAY_LACK, open_table
from .sweep_frontier import Frontier
from .sweep_regions import Region, regions
from .targets import Chosen, Devices, chosen_names, chosen_targets
from .workloads import check_keywords, workload

if TYPE_CHECKING:
    import pandas

PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16", "fp64")
# What "length" is, by the first of these that a model has; images are square and don't vary.
_LENGTHS = ("seq", "label_len")
# What `workload` takes and a sweep varies itself, by its own argument.
_VARIED = {"label_len": "seq", "framework": "frameworks"}
# Rows of a chunk: enough to keep threads busy, few enough to be nothing in memory.
_CHUNK_ROWS = 20_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Grid:
    """What is swept: every combination that exists.

    chosen: devices, each with a framework.
    given:  what `workload` takes besides, the same for all: optimizer, lora, offload...
    """

    workloads: tuple[str, ...]
    chosen: Chosen
    batches: tuple[int, ...]
    lengths: tuple[int, ...]
    precisions: tuple[str, ...] = ("fp32",)
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: rows in `path`, its frontier, and what was left out and why.

    frontier: of each workload the choices of which none fits, is as quick and draws as little for a
              token (or image), is as cheap and as small as another and better in one respect; as
              dictionaries by column.
    notes:    what rows are predicted on for want of better, hosts that are assumed; workloads
              without the lengths that were asked for.
    """

    path: Path | None
    rows: int
    seconds: float
    frontier: tuple[dict[str, Any], ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Counts: a frontier may have thousands of choices."""
        return (
            f"<Sweep of {self.rows:,} rows in {self.path}: {len(self.frontier):,} on the frontier, "
            f"{len(self.left_out):,} left out, {self.seconds:.1f} s>"
        )


def sweep(
    workloads: str | Sequence[str],
    out: str | Path | None = None,
    *,
    devices: Devices | None = None,
    frameworks: str | Iterable[str] | None = None,
    batch: int | Iterable[int] = 1,
    seq: int | Iterable[int] | None = None,
    precision: str | Sequence[str] = "fp32",
    threads: int | None = None,
    progress: Progress | None = None,
    **given: Any,
) -> Sweep | pandas.DataFrame:
    """Predicts every combination and writes a row for each, as they come, to a table.

    Arguments: workloads ids of models; out a .csv or .parquet file (the latter needs pyarrow), or
               None for a pandas table in memory. The file is there once it is whole; on Ctrl-C the
               rows of a .csv that were done are in its name with .partial (grid.partial.csv), of
               .parquet and in memory they are lost; devices ids, vendors, paths of device files or
               Devices, by default all that ship and have no measured kernels, as a vendor's;
               frameworks ids, by default each vendor's own; batch, seq sizes (seq is Whisper's
               label_len; image models have none); precision as `workload` takes it; threads all
               cores by default; progress is told rows done and rows in all; given as `workload`
               takes it. What can't be swept is left out and told: formats that a device lacks,
               calibrated devices (their kernels depend on what ran), targets that fit none.
    Returns:   a Sweep; without `out` the table, whose `attrs` have `left_out` and `notes`, with a
               warning where anything is left out.
    Columns:   workload, precision, device, framework, batch, length, time_s and its interval lo_s,
               hi_s, peak_memory_bytes with what the framework's allocator takes beyond the
               tensors and lo_bytes, hi_bytes, energy_joules and lo_joules, hi_joules, fits (the
               peak is no more than a step may take there, as `predict` says),
               frontier (of this size and workload: nothing that fits is as good in time, energy,
               launch price and memory and better in one; unknown is worst), price_usd at launch,
               time_per_item_s, joules_per_item of a token or image; unknown ones empty, or <NA>.
    Raises:    as `predict` and `workload`; ArgumentError for an empty grid.
    """
    grid = Grid(
        chosen_names("sweep", "workloads", workloads, [entry.id for entry in catalogue()]),
        chosen_targets("sweep", devices, frameworks, _has_no_measured_kernels),
        _sizes("batch", batch),
        _sizes("seq", seq) if seq is not None else (),
        chosen_names("sweep", "precision", precision, PRECISIONS),
        given,
    )
    _check_given(grid)
    arguments.callback("sweep", "progress", progress)
    workers = arguments.threads("sweep", threads) or usable_cores()
    if out is None:
        return _frame(grid, workers, progress)
    return _run(grid, arguments.path("sweep", "out", out), workers, progress)


def _check_given(grid: Grid) -> None:
    """What `workload` takes besides, and no other."""
    for name, own in _VARIED.items():
        if name in grid.given:  # else lost among the sizes of each row
            needed = f"{own}=... is needed in its place"
            raise arguments.refused("sweep", name, grid.given[name], needed)
    check_keywords(sweep, grid.workloads, grid.given, _VARIED)


def _run(grid: Grid, out: Path, threads: int, progress: Progress | None) -> Sweep:
    begin = time.perf_counter()
    done, frontier, told = 0, Frontier(), _Told([*grid.chosen.left_out])
    with open_table(out) as table:
        for part in _chunks(grid, threads, told):
            columns = part.chunk.columns()
            table.write(part.chunk, part.labels, columns)
            frontier.add(part.labels, columns)
            done += len(part.chunk)
            if progress is not None:
                progress(done, part.total)
    elapsed = time.perf_counter() - begin
    return Sweep(out, done, elapsed, frontier.rows(), tuple(told.left_out), tuple(told.notes))


def _frame(grid: Grid, threads: int, progress: Progress | None) -> pandas.DataFrame:
    import pandas

    parts, done, told = [], 0, _Told([*grid.chosen.left_out])
    for part in _chunks(grid, threads, told):
        columns = part.chunk.columns()
        entry = columns.pop("entry")
        labels = pandas.DataFrame(part.labels, columns=list(COLUMNS[:4]))
        parts.append(pandas.concat([labels.iloc[entry].reset_index(drop=True),
                                    pandas.DataFrame(columns)], axis=1))  # fmt: skip
        done += len(part.chunk)
        if progress is not None:
            progress(done, part.total)
    table = pandas.concat(parts, ignore_index=True)
    table = table.astype({name: "Float64" for name in MAY_LACK})  # NaN becomes <NA>
    table.attrs.update(left_out=tuple(told.left_out), notes=tuple(told.notes))
    if told.left_out:
        message = f"[sweep] left out: {len(told.left_out)} (.attrs['left_out']), as "
        warnings.warn(message + told.left_out[0], stacklevel=3)
    return table


Label = tuple[str, str, str, str]
Machines = Sequence[Model]
Entry = tuple[Label, Model, int]  # and the place of its kind


@dataclass(frozen=True)
class _Told:
    """What a reader should know of the rows, in order; a note once."""

    left_out: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """Some rows: of the entries that `labels` names, (workload, precision, device, framework)."""

    chunk: SweepChunk
    labels: list[Label]
    total: int


def _chunks(grid: Grid, threads: int, told: _Told) -> Iterator[Part]:
    by_kernels = _by_kernels([model(*target) for target in grid.chosen.targets])
    kinds = list(itertools.product(grid.precisions, by_kernels.items()))
    everywhere = len(grid.chosen.targets) * len(grid.precisions)
    rows = {name: everywhere * _count(name, grid) for name in grid.workloads}
    for name in grid.workloads:
        if grid.lengths and _length_name(name) is None:
            told.notes[f"{name} has no length: its rows are of each batch once"] = None
        builds = [_build(name, kernels, precision, grid.given) for precision, (kernels, _) in kinds]
        entries: list[Entry] = []
        for region in regions(builds, grid.batches, _lengths(name, grid)):
            if not entries:
                entries = _entries(name, kinds, region, told)
                rows[name] = len(entries) * _count(name, grid)
            labels = [label for label, _, _ in entries]
            own = [found for _, found, _ in entries]
            families = [region.families[kind] for _, _, kind in entries]
            texts = [",".join(label) for label in labels]
            micro_batches = int(grid.given.get("accumulate", 1))  # as the steps were built
            for sizes in _batched(region, max(1, _CHUNK_ROWS // len(entries))):
                chunk = sweep_chunk(texts, own, families, sizes, threads, micro_batches)
                yield Part(chunk, labels, sum(rows.values()))


def _entries(
    name: str,
    kinds: Sequence[tuple[str, tuple[str, Machines]]],
    region: Region,
    told: _Told,
) -> list[Entry]:
    """Every (precision, target) that can be predicted, those that run the same kernels together."""
    found: list[Entry] = []
    size = (region.batches[0], region.lengths[0])
    for kind, (precision, (_, machines)) in enumerate(kinds):
        for machine in machines:
            target = machine.device.id, machine.framework.id
            try:
                region.families[kind].predict(machine, size)
            except (DtypeError, DeviceError) as reason:
                told.left_out.append(f"{name} {precision} on {'/'.join(target)}: {reason}")
            else:
                if note := region.families[kind].assumed_host(machine, size):
                    told.notes[note] = None
                found.append(((name, precision, *target), machine, kind))
    if not found:
        raise ArgumentError(f"[sweep] {name}: nothing can be predicted; {told.left_out[-1]}")
    return found


def _by_kernels(machines: Machines) -> dict[str, Machines]:
    """By the framework whose kernels they run."""
    found: dict[str, list[Model]] = {}
    for machine in machines:
        found.setdefault(own_lowering(machine.framework.id), []).append(machine)
    return dict(found)


def _batched(region: Region, most: int) -> Iterator[list[tuple[int, int]]]:
    """The region's sizes, so many at a time."""
    sizes = itertools.product(region.batches, region.lengths)
    while some := list(itertools.islice(sizes, most)):
        yield some


def _count(name: str, grid: Grid) -> int:
    return len(grid.batches) * len(_lengths(name, grid))


def _build(
    name: str, kernels: str, precision: str, given: Mapping[str, Any]
) -> Callable[[int, int], Trace]:
    length_name = _length_name(name)

    def build(batch: int, length: int) -> Trace:
        sizes: dict[str, Any] = {"batch": batch, **given}
        if length_name is not None:
            sizes[length_name] = length
        return workload(name, framework=kernels, precision=precision, **sizes)

    return build


def _length_name(name: str) -> str | None:
    """What a workload calls its length; None for one of images."""
    (sizes,) = (entry.sizes for entry in catalogue() if entry.id == name)
    return next((length for length in _LENGTHS if length in sizes), None)


def _lengths(name: str, grid: Grid) -> tuple[int, ...]:
    length_name = _length_name(name)
    if length_name is None:
        return (1,)
    if grid.lengths:
        return grid.lengths
    (sizes,) = (entry.sizes for entry in catalogue() if entry.id == name)
    return (int(sizes[length_name]),)


def _has_no_measured_kernels(device: Device) -> bool:
    return not any(key.startswith("kernel.") for key in device.numbers)


def _sizes(place: str, given: int | Iterable[int]) -> tuple[int, ...]:
    if isinstance(given, (str, bytes)):
        raise arguments.refused("sweep", place, given, "a whole number or several are needed")
    try:
        sizes = iter(given)  # type: ignore[arg-type]
    except TypeError:  # one number, as numpy.array(4), which is an Iterable by its class, is too
        sizes = iter([given])  # type: ignore[list-item]
    values = list(itertools.islice(sizes, arguments.MOST_SIZES + 1))
    if not values:
        raise arguments.refused("sweep", place, given, "one or more sizes are needed")
    if len(values) > arguments.MOST_SIZES:
        raise arguments.refused(
            "sweep", place, given, f"{arguments.MOST_SIZES} sizes at most are needed"
        )
    checked = (arguments.whole("sweep", place, v, 1, arguments.LARGEST_COUNT) for v in values)
    return tuple(sorted(set(checked)))
