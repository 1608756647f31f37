"""Predictions scored on recorded numbers that no constant was fitted on."""

from __future__ import annotations

import dataclasses
import functools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import arguments, records
from ._core import Device, Error, Framework, Profile, Trace
from .devices import device as find_device
from .devices import devices
from .names import unknown_name
from .predict import model, predict, synchronised
from .recorded_work import CALL, PAPER, Asked, amount, asked

# What judges predictions; the rest of the records is what they are made of, or no time at all.
HELD_OUT = (
    *("h200_steps", "h200_others", "h200_blind", "h200_fresh", "h200_paced", "h200_mixed"),
    *("h200_sealed", "h200_unseen", "h200_later", "h200_related", "h200_parted", "h200_drawn"),
    *("h200_redrawn", "h200_graphs", "h100_graphs", "h100_steps", "h100_families"),
    *("h100_related", "h100_parted", "h100_kept", "h100_ranged", "h100_options", "h100_drawn"),
    *("h100_compiled", "h100_uncompiled", "h100_replayed", "h100_kernels", "h200_kernels"),
    *("h200_offload_steps", "cpu_steps", "cpu_suite", "m3max_ops", "table4", "table5"),
)
# Notes of rows that compute something else than their label says, or nothing.
_OTHER_WORK = ("different computation", "not a computation", "mean of")
# How a row says that its step keeps the optimizer on the host, or not; that it is issued at once.
_SIDES = (
    (" offload=none", ", not offloaded"),
    (" offload=", ", offloaded"),
    (" replay=graph", ", replayed as a graph"),
    (" replay=passes", ", compiled, passes replayed as graphs"),
    (" kernels=compiled", ", compiled"),
)
# Under what the paper's tables ran where they don't say it.
_PAPER_FRAMEWORKS = {"apple": "torch-mps", "nvidia": "torch-cuda"}
WHOLE_STEP = "whole step"
# End the words of a row that is a kernel's own time, or that of a step's kernels, without launches.
KERNEL, KERNELS = " kernel", " kernel time"
BY = ("device", "op class", "workload")


@dataclass(frozen=True)
class Score:
    """One recorded number beside its prediction.

    error: predicted over recorded, minus 1; within_interval: whether the 90 % interval covers the
    record (None where a prediction has none). Values in the record's unit; `source` is the
    record's.
    """

    what: str
    device: str
    framework: str
    recorded: float
    predicted: float
    unit: str
    error: float
    within_interval: bool | None
    interval: tuple[float, float] | None = None
    source: str = ""
    subject: str = ""
    op_class: str = ""

    @classmethod
    def of(
        cls,
        what: str,
        device: str,
        framework: str,
        recorded: float,
        predicted: float,
        unit: str,
        interval: tuple[float, float] | None = None,
        *,
        source: str,
        subject: str = "",
        op_class: str = "",
    ) -> Score:
        """With the error, and whether the interval covers the record."""
        within = None if interval is None else interval[0] <= recorded <= interval[1]
        error = predicted / recorded - 1.0
        place = (what, device, framework, recorded, predicted, unit)
        return cls(*place, error, within, interval, source, subject, op_class)

    @property
    def quantity(self) -> str:
        """time, kernel time, step kernel time, memory, reserved memory or energy; of steps measured
        on and off the device side by side, and of those replayed as a graph or compiled, which."""
        return self._kind + next((more for word, more in _SIDES if word in self.what), "")

    @property
    def _kind(self) -> str:
        if self.what.endswith((KERNEL, KERNELS)):
            return "step kernel time" if self.op_class == WHOLE_STEP else "kernel time"
        if self.what.endswith(" reserved memory"):
            return "reserved memory"
        return {"s": "time", "J": "energy"}.get(self.unit, "memory")


@dataclass(frozen=True)
class Summary:
    """Of the absolute errors of some scores: mean, median, 90th percentile, largest."""

    rows: int
    mape: float
    median: float
    p90: float
    max: float
    covered: float | None


@dataclass(frozen=True)
class LeftOut:
    """A row that has no score, and why."""

    table: str
    row: records.Row
    reason: str

    def __str__(self) -> str:
        """With its file, line and words."""
        under = f" under {self.row.framework}" if self.row.framework else ""
        on = self.row.device or "no device"
        return f"{self.row.place}: {self.row.what} on {on}{under}: {self.reason}"


def validate(
    device: str | Device | None = None,
    record: str | Path | None = None,
    every: int = 1,
    framework: Framework | None = None,
) -> tuple[list[Score], list[LeftOut]]:
    """Scores of every recorded number that a prediction can be made of, and what was left out.

    Arguments: device an id, to score its rows alone, or a Device in place of the packaged one of
               its id;
               record a packaged table or the path of a .csv file; None for all that is held out;
               every 1 for all rows, n for each n-th, for a quick look;
               framework in place of the packaged one of its id.
    A row's `what` is a workload or operation with its arguments, "gpt2-small batch=8 seq=512
    precision=tf32 time", "... kernel time", "... peak memory", "... reserved memory" or "...
    energy", or a label of the op suite (docs/record-files.md). A row with a host_pace is predicted
    beside a host of that pace, and its source says so. Every other row is left out, with its file,
    line and reason.
    Raises: UnknownNameError; RecordError for a bad file; ArgumentError when nothing can be scored.
    """
    every = arguments.whole("validate", "every", every, 1, arguments.LARGEST_COUNT)
    own = device if isinstance(device, Device) else None
    device = _id_of(device)
    if framework is not None:
        arguments.instance("validate", "framework", framework, Framework)
    tables = [records.load(table) for table in (HELD_OUT if record is None else (record,))]
    held = {row.device for table in tables for row in table.rows}
    if device is not None and device not in held and device not in devices():
        raise unknown_name("device", device, sorted(held))
    scores: list[Score] = []
    left_out: list[LeftOut] = []
    last, instead = _Last(), _Instead(framework, own)
    for table in tables:
        for row in table.rows[::every]:
            if device is not None and row.device != device:
                continue
            found = _score(row, table, instead, last)
            if isinstance(found, Score):
                scores.append(found)
            else:
                left_out.append(found)
    if not scores:
        why = f"; of its rows: {'; '.join(map(str, left_out[:2]))}" if left_out else ""
        if device is None:
            need = f"a record with rows that can be predicted is needed{why}"
            raise arguments.refused("validate", "record", record, need)
        need = f"a device that the records hold rows of that can be predicted is needed{why}"
        raise arguments.refused("validate", "device", device, need)
    return scores, left_out


def _id_of(device: str | Device | None) -> str | None:
    if device is None or isinstance(device, Device):
        return device.id if device else None
    return arguments.text("validate", "device", device, "a device's id, a Device or None is needed")


def summarise(scores: Sequence[Score]) -> Summary:
    """Of at least one score."""
    errors = sorted(abs(score.error) for score in scores)
    deciles = statistics.quantiles(errors, n=10, method="inclusive") if errors[1:] else errors * 9
    judged = [s.within_interval for s in scores if s.within_interval is not None]
    return Summary(
        len(errors),
        statistics.fmean(errors),
        statistics.median(errors),
        deciles[8],
        errors[-1],
        sum(judged) / len(judged) if judged else None,
    )


def groups(scores: Sequence[Score], by: str = "device") -> Iterator[tuple[str, list[Score]]]:
    """Scores by device, framework and quantity, in order of appearance; by "op class" or
    "workload" (or operation of the suite) in place of the device."""
    if by not in BY:
        raise unknown_name("grouping", by, BY)
    by_key: dict[str, list[Score]] = {}
    for score in scores:
        first = {"device": score.device, "op class": score.op_class, "workload": score.subject}[by]
        by_key.setdefault(f"{first} {score.framework} {score.quantity}", []).append(score)
    yield from by_key.items()


class _Last:
    """The step of the row before and its prediction: a record says several things of one step, one
    after the other, and building its trace takes longest."""

    def __init__(self) -> None:
        self._key: tuple[str, ...] | None = None
        self._trace: Trace | None = None
        self._asked: tuple[str | Device, str | Framework | None] | None = None
        self._profile: Profile | None = None

    def trace(self, work: Asked) -> Trace:
        """Of the work that a row asks for."""
        if self._trace is None or self._key != work.key:
            self._trace, self._key, self._profile = work.build(), work.key, None
        return self._trace

    def predicted(
        self, trace: Trace, machine: str | Device, software: str | Framework | None
    ) -> Profile:
        """What `predict` says of it."""
        known = trace is self._trace and self._asked == (machine, software)
        if self._profile is None or not known:
            profile = predict(trace, machine, software)
            if trace is not self._trace:
                return profile
            self._profile, self._asked = profile, (machine, software)
        return self._profile


@dataclass(frozen=True)
class _Instead:
    """What rows are predicted by in place of packaged files of the same ids."""

    framework: Framework | None
    device: Device | None

    def software(self, row: records.Row, recorded_under: str) -> str | Framework:
        """Whose kernels run."""
        own = self.framework
        return own if own is not None and row.framework == own.id else recorded_under

    def machine(self, row: records.Row) -> str | Device:
        """Beside a host of the row's pace, where it has one."""
        if row.host_pace is None:
            return self.device or row.device
        if self.device is None:
            return _paced(row.device, row.host_pace)
        return self.device.with_number("host.pace", row.host_pace)


def _score(
    entry: records.Row, table: records.Record, instead: _Instead, last: _Last
) -> Score | LeftOut:
    """The row's score, or why there is none."""
    try:
        found = _judged(_under_a_framework(entry), table, instead, last)
    except Error as error:  # what the words, the device or the framework can't be
        found = str(error)
    return found if isinstance(found, Score) else LeftOut(table.id, entry, found)


def _judged(row: records.Row, table: records.Record, instead: _Instead, last: _Last) -> Score | str:
    if row.value is None:
        return row.note
    if row.note.startswith(_OTHER_WORK):
        return row.note
    if not row.device or row.framework is None:
        return f"no {'framework' if row.device else 'device'} is named"
    recorded_under = table.software(row.framework)
    work = asked(dataclasses.replace(row, framework=recorded_under))
    if isinstance(work, str):
        return work
    software, machine = instead.software(row, recorded_under), instead.machine(row)
    trace = last.trace(work)
    found = _predicted(machine, software, trace, work.quantity, last)
    if found is None:
        id = software.id if isinstance(software, Framework) else software
        return f"no {work.quantity} is predicted for {row.device} under {id}"
    predicted, interval = found
    place = (row.what, row.device, row.framework, row.value, predicted, row.unit)
    op_class = WHOLE_STEP if work.is_step else trace.calls[0].op_class
    source = f"{table.source} ({table.date}), {table.url}"
    if row.host_pace:
        source += f"; at host.pace = {row.host_pace:g}, as recorded"
    return Score.of(*place, interval, source=source, subject=work.subject, op_class=op_class)


def _under_a_framework(row: records.Row) -> records.Row:
    """The row; one of the paper's that names none, with what the paper ran it under."""
    if row.framework is not None or not any(words.fullmatch(row.what) for words, _, _ in PAPER):
        return row
    vendor = find_device(row.device).vendor
    return dataclasses.replace(row, framework=_PAPER_FRAMEWORKS.get(vendor))


@functools.lru_cache(maxsize=256)
def _paced(device: str, pace: float) -> Device:
    """The device beside a host of that pace: the same one for all rows of a step."""
    return find_device(device).with_number("host.pace", pace)


def _predicted(
    machine: str | Device,
    software: str | Framework,
    trace: Trace,
    quantity: str,
    last: _Last,
) -> tuple[float, tuple[float, float] | None] | None:
    """The quantity and its interval, None where it isn't predicted: the suite times one call that
    is waited for."""
    if quantity == CALL:
        value, low, high = synchronised(model(machine, software), trace)
        return value, (low, high)
    profile = last.predicted(trace, machine, software)
    found, interval = amount(profile, quantity)
    return None if found is None else (float(found), interval)
