"""Fit what single operations take beyond streaming: data/frameworks/*.toml and its versions.

    python tools/fit_suite.py --data DIR [--framework torch-mps] [--version 2.2]

DIR holds op_times_calibration.csv (a published op suite, collected; not shipped). Bodies of its
tables are alike in software (tools/suite_tables.py): the framework itself is fitted to the latest,
its versions to those of their time. The M3 Max is left out; its square products alone are in a fit
(tools/fit_efficiency.py).

Fitted are, by class of operation, what a call takes that is waited for and has next to nothing to
do (call.<class>.wait_s), and by operation the rates that its kernels reach: bytes, elements looked
up or sorted, parts of it along short rows and along axes that aren't the last, writes to one row
that queue, tiles of convolutions (of NVIDIA's boards those of windows of one axis alone). Products
and elementwise operations keep the framework's rates (tools/fit_efficiency.py); the framework
itself also keeps its sums and softmax, of which a version, whose tables are all of one time, gets
its own. A version's products took paths that later ones don't: their rates are the families' of
that time, and so are other constants of products. Of Apple's CPUs all is fitted
(tools/cpu_constants.py). The loss is the mean of
|log(predicted / measured)|, rounded at nought: robust, as a median is.

call.<class>.error_part is what an unseen device is to expect of max(p/m, m/p) - 1, from rows whose
device is left out of the fit; call.<class>.waiting_error_part the same where a call waits for more
than half of its time. Both are split-conformal with a scale of each group (`error_parts`): the 90 %
quantile is that of all rows, in units of what rows of their group are off by in the median.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

import cpu_constants
from conformal_errors import Kind, conformal, error_parts
from cpu_tables import SPARE_WEIGHT
from fit_efficiency import op_suite
from suite_constants import Group, Subject, groups, known, own_keys, staged_starts, subject
from suite_tables import (
    BODIES,
    GIVEN,
    PLACED_APART,
    Given,
    Measured,
    beside,
    measured,
    version_constants,
)

import siliconprof as sp
from siliconprof import _core
from siliconprof.core_rates import of_device
from siliconprof.predict import alone_s

# Classes whose rows are all long: nothing shows what a short one waits for.
LONG_CLASSES = ("sort", "rearrangement")
# What says nothing of a call that is waited for: left out of every trial.
OF_STEPS = ("issue.", "interval.", "attention.", "offload.", "memory.")
# Rows that tell a constant, where not all do.
SHOWN_BY = {
    "short_part": "is_short",
    "strided_part": "is_strided",
    "row_cycles": "has_many_rows",
    "far_part": "is_far",
}
TILES = (1, 4, 8, 16, 32, 64, 128)
PRODUCT_TILE = 64  # the smallest side of product_time.h
TIE = 0.1  # below it the loss is a square: of two tables that disagree, the middle is taken
Numbers = Mapping[str, float]


class Fit:
    """Constants under trial, and what they predict."""

    def __init__(self, base: _core.Framework, table: Sequence[Measured], of: Subject) -> None:
        self.base = base
        heavier = {row.op for row in table if row.weight > SPARE_WEIGHT}
        least = {row.op: SPARE_WEIGHT if row.op in heavier else 0.0 for row in table}
        self.table = [row for row in table if row.weight > least[row.op]]
        self.of = of
        without = own_keys(of) if of.scope else ("access.", "call.", "convolution.", *OF_STEPS)
        if of.vendor == "cpu":
            without = (*without, f"efficiency.{of.where}.")
        self.kept = {
            k: n
            for k, n in base.numbers.items()
            if not k.startswith(without) or k.endswith("cached_part")
        }
        self.found = dict(known(of))
        self.models: dict[tuple[str, frozenset[tuple[str, float]]], _core.Model] = {}
        self.has_near = any(key.endswith("cached_part") for key in self.kept)

    def model(self, device: str, given: Given, trial: Numbers) -> _core.Model:
        """The device under the framework with the constants found and tried, and those that
        are given; kept for trials of waits, which it doesn't hold."""
        numbers = {**self.found, **trial, **dict(given)}
        values = frozenset(e for e in numbers.items() if not e[0].startswith("call."))
        if (device, values) not in self.models:
            made = {key: _core.Number(value, "fitted", "here", 0.3) for key, value in values}
            base = self.base
            software = _core.Framework(base.id, base.name, base.vendors, {**self.kept, **made})
            if len(self.models) > 20:
                self.models.clear()
            machine = sp.device(device)
            self.models[device, values] = _core.Model(machine, of_device(software, machine))
        return self.models[device, values]

    def logs(self, some: Sequence[Measured], trial: Numbers) -> list[float]:
        """log(predicted / measured) of rows."""
        times = zip(some, self.times(some, trial), strict=True)
        return [math.log(sum(parts) / row.seconds) for row, parts in times]

    def times(self, some: Sequence[Measured], trial: Numbers) -> list[tuple[float, float]]:
        """Seconds of each row's kernel, and what its call waits besides."""
        machines = {(row.device, row.given) for row in some}
        models = {machine: self.model(*machine, trial) for machine in machines}
        numbers = {**self.found, **trial}
        times = []
        for row in some:
            machine = models[row.device, row.given]
            profile = machine.predict(row.trace)
            trip = machine.number("launch.round_trip_s").value
            wait = numbers.get(self.waits(self.waited(row))[0], 0.0)
            kernel_s = profile.time_s - (profile.terms or {})["launch"]
            if self.has_near:
                kernel_s = alone_s(machine, row.trace, profile)
            times.append((kernel_s, trip + wait))
        return times

    def logs_by_kind(self, some: Sequence[Measured]) -> dict[Kind, list[float]]:
        """log(predicted / measured) of rows, by class and by whether the call mostly waits."""
        found: dict[Kind, list[float]] = {}
        for row, (kernel_s, waits_s) in zip(some, self.times(some, {}), strict=True):
            log = math.log((kernel_s + waits_s) / row.seconds)
            found.setdefault((row.op_class, waits_s > kernel_s), []).append(log)
        return found

    def waited(self, row: Measured) -> str:
        """What a row's wait goes by: its class, or an operation of several kernels."""
        return self.of.own_wait.get(row.op, (row.op_class,))[0]

    def waits(self, subject: str) -> tuple[str, ...]:
        """Keys of what a call of a class, or an operation, waits for."""
        scopes = self.of.of_products if subject == "matrix_product" else (self.of.where,)
        ops = self.of.own_wait.get(subject, (subject,))
        return tuple(f"call.{scope}.{op}.wait_s" for scope in scopes for op in ops)

    def loss(self, some: Sequence[Measured], trial: Numbers) -> float:
        losses = [math.hypot(log, TIE) for log in self.logs(some, trial)]
        return fmean(losses, weights=[row.weight for row in some])

    def tune(self, some: Sequence[Measured], keys: Sequence[str], low: float, high: float) -> None:
        """One constant (of several keys) by a search over its logarithm."""
        for _ in range(3):
            steps = [low * (high / low) ** (i / 8) for i in range(9)]
            losses = [self.loss(some, dict.fromkeys(keys, value)) for value in steps]
            best = losses.index(min(losses))
            low, high = steps[max(best - 1, 0)], steps[min(best + 1, 8)]
        self.found.update(dict.fromkeys(keys, steps[best]))

    def group(self, group: Group, is_first: bool) -> None:
        """The constants of a group, one after the other, in rounds; tiles the first time."""
        some = [row for row in self.table if row.op in group.ops]
        if not some:
            return
        if is_first and group.ops[0] == "conv1d" and self.of.vendor != "cpu":
            self.tiles(some)
        for _ in range(min(len(group.constants), self.of.rounds)):
            for keys, low, high in group.constants:
                of = keys[0].rpartition(".")[2]
                seen = SHOWN_BY.get(of)
                if seen is None or any(getattr(row, seen) for row in some):
                    self.tune(some, keys, low, high)

    def tiles(self, some: Sequence[Measured]) -> None:
        """Tiles of convolutions: of all pairs, the one whose best rate has the least loss."""
        tables = self.of.convolutions()

        def everywhere(constants: Numbers) -> dict[str, float]:
            return {f"{table}.{key}": v for table in tables for key, v in constants.items()}

        self.found |= everywhere({"start_s": 1e-7, "bandwidth": 0.8})
        of_boards = self.of.vendor == "nvidia"
        if of_boards or self.of.is_staged:
            self.found |= {k: v for table in tables for k, v in self.board_rates(table).items()}
        if self.of.is_staged:  # its tiles are its source's
            self.found |= staged_starts(self.of)
            return
        best = (math.inf, 0, 0)
        for outputs in (PRODUCT_TILE,) if of_boards else TILES:
            for channels in (1,) if of_boards else TILES:
                tiles = everywhere({"outputs_tile": outputs, "channels_tile": channels})
                losses = (self.loss(some, tiles | reach) for reach in self.reaches())
                best = min(best, (min(losses), outputs, channels))
        self.found |= everywhere({"outputs_tile": best[1], "channels_tile": best[2]})
        self.row_tiles(some)

    def board_rates(self, table: str) -> dict[str, float]:
        """Two boards' few convolutions don't tell rates from tiles, and of MLX's few are bound by
        their arithmetic: they reach what products do of the peak, and what functions do of the
        memory."""
        _, family, dtype, _ = table.split(".")
        stems = [f"efficiency.{s}.matrix_product.compute" for s in (family, self.of.vendor)]
        reach = next(k for s in stems for k in (f"{s}.{dtype}", f"{s}.any") if k in self.kept)
        stream = f"efficiency.{self.of.vendor}.elementwise.bandwidth"
        return {
            f"{table}.reach": self.kept[reach].value,
            f"{table}.bandwidth": self.kept[stream].value,
        }

    def reaches(self) -> list[dict[str, float]]:
        """Of the peak, what convolutions are tried at; none where it is known."""
        if self.of.vendor == "nvidia":
            return [{}]
        tables = self.of.convolutions()
        return [{f"{table}.reach": 0.05 * 1.4**i for table in tables} for i in range(10)]

    def row_tiles(self, some: Sequence[Measured]) -> None:
        """Of windows along one axis."""
        tables = self.of.convolutions()

        def loss(outputs: int) -> float:
            tiles = {f"{table}.row_outputs_tile": float(outputs) for table in tables}
            return min(self.loss(some, tiles | reach) for reach in self.reaches())

        least = PRODUCT_TILE if self.of.vendor == "nvidia" else 1
        best = min((tile for tile in TILES if tile >= least), key=loss)
        self.found |= {f"{table}.row_outputs_tile": float(best) for table in tables}

    def classes(self) -> None:
        """Waits and rates in turn: a wait is what small calls have that large ones don't show."""
        for op_class in dict.fromkeys(map(self.waited, self.table)):
            some = [row for row in self.table if self.waited(row) == op_class]
            own = [group for group in groups(self.of) if {row.op for row in some} & set(group.ops)]
            keys = self.waits(op_class)
            tried = []
            waits = self.of.waits(op_class) and op_class not in LONG_CLASSES
            for start in self.of.waits_s if waits else (0.0,):
                self.found.update(dict.fromkeys(keys, start))
                for turn in range(2):
                    for group in own:
                        self.group(group, turn == 0)
                    if waits:
                        self.tune(some, keys, 1e-6, 5e-4)
                tried.append((self.loss(some, {}), dict(self.found)))
            self.found = min(tried, key=lambda entry: entry[0])[1]


def fitted(base: _core.Framework, table: Sequence[Measured], of: Subject) -> Fit:
    fit = Fit(base, table, of)
    fit.classes()
    return fit


def residuals(
    base: _core.Framework, table: Sequence[Measured], of: Subject
) -> dict[Kind, list[float]]:
    """log(predicted / measured) by kind, each chip predicted from the others."""
    found: dict[Kind, list[float]] = {}
    for left in dict.fromkeys(row.table[0] for row in table if row.weight == 1.0):
        fit = fitted(base, [row for row in table if row.table[0] != left], of)
        out = [row for row in table if row.table[0] == left and row.weight == 1.0]
        for kind, logs in fit.logs_by_kind(out).items():
            found.setdefault(kind, []).extend(logs)
    return found


def show(key: str, value: float, error: float, source: str, note: str = "", kind: str = "") -> None:
    if key.endswith(("_tile", "unfolds", "unfolds_all", "least_row", "place_bytes")):
        error = 0.01  # another tile is another kernel, no error of this one
    kinds = {
        "op-suite": "fitted",
        "h200-calls": "fitted",
        **dict.fromkeys(("cpu-ops", "cpu-streams"), "fitted"),
        "torch-sort": "spec",
        "torch-158064": "spec",
    }
    kind = kinds.get(source, "assumed")
    print(
        f'{key} = {{ value = {value:.3g}, kind = "{kind}", source = "{source}", '
        f"relative_error = {error:.2f} }}{note}"
    )


def source_of(key: str, of: Subject) -> str:
    if of.vendor == "cpu":
        return cpu_constants.left(key) or "op-suite"
    if key in known(of) and of.vendor == "nvidia":
        return "torch-sort" if key.endswith("least_row") else "h200-micro"
    if (of.vendor == "nvidia" or of.is_staged) and key.startswith("convolution."):
        products = "family-median" if of.vendor == "nvidia" else "same-as-products"
        rates = {"reach": products, "bandwidth": "same-as-elementwise"}
        return rates.get(key.rpartition(".")[2], "op-suite")
    return "op-suite"


def show_all(fit: Fit, given: Numbers, left_out: Mapping[Kind, list[float]]) -> None:
    by_class: dict[str, list[float]] = {}
    for (op_class, _), logs in left_out.items():
        by_class.setdefault(op_class, []).extend(logs)
    error = {op_class: min(conformal(logs), 0.9) for op_class, logs in by_class.items()}
    class_of = {row.op: row.op_class for row in fit.table}
    for key, value in given.items():
        show(key, value, error["matrix_product"], "op-suite")
    facts, source = GIVEN[fit.of.version] if fit.of.is_staged else (), "mlx-source"
    if fit.of.framework == "torch-mps" and not fit.of.version:
        facts, source = PLACED_APART, "torch-158064"
    for key, value in facts:
        show(key, value, error["matrix_product"], source)
    found = cpu_constants.completed(fit.found) if fit.of.vendor == "cpu" else fit.found
    for key, value in found.items():
        subject = key.split(".")[2]
        of = "convolution" if key.startswith("convolution.") else class_of.get(subject, subject)
        if value > 0.0:
            show(key, value, error.get(of, max(error.values())), source_of(key, fit.of))
    errors = sorted(abs(math.expm1(log)) for logs in left_out.values() for log in logs)
    p90 = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    print(f"# {len(errors)} rows, left out with their device: median {median(errors):.3f}, "
          f"p90 {p90:.3f}")  # fmt: skip
    for (op_class, waits), part in sorted(error_parts(left_out).items()):
        logs = left_out[op_class, waits]
        middle = math.exp(median(abs(log) for log in logs)) - 1.0
        note = f"  # {len(logs)} rows, left out with their device: median {middle:.2f}"
        of = ".waiting_error_part" if waits else ".error_part"
        for key in fit.waits(op_class):
            show(key.replace(".wait_s", of), part, 0.2, "op-suite", note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--framework", choices=sorted({f for f, _ in BODIES}), default="torch-mps")
    parser.add_argument("--version", default="", help="fit the version, not the framework itself")
    arguments = parser.parse_args()
    key = (arguments.framework, arguments.version)
    if key not in BODIES:
        parser.error(
            f"--version = {key[1]!r}: {key[0]} has {[v for f, v in BODIES if f == key[0]]}"
        )
    table = [*measured(arguments.data, *key), *beside(arguments.data, *key)]
    shipped = sp.framework(arguments.framework)
    given = version_constants(shipped, arguments.version, op_suite(arguments.data))
    made = {k: _core.Number(v, "fitted", "here", 0.3) for k, v in given.items()}
    base = _core.Framework(shipped.id, shipped.name, shipped.vendors, shipped.numbers | made)
    show_all(fitted(base, table, subject(*key)), given, residuals(base, table, subject(*key)))


if __name__ == "__main__":
    main()
