"""Working sets of machines with another memory: those of the packaged machines that have it."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof._core import Number
from siliconprof.working_set import CAPACITY, LIMIT, part_of_another


@pytest.mark.parametrize("device", ["m4-max", "m4-pro", "m2-pro", "m1-pro", "m3-ultra"])
def test_a_working_set_follows_the_capacity_as_packaged_machines_have_it(device):
    mac = sp.device(device)
    for other in map(sp.device, sp.devices()):
        if LIMIT in other.numbers:
            found = mac.with_number(CAPACITY, other.numbers[CAPACITY].value).numbers[LIMIT]
            assert found.value == pytest.approx(other.numbers[LIMIT].value, rel=1e-6)
            assert found.relative_error == mac.numbers[LIMIT].relative_error


def test_two_thirds_end_at_36_gib():
    numbers = sp.device("m4-max").numbers
    assert part_of_another(36 * 2**30, numbers) == 2 / 3
    assert part_of_another(36 * 2**30 + 1, numbers) == 3 / 4


def test_another_part_than_the_rules_stays():
    numbers = dict(sp.device("m2-pro").numbers)
    limit = numbers[LIMIT]
    numbers[LIMIT] = Number(0.9 * numbers[CAPACITY].value, limit.kind, limit.source, 0.1)
    for capacity in (8e9, 128e9):
        assert part_of_another(capacity, numbers) == pytest.approx(0.9)


def test_a_working_set_that_was_set_stays():
    mac = sp.device("m2-max").with_number(LIMIT, 3e10)
    assert mac.with_number(CAPACITY, 1.2e11).numbers[LIMIT].value == 3e10
