from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.figure3 import EXPERIMENT, PANELS, Params, run
from siliconprof.experiments.step_claims import scenario_claims
from siliconprof.experiments.steps import BACKWARD, FORWARD
from siliconprof.figures.render import render_svg


@pytest.fixture(scope="module")
def made():
    return run(Params())


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_has_forward_and_backward_of_each_device(made, panel):
    for quantity in (FORWARD, BACKWARD):
        rows = made.where(panel=panel, quantity=quantity, precision="fp32")
        assert len({row.device for row in rows}) == len(rows) > 1
        assert all(row.value > 0 for row in rows)


def test_mixed_precision_is_of_cuda_alone(made):
    amp = [row for row in made.rows if row.point["precision"] != "fp32"]
    assert amp and {row.framework for row in amp} == {"torch-cuda"}


def test_claims_have_evidence_from_every_panel(made):
    slower, behind = scenario_claims(made)
    assert {entry.what[:2] for entry in slower.evidence} == {"a1", "a2", "a3"}
    assert len(behind.evidence) == 1


def test_the_figure_draws(made):
    assert "m2-ultra" in render_svg(EXPERIMENT, made)


def test_mixed_precision_has_a_rung_of_its_own(made):
    panels = {panel: Figure().subplots() for panel in EXPERIMENT.layout.mosaic[0]}
    panels |= {panel: Figure().subplots() for panel in EXPERIMENT.layout.mosaic[1]}
    EXPERIMENT.draw(made, panels)
    rungs = [text.get_text() for text in panels["a1"].get_yticklabels()]
    assert {"rtx-4090  fp32", "rtx-4090  amp-fp16", "rtx-4090  amp-bf16"} < set(rungs)
    assert panels["a1"].get_xlabel() == "time, s"
    assert "on CUDA" in panels["b1"].get_title(loc="left")
