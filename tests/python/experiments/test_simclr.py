from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments import simclr
from siliconprof.experiments.simclr import EPOCH, Params, epoch, recorded_rows
from siliconprof.experiments.step_claims import simclr_claims
from siliconprof.experiments.steps import FORWARD, TIME
from siliconprof.experiments.table import Row


@pytest.fixture
def made(monkeypatch):
    def given(what, trace, rule, quantities, point):
        def row(quantity, value, low, high):
            more = {**point, "quantity": quantity}
            place = ("measured", "here", "native", f"{what}, {quantity}")
            return Row(*place, value, "s", low, high, "s", more)

        return [row(TIME, 2.0, 1.9, 2.1), row(FORWARD, 0.5, None, None)]

    monkeypatch.setattr(simclr, "measured_step", given)
    return simclr.run(Params())


def test_the_articles_epochs_are_recorded_in_seconds():
    values = {row.device: row.value for row in recorded_rows() if row.unit == "s"}
    assert values == {"m1-pro": 405.0, "m1-pro-cpu": 3558.0, "rtx-a6000": 29.31}


def test_an_epoch_is_its_steps_and_the_images_that_its_evaluation_passes_forward():
    step = Row("measured", "here", "", f"w, {TIME}", 2.0, "s", 1.0, None, "s", {"quantity": TIME})
    forward = Row("measured", "here", "", "", 0.5, "s", 0.25, 1.0, "s", {"quantity": FORWARD})
    found = epoch(step, forward, 50)
    assert (found.value, found.lo, found.hi) == (2000.0 + 300.0, 1000.0 + 150.0, None)
    assert found.what == f"w, {EPOCH}" and "1000 steps and 60000 images" in found.source


def test_macs_are_predicted_with_the_framework_of_the_articles_time(made):
    (row,) = made.where(origin="predicted", device="m1-pro", quantity=EPOCH)
    assert row.framework == "torch-mps" and "torch-mps@2.2" in row.source


def test_each_target_is_predicted_and_the_claims_have_numbers(made):
    assert len(made.where(origin="predicted", quantity=EPOCH)) == len(Params().targets)
    assert len(made.where(origin="measured", quantity=EPOCH)) == 1
    for claim in simclr_claims(made):
        assert claim.evidence and claim.verdict in ("holds", "fails", "undecided")


def test_tf32_takes_about_as_long_as_fp32_on_the_a6000(made):
    """Its peak is twice as high there, and channels of small images are put last and back."""
    fp32, tf32 = (
        made.where(device="rtx-a6000", precision=p, quantity=TIME)[0].value
        for p in ("fp32", "tf32")
    )
    assert tf32 == pytest.approx(fp32, rel=0.1)


def test_every_point_says_what_it_is(made):
    panel = Figure().subplots()
    simclr.EXPERIMENT.draw(made, {"epoch": panel})
    words = " ".join(text.get_text() for text in panel.texts).split()
    assert words.count("recorded") == 3 and "tf32" in words
