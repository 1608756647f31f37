"""The library's own speed against what it should reach, each as a figure of one run.

Run by `make bench` with PYTHONPATH at the built package; the argument is the C++ benchmark.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import timeit
from dataclasses import dataclass

import numpy

import siliconprof as sp
from siliconprof import _core


@dataclass(frozen=True)
class Figure:
    what: str
    value: float
    spread: tuple[float, float]
    unit: str
    reach: str
    reached: bool


def quartiles(samples: list[float]) -> tuple[float, tuple[float, float]]:
    low, middle, high = statistics.quantiles(samples, n=4)
    return middle, (low, high)


def at_most(what: str, samples: list[float], limit: float, unit: str) -> Figure:
    middle, spread = quartiles(samples)
    return Figure(what, middle, spread, unit, f"<= {limit:g}", middle <= limit)


def at_least(what: str, samples: list[float], limit: float, unit: str = "") -> Figure:
    middle, spread = quartiles(samples)
    return Figure(what, middle, spread, unit, f">= {limit:g}", middle >= limit)


def microseconds(statement: str, names: dict[str, object], number: int = 20000) -> list[float]:
    timer = timeit.Timer(statement, globals=names)
    return [seconds / number * 1e6 for seconds in timer.repeat(25, number)]


def call_figures() -> list[Figure]:
    trace = sp.op("matmul", batch=8, m=2000, k=2000, n=2000)
    names: dict[str, object] = {"sp": sp, "t": trace, "c": ("wall_s", "minor_faults")}
    predict = microseconds("sp.predict(t, 'm2-ultra', framework='mlx')", names)
    window = microseconds("with sp.window(c): pass", names)
    return [
        at_most("sp.predict of one op", predict, 2.0, "us"),
        at_most("empty window (wall + faults)", window, 1.5, "us"),
    ]


def product_figures(rounds: int = 9) -> list[Figure]:
    """sp.run, numpy and the FMA peak in turn, so that a drifting machine hits all alike."""
    trace = sp.op("matmul", batch=8, m=2000, k=2000, n=2000)
    generator = numpy.random.default_rng(1)
    a, b = (generator.random((8, 2000, 2000), dtype=numpy.float32) for _ in range(2))
    out = numpy.empty_like(a)
    over_peak: list[float] = []
    over_numpy: list[float] = []
    for _ in range(rounds):
        ours = trace.flops / sp.run(trace, sampling=sp.Sampling.fixed(5, 1)).time_s
        peak = _core.quantile(_core.measure_fma_peak("float32", 0, 0.3), 0.9)
        theirs = trace.flops / timeit.timeit(lambda: numpy.matmul(a, b, out=out), number=1)
        over_peak.append(ours / peak)
        over_numpy.append(ours / theirs)
    highest = max(over_peak)
    if highest > 1.05:
        raise SystemExit(f"a product ran at {highest:.2f} of the FMA peak: the peak is wrong")
    return [
        at_least("sp.run matmul 8x2000x2000 float32 / FMA peak", over_peak, 0.85),
        at_least("sp.run matmul 8x2000x2000 float32 / numpy", over_numpy, 1.0),
    ]


def cpp_figures(program: str) -> list[Figure]:
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    predict, product = (json.loads(line) for line in lines.splitlines())
    return [
        Figure(predict["what"], predict["median"], (predict["q1"], predict["q3"]), "ns",
               "<= 200", predict["median"] <= 200),
        Figure(product["what"], product["median"], (product["q1"], product["q3"]), "",
               ">= 0.98", product["median"] >= 0.98),
    ]


def import_figures(rounds: int = 15) -> list[Figure]:
    """Import time over numpy's, each in a fresh process, in turn."""

    def seconds(module: str) -> float:
        code = (
            "import time; t = time.perf_counter(); import numpy; "
            f"u = time.perf_counter(); import {module}; print(time.perf_counter() - u)"
        )
        found = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        return float(found.stdout) * 1e3

    seconds("siliconprof")
    return [at_most("import siliconprof over import numpy",
                    [seconds("siliconprof") for _ in range(rounds)], 60, "ms")]


def main() -> None:
    figures = [*call_figures(), *import_figures(), *cpp_figures(sys.argv[1]), *product_figures()]
    print(f"{'what':52} {'median':>9} {'quartiles':>19} {'unit':4} {'reach':8}")
    for figure in figures:
        low, high = figure.spread
        print(
            f"{figure.what:52} {figure.value:9.3f} {low:9.3f} {high:9.3f} {figure.unit:4} "
            f"{figure.reach:8} {'reached' if figure.reached else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
