from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.step_claims import energy_claims
from siliconprof.experiments.table5 import EXPERIMENT, POWER, Params, run


@pytest.fixture(scope="module")
def made():
    return run(Params())


def test_energies_are_recorded_for_four_devices(made):
    values = [row.value for row in made.where(origin="recorded")]
    assert sorted(values) == [108.58, 114.86, 129.30, 212.39]


def test_power_is_energy_over_the_predicted_time(made):
    (time,) = made.where(device="rtx-4090", quantity="step time")
    (power,) = made.where(device="rtx-4090", quantity=POWER)
    assert power.value == pytest.approx(108.58 / time.value)
    assert power.lo == pytest.approx(108.58 / time.hi)


def test_macs_energy_is_compared_with_the_4090(made):
    (claim,) = energy_claims(made)
    assert claim.evidence[0].value == pytest.approx(114.86 / 108.58)


def test_the_boards_own_power_stands_beside_what_is_implied(made):
    (power,) = made.where(device="rtx-4090", quantity=POWER)
    assert power.point["board_watts"] == 450.0 and "board: 450 W" in power.source
    panels = {name: Figure().subplots() for name in ("energy", "power")}
    EXPERIMENT.draw(made, panels)
    marks = [line.get_xdata()[0] for line in panels["power"].lines if line.get_marker() == "|"]
    assert 450.0 in marks and len(marks) == 4
    assert panels["energy"].get_xlabel() == "energy, J"
    assert panels["power"].get_xlabel() == "recorded energy over predicted time, W"
