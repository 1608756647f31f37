"""Score predictions of published op times with their device, or operation, left out of the fit.

    python tools/leave_published_out.py --data DIR [--leave-out op]

DIR holds op_times_calibration.csv, gemm.csv and launch_latency.csv (published tables, collected;
not shipped). For each device (operation) of the op suite the efficiencies and round trips of
tools/fit_efficiency.py, tools/fit_launch.py and tools/fit_suite.py are fitted again without its
rows, and predict them; a family that loses all of its rows has the median of the others. The tables
of March 2024 are predicted by the version of that time. Scored are the rows on GPUs that did what
they say. Gather and Scatter make the round trips: as operations they are not left out.
`siliconprof validate --leave-out` does the same with what ships.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean, median

from fit_efficiency import BACKENDS, HELD_OUT, Ratio, gemm, op_suite, rows, summarise
from fit_launch import round_trips
from fit_suite import EARLY, LATE, VERSIONS, Fit, Measured, fitted, measured

import siliconprof as sp
from siliconprof import _core
from siliconprof.predict import synchronised
from siliconprof.suite import SUITE, suite_row

# The packaged devices by their names and GPU cores in the tables.
DEVICES = {
    ("M1", "8"): "m1",
    ("M1 Pro", "16"): "m1-pro",
    ("M2", "not stated"): "m2",
    ("M2 Max", "38"): "m2-max",
    ("M3", "10"): "m3",
    ("M4 Pro", "16"): "m4-pro-16",
    ("M4 Pro", "20"): "m4-pro",
    ("A100 80GB PCIe", "not stated"): "a100-pcie",
    ("V100 PCIe 32GB", "not stated"): "v100-pcie",
}
ROUND_TRIP_OPS = ("Gather", "Scatter")
# Terms that the framework files take from another of the same scope.
SAME_AS = {
    "matrix_product.compute.any": "matrix_product.compute.float32",
    "matrix_product.bandwidth": "elementwise.bandwidth",
    "outer_product.bandwidth": "elementwise.bandwidth",
}


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
    numbers = {key: n for key, n in shipped.numbers.items() if not is_of_the_suite(key)}

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
    for key in [k for k in numbers if k.endswith(".round_trip_s")]:
        del numbers[key]
    found = {key: value for key, value in walked.items() if value > 0.0}
    numbers |= {key: _core.Number(value, "fitted", "here", 0.5) for key, value in found.items()}
    for (framework, scope), seconds in trips.items():
        if framework == name:
            key = "launch." + ("" if scope == "any" else f"{scope}.") + "round_trip_s"
            numbers[key] = _core.Number(seconds, "fitted", "here", 0.5)
    return _core.Framework(shipped.id, shipped.name, shipped.vendors, numbers)


def is_of_the_suite(key: str) -> bool:
    """Whether fit_suite.py made the constant."""
    own = ("access.", "call.", "convolution.apple.")
    return key.startswith((*own, "efficiency.apple.argmax.", "efficiency.apple.bce."))


class Walks:
    """What fit_suite.py finds without a device or an operation, by framework and body of tables."""

    def __init__(self, folder: Path, of: str) -> None:
        self.of = of
        self.tables = {
            (name, early): measured(folder, backend, EARLY if early else LATE)
            for backend, name in BACKENDS.items()
            for early in (False, True)
            if name in VERSIONS
        }
        self.whole = {key: self.fit(key, table).found for key, table in self.tables.items()}

    def fit(self, key: tuple[str, bool], table: list[Measured], only: str | None = None) -> Fit:
        some = [row for row in table if not (key[1] and row.op_class == "matrix_product")]
        some = [row for row in some if only in (None, row.op_class)]
        return fitted(sp.framework(key[0]), some, key[1])

    def without(self, name: str, early: bool, left: str) -> dict[str, float]:
        key = (name, early)
        if key not in self.tables:
            return {}
        table = self.tables[key]
        if self.of == "operation":
            op_class = next((row.op_class for row in table if row.operation == left), None)
            kept = [row for row in table if row.operation != left]
            lost = {row.op for row in table} - {row.op for row in kept}
            found = {k: v for k, v in self.whole[key].items() if not lost & set(k.split("."))}
            return found | self.fit(key, kept, op_class or "").found
        out = {DEVICES.get((left, cores)) for cores in ("8", "10", "16", "20", "38", "not stated")}
        kept = [row for row in table if row.device not in out]
        return self.whole[key] if len(kept) == len(table) else self.fit(key, kept).found


def is_early(row: Mapping[str, str]) -> bool:
    return (row["device"], row["gpu_cores"], row["framework_version"]) in EARLY


def scored(
    table: Iterable[dict[str, str]], software: dict[tuple[str, bool], _core.Framework]
) -> Iterator[tuple[str, float]]:
    """(framework, relative error) of each row."""
    for row in table:
        entry = suite_row(f"{row['operation']} {row['shape']}")
        name = BACKENDS[row["backend"]]
        if entry.available:
            machine = sp.device(DEVICES[row["device"], row["gpu_cores"]])
            model = _core.Model(machine, software[name, is_early(row)])
            predicted_s, _, _ = synchronised(model, entry.trace())
            yield name, predicted_s / (float(row["runtime_ms"]) * 1e-3) - 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    parser.add_argument("--leave-out", choices=("device", "op"), default="device")
    arguments = parser.parse_args()
    table = [
        row
        for row in rows(arguments.data, "op_times_calibration.csv")
        if row["validity"] == "ok" and row["backend"] in BACKENDS
        and row["operation"] in SUITE and math.isfinite(float(row["runtime_ms"]))
        and (row["device"], row["gpu_cores"]) in DEVICES
    ]  # fmt: skip
    latencies = [
        row
        for row in rows(arguments.data, "launch_latency.csv")
        if "2501.14925" not in row["source"]
    ]
    whole = [*op_suite(arguments.data), *gemm(arguments.data)]
    of = "device" if arguments.leave_out == "device" else "operation"
    walks = Walks(arguments.data, of)
    everything: dict[str, list[float]] = {}
    for left in dict.fromkeys(row[of] for row in table):
        if left in ROUND_TRIP_OPS:
            continue
        kept = [ratio for ratio in whole if getattr(ratio, of) != left]
        # "M1" is also how "M1 Pro" begins: what follows a device's own name is its core count.
        out = (*HELD_OUT, f"{left} (") if of == "device" else HELD_OUT
        trips = {key: median(v) * 1e-6 for key, v in round_trips(latencies, out).items()}
        software = {
            (name, early): refitted(name, kept, whole, trips, walks.without(name, early, left))
            for name in set(BACKENDS.values())
            for early in (False, True)
        }
        found: dict[str, list[float]] = {}
        for name, error in scored((row for row in table if row[of] == left), software):
            found.setdefault(name, []).append(abs(error))
            everything.setdefault(name, []).append(abs(error))
        for name, errors in found.items():
            show(f"{left} {name}", errors)
    for name, errors in everything.items():
        show(f"all {name}", errors)


def show(what: str, errors: list[float]) -> None:
    ordered = sorted(errors)
    p90 = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
    print(
        f"{what}: {len(ordered)} rows, error mean {fmean(ordered):.1%}, median "
        f"{median(ordered):.1%}, p90 {p90:.1%}, max {ordered[-1]:.1%}"
    )


if __name__ == "__main__":
    main()
