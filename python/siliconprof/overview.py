"""What a reader wants of a profile, a gap or its causes at a glance; commands print it, notebooks
show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from ._core import Causes, CounterReading, Gap, Profile
from .quantity import counted, scaled, signed

SHOWN = 20  # operations of a gap
_ROUNDING = 1e-9
_WHOLE, _MOST = 1e6, 1e15  # counts that six digits would give an exponent
_PHASES = ("forward", "backward", "optimizer", "transfer")


@dataclass(frozen=True)
class Overview:
    """A table of words under a heading, and what is to be known of it in sentences.

    below: of the heading, the origin of the numbers; numbers: the columns that hold amounts.
    """

    heading: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    below: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    numbers: tuple[int, ...] = (1,)

    def html(self) -> str:
        """The table in a notebook's own colours and type."""
        below = f"<br><small>{escape(self.below)}</small>" if self.below else ""
        caption = f"<b>{escape(self.heading)}</b>{below}"
        head = self._cells("th", self.columns)
        rows = "".join(f"<tr>{self._cells('td', row)}</tr>" for row in self.rows)
        notes = "<br>".join(f"<small>{escape(note)}</small>" for note in self.notes)
        table = (
            f'<table><caption style="text-align: left">{caption}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )
        return f"<div>{table}{notes}</div>"

    def _cells(self, tag: str, words: Sequence[str]) -> str:
        sides = ("right" if place in self.numbers else "left" for place in range(len(words)))
        return "".join(
            f'<{tag} style="text-align: {side}">{escape(word)}</{tag}>'
            for word, side in zip(words, sides, strict=True)
        )


def work_of(profile: Profile) -> str:
    """What ran, with its sizes: an operation's label has them."""
    return profile.work or profile.label


def of_profile(profile: Profile, fits: str = "", more: Sequence[str] = ()) -> Overview:
    """Time, rates, memory, energy and what they are made of; `fits`: what there is to say of its
    memory; `more`: notes besides the profile's own."""
    interval = _range(profile.interval, "s") or f"no interval: {profile.reason('interval')}"
    rows = [("time", scaled(profile.time_s, "s"), interval)]
    for phase in _PHASES:
        if seconds := getattr(profile, f"{phase}_s"):
            rows.append((phase, scaled(seconds, "s"), ""))
    rows += _memory_and_energy(profile, fits)
    for name, amount, unit, how in (
        ("compute rate", profile.flops, "FLOP/s", "flops / time"),
        ("traffic rate", profile.bytes, "bytes/s", "compulsory / time"),
    ):
        if amount is not None and profile.time_s > 0:
            rows.append((name, scaled(amount / profile.time_s, unit), how))
    for name, seconds in (profile.terms or {}).items():
        if seconds:
            rows.append((f"term {name}", scaled(seconds, "s"), "terms overlap: not a sum"))
    for reading in profile.counters:
        rows.append((reading.name, _read(reading), reading.reason))
    below = f"{profile.origin} · {profile.device} · {profile.framework}"
    return Overview(work_of(profile), ("", "value", ""), rows, below, list(_notes(profile, more)))


def _notes(profile: Profile, more: Sequence[str]) -> Iterator[str]:
    if profile.stop_reason:
        samples = counted(len(profile.samples_s), "sample")
        yield f"{profile.statistic} of {samples}; {profile.stop_reason}"
    if profile.source:
        yield f"source: {profile.source}"
    for note in [*profile.notes, *more]:
        yield f"note: {note}"


def _memory_and_energy(profile: Profile, fits: str) -> Iterator[tuple[str, str, str]]:
    if profile.peak_memory_bytes is not None:
        held = _range(profile.peak_memory_interval_bytes, "bytes")
        how = "; ".join(filter(None, (held, fits)))
        yield "peak memory", scaled(profile.peak_memory_bytes, "bytes", gib=False), how
    if profile.energy_joules is not None:
        interval = _range(profile.energy_interval_joules, "J")
        yield "energy", scaled(profile.energy_joules, "J"), interval


def _range(interval: tuple[float, float] | None, unit: str) -> str:
    """ "1.2 s to 1.4 s"; nothing where there is none."""
    return " to ".join(scaled(end, unit, gib=False) for end in interval or ())


def _read(reading: CounterReading) -> str:
    """Bytes and seconds as they are shown above; counts to the last one, parts without a unit."""
    if reading.value is not None and reading.unit not in ("bytes", "s"):
        whole = ",.0f" if _WHOLE <= abs(reading.value) < _MOST else ",.6g"
        return f"{reading.value:{whole}} {reading.unit.removeprefix('1')}".rstrip()
    return scaled(reading.value, reading.unit)


Line = tuple[str, str, float | None, float | None, float | None]


def of_gap(gap: Gap, phases: Iterable[Line] = (), every: bool = False) -> Overview:
    """The verdict, and the operations of each phase that differ most, their calls summed; `every`:
    each call by itself, in order. phases: lines to begin with."""
    low, high = gap.interval
    lines = _calls(gap) if every else _summed(gap)
    shown = lines if every else sorted(lines, key=_size, reverse=True)[:SHOWN]
    rows = [
        (name, phase, *(scaled(seconds, "s") for seconds in times))
        for name, phase, *times in [*phases, *shown]
    ]
    notes = [f"note: {note}" for note in gap.notes]
    if len(shown) < len(lines):
        left = f"{len(lines) - len(shown)} of {len(lines)} with smaller differences left out"
        notes.insert(0, f"{left}; --all, or .rows, has every call")
    heading = f"{gap.verdict}: ratio {gap.ratio:.4g} ({low:.4g} to {high:.4g})"
    columns = ("span", "phase", "from", "to", "difference")
    return Overview(heading, columns, rows, notes=notes, numbers=(2, 3, 4))


def phases_of(sides: tuple[Profile, Profile]) -> Iterator[Line]:
    """Those that either side tells; no difference where only one does."""
    for phase in _PHASES:
        from_s, to_s = (getattr(side, f"{phase}_s") for side in sides)
        if from_s or to_s:
            known = from_s is not None and to_s is not None
            yield phase, phase, from_s, to_s, _difference(from_s, to_s) if known else None


def _size(line: Line) -> float:
    return abs(line[4] or 0.0)


def _calls(gap: Gap) -> list[Line]:
    return [(row.name, row.phase or "", row.from_s, row.to_s, row.difference_s) for row in gap.rows]


def _summed(gap: Gap) -> list[Line]:
    """The calls of each operation and phase as one line, in order of appearance."""
    by_op: dict[tuple[str, str], list[Line]] = {}
    for line in _calls(gap):
        by_op.setdefault(line[:2], []).append(line)
    return [
        (f"{name} x {len(lines)}" if lines[1:] else name, phase, *_sums(lines))
        for (name, phase), lines in by_op.items()
    ]


def _sums(lines: list[Line]) -> tuple[float | None, float | None, float]:
    from_s, to_s = _sum(line[2] for line in lines), _sum(line[3] for line in lines)
    return from_s, to_s, _difference(from_s or 0.0, to_s or 0.0)


def _difference(from_s: float, to_s: float) -> float:
    """0 where only the order of additions differs."""
    difference_s = to_s - from_s
    return difference_s if abs(difference_s) > _ROUNDING * (from_s + to_s) else 0.0


def _sum(times: Iterable[float | None]) -> float | None:
    """None where there is no time."""
    known = [seconds for seconds in times if seconds is not None]
    return sum(known) if known else None


def of_causes(causes: Causes, by: str | None = None) -> Overview:
    """The gap's terms and their shares, each split further by "phase" or "class"; the residual."""
    noise_s = _ROUNDING * (causes.from_s + causes.to_s)
    rows = []
    for term in causes.terms:
        share = "–" if term.share is None else f"{term.share:+.1%}"
        seconds = term.seconds if abs(term.seconds) > noise_s else 0.0
        rows.append((term.name, signed(seconds, "s"), share))
        parts = {"phase": term.by_phase, "class": term.by_class}.get(by or "", {})
        for name, seconds in sorted(parts.items(), key=lambda entry: -abs(entry[1])):
            if abs(seconds) > noise_s:
                rows.append((f"  {name}", signed(seconds, "s"), ""))
    rows.append(("sum: the gap", signed(causes.gap_s, "s"), "100 %" if causes.gap_s else "–"))
    residual = f"residual: none; {residual_reason(causes)}"
    if causes.residual_s is not None:
        residual = f"residual, measured less predicted: {scaled(causes.residual_s, 's')}"
    heading = (
        f"{causes.from_target} {scaled(causes.from_s, 's')} to "
        f"{causes.to_target} {scaled(causes.to_s, 's')}, predicted: "
        f"gap {signed(causes.gap_s, 's')}"
    )
    notes = [residual, *(f"note: {note}" for note in causes.notes)]
    return Overview(heading, ("term", "time", "share"), rows, notes=notes, numbers=(1, 2))


def residual_reason(causes: Causes) -> str | None:
    """Why there is no residual; None where there is one."""
    if causes.residual_s is not None:
        return None
    need = "both sides' measured times are needed"
    return f"{need} (measured=, or --measured-from and --measured-to)"
