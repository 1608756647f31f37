from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from siliconprof import _core
from siliconprof.experiments import speed
from siliconprof.experiments.quartiles import Quartiles
from siliconprof.experiments.speed import EXPERIMENT, Params, Target, run, targets

# The limits that the project set itself: ratios, and seconds.
LIMITS = {
    "fma": 0.85,
    "numpy": 1.0,
    "cblas": 0.98,
    "predict": 2e-6,
    "predict-native": 0.2e-6,
    "predict-step": 60e-6,
    "step": 25e-6,
    "explain": 50e-3,
    "build-small": 3e-3,
    "build-xl": 20e-3,
    "window": 1.5e-6,
    "import": 60e-3,
}


def rows(monkeypatch, params=None, **changes):
    given = {key: Quartiles(limit, limit, limit, "9 samples") for key, limit in LIMITS.items()}
    monkeypatch.setattr(speed, "measure", lambda params, say: {**given, **changes})
    return {row.point["key"]: row for row in run(params or Params()).rows}


def test_every_figure_has_its_limit_and_is_reached_at_it(monkeypatch):
    found = rows(monkeypatch)
    assert {key: target.limit for key, target in targets(Params()).items()} == LIMITS
    assert set(found) == set(LIMITS)
    assert all(row.point["reached"] and row.source.startswith("reached") for row in found.values())
    assert all(row.origin == "measured" and row.unit in ("1", "s") for row in found.values())


@pytest.mark.parametrize("key", LIMITS)
def test_a_figure_on_the_wrong_side_of_its_limit_is_missed(monkeypatch, key):
    wrong = LIMITS[key] * (0.99 if targets(Params())[key].at_least else 1.01)
    row = rows(monkeypatch, **{key: Quartiles(0.1, wrong, 0.2, "3 samples")})[key]
    assert row.point["reached"] is False
    assert row.source == "MISSED; median of 3 samples, interval: quartiles"
    assert (row.lo, row.value, row.hi) == (0.1, wrong, 0.2)


def test_a_figure_that_was_not_measured_is_a_row_with_the_reason(monkeypatch):
    row = rows(monkeypatch, cblas="no program")["cblas"]
    assert (row.value, row.lo, row.source) == (None, None, "no program")
    assert "reached" not in row.point


def test_smaller_products_than_the_stated_ones_are_not_judged(monkeypatch):
    found = rows(monkeypatch, EXPERIMENT.quick_parameters)
    assert "reached" not in found["fma"].point and "not judged" in found["fma"].source
    assert found["predict"].point["reached"]


def test_a_target_has_two_sides():
    assert Target("x", "1", 1.0, True).reached(1.1) and not Target("x", "1", 1.0, True).reached(0.9)
    assert Target("x", "s", 1.0, False).reached(0.9) and not Target("x", "s", 1.0, False).reached(2)


@pytest.fixture
def products(monkeypatch):
    """Products of 2 flops a second in sp.run, 1 in numpy; the peak is given."""

    def make(peak):
        monkeypatch.setattr(
            speed, "run_here", lambda trace, sampling: SimpleNamespace(time_s=trace.flops / 2.0)
        )
        monkeypatch.setattr(_core, "measure_fma_peak", lambda *_: [peak])
        flops = 2 * SMALL.numpy_batch * SMALL.size**3
        monkeypatch.setattr(speed.timeit, "timeit", lambda statement, number: float(flops))
        return speed._product_samples(SMALL, speed.silent)

    return make


SMALL = Params(batch=2, size=4, rounds=3, numpy_batch=1)


def test_products_are_rated_against_the_peak_and_numpy_of_their_round(products):
    assert products(2.5) == {"fma": [0.8] * 3, "numpy": [2.0] * 3}


def test_a_product_above_the_peak_means_that_the_peak_is_wrong(products):
    found = products(1.0)
    assert "2.00 of the FMA peak" in found["fma"]
    assert found["numpy"] == [2.0] * 3


def test_an_import_that_loads_pandas_is_a_reason(monkeypatch):
    monkeypatch.setattr(speed, "fresh_process", lambda *_: [0.01, ["pandas"]])
    assert speed._import_samples(SMALL) == "import siliconprof loads pandas"
    monkeypatch.setattr(speed, "fresh_process", lambda *_: [0.01, []])
    assert speed._import_samples(SMALL) == [0.01] * SMALL.imports


def test_the_calls_are_those_of_predictions_explanations_and_one_empty_window():
    found = speed._call_samples(Params(calls=2, repeats=3))
    kinds = ("step", "explain", "predict", "predict-step", "window")
    assert {key: len(samples) for key, samples in found.items()} == dict.fromkeys(kinds, 3)
    assert all(sample > 0 for samples in found.values() for sample in samples)


def test_the_table_can_be_saved(monkeypatch, still):
    table = run(Params())
    json.dumps([row.result() for row in table.rows], allow_nan=False)


def test_a_limit_is_in_the_unit_of_the_value_beside_it(still):
    made = speed.run(speed.EXPERIMENT.quick_parameters)
    texts = " ".join(row.what for row in made.rows)
    assert "at most 2 µs" in texts and "at least 0.85" in texts and "e-0" not in texts
