from __future__ import annotations

import pytest

from siliconprof.experiments.product_claims import product_claims

AS_IN_THE_PAPER = {
    "torch-cuda": {"float32": 10.0, "float16": 50.0},
    "mlx": {"float32": 9.0, "float16": 11.25},
    "torch-mps": {"float32": 8.0, "float16": 8.4},
}


def verdicts(table) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in product_claims(table)}


def test_rates_as_the_paper_words_them_bear_out_every_claim(rate_table, pair_rates):
    found = verdicts(rate_table(pair_rates(AS_IN_THE_PAPER)))
    assert set(found.values()) == {"holds"} and len(found) == 5


def test_wide_intervals_leave_narrow_claims_undecided(rate_table, pair_rates):
    found = verdicts(rate_table(pair_rates(AS_IN_THE_PAPER), spread=0.2))
    assert found["gemm-fp16-mlx"] == "undecided"
    assert found["gemm-fp16-cuda"] == "holds"


@pytest.mark.parametrize(
    ("framework", "rates", "id"),
    [
        ("torch-cuda", {"float32": 10.0, "float16": 11.0}, "gemm-fp16-cuda"),
        ("mlx", {"float32": 9.0, "float16": 18.0}, "gemm-fp16-mlx"),
        ("torch-mps", {"float32": 8.0, "float16": 16.0}, "gemm-fp16-mps"),
        ("mlx", {"float32": 30.0, "float16": 37.5}, "gemm-fp32-comparable"),
        ("torch-mps", {"float32": 8.0, "float16": 20.0}, "gemm-fp16-mlx-over-mps"),
    ],
)
def test_each_claim_can_fail(rate_table, pair_rates, framework, rates, id):
    table = rate_table(pair_rates({**AS_IN_THE_PAPER, framework: rates}))
    assert verdicts(table)[id] == "fails"
