from __future__ import annotations

import dataclasses

import pytest

from siliconprof.experiments import peer_claims
from siliconprof.experiments.simclr import EPOCH
from siliconprof.experiments.steps import ENERGY, TIME
from siliconprof.experiments.table import Row, Table


def rates(cuda, mlx):
    return {
        "torch-cuda": {"float32": cuda, "float16": cuda},
        "mlx": {"float32": mlx, "float16": mlx},
        "torch-mps": {"float32": 1.0, "float16": 1.0},
    }


def recorded(device, framework, quantity, value):
    point = {"quantity": quantity}
    return Row("recorded", device, framework, "w", value, "s", None, None, "s", point)


def verdict(judge, *rows):
    (claim,) = judge(Table("t", rows, {}, {}, ""))
    return claim.verdict


@pytest.mark.parametrize(("mlx", "verdict"), [(9.0, "holds"), (11.0, "fails")])
def test_mlx_is_below_cuda_in_half_precision(rate_table, pair_rates, mlx, verdict):
    (claim,) = peer_claims.half_peer_claims(rate_table(pair_rates(rates(10.0, mlx))))
    assert claim.verdict == verdict and len(claim.evidence) == 3


@pytest.mark.parametrize(("small", "verdict"), [(20.0, "holds"), (9.0, "fails")])
def test_one_place_where_mlx_is_faster_is_enough(rate_table, pair_rates, small, verdict):
    found = {**pair_rates(rates(10.0, small), (4,)), **pair_rates(rates(10.0, 5.0), (400,))}
    (claim,) = peer_claims.vector_peer_claims(rate_table(found))
    assert claim.verdict == verdict and len(claim.evidence) == 12


@pytest.mark.parametrize(("small", "verdict"), [(11.0, "holds"), (90.0, "fails")])
def test_small_gradients_are_alike_at_the_smallest_size(rate_table, pair_rates, small, verdict):
    found = {**pair_rates(rates(10.0, small), (4,)), **pair_rates(rates(10.0, 50.0), (400,))}
    (claim,) = peer_claims.small_peer_claims(rate_table(found))
    assert claim.verdict == verdict and len(claim.evidence) == 6


@pytest.mark.parametrize(("mps", "expected"), [(1.35, "holds"), (1.2, "fails")])
def test_the_lead_of_mlx_is_that_of_table_4(mps, expected):
    rows = [recorded("m2-max", "mlx", TIME, 1.0), recorded("m2-max", "torch-mps", TIME, mps)]
    assert verdict(peer_claims.lead_claims, *rows) == expected


@pytest.mark.parametrize(("joules", "expected"), [(60.0, "holds"), (90.0, "fails")])
def test_much_less_energy_is_a_quarter_less(joules, expected):
    rows = [recorded("rtx-a6000", "", ENERGY, 100.0), recorded("m2-max", "", ENERGY, joules)]
    assert verdict(peer_claims.a6000_energy_claims, *rows) == expected


@pytest.mark.parametrize(("epoch_s", "expected"), [(405.0, "holds"), (200.0, "fails")])
def test_the_m1_pro_is_behind_the_a6000_by_its_epoch(epoch_s, expected):
    rows = [recorded("rtx-a6000", "", EPOCH, 29.31), recorded("m1-pro", "", EPOCH, epoch_s)]
    assert verdict(peer_claims.a6000_epoch_claims, *rows) == expected


@pytest.mark.parametrize(("apple_s", "expected"), [(3.5, "holds"), (1.5, "fails")])
def test_a_mac_is_three_to_four_times_slower_than_the_card_of_its_price(apple_s, expected):
    point = {"quantity": TIME, "panel": "a1", "precision": "fp32"}
    rows = [
        dataclasses.replace(recorded(device, "", TIME, value), point=point)
        for device, value in (("rtx-4090", 1.0), ("m2-max", apple_s), ("m2-ultra", 9.0))
    ]
    assert verdict(peer_claims.price_claims, *rows) == expected


def test_without_rows_nothing_is_decided():
    assert verdict(peer_claims.lead_claims) == "undecided"
