"""Grids of predictions: devices x batch x length x precision x workload, streamed to a table."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import arguments
from ._core import (
    ArgumentError,
    DeviceError,
    DtypeError,
    Model,
    SweepChunk,
    Trace,
    sweep_chunk,
)
from ._core import models as catalogue
from .devices import default_framework, device, devices, is_path
from .lowerings import own_lowering
from .names import unknown_name
from .predict import model
from .sweep_file import COLUMNS, open_table
from .sweep_frontier import Frontier
from .sweep_regions import Region, regions
from .workloads import workload

if TYPE_CHECKING:
    import pandas

PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")
# What "length" is, by the first of these that a model has; images are square and don't vary.
_LENGTHS = ("seq", "label_len")
# Rows of a chunk: enough to keep threads busy, few enough to be nothing in memory.
_CHUNK_ROWS = 20_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Grid:
    """What is swept: every combination that exists.

    targets: (device, framework) pairs.
    given:   what `workload` takes besides, the same for all: optimizer, lora, offload...
    """

    workloads: tuple[str, ...]
    targets: tuple[tuple[str, str], ...]
    batches: tuple[int, ...]
    lengths: tuple[int, ...]
    precisions: tuple[str, ...] = ("fp32",)
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: rows in `path`, its frontier, and what was left out and why.

    frontier: choices of which none fits, is as quick for a token (or image), as cheap and as small
              as another and better in one respect; as dictionaries by column.
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
    devices: Sequence[str] | None = None,
    frameworks: Sequence[str] | None = None,
    batch: int | Iterable[int] = 1,
    seq: int | Iterable[int] | None = None,
    precision: str | Sequence[str] = "fp32",
    threads: int | None = None,
    progress: Progress | None = None,
    **given: Any,
) -> Sweep | pandas.DataFrame:
    """Predicts every combination and writes a row for each, as they come, to a table.

    Arguments: workloads ids of models; out a .csv or .parquet file (the latter needs pyarrow), or
               None for a pandas table in memory; devices ids or paths of device files, all that
               ship by default; frameworks ids, by default each vendor's own; batch, seq sizes (seq
               is Whisper's label_len; image models have none); precision as `workload` takes it;
               threads all cores by default; progress is told rows done and rows in all; given as
               `workload` takes it. What can't be swept is left out and told: a format that a
               device lacks, a calibrated device, whose kernels depend on the calls before them.
    Columns:   workload, precision, device, framework, batch, length, time_s and its interval lo_s,
               hi_s, peak_memory_bytes with what the framework's allocator takes beyond the
               tensors, fits (that is no more than the device may hold: of a unified memory the
               working set), frontier (of this size and workload: nothing that fits is as good in
               time, launch price and memory and better in one). Times and memory are `predict`'s.
    Raises:    as `predict` and `workload`; ArgumentError for an empty grid.
    """
    grid = Grid(
        _names("sweep", "workloads", workloads, [entry.id for entry in catalogue()]),
        chosen_targets("sweep", devices, frameworks),
        _sizes("batch", batch),
        _sizes("seq", seq) if seq is not None else (),
        _names("sweep", "precision", precision, PRECISIONS),
        given,
    )
    workers = threads or os.cpu_count() or 1
    if out is None:
        return _frame(grid, workers, progress)
    return _run(grid, arguments.path("sweep", "out", out), workers, progress)


def _run(grid: Grid, out: Path, threads: int, progress: Progress | None) -> Sweep:
    begin = time.perf_counter()
    done, frontier, told = 0, Frontier(), _Told()
    with open_table(out) as table:
        for part in _chunks(grid, threads, told):
            table.write(part.chunk, part.labels)
            frontier.add(part.chunk, part.labels, part.models)
            done += len(part.chunk)
            if progress is not None:
                progress(done, part.total)
    elapsed = time.perf_counter() - begin
    return Sweep(out, done, elapsed, frontier.rows(), tuple(told.left_out), tuple(told.notes))


def _frame(grid: Grid, threads: int, progress: Progress | None) -> pandas.DataFrame:
    import pandas

    parts, done = [], 0
    for part in _chunks(grid, threads, _Told()):
        columns = part.chunk.columns()
        entry = columns.pop("entry")
        labels = pandas.DataFrame(part.labels, columns=list(COLUMNS[:4]))
        parts.append(pandas.concat([labels.iloc[entry].reset_index(drop=True),
                                    pandas.DataFrame(columns)], axis=1))  # fmt: skip
        done += len(part.chunk)
        if progress is not None:
            progress(done, part.total)
    return pandas.concat(parts, ignore_index=True)


Label = tuple[str, str, str, str]
Targets = Sequence[tuple[str, str]]
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
    models: list[Model]
    total: int


def _chunks(grid: Grid, threads: int, told: _Told) -> Iterator[Part]:
    models = {target: model(*target) for target in grid.targets}
    kinds = list(itertools.product(grid.precisions, _by_kernels(grid.targets).items()))
    everywhere = len(grid.targets) * len(grid.precisions)
    rows = {name: everywhere * _count(name, grid) for name in grid.workloads}
    for name in grid.workloads:
        if grid.lengths and _length_name(name) is None:
            told.notes[f"{name} has no length: its rows are of each batch once"] = None
        builds = [_build(name, kernels, precision, grid.given) for precision, (kernels, _) in kinds]
        entries: list[Entry] = []
        for region in regions(builds, grid.batches, _lengths(name, grid)):
            if not entries:
                entries = _entries(name, kinds, models, region, told)
                rows[name] = len(entries) * _count(name, grid)
            labels = [label for label, _, _ in entries]
            own = [found for _, found, _ in entries]
            families = [region.families[kind] for _, _, kind in entries]
            texts = [",".join(label) for label in labels]
            for sizes in _batched(region, max(1, _CHUNK_ROWS // len(entries))):
                chunk = sweep_chunk(texts, own, families, sizes, threads)
                yield Part(chunk, labels, own, sum(rows.values()))


def _entries(
    name: str,
    kinds: Sequence[tuple[str, tuple[str, Targets]]],
    models: Mapping[tuple[str, str], Model],
    region: Region,
    told: _Told,
) -> list[Entry]:
    """Every (precision, target) that can be predicted, those that run the same kernels together."""
    found: list[Entry] = []
    size = (region.batches[0], region.lengths[0])
    for kind, (precision, (_, targets)) in enumerate(kinds):
        for target in targets:
            try:
                region.families[kind].predict(models[target], size)
            except (DtypeError, DeviceError) as reason:
                told.left_out.append(f"{name} {precision} on {'/'.join(target)}: {reason}")
            else:
                machine = models[target]
                if note := region.families[kind].assumed_host(machine, size):
                    told.notes[note] = None
                label = (name, precision, machine.device.id, machine.framework.id)
                found.append((label, machine, kind))
    if not found:
        raise ArgumentError(f"[sweep] {name}: nothing can be predicted; {told.left_out[-1]}")
    return found


def _by_kernels(targets: Targets) -> dict[str, Targets]:
    """Targets by the framework whose kernels they run."""
    found: dict[str, list[tuple[str, str]]] = {}
    for target in targets:
        found.setdefault(own_lowering(target[1]), []).append(target)
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


def chosen_targets(
    place: str, given: Sequence[str] | None, frameworks: Sequence[str] | None
) -> tuple[tuple[str, str], ...]:
    """Each device under each framework that runs there; its vendor's default if none is named;
    `place` asks for them.

    A device is an id or the path of its file, as `predict` takes it.
    Raises: UnknownNameError; DeviceError for a bad file; ArgumentError where no framework runs on
    any, or two devices have one id.
    """
    ids = _devices(place, given) if given is not None else tuple(devices())
    if frameworks is None:
        return tuple((id, default_framework(device(id))) for id in ids)
    from .frameworks import framework, framework_versions
    from .frameworks import frameworks as framework_ids

    valid = [*framework_ids(), *framework_versions()]
    named = [framework(id) for id in _names(place, "frameworks", frameworks, valid)]
    pairs = [(id, some.id) for some in named for id in ids if device(id).vendor in some.vendors]
    if not pairs:
        need = "a framework that runs on one of the devices is needed"
        raise arguments.refused(place, "frameworks", list(frameworks), need)
    return tuple(pairs)


def _devices(place: str, given: str | Sequence[str]) -> tuple[str, ...]:
    """Ids as they are, files by their path; rows name devices by id, so each may be there once."""
    words = (given,) if isinstance(given, (str, os.PathLike)) else tuple(given)
    files = {str(word): device(word).id for word in words if is_path(word)}
    texts = [str(word) if is_path(word) else word for word in words]
    known = [*devices(), *files.values()]
    _names(place, "devices", [files.get(word, word) for word in texts], known)
    found = tuple(dict.fromkeys(texts))
    ids = [files.get(word, word) for word in found]
    for word, id in zip(found, ids, strict=True):
        if ids.count(id) > 1:
            need = f"an id of its own is needed; {id!r} is also another device's here"
            raise arguments.refused(place, "devices", word, need)
    return found


def _names(
    place: str, argument: str, given: str | Sequence[str], valid: Sequence[str]
) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if not names:
        raise arguments.refused(place, argument, given, "one or more are needed")
    for name in names:
        if name not in valid:
            raise unknown_name(argument.removesuffix("s"), name, valid)
    return tuple(dict.fromkeys(names))


def _sizes(place: str, given: int | Iterable[int]) -> tuple[int, ...]:
    values = list(given) if isinstance(given, Iterable) else [given]
    if not values:
        raise arguments.refused("sweep", place, given, "one or more sizes are needed")
    checked = (arguments.whole("sweep", place, v, 1, arguments.LARGEST_COUNT) for v in values)
    return tuple(sorted(set(checked)))
