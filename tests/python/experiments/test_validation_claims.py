from __future__ import annotations

import pytest

from siliconprof.experiments.table import Row, Table
from siliconprof.experiments.validation import VALUE
from siliconprof.experiments.validation_claims import validation_claims
from siliconprof.validate import WHOLE_STEP


def rows(device, error, count=40, kind="time", width=0.5, op_class=WHOLE_STEP):
    unit = {"time": "s", "energy": "J", "memory": "bytes"}[kind.split(",")[0]]
    point = {"quantity": VALUE, "kind": kind, "op_class": op_class, "recorded": 1.0}
    value = 1.0 + error
    ends = (value * (1 - width), value * (1 + width))
    return [Row("predicted", device, "f", "w", value, unit, *ends, "s", point)] * count


def judged(*some):
    made = Table("validation", tuple(row for part in some for row in part), {}, {}, "")
    return {claim.id.removeprefix("validation-"): claim for claim in validation_claims(made)}


@pytest.mark.parametrize(("error", "verdict"), [(0.1, "holds"), (0.2, "fails")])
def test_a_mean_error_is_judged_by_its_limit(error, verdict):
    claims = judged(rows("h200", error), rows("m3-max", error, op_class="elementwise"))
    assert claims["steps"].verdict == claims["operations"].verdict == verdict
    assert claims["steps"].evidence[0].value == pytest.approx(error / 0.12)


@pytest.mark.parametrize(("error", "verdict"), [(0.09, "holds"), (0.11, "fails")])
def test_offloaded_steps_have_a_limit_of_their_own(error, verdict):
    claims = judged(rows("h200", error, kind="time, offloaded"))
    assert claims["offload"].verdict == verdict
    assert claims["steps"].verdict == "undecided"


def test_each_quantity_has_its_own_limit():
    claims = judged(rows("h200", 0.01), rows("h200", 0.1, kind="memory"))
    assert claims["steps"].verdict == "fails"


def test_intervals_that_hold_all_or_nothing_do_not_cover_what_they_say():
    assert judged(rows("h200", 0.1))["intervals"].verdict == "fails"
    assert judged(rows("h200", 0.1, width=0.01))["intervals"].verdict == "fails"
    mixed = rows("h200", 0.1, 1800) + rows("h200", 0.1, 200, width=0.01)
    assert judged(mixed)["intervals"].verdict == "holds"


@pytest.mark.parametrize(
    ("kind", "of"), [("energy", "h200"), ("energy", "h100"), ("memory", "h100")]
)
def test_intervals_of_energies_and_peaks_are_judged_too(kind, of):
    mixed = rows("h200", 0.1, 1800) + rows("h200", 0.1, 200, width=0.01)
    assert judged(mixed, rows(of, 0.1, kind=kind, width=0.01))["intervals"].verdict == "fails"


def test_without_rows_there_is_no_verdict():
    assert {claim.verdict for claim in judged().values()} == {"undecided"}
