from __future__ import annotations

from siliconprof.experiments.claims import claims
from siliconprof.experiments.index import experiments


def test_every_table_is_judged_and_every_claim_has_numbers(still):
    tables = {entry.id: entry.run(entry.quick_parameters) for entry in experiments()}
    judged = claims(tables)
    assert len({claim.id for claim in judged}) == len(judged) == 16
    assert all(claim.evidence for claim in judged)
    assert {claim.verdict for claim in judged} <= {"holds", "fails", "undecided"}


def test_without_tables_nothing_is_claimed():
    assert claims({}) == []
