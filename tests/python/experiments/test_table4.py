from __future__ import annotations

import pytest

from siliconprof.experiments.step_claims import pass_claims
from siliconprof.experiments.steps import PAGING, TIME
from siliconprof.experiments.table4 import Params, recorded_rows, run


@pytest.fixture(scope="module")
def made():
    return run(Params(layers=0))


def test_the_papers_passes_are_recorded():
    values = {(row.device, row.framework): row.value for row in recorded_rows()}
    assert values["m2-ultra", "mlx"] == 2.710 and values["rtx-a6000", "torch-mps"] is None


def test_each_recorded_pass_is_predicted_with_an_interval(made):
    for row in made.where(origin="recorded", quantity=TIME):
        found = made.where(
            origin="predicted", device=row.device, framework=row.framework, quantity=TIME
        )
        assert len(found) == (row.value is not None)
        assert all(each.lo < each.value < each.hi for each in found)


def test_the_recorded_ratios_speak_to_the_claims(made):
    faster, behind = pass_claims(made)
    ratios = {entry.what: entry.value for entry in faster.evidence}
    assert ratios["m2-ultra, recorded: MPS / MLX"] == pytest.approx(3.239 / 2.710)
    assert behind.evidence[0].value == pytest.approx(2.771 / 2.710)


def test_paging_is_what_slows_the_m2_pro_and_no_other(made):
    rows = made.where(origin="predicted", quantity=PAGING)
    assert {row.device for row in rows if row.value} == {"m2-pro"}
    for row in (row for row in rows if row.value):
        (step,) = made.where(
            origin="predicted", device="m2-pro", framework=row.framework, quantity=TIME
        )
        assert row.value > 0.5 * step.value
