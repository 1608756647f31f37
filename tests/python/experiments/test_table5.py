from __future__ import annotations

import pytest

from siliconprof.experiments.step_claims import energy_claims
from siliconprof.experiments.table5 import POWER, Params, run


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
