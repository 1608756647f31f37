from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments.pairs import Target
from siliconprof.experiments.steps import (
    BACKWARD,
    ENERGY,
    FORWARD,
    MEMORY,
    OPTIMIZER,
    TIME,
    measured_step,
    predicted_step,
)

SIZES = {"layers": 1, "width": 16, "heads": 2, "vocab": 50, "batch": 1, "seq": 8}
ALL = (TIME, FORWARD, BACKWARD, OPTIMIZER, MEMORY, ENERGY)


def test_a_predicted_step_has_its_phases_with_intervals():
    trace = sp.workload("gpt2-small", framework="mlx", **SIZES)
    rows = predicted_step("w", trace, Target("m2-max", "mlx"), ALL, {"batch": 1})
    found = {row.point["quantity"]: row for row in rows}
    phases = [found[name] for name in (FORWARD, BACKWARD, OPTIMIZER)]
    assert sum(row.value for row in phases) == pytest.approx(found[TIME].value)
    assert all(row.lo <= row.value <= row.hi for row in (*phases, found[MEMORY]))
    # The tensors, and what MLX's cache adds where it hands out a larger buffer than is asked for.
    assert found[MEMORY].value == pytest.approx(trace.peak_memory_bytes, rel=0.01)
    assert found[MEMORY].value > trace.peak_memory_bytes and found[MEMORY].unit == "bytes"


def test_predicted_energy_and_memory_have_intervals():
    trace = sp.workload("gpt2-small", framework="torch-cuda", **SIZES)
    rows = predicted_step("w", trace, Target("h200", "torch-cuda"), (ENERGY, MEMORY), {})
    assert all(row.lo < row.value < row.hi for row in rows)


def test_what_is_missing_has_a_reason():
    trace = sp.op("copy", n=4)
    (row,) = predicted_step("w", trace, Target("m2-max", "mlx"), (OPTIMIZER,), {})
    assert row.value is None and row.source


def test_a_measured_step_says_how_many_it_is_of():
    trace = sp.workload("gpt2-small", **SIZES)
    (row,) = measured_step("w", trace, sp.Sampling.fixed(2, 1), (TIME,), {})
    assert row.origin == "measured" and row.point["n"] == 2 and "of 2 steps" in row.source
