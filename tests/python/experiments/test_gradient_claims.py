from __future__ import annotations

import pytest

from siliconprof.experiments.gradient_claims import gradient_claims

AS_IN_THE_PAPER = {
    "torch-cuda": {"float32": 10.0, "float16": 55.0},
    "mlx": {"float32": 12.0, "float16": 24.0},
    "torch-mps": {"float32": 6.0, "float16": 12.0},
}


def verdicts(table) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in gradient_claims(table)}


def test_rates_as_the_paper_words_them_bear_out_every_claim(rate_table, pair_rates):
    found = verdicts(rate_table(pair_rates(AS_IN_THE_PAPER, (10, 20))))
    assert set(found.values()) == {"holds"} and len(found) == 5


def test_each_claim_can_fail(rate_table, pair_rates):
    turned = {
        "torch-cuda": {"float32": 10.0, "float16": 10.0},
        "mlx": {"float32": 5.0, "float16": 20.0},
        "torch-mps": {"float32": 6.0, "float16": 6.0},
    }
    assert set(verdicts(rate_table(pair_rates(turned))).values()) == {"fails"}


@pytest.mark.parametrize(("lead", "verdict"), [(1.05, "fails"), (1.11, "holds")])
def test_a_lead_of_less_than_a_tenth_is_not_clear(rate_table, pair_rates, lead, verdict):
    rates = {**AS_IN_THE_PAPER, "torch-mps": {"float32": 12.0 / lead, "float16": 12.0}}
    many_small_leads = pair_rates(AS_IN_THE_PAPER, (1, 2, 3, 4))
    found = verdicts(rate_table({**many_small_leads, **pair_rates(rates, (20,))}))
    assert found["vjp-mps-below-mlx"] == verdict


def test_the_largest_size_is_the_one_judged(rate_table, pair_rates):
    small = {name: {"float32": 1.0, "float16": 1.0} for name in AS_IN_THE_PAPER}
    rates = {**pair_rates(small, (10,)), **pair_rates(AS_IN_THE_PAPER, (20,))}
    found = verdicts(rate_table(rates))
    assert found["vjp-fp16-cuda"] == "holds"
