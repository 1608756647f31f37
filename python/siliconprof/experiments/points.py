"""Rows of a sweep: one trace, measured here and predicted elsewhere, as time and as a rate."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import records
from .._core import DtypeError, EngineUnavailable, Profile, Sampling, Trace
from ..environment import environment
from ..predict import predict
from ..quantity import counted
from ..run import run
from .pairs import Target
from .table import Row, Say, Table

HERE = "here"


@dataclass(frozen=True)
class Point:
    """One place of a sweep: a trace and its coordinates."""

    what: str
    trace: Trace
    dtype: str
    size: int

    def coordinates(self) -> dict[str, Any]:
        """What a drawing needs beside the value."""
        return {
            "dtype": self.dtype,
            "size": self.size,
            "flops": self.trace.flops,
            "bytes": self.trace.bytes,
        }


def recorded(id: str, coordinates: Callable[[records.Row], Mapping[str, Any]]) -> list[Row]:
    """The rows of a packaged record, their notes beside its source."""
    record = records.load(id)
    return [
        Row(
            "recorded",
            entry.device,
            entry.framework or "",
            entry.what,
            entry.value,
            entry.unit,
            None,
            None,
            f"{record.source}; {entry.note}" if entry.note else record.source,
            dict(coordinates(entry)),
        )
        for entry in record.rows
    ]


def measured_rows(point: Point, engine: str, sampling: Sampling) -> list[Row]:
    """The point measured here with `engine`: its time and its rates, with their interval.

    An engine or dtype that this machine lacks gives one row without a value and with the reason.
    """
    try:
        profile = run(point.trace, engine=engine, sampling=sampling)
    except (DtypeError, EngineUnavailable) as error:
        return [_missing("measured", Target(HERE, engine), point, str(error))]
    source = (
        f"{profile.statistic} of {counted(len(profile.samples_s), 'sample')}, "
        f"{profile.sampling} sampling, "
        f"stopped: {profile.stop_reason}"
    )
    count = {"n": len(profile.samples_s)}
    return _rows(profile, Target(HERE, engine), point, source, count)


def predicted_rows(point: Point, targets: Iterable[Target]) -> list[Row]:
    """The point predicted for each target.

    A device without the dtype gives one row without a value and with the reason.
    """
    rows: list[Row] = []
    for target in targets:
        try:
            profile = predict(point.trace, target.device, target.framework)
        except DtypeError as error:
            rows.append(_missing("predicted", target, point, str(error)))
            continue
        source = f"roofline model of {target.device} under {target.framework}"
        rows.extend(_rows(profile, target, point, source, {}))
    return rows


def sweep_rows(
    points: Iterable[Point],
    targets: Sequence[Target],
    rule: Sampling,
    say: Say,
    largest_measured: int | None = None,
) -> list[Row]:
    """Each point predicted for the targets and measured here, up to the largest size if given."""
    rows: list[Row] = []
    for point in points:
        if largest_measured is None or point.size <= largest_measured:
            say(point.what)
            rows += measured_rows(point, "openblas", rule)
        rows += predicted_rows(point, targets)
    return rows


def table(id: str, rows: Iterable[Row], parameters: Any) -> Table:
    """The rows with the host, the parameters and the date of now."""
    facts: Mapping[str, str] = environment()
    described = {
        field.name: _words(getattr(parameters, field.name))
        for field in dataclasses.fields(parameters)
    }
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Table(id, tuple(rows), facts, described, date)


def _words(value: Any) -> str:
    """A parameter for readers."""
    if isinstance(value, Target):
        return f"{value.device}/{value.framework}"
    if isinstance(title := getattr(value, "title", None), str):
        return title
    if dataclasses.is_dataclass(value):
        parts = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return " ".join(f"{name}={_words(part)}" for name, part in parts if part not in ("", ()))
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_words(part)}" for name, part in value.items())
    if isinstance(value, (tuple, list)):
        nested = any(isinstance(part, (tuple, list)) for part in value)
        texts = [" ".join(map(_words, part)) if nested else _words(part) for part in value]
        return ("; " if any(", " in text for text in texts) else ", ").join(texts) or "none"
    return str(value)


def _rows(
    profile: Profile, target: Target, point: Point, source: str, extra: Mapping[str, Any]
) -> list[Row]:
    low_s, high_s = profile.interval or (None, None)
    coordinates = {**point.coordinates(), **extra}

    def row(quantity: str, amount: float, unit: str) -> Row:
        return Row(
            profile.origin,
            target.device,
            target.framework,
            f"{point.what}, {quantity}",
            amount / profile.time_s,
            unit,
            amount / high_s if high_s else None,
            amount / low_s if low_s else None,
            source,
            {**coordinates, "quantity": quantity},
        )

    time = Row(
        profile.origin,
        target.device,
        target.framework,
        f"{point.what}, time",
        profile.time_s,
        "s",
        low_s,
        high_s,
        source,
        {**coordinates, "quantity": "time"},
    )
    return [
        time,
        row("compute rate", point.trace.flops, "FLOP/s"),
        row("traffic rate", point.trace.bytes, "bytes/s"),
    ]


def _missing(origin: str, target: Target, point: Point, reason: str) -> Row:
    return Row(
        origin,
        target.device,
        target.framework,
        f"{point.what}, time",
        None,
        "s",
        None,
        None,
        reason,
        {**point.coordinates(), "quantity": "time"},
    )
