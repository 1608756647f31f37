from __future__ import annotations

from siliconprof.experiments.step_claims import energy_claims, pass_claims
from siliconprof.experiments.steps import ENERGY, TIME
from siliconprof.experiments.table import Row, Table


def recorded(device, framework, quantity, value):
    place = ("recorded", device, framework, "w", value)
    return Row(*place, "s", None, None, "s", {"quantity": quantity})


def table(*rows):
    return Table("t", rows, {}, {}, "")


def test_a_ratio_below_one_fails_the_claim_that_mlx_is_faster():
    rows = (
        recorded("m2-max", "mlx", TIME, 2.0),
        recorded("m2-max", "torch-mps", TIME, 1.0),
    )
    assert pass_claims(table(*rows))[0].verdict == "fails"


def test_energies_within_a_quarter_are_similar():
    rows = [
        recorded("rtx-4090", "", ENERGY, 100.0),
        recorded("m2-ultra", "", ENERGY, 110.0),
        recorded("m2-max", "", ENERGY, 80.0),
    ]
    assert energy_claims(table(*rows))[0].verdict == "holds"
    rows[2] = recorded("m2-max", "", ENERGY, 60.0)
    assert energy_claims(table(*rows))[0].verdict == "fails"


def test_without_numbers_nothing_is_decided():
    assert energy_claims(table())[0].verdict == "undecided"
