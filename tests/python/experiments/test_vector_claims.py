from __future__ import annotations

from siliconprof.experiments.vector_claims import vector_claims

SMALL = {
    framework: {"float32": 1.0, "float16": 1.0} for framework in ("torch-cuda", "mlx", "torch-mps")
}
LARGE = {framework: {"float32": 10.0, "float16": 20.0} for framework in SMALL}


def verdicts(table) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in vector_claims(table)}


def test_rates_as_the_paper_words_them_bear_out_every_claim(rate_table, pair_rates):
    rates = {**pair_rates(SMALL, (4,)), **pair_rates(LARGE, (400,))}
    assert verdicts(rate_table(rates)) == {
        "gemv-fp16-small": "holds",
        "gemv-fp16-large": "holds",
        "gemv-mps-like-mlx": "holds",
    }


def test_each_claim_can_fail(rate_table, pair_rates):
    large = {**LARGE, "torch-mps": {"float32": 2.0, "float16": 2.0}}
    rates = {**pair_rates(LARGE, (4,)), **pair_rates(large, (400,))}
    assert set(verdicts(rate_table(rates)).values()) == {"fails"}
