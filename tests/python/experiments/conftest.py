"""Experiments without a clock: this machine's runs and limits are given."""

from __future__ import annotations

import pytest

from siliconprof import Profile, _core
from siliconprof.experiments import figure4, memory, points, speed, steps, table6
from siliconprof.experiments.near_capacity import LimitedRun, Pass
from siliconprof.experiments.pairs import targets
from siliconprof.experiments.quartiles import Quartiles
from siliconprof.experiments.table import Row, Table

RATE_FLOPS_PER_S = 1e11
BANDWIDTH_BYTES_PER_S = 2e10


@pytest.fixture
def still(monkeypatch):
    """Every measured product runs at 100 GFLOP/s, every sample of a limit is near its value."""

    def run(trace, engine="openblas", sampling=None):
        time_s = trace.flops / RATE_FLOPS_PER_S
        samples_s = [time_s * part for part in (0.98, 0.99, 1.0, 1.01, 1.02)]
        step = _core.Span(
            "step", "step", "forward", -1, -1, time_s, (samples_s[0], samples_s[-1]), samples_s
        )
        return Profile(
            "measured", trace.label, "cpu", engine, [step], sampling="adaptive", stop_reason="given"
        )

    def limit(value):
        return lambda *_: [value * (1 + 0.01 * part) for part in range(-4, 5)]

    monkeypatch.setattr(points, "run", run)
    monkeypatch.setattr(_core, "measure_fma_peak", limit(3e11), raising=False)
    monkeypatch.setattr(_core, "measure_bandwidth", limit(BANDWIDTH_BYTES_PER_S), raising=False)
    limits = {key: target.limit for key, target in speed.targets(speed.Params()).items()}
    at_limits = {key: Quartiles(0.9 * x, x, 1.1 * x, "9 samples") for key, x in limits.items()}
    monkeypatch.setattr(speed, "measure", lambda params, say: at_limits)
    monkeypatch.setattr(steps, "run", run)
    passes = LimitedRun(tuple(Pass(1.0, 2.0, 3.0, 4e7) for _ in range(3)))
    monkeypatch.setattr(figure4, "limited_run", lambda *given: passes)
    monkeypatch.setattr(memory, "fresh_process", lambda *given: (2_150_000_000, 60_000_000))
    monkeypatch.setattr(table6, "_fresh_process", lambda size, calls: ([4e-5], [2e-6] * calls))


@pytest.fixture
def rate_table():
    """Makes a table of compute rates from (device, framework, dtype, size): value."""

    def make(rates, spread=0.0):
        rows = [
            Row(
                "predicted",
                device,
                framework,
                "w",
                value,
                "FLOP/s",
                value * (1 - spread),
                value * (1 + spread),
                "s",
                {"quantity": "compute rate", "dtype": dtype, "size": size},
            )
            for (device, framework, dtype, size), value in rates.items()
        ]
        return Table("figure", tuple(rows), {}, {}, "")

    return make


@pytest.fixture
def pair_rates():
    """Rates for every target by framework and dtype, at each of the sizes."""

    def make(by_framework, sizes=(10,)):
        return {
            (target.device, target.framework, dtype, size): value
            for target in targets()
            for dtype, value in by_framework[target.framework].items()
            for size in sizes
        }

    return make
