from __future__ import annotations

import dataclasses

import pytest

from siliconprof.experiments.launch_claims import launch_claims
from siliconprof.experiments.table import Row, Table
from siliconprof.experiments.table6 import COLD, FOLLOW_UP, Params, predicted_rows, recorded_rows


def verdicts(rows) -> dict[str, str]:
    return {c.id: c.verdict for c in launch_claims(Table("table6", tuple(rows), {}, {}, ""))}


def test_the_papers_own_numbers_bear_out_its_claims():
    found = verdicts(recorded_rows())
    assert found["cold-launch-slower"] == "holds"
    assert found["cuda-launch-faster"] == "holds"
    assert len(found) == 4


def test_each_recorded_follow_up_is_judged_by_the_predicted_launch_of_its_kind():
    rows = [*recorded_rows(), *predicted_rows(Params().targets)]
    table = Table("table6", tuple(rows), {}, {}, "")
    apple, cuda = (c for c in launch_claims(table) if c.id.startswith(("apple-", "cuda-follow")))
    assert len(apple.evidence) == 6 and all("synchronised" in e.what for e in apple.evidence)
    assert len(cuda.evidence) == 4 and all("pipelined" in e.what for e in cuda.evidence)
    (ultra,) = (e for e in apple.evidence if e.what.startswith("m2-ultra mlx"))
    assert ultra.value == pytest.approx(140e-6 / 148e-6)


def test_one_slow_card_refutes_the_claim():
    rows = [
        dataclasses.replace(row, value=1.0)
        if (row.device, row.point["quantity"]) == ("rtx-4090", FOLLOW_UP)
        else row
        for row in recorded_rows()
    ]
    assert verdicts(rows)["cuda-launch-faster"] == "fails"
    assert verdicts(rows)["cold-launch-slower"] == "fails"


def test_a_measured_launch_without_an_interval_decides_nothing():
    measured = [
        Row("measured", "here", "openblas", what, value, "s", None, None, "s", {"quantity": what})
        for what, value in ((COLD, 4e-5), (FOLLOW_UP, 2e-6))
    ]
    assert verdicts([*recorded_rows(), *measured])["cold-launch-slower"] == "undecided"


def test_launch_costs_published_elsewhere_are_no_claim_of_the_paper():
    table = Table("table6", tuple(predicted_rows(Params().targets)), {}, {}, "")
    assert all(not claim.evidence for claim in launch_claims(table))
