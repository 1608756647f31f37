"""Fit what single operations take on Apple GPUs beyond streaming: data/frameworks/*.toml.

    python tools/fit_suite.py --data DIR [--framework torch-mps] [--version 2.2]

DIR holds op_times_calibration.csv (a published op suite, collected; not shipped). Two bodies of its
tables are alike in software: those of March 2024 (PyTorch 2.2, MLX 0.5), which the versions
"<framework>@<version>" are of, and those from MLX 0.20 on, which the frameworks themselves are of.
Older ones (single runs, MLX 0.2) are left out, and so is the M3 Max, whose square products alone
are in a fit (tools/fit_efficiency.py).

Fitted are, by class of operation, what a call takes that is waited for and has next to nothing to
do (call.<class>.wait_s), and by operation the rates that its kernels reach: bytes, elements looked
up or sorted, parts of it along short rows and along axes that aren't the last, tiles of
convolutions. Products and elementwise operations keep the framework's rates
(tools/fit_efficiency.py); the framework itself also keeps its sums and softmax, of which a version,
whose tables are all of one time, gets its own. Products of a version are left to the framework:
the tables of that time have M1 and M2, whose products took a path that M3's don't. The loss is the
mean of |log(predicted / measured)|, rounded at nought: robust, as a median is.

call.<class>.error_part is the split-conformal 90 % quantile of max(p/m, m/p) - 1 with the row's
device left out of the fit: what an unseen device is to expect.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from fit_efficiency import BACKENDS, FEW_ROWS_ERROR, HARDLY_ANY_ERROR, rows

import siliconprof as sp
from siliconprof import _core
from siliconprof.suite import SUITE, suite_row

EARLY = {
    ("M1 Pro", "16", "mlx 0.5.0"): "m1-pro-16",
    ("M2 Max", "38", "mlx 0.5.0; torch 2.2.1"): "m2-max",
}
LATE = {
    ("M3", "10", "mlx 0.30.1"): "m3",
    ("M4 Pro", "16", "mlx 0.20.0"): "m4-pro-16",
    ("M4 Pro", "20", "mlx 0.24.1"): "m4-pro",
}
VERSIONS = {"torch-mps": "2.2", "mlx": "0.5", "mlx-compile": "0.5"}
# Classes whose rows are all long: nothing shows what a short one waits for.
LONG_CLASSES = ("sort", "rearrangement")
CONVOLUTION = "convolution.apple.float32.forward"
TILES = (1, 4, 8, 16, 32, 64)
TIE = 0.1  # below it the loss is a square: of two tables that disagree, the middle is taken
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """One row of the suite: its call, on a packaged device."""

    device: str
    operation: str
    op: str
    op_class: str
    trace: _core.Trace
    seconds: float
    is_short: bool
    is_strided: bool


@dataclass(frozen=True)
class Group:
    """Operations that share constants: keys of each constant, its bounds, only of a version."""

    ops: tuple[str, ...]
    constants: tuple[tuple[tuple[str, ...], float, float], ...]
    of_version: bool = False


def _rate(op: str) -> tuple[tuple[str, ...], float, float]:
    return (f"efficiency.apple.{op}.bandwidth",), 0.02, 1.0


FEW_TILES = tuple(f"access.apple.{op}.few_tiles_part" for op in ("linear", "matmul"))


def _access(op: str, key: str, low: float) -> tuple[tuple[str, ...], float, float]:
    return (f"access.apple.{op}.{key}",), low, 1.0


GROUPS = (
    Group(("bce",), (_rate("bce"),)),
    Group(
        ("sum",),
        (_rate("sum"), _access("sum", "short_part", 0.1), _access("sum", "strided_part", 0.1)),
        of_version=True,
    ),
    Group(("softmax",), (_rate("softmax"), _access("softmax", "short_part", 0.1)), of_version=True),
    Group(
        ("argmax",),
        (
            _rate("argmax"),
            _access("argmax", "short_part", 0.1),
            _access("argmax", "strided_part", 0.1),
        ),
    ),
    Group(("linear", "matmul"), ((FEW_TILES, 0.05, 1.0),)),
    Group(("gather",), (_access("gather", "elements_per_flop", 1e-5),)),
    Group(("scatter",), (_access("scatter", "elements_per_flop", 1e-5),)),
    Group(
        ("sort",),
        (_access("sort", "elements_per_flop", 1e-6), _access("sort", "strided_part", 0.02)),
    ),
    Group(
        ("conv1d", "conv2d"),
        (
            ((f"{CONVOLUTION}.reach",), 0.02, 1.0),
            ((f"{CONVOLUTION}.bandwidth",), 0.02, 1.0),
            ((f"{CONVOLUTION}.unfolded_per_flop",), 1e-4, 1e-2),
        ),
    ),
)


def measured(
    folder: Path, backend: str, tables: Mapping[tuple[str, str, str], str]
) -> list[Measured]:
    """Rows of the tables that did what they say, as calls of ours."""
    found = []
    for row in rows(folder, "op_times_calibration.csv"):
        key = (row["device"], row["gpu_cores"], row["framework_version"])
        timed = row["validity"] == "ok" and math.isfinite(float(row["runtime_ms"]))
        known = row["operation"] in SUITE and row["operation"] not in ("ScatterSum", "ScatterMax")
        if row["backend"] != backend or key not in tables or not timed or not known:
            continue
        entry = suite_row(f"{row['operation']} {row['shape']}")
        trace = entry.trace()
        seconds = float(row["runtime_ms"]) * 1e-3
        sizes = entry.arguments
        strided = sizes.get("inner", 1) > 1
        short = sizes.get("outer", 1) > 1 and sizes.get("size", 256) < 256 and not strided
        subject = (entry.operation, entry.op, trace.calls[0].op_class)
        place = (tables[key], *subject, trace, seconds)
        found.append(Measured(*place, short, strided))
    return found


class Fit:
    """Constants under trial, and what they predict."""

    def __init__(self, base: _core.Framework, table: Sequence[Measured]) -> None:
        self.base = base
        self.table = table
        own = ("access.", "call.", "convolution.")
        self.kept = {k: n for k, n in base.numbers.items() if not k.startswith(own)}
        self.found: dict[str, float] = {}

    def model(self, device: str, trial: Numbers) -> _core.Model:
        """The device under the framework with the constants found and tried."""
        made = {
            key: _core.Number(value, "fitted", "here", 0.3)
            for key, value in {**self.found, **trial}.items()
            if not key.startswith("call.")
        }
        base = self.base
        software = _core.Framework(base.id, base.name, base.vendors, {**self.kept, **made})
        return _core.Model(sp.device(device), software)

    def logs(self, some: Sequence[Measured], trial: Numbers) -> list[float]:
        """log(predicted / measured) of rows."""
        models = {device: self.model(device, trial) for device in {m.device for m in some}}
        numbers = {**self.found, **trial}
        logs = []
        for row in some:
            machine = models[row.device]
            profile = machine.predict(row.trace)
            trip = machine.number("launch.round_trip_s").value
            wait = numbers.get(f"call.apple.{row.op_class}.wait_s", 0.0)
            kernel_s = profile.time_s - (profile.terms or {})["launch"]
            logs.append(math.log((kernel_s + trip + wait) / row.seconds))
        return logs

    def loss(self, some: Sequence[Measured], trial: Numbers) -> float:
        return fmean(math.hypot(log, TIE) for log in self.logs(some, trial))

    def tune(self, some: Sequence[Measured], keys: Sequence[str], low: float, high: float) -> None:
        """One constant (of several keys) by a search over its logarithm."""
        for _ in range(3):
            steps = [low * (high / low) ** (i / 8) for i in range(9)]
            losses = [self.loss(some, dict.fromkeys(keys, value)) for value in steps]
            best = losses.index(min(losses))
            low, high = steps[max(best - 1, 0)], steps[min(best + 1, 8)]
        self.found.update(dict.fromkeys(keys, steps[best]))

    def group(self, group: Group, of_version: bool) -> None:
        """The constants of a group, one after the other, twice."""
        some = [row for row in self.table if row.op in group.ops]
        if not some or (group.of_version and not of_version):
            return
        if group.ops[0] == "conv1d":
            self.tiles(some)
        for _ in range(2):
            for keys, low, high in group.constants:
                of = keys[0].rpartition(".")[2]
                seen = {"short_part": "is_short", "strided_part": "is_strided"}.get(of)
                if of == "unfolded_per_flop" and not self.base.id.startswith("mlx"):
                    continue
                if seen is None or any(getattr(row, seen) for row in some):
                    self.tune(some, keys, low, high)

    def tiles(self, some: Sequence[Measured]) -> None:
        """Tiles of convolutions: of all pairs, the one whose best rate has the least loss."""
        self.found.update({f"{CONVOLUTION}.start_s": 1e-7, f"{CONVOLUTION}.bandwidth": 0.8})
        if self.base.id.startswith("mlx"):
            self.found[f"{CONVOLUTION}.unfolded_per_flop"] = 1e-3
        best = (math.inf, 0, 0)
        for outputs in TILES:
            for channels in TILES:
                tiles = {f"{CONVOLUTION}.outputs_tile": outputs}
                tiles[f"{CONVOLUTION}.channels_tile"] = channels
                losses = (
                    self.loss(some, {**tiles, f"{CONVOLUTION}.reach": 0.05 * 1.4**i})
                    for i in range(10)
                )
                best = min(best, (min(losses), outputs, channels))
        self.found[f"{CONVOLUTION}.outputs_tile"] = best[1]
        self.found[f"{CONVOLUTION}.channels_tile"] = best[2]

    def classes(self, of_version: bool) -> None:
        """Waits and rates in turn: a wait is what small calls have that large ones don't show."""
        for op_class in dict.fromkeys(row.op_class for row in self.table):
            some = [row for row in self.table if row.op_class == op_class]
            own = [group for group in GROUPS if {row.op for row in some} & set(group.ops)]
            key = f"call.apple.{op_class}.wait_s"
            tried = []
            for start in (1e-5, 1e-4, 2.5e-4) if op_class not in LONG_CLASSES else (0.0,):
                self.found[key] = start
                for _ in range(2):
                    for group in own:
                        self.group(group, of_version)
                    if op_class not in LONG_CLASSES:
                        self.tune(some, (key,), 1e-6, 5e-4)
                tried.append((self.loss(some, {}), dict(self.found)))
            self.found = min(tried, key=lambda entry: entry[0])[1]


def fitted(base: _core.Framework, table: Sequence[Measured], of_version: bool) -> Fit:
    fit = Fit(base, table)
    fit.classes(of_version)
    return fit


def residuals(
    base: _core.Framework, table: Sequence[Measured], of_version: bool
) -> dict[str, list[float]]:
    """log(predicted / measured) by class, each device predicted from the others."""
    found: dict[str, list[float]] = {}
    for device in sorted({row.device for row in table}):
        fit = fitted(base, [row for row in table if row.device != device], of_version)
        out = [row for row in table if row.device == device]
        for row, log in zip(out, fit.logs(out, {}), strict=True):
            found.setdefault(row.op_class, []).append(log)
    return found


def conformal(logs: Iterable[float]) -> float:
    """The 90 % quantile of split-conformal prediction; of fewer than nine rows, which can't carry
    one, the largest, and no less than tools/fit_efficiency.py takes there."""
    errors = sorted(math.exp(abs(log)) - 1.0 for log in logs)
    rank = math.ceil(0.9 * (len(errors) + 1))
    if rank <= len(errors):
        return errors[rank - 1]
    return max(errors[-1], FEW_ROWS_ERROR if len(errors) > 2 else HARDLY_ANY_ERROR)


def show(key: str, value: float, error: float, note: str) -> None:
    if key.endswith("_tile"):
        error = 0.01  # another tile is another kernel, no error of this one
    print(
        f'{key} = {{ value = {value:.3g}, kind = "fitted", source = "op-suite", '
        f"relative_error = {error:.2f} }}{note}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--framework", choices=sorted(VERSIONS), default="torch-mps")
    parser.add_argument("--version", help="fit the version instead of the framework itself")
    arguments = parser.parse_args()
    backend = next(b for b, name in BACKENDS.items() if name == arguments.framework)
    tables = LATE if arguments.version is None else EARLY
    of_version = arguments.version is not None
    table = [
        row
        for row in measured(arguments.data, backend, tables)
        if not (of_version and row.op_class == "matrix_product")
    ]
    base = sp.framework(arguments.framework)
    left_out = residuals(base, table, of_version)
    fit = fitted(base, table, of_version)
    error = {op_class: conformal(logs) for op_class, logs in left_out.items()}
    class_of = {row.op: row.op_class for row in table}
    for key, value in fit.found.items():
        if value == 0.0:
            continue
        subject = key.split(".")[2]
        of = "convolution" if key.startswith(CONVOLUTION) else class_of.get(subject, subject)
        show(key, value, min(error[of], 0.9), "")
    for op_class, logs in left_out.items():
        middle = math.exp(median(abs(log) for log in logs)) - 1.0
        note = f"  # {len(logs)} rows, left out with their device: median {middle:.2f}"
        show(f"call.apple.{op_class}.error_part", error[op_class], 0.2, note)


if __name__ == "__main__":
    main()
