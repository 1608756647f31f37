from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.experiments.figure5 import EXPERIMENT, Params, point, run, sampling


@pytest.fixture
def made(still):
    return run(EXPERIMENT.quick_parameters)


def test_the_default_is_the_papers_shape():
    trace = point(Params(), "float32").trace
    assert trace.flops == 2 * 8 * 2000**3


def test_every_target_is_predicted_in_every_dtype_or_says_why_not(made):
    for target in Params().targets:
        for dtype in Params().dtypes:
            wanted = {"device": target.device, "framework": target.framework, "dtype": dtype}
            rows = made.where(origin="predicted", **wanted)
            assert len(rows) == 3 or (rows[0].value is None and rows[0].source)


def test_each_chosen_engine_is_measured(made):
    measured = {
        (r.framework, r.point["dtype"]) for r in made.where(origin="measured", device="here")
    }
    assert set(Params().engines) <= measured


def test_the_full_rule_is_the_papers_when_asked_for():
    assert sampling(Params(paper_rule=True)) == sp.Sampling.paper()
    assert sampling(Params()).name == "adaptive"


def test_every_measured_point_is_owed_samples_enough_for_an_interval():
    owed = min(sampling(Params()).min_samples, 6)  # what the rule gives beyond its budget
    assert _core.median_interval([float(n) for n in range(owed)]) is not None


def test_progress_is_told(still):
    said = []
    run(EXPERIMENT.quick_parameters, said.append)
    assert any("eigen" in text for text in said)
