"""Claims of sections 4.1 and 4.4 on what makes the gap, judged by its predicted split."""

from __future__ import annotations

import dataclasses

from .claim import INFINITE, Claim, Evidence, claim, most, ratios
from .gap import BLAS_SHARE, SYSTEM_SHARE, TIME
from .table import Row, Table


def gap_claims(table: Table) -> list[Claim]:
    """BLAS before system issues; who wins where memory suffices, and where CUDA must offload."""
    blas = _shares(table, BLAS_SHARE)
    primary = claim(
        "blas-primary",
        "The gap comes from BLAS kernels in the first place (primary factors).",
        blas,
        (0.5, 1.0),
        "matrix kernels and dtype support are more than half of all that changes in most cases",
    )
    system = _shares(table, SYSTEM_SHARE)
    secondary = claim(
        "system-secondary",
        "System issues (page faults, power, kernel launches) are secondary factors of the gap.",
        system,
        (0.0, 0.5),
        "launches, paging, transfers and power are less than half of all that changes in most "
        "cases",
    )
    return [
        dataclasses.replace(primary, verdict=most(blas, 0.5, 1.0)),
        dataclasses.replace(secondary, verdict=most(system, 0.0, 0.5)),
        claim(
            "gap-slower-with-enough-memory",
            "In steps, Apple's machines are slower than NVIDIA's where both have enough memory.",
            _apple_over_cuda(table, "1"),
            (1.0, INFINITE),
            "predicted time on Apple / on CUDA above 1 in every case of scenario 1",
        ),
        claim(
            "apple-faster-than-offloading",
            "Apple's machines are faster where the CUDA device has to offload.",
            _apple_over_cuda(table, "2"),
            (0.0, 1.0),
            "predicted time on Apple / on CUDA below 1 in every case of scenario 2",
        ),
    ]


def _shares(table: Table, quantity: str) -> list[Evidence]:
    return [
        Evidence(row.origin, row.what, row.value, row.lo, row.hi, row.source)
        for row in table.where(quantity=quantity)
        if row.value is not None
    ]


def _apple_over_cuda(table: Table, scenario: str) -> list[Evidence]:
    found = []
    for apple in table.where(quantity=TIME, side="apple", scenario=scenario):
        found.append((apple.point["title"], apple, _same(table, apple, side="nvidia")))
    return ratios(found)


def _same(table: Table, row: Row, **wanted: str) -> Row | None:
    rows = table.where(case=row.point["case"], **wanted)
    return rows[0] if rows else None
