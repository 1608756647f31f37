"""Score predictions of published op times with their device, or operation, left out of the fit.

    python tools/leave_published_out.py --data DIR [--leave-out op] [--framework F] [--rows FILE]

DIR holds op_times_calibration.csv, gemm.csv and launch_latency.csv (published tables, collected;
not shipped). For each device (operation) of the op suite the efficiencies and round trips of
tools/fit_efficiency.py, tools/fit_launch.py and tools/fit_suite.py are fitted again without its
rows, and predict them; a family that loses all of its rows has the median of the others. Tables are
predicted by the version of their time (tools/suite_tables.py). Scored are the rows on GPUs that did
what they say. Gather and Scatter make the round trips: as operations they are not left out.

Beside the errors stands what no model can do better (tools/suite_noise.py). --rows writes every row
with its prediction. `siliconprof validate --leave-out` does the same with what ships.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import cpu_constants
from conformal_errors import Kind, error_parts
from fit_efficiency import HELD_OUT, Ratio, gemm, op_suite, rows, summarise
from fit_kernels import TWO_BOARDS
from fit_launch import round_trips
from fit_suite import fitted
from suite_constants import subject
from suite_noise import impossible, noise, twice
from suite_tables import BODIES, Measured, beside, every_row, measured, version_constants

import siliconprof as sp
from siliconprof import _core
from siliconprof.core_rates import of_device
from siliconprof.predict import synchronised

ROUND_TRIP_OPS = ("Gather", "Scatter")
# Terms that the framework files take from another of the same scope.
SAME_AS = {
    "matrix_product.compute.any": "matrix_product.compute.float32",
    "matrix_product.bandwidth": "elementwise.bandwidth",
    "outer_product.bandwidth": "elementwise.bandwidth",
}


@dataclass(frozen=True)
class Scored:
    """A row and what is predicted of it; what a call that does nothing takes."""

    framework: str
    version: str
    row: Measured
    predicted_s: float
    waits_s: float
    matrix_s: float

    @property
    def log(self) -> float:
        return math.log(self.predicted_s / self.row.seconds)

    @property
    def kind(self) -> Kind:
        """What its interval goes by."""
        return self.row.op_class, self.waits_s > 0.5 * self.predicted_s

    @property
    def bound(self) -> str:
        """What the larger part of the prediction is."""
        if self.waits_s > 0.5 * self.predicted_s:
            return "waiting"
        return "arithmetic" if self.matrix_s > 0.5 * self.predicted_s else "traffic"


def refitted(
    name: str,
    kept: Iterable[Ratio],
    whole: Iterable[Ratio],
    trips: dict[tuple[str, str], float],
    walked: Mapping[str, float],
) -> _core.Framework:
    """The framework file with the constants that the kept rows give; `walked` has those of
    fit_suite.py."""
    shipped = sp.framework(name)
    numbers = {
        key: n
        for key, n in shipped.numbers.items()
        # What two boards' kernels said, no published table made.
        if TWO_BOARDS in n.source or not is_of_the_suite(key)
    }

    def own(ratios: Iterable[Ratio]) -> dict[tuple[str, str], float]:
        return {k[1:]: c.value for k, c in summarise(ratios).items() if k[0] == name}

    fitted = own(kept)
    for scope, _ in own(whole):  # nothing of a fit that saw what is left out
        for key in [k for k in numbers if k.startswith(f"efficiency.{scope}.")]:
            if scope != "nvidia":
                del numbers[key]
    by_term: dict[str, list[float]] = {}
    for (scope, term), value in fitted.items():
        if scope.startswith("apple-m"):
            by_term.setdefault(term, []).append(value)
    fitted |= {("apple", term): median(values) for term, values in by_term.items()}
    for scope in {scope for scope, _ in fitted}:
        for term, source in SAME_AS.items():
            if (scope, source) in fitted:
                fitted[scope, term] = fitted[scope, source]
    for (scope, term), value in fitted.items():
        numbers[f"efficiency.{scope}.{term}"] = _core.Number(value, "fitted", "here", 0.5)
    if any(framework == name for framework, _ in trips):  # CPUs' are no table's
        numbers = {k: n for k, n in numbers.items() if not k.endswith(".round_trip_s")}
    for (framework, scope), seconds in trips.items():
        if framework == name:
            key = "launch." + ("" if scope == "any" else f"{scope}.") + "round_trip_s"
            numbers[key] = _core.Number(seconds, "fitted", "here", 0.5)
    return with_constants(
        _core.Framework(shipped.id, shipped.name, shipped.vendors, numbers), walked
    )


def with_constants(base: _core.Framework, found: Mapping[str, float]) -> _core.Framework:
    made = {k: _core.Number(v, "fitted", "here", 0.5) for k, v in found.items() if v > 0.0}
    return _core.Framework(base.id, base.name, base.vendors, {**base.numbers, **made})


def is_of_the_suite(key: str) -> bool:
    """Whether fit_suite.py made the constant."""
    if key.endswith(".cached_part"):
        return False
    own = ("access.", "call.", "convolution.apple")  # and apple-m1, apple-m2, apple-cpu
    own = (*own, f"efficiency.{cpu_constants.SCOPE}.")
    boards = ("nvidia-volta", "nvidia-ga100")
    of_boards = [f"{table}.{board}." for table in ("convolution", "efficiency") for board in boards]
    ops = ("argmax", "bce", "softmax", "sort")
    scopes = ("apple", "apple-m3", "apple-m4", "nvidia")
    efficiencies = [f"efficiency.{scope}.{op}." for scope in scopes for op in ops]
    return key.startswith((*own, *of_boards, *efficiencies))


def name_of(row: Measured) -> str:
    """The device as tables call it: variants by GPU cores are left out together."""
    return row.table[0]


class Published:
    """The published tables, and fits without a part of them."""

    def __init__(self, folder: Path, of: str) -> None:
        self.folder = folder
        self.of = of
        self.ratios = [*op_suite(folder), *gemm(folder)]
        latencies = rows(folder, "launch_latency.csv")
        self.latencies = [row for row in latencies if "2501.14925" not in row["source"]]
        self.tables = {key: measured(folder, *key) for key in BODIES}
        self.beside = {key: beside(folder, *key) for key in BODIES}
        self.whole: dict[tuple[str, str], dict[str, float]] = {}

    def is_out(self, row: Measured, left: str) -> bool:
        return left == (name_of(row) if self.of == "device" else row.operation)

    def software(self, name: str, version: str, left: str) -> _core.Framework:
        """The framework as the rows without `left` have it."""
        kept = [r for r in self.ratios if getattr(r, self.of) != left]
        # "M1" is also how "M1 Pro" begins: what follows a device's own name is its core count.
        out = (*HELD_OUT, f"{left} (") if self.of == "device" else HELD_OUT
        trips = {key: median(v) * 1e-6 for key, v in round_trips(self.latencies, out).items()}
        base = self.at(refitted(name, kept, self.ratios, trips, {}), version, kept)
        return with_constants(base, self.walked(base, name, version, left))

    def at(self, base: _core.Framework, version: str, kept: Iterable[Ratio]) -> _core.Framework:
        """With what a version has apart from fit_suite.py's constants."""
        return with_constants(base, version_constants(base, version, kept))

    def walked(self, base: _core.Framework, name: str, version: str, left: str) -> dict[str, float]:
        """What fit_suite.py finds: without a device, all of it again; without an operation, the
        operation's class."""
        key = (name, version)
        table = [*self.tables[key], *self.beside[key]]
        kept = [row for row in table if not self.is_out(row, left)]
        if self.of == "device":
            return fitted(base, kept, subject(*key)).found
        if key not in self.whole:
            shipped = self.at(sp.framework(name), version, self.ratios)
            self.whole[key] = fitted(shipped, table, subject(*key)).found
        lost = {row.op for row in table} - {row.op for row in kept}
        classes = {row.op_class for row in table if self.is_out(row, left)}
        again = fitted(base, [row for row in kept if row.op_class in classes], subject(*key))
        found = self.whole[key].items()
        return {k: v for k, v in found if not lost & set(k.split("."))} | again.found

    def scored(self, name: str, left: str) -> Iterator[Scored]:
        for (framework, version), table in self.tables.items():
            some = [row for row in table if self.is_out(row, left)]
            if framework != name or not some:
                continue
            software = self.software(name, version, left)
            for row in some:
                own = with_constants(software, dict(row.given))
                machine = sp.device(row.device)
                yield score(_core.Model(machine, of_device(own, machine)), version, row)


def score(model: _core.Model, version: str, row: Measured) -> Scored:
    predicted_s, _, _ = synchronised(model, row.trace)
    terms = model.predict(row.trace).terms or {}
    kernel_s = sum(terms.values()) - terms["launch"]
    waits_s = predicted_s - min(kernel_s, predicted_s)
    return Scored(model.framework.id, version, row, predicted_s, waits_s, terms["matrix"])


def summary(published: Published, name: str, some: list[Scored]) -> None:
    """A framework's errors, by what bounds a row and by class."""
    show(f"all {name}", some)
    for bound in ("waiting", "traffic", "arithmetic"):
        show(f"  {bound}", [entry for entry in some if entry.bound == bound])
    for op_class in dict.fromkeys(entry.row.op_class for entry in some):
        show(f"  {op_class}", [entry for entry in some if entry.row.op_class == op_class])
    print(f"  {noise(every_row(published.folder, name))}")
    if (found := covered(some)) is not None:
        part, width = found
        print(f"  90 % intervals of other devices' errors hold {part:.1%}, median +-{width:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--leave-out", choices=("device", "op"), default="device")
    known = list(dict.fromkeys(name for name, _ in BODIES))
    parser.add_argument("--framework", choices=known, action="append", help="all if not given")
    parser.add_argument("--rows", type=Path, help="CSV file for every row and its prediction")
    arguments = parser.parse_args()
    part = "device" if arguments.leave_out == "device" else "operation"
    published = Published(arguments.data, part)
    names = arguments.framework or known
    everything: list[Scored] = []
    table = [row for key, body in published.tables.items() if key[0] in names for row in body]
    of = name_of if published.of == "device" else (lambda row: row.operation)
    for left in dict.fromkeys(map(of, table)):
        if left in ROUND_TRIP_OPS:
            continue
        for name in names:
            found = list(published.scored(name, left))
            everything += found
            if found:
                show(f"{left} {name}", found)
    print()
    for name in names:
        some = [entry for entry in everything if entry.framework == name]
        summary(published, name, some)
    if not arguments.framework:
        print(twice(*(every_row(arguments.data, name) for name in ("mlx", "mlx-compile"))))
    for line in impossible([entry.row for entry in everything]):
        print(line)
    if arguments.rows:
        write(arguments.rows, everything)


def covered(some: list[Scored]) -> tuple[float, float] | None:
    """Part of the rows within the split-conformal interval of their kind on other devices, and the
    intervals' half-width in the median; none where no kind has another device."""
    inside, widths = [], []
    for place in dict.fromkeys((entry.version, name_of(entry.row)) for entry in some):
        others: dict[Kind, list[float]] = {}
        for other in some:
            if other.version == place[0] and name_of(other.row) != place[1]:
                others.setdefault(other.kind, []).append(other.log)
        parts = error_parts(others) if others else {}
        for entry in some:
            if (entry.version, name_of(entry.row)) == place and entry.kind in parts:
                part = parts[entry.kind]
                inside.append(math.exp(abs(entry.log)) - 1.0 <= part)
                widths.append(0.5 * (1.0 + part - 1.0 / (1.0 + part)))
    return (fmean(inside), median(widths)) if inside else None


def show(what: str, some: list[Scored]) -> None:
    if not some:
        return
    ordered = sorted(abs(math.expm1(entry.log)) for entry in some)
    p90 = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
    print(
        f"{what}: {len(ordered)} rows, error mean {fmean(ordered):.1%}, median "
        f"{median(ordered):.1%}, p90 {p90:.1%}, max {ordered[-1]:.1%}, signed median "
        f"{math.expm1(median(entry.log for entry in some)):+.1%}",
        flush=True,
    )


def write(path: Path, some: list[Scored]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(("framework", "version", *("device", "cores", "table"), "class", "label",
                      "bound", "measured_s", "predicted_s"))  # fmt: skip
        for e in some:
            place = (e.framework, e.version, *e.row.table, e.row.op_class, e.row.label, e.bound)
            out.writerow((*place, f"{e.row.seconds:.6g}", f"{e.predicted_s:.6g}"))


if __name__ == "__main__":
    main()
