from __future__ import annotations

import pytest

from siliconprof.experiments import simclr
from siliconprof.experiments.simclr import EPOCH, Params, epoch, recorded_rows
from siliconprof.experiments.step_claims import simclr_claims
from siliconprof.experiments.steps import TIME
from siliconprof.experiments.table import Row


@pytest.fixture
def made(monkeypatch):
    def given(what, trace, rule, quantities, point):
        more = {**point, "quantity": TIME}
        return [Row("measured", "here", "native", f"{what}, {TIME}", 2.0, "s", 1.9, 2.1, "s", more)]

    monkeypatch.setattr(simclr, "measured_step", given)
    return simclr.run(Params())


def test_the_articles_epochs_are_recorded_in_seconds():
    values = {row.device: row.value for row in recorded_rows() if row.unit == "s"}
    assert values == {"m1-pro": 405.0, "m1-pro-cpu": 3558.0, "rtx-a6000": 29.31}


def test_an_epoch_is_its_steps():
    step = Row("measured", "here", "", f"w, {TIME}", 2.0, "s", 1.0, None, "s", {"quantity": TIME})
    found = epoch(step, 50)
    assert (found.value, found.lo, found.hi) == (2000.0, 1000.0, None)
    assert found.what == f"w, {EPOCH}" and "1000 steps" in found.source


def test_each_target_is_predicted_and_the_claims_have_numbers(made):
    assert len(made.where(origin="predicted", quantity=EPOCH)) == len(Params().targets)
    assert len(made.where(origin="measured", quantity=EPOCH)) == 1
    for claim in simclr_claims(made):
        assert claim.evidence and claim.verdict in ("holds", "fails", "undecided")


def test_tf32_is_faster_than_fp32_on_the_a6000(made):
    fp32, tf32 = (
        made.where(device="rtx-a6000", precision=p, quantity=TIME)[0].value
        for p in ("fp32", "tf32")
    )
    assert tf32 < fp32
