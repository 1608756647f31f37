from __future__ import annotations

import pytest

from siliconprof.experiments.claim import (
    Evidence,
    claim,
    every,
    most,
    quotient,
    ratio,
    ratios,
    some,
    within,
)
from siliconprof.experiments.table import Row


def number(value, lo=None, hi=None, origin="predicted") -> Row:
    return Row(origin, "d", "f", "w", value, "s", lo, hi, f"source of {value}")


def evidence(lo: float, hi: float) -> Evidence:
    return Evidence("predicted", "x", (lo + hi) / 2, lo, hi, "s")


def test_a_ratio_has_the_widest_interval_that_both_rows_allow():
    found = ratio("x", number(6.0, 5.0, 8.0), number(2.0, 1.0, 4.0))
    assert (found.value, found.lo, found.hi) == (3.0, 1.25, 8.0)


@pytest.mark.parametrize("origin", ["measured", "predicted"])
def test_only_a_recorded_number_is_exact_without_an_interval(origin):
    found = ratio("x", number(6.0, origin=origin), number(2.0, 1.0, 4.0))
    assert (found.value, found.lo, found.hi) == (3.0, None, None)
    assert within(found, 0.0, 100.0) == "undecided"
    assert every([found], 0.0, 100.0) == "undecided"


def test_two_predictions_say_that_their_errors_are_taken_as_independent():
    both = ratio("x", number(6.0, 5.0, 8.0), number(2.0, 1.0, 4.0))
    mixed = ratio("x", number(6.0, 5.0, 8.0), number(2.0, 1.0, 4.0, origin="measured"))
    assert "taken as independent" in both.source
    assert "independent" not in mixed.source


def test_a_quotient_of_ratios_names_each_source_once():
    one = ratio("x", number(6.0, 5.0, 8.0), number(2.0, 1.0, 4.0))
    found = quotient("y", one, one)
    assert (found.value, found.lo, found.hi) == (1.0, 1.25 / 8.0, 8.0 / 1.25)
    assert found.source.count("source of 6.0") == 1 and found.origin == "predicted"


def test_an_unjudged_claim_keeps_its_numbers_and_says_why():
    judged = claim("id", "Text.", [evidence(1.1, 1.9)], (1.0, 2.0), "within 1 to 2")
    found = judged.unjudged("quick run")
    assert (judged.verdict, found.verdict) == ("holds", "undecided")
    assert found.rule == "within 1 to 2. Not judged: quick run."
    assert found.evidence[0].source == "quick run; s"


def test_a_recorded_number_without_an_interval_stands_for_itself():
    found = ratio("x", number(6.0, origin="recorded"), number(2.0, 1.0, 4.0))
    assert (found.lo, found.hi) == (1.5, 6.0)
    assert found.origin == "predicted and recorded"


@pytest.mark.parametrize("rows", [(number(None), number(1.0)), (number(1.0), number(None))])
def test_a_missing_value_is_no_evidence(rows):
    assert ratio("x", *rows) is None
    assert ratios([("x", *rows), ("y", None, number(1.0))]) == []


@pytest.mark.parametrize(
    ("lo", "hi", "verdict"),
    [(1.1, 1.9, "holds"), (0.5, 1.5, "undecided"), (0.1, 0.9, "fails"), (2.1, 3.0, "fails")],
)
def test_an_interval_holds_inside_fails_outside_and_is_undecided_astride(lo, hi, verdict):
    assert within(evidence(lo, hi), 1.0, 2.0) == verdict


def test_all_numbers_must_hold_and_one_can_fail():
    inside, astride, outside = evidence(1.1, 1.9), evidence(0.5, 1.5), evidence(3.0, 4.0)
    assert every([inside, inside], 1.0, 2.0) == "holds"
    assert every([inside, astride], 1.0, 2.0) == "undecided"
    assert every([inside, astride, outside], 1.0, 2.0) == "fails"
    assert every([], 1.0, 2.0) == "undecided"


def test_most_is_more_than_half():
    inside, astride, outside = evidence(1.1, 1.9), evidence(0.5, 1.5), evidence(3.0, 4.0)
    assert most([inside, inside, outside], 1.0, 2.0) == "holds"
    assert most([inside, outside], 1.0, 2.0) == "fails"
    assert most([inside, astride], 1.0, 2.0) == "undecided"
    assert most([], 1.0, 2.0) == "undecided"


def test_a_claim_carries_its_numbers_and_its_rule():
    result = claim("id", "Text.", [evidence(1.1, 1.9)], (1.0, 2.0), "within 1 to 2").result()
    assert set(result) == {"id", "text", "verdict", "evidence"}
    assert result["verdict"] == "holds"
    assert result["text"] == "Text. Rule: within 1 to 2."
    assert result["evidence"][0]["lo"] == 1.1


def test_one_number_is_enough_where_some_are_claimed():
    good, bad, open_ = evidence(2, 3), evidence(0, 0.5), evidence(0.5, 2)
    assert some([bad, good], 1, 9) == "holds"
    assert some([bad, bad], 1, 9) == "fails"
    assert some([bad, open_], 1, 9) == some([], 1, 9) == "undecided"
