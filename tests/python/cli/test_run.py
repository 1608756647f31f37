from __future__ import annotations

import siliconprof as sp

SMALL = ("run", "matvec", "--m", "8", "--n", "8", "--sampling", "paper")


def test_a_run_has_samples_counters_and_environment(document):
    content = document(*SMALL)
    assert content["origin"] == "measured"
    assert len(content["samples"]) == 100
    assert content["counters"] and content["environment"]


def test_a_run_can_be_saved(call, tmp_path):
    path = tmp_path / "p.json"
    assert call(*SMALL, "--save", path)[0] == 0
    assert sp.load(path).origin == "measured"


def test_an_unknown_engine_is_wrong_use(call):
    assert call(*SMALL, "--engine", "openbals")[0] == 2


def test_a_size_that_is_no_number_is_wrong_use(call):
    assert call("run", "matvec", "--m", "many")[0] == 2
