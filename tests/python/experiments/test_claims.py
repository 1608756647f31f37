from __future__ import annotations

import inspect
import re
from importlib.resources import files

from siliconprof.experiments.claims import claims
from siliconprof.experiments.index import experiments


def test_every_table_is_judged_and_every_claim_has_numbers(still):
    tables = {entry.id: entry.run(entry.quick_parameters) for entry in experiments()}
    judged = claims(tables)
    assert len({claim.id for claim in judged}) == len(judged) >= 38
    assert all(claim.evidence for claim in judged)
    assert {claim.verdict for claim in judged} <= {"holds", "fails", "undecided"}


def test_a_quick_run_shows_its_numbers_and_judges_nothing(still):
    tables = {entry.id: entry.run(entry.quick_parameters) for entry in experiments()}
    judged, quick = claims(tables), claims(tables, quick=True)
    assert {claim.verdict for claim in quick} == {"undecided"}
    assert "holds" in {claim.verdict for claim in judged}
    for claim, same in zip(quick, judged):
        assert "Not judged: quick run" in claim.rule
        assert [e.value for e in claim.evidence] == [e.value for e in same.evidence]
        assert all(e.source.startswith("quick run") for e in claim.evidence)


def test_every_function_that_makes_claims_is_asked():
    folder = files("siliconprof.experiments")
    texts = [entry.read_text() for entry in folder.iterdir() if entry.name.endswith(".py")]
    made = {name for text in texts for name in re.findall(r"^def (\w+_claims)\(", text, re.M)}
    assert made
    assert made == set(re.findall(r"\w+_claims(?=\),)", inspect.getsource(claims)))


def test_without_tables_nothing_is_claimed():
    assert claims({}) == []
