from __future__ import annotations

import pytest

from siliconprof.experiments.claim import FAILS, HOLDS, UNDECIDED
from siliconprof.experiments.gap import BLAS_SHARE, SYSTEM_SHARE, TIME
from siliconprof.experiments.gap_claims import gap_claims
from siliconprof.experiments.table import Row, Table


def row(case, quantity, value, lo, hi, **more) -> Row:
    point = {"case": case, "title": f"case {case}", "quantity": quantity, **more}
    return Row("predicted", "m2-ultra", "mlx", quantity, value, "1", lo, hi, "made", point)


def judged(*rows: Row) -> dict[str, str]:
    table = Table("gap", rows, {}, {}, "today")
    return {claim.id: claim.verdict for claim in gap_claims(table)}


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([(0.8, 0.7, 0.9), (0.9, 0.6, 1.0), (0.2, 0.1, 0.3)], HOLDS),
        ([(0.3, 0.2, 0.4), (0.1, 0.0, 0.2), (0.9, 0.8, 1.0)], FAILS),
        ([(0.8, 0.3, 0.9), (0.6, 0.4, 0.7)], UNDECIDED),
    ],
)
def test_blas_is_primary_where_it_is_most_of_what_changes_in_most_cases(shares, verdict):
    rows = [row(case, BLAS_SHARE, *share) for case, share in enumerate(shares)]
    assert judged(*rows)["blas-primary"] == verdict


def test_a_machine_is_slower_where_the_whole_interval_says_so():
    def times(apple_lo):
        nvidia = row(0, TIME, 1.0, 0.9, 1.1, side="nvidia", scenario="1")
        return nvidia, row(0, TIME, 2.0, apple_lo, 3.0, side="apple", scenario="1")

    assert judged(*times(1.5))["gap-slower-with-enough-memory"] == HOLDS
    assert judged(*times(0.8))["gap-slower-with-enough-memory"] == UNDECIDED


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([(0.1, 0.0, 0.2), (0.2, 0.1, 0.4), (0.9, 0.8, 1.0)], HOLDS),
        ([(0.7, 0.6, 0.8), (0.8, 0.7, 0.9), (0.1, 0.0, 0.2)], FAILS),
        ([(0.4, 0.2, 0.6)], UNDECIDED),
    ],
)
def test_system_issues_are_secondary_where_they_are_less_than_half_in_most_cases(shares, verdict):
    rows = [row(case, SYSTEM_SHARE, *share) for case, share in enumerate(shares)]
    assert judged(*rows)["system-secondary"] == verdict


@pytest.mark.parametrize(
    ("nvidia", "verdict"), [((2.0, 1.9, 2.1), HOLDS), ((0.5, 0.4, 0.6), FAILS)]
)
def test_who_wins_where_cuda_offloads_is_judged(nvidia, verdict):
    rows = [
        row(0, TIME, *nvidia, side="nvidia", scenario="2"),
        row(0, TIME, 1.0, 0.9, 1.1, side="apple", scenario="2"),
    ]
    assert judged(*rows)["apple-faster-than-offloading"] == verdict
