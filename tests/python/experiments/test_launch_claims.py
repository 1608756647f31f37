from __future__ import annotations

import dataclasses

from siliconprof.experiments.launch_claims import launch_claims
from siliconprof.experiments.table import Table
from siliconprof.experiments.table6 import FOLLOW_UP, Params, predicted_rows, recorded_rows


def verdicts(rows) -> dict[str, str]:
    return {c.id: c.verdict for c in launch_claims(Table("table6", tuple(rows), {}, {}, ""))}


def test_the_papers_own_numbers_bear_out_its_claims():
    found = verdicts(recorded_rows())
    assert found["cold-launch-slower"] == "holds"
    assert found["cuda-launch-faster"] == "holds"
    assert found["cuda-launch-faster-elsewhere"] == "undecided"


def test_one_slow_card_refutes_the_claim():
    rows = [
        dataclasses.replace(row, value=1.0)
        if (row.device, row.point["quantity"]) == ("rtx-4090", FOLLOW_UP)
        else row
        for row in recorded_rows()
    ]
    assert verdicts(rows)["cuda-launch-faster"] == "fails"
    assert verdicts(rows)["cold-launch-slower"] == "fails"


def test_launch_costs_published_elsewhere_are_judged_apart():
    table = Table("table6", tuple(predicted_rows(Params().targets)), {}, {}, "")
    claim = next(c for c in launch_claims(table) if c.id == "cuda-launch-faster-elsewhere")
    assert len(claim.evidence) == 12
    assert {entry.origin for entry in claim.evidence} == {"predicted"}
