from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.capacity import memory_of
from siliconprof.experiments.step_claims import memory_claims
from siliconprof.experiments.table3 import EXPERIMENT, SHARE, Params, run
from siliconprof.figures.render import draw


@pytest.fixture(scope="module")
def made():
    return run(Params())


def test_the_papers_settings_are_recorded(made):
    assert {row.value for row in made.where(origin="recorded")} == {4.0, 16.0, 32.0}


def test_a_share_is_the_peak_over_the_memory(made):
    (row,) = made.where(
        device="rtx-4090", configuration="gpt2-large, batch 16, fine-tune", quantity=SHARE
    )
    (peak,) = made.where(
        device="rtx-4090", configuration="gpt2-large, batch 16, fine-tune", quantity="peak memory"
    )
    there = memory_of(sp.device("rtx-4090"), sp.framework("torch-cuda"))
    assert row.value == pytest.approx(peak.value / there)
    assert 23 * 2**30 < there < 24 * 2**30


def test_shares_can_be_read_off_the_axis(made):
    figure = draw(EXPERIMENT, made)
    figure.canvas.draw()
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert {"0.1", "1"} <= set(labels)


def test_scenarios_are_judged_by_what_fits(made):
    verdicts = {claim.id: claim.verdict for claim in memory_claims(made)}
    # All are below a Mac's working-set limit or next to it, which is known to 15 %.
    assert verdicts["scenario-1-fits"] == "undecided"
    assert verdicts["scenario-3-near-capacity"] == "fails"  # seven times the working set


def test_the_share_of_a_macs_memory_is_as_unsure_as_its_working_set_limit(made):
    row, *_ = made.where(
        device="m2-max", configuration="gpt2-large, batch 16, fine-tune", quantity=SHARE
    )
    assert row.lo == pytest.approx(row.value / 1.15) and row.hi == pytest.approx(row.value / 0.85)


def test_what_is_unsure_of_a_share_is_drawn(made):
    panel = Figure().subplots()
    EXPERIMENT.draw(made, {"share": panel})
    bars = [tuple(line.get_xdata()) for line in panel.lines if line.get_alpha()]
    known = [row for row in made.where(quantity=SHARE) if row.lo is not None]
    assert bars == [(row.lo, row.hi) for row in known]
