from __future__ import annotations

import dataclasses
import re

import pytest

from siliconprof.experiments.claim import Claim, Evidence
from siliconprof.experiments.index import experiment
from siliconprof.experiments.table import Row, Table
from siliconprof.report_page import Section, page


def section(source: str = "median of 9") -> Section:
    rows = (
        Row("measured", "here", "openblas", "matvec, time", 0.0012, "s", 0.001, 0.0014, source),
        Row("predicted", "m2-pro", "mlx", "matvec, time", None, "s", None, None, "no such dtype"),
    )
    table = Table("figure6", rows, {"cpu": "x"}, {"budget_s": "1"}, "2025-01-02T03:04:05+00:00")
    return Section(experiment("figure6"), table, "<svg id='light'/>", "<svg id='dark'/>")


def judged(verdict: str) -> Claim:
    evidence = Evidence("predicted", "a / b", 1.5, 1.2, 1.8, "s")
    return Claim(f"id-{verdict}", f"Text {verdict}.", "Rule.", verdict, (evidence,))


@pytest.fixture
def html():
    claims = [judged("holds"), judged("holds"), judged("fails"), judged("undecided")]
    return page([section()], claims, {"cpu": "Fast CPU", "cores": "2"}, "1.2.3", quick=True)


def test_the_page_loads_nothing_from_anywhere(html):
    assert not re.search(r"""(src|href|srcset)=["'](?!#|data:)""", html)
    assert "@import" not in html and "url(" not in html
    assert "<script" not in html


def test_every_row_has_its_origin_value_interval_and_source(html):
    assert "1.2 ms" in html and "1 ms – 1.4 ms" in html and "median of 9" in html
    assert 'class="badge measured"' in html and 'class="badge predicted"' in html


def test_a_missing_value_is_a_dash_with_its_reason(html):
    assert re.search(r">–</td>.*no such dtype", html)


def test_claims_are_shown_with_verdict_rule_and_numbers(html):
    for verdict in ("holds", "fails", "undecided"):
        assert f'<span class="verdict {verdict}">{verdict}</span>' in html
    assert '<p class="rule">Rule: Rule.</p>' in html
    assert "<b>2</b> <span>claims hold" in html
    assert "1.2 – 1.8" in html


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name(html):
    scrolled = re.findall(r'<div class="scroll"([^>]*)>', html)
    assert len(scrolled) == 5
    assert all('tabindex="0" role="region" aria-label="' in rest for rest in scrolled)
    assert "<th>" not in html and '<th scope="col">' in html


@pytest.mark.parametrize(("count", "text"), [(1, "(1 number, "), (2, "(2 numbers, ")])
def test_evidence_is_counted_as_numbers_for_not_all_are_ratios(count, text):
    claim = dataclasses.replace(judged("holds"), evidence=judged("holds").evidence * count)
    assert text in page([section()], [claim], {"cpu": "x", "cores": "2"}, "1", quick=False)


def test_navigation_leads_to_every_section(html):
    targets = re.findall(r'href="#([\w-]+)"', html)
    assert {"figure6", "claims", "machine", "read"} <= set(targets)
    assert all(f'id="{target}"' in html for target in targets)


def test_a_number_without_an_interval_says_that_it_decides_nothing():
    evidence = Evidence("measured", "a / b", 1.5, None, None, "s")
    claim = Claim("id", "Text.", "Rule.", "undecided", (evidence,))
    html = page([section()], [claim], {"cpu": "x", "cores": "2"}, "1", quick=False)
    assert "none: decides nothing" in html
    assert "takes the errors of both sides as independent" in html


def test_a_section_without_an_item_of_the_paper_is_named_by_its_title():
    own = dataclasses.replace(section(), experiment=experiment("speed"))
    html = page([own], [], {"cpu": "x", "cores": "2"}, "1", quick=False)
    assert '<a href="#speed">The library\'s own speed</a>' in html.replace("&#39;", "'")


def test_a_quick_report_says_so():
    def quick(value):
        return page([section()], [], {"cpu": "x", "cores": "2"}, "1", quick=value)

    assert "--quick" in quick(True)
    assert "--quick" not in quick(False)


def test_text_of_files_cannot_become_markup():
    made = section("<script>alert(1)</script>")
    html = page([made], [], {"cpu": "x", "cores": "2"}, "1", quick=False)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_figure_keeps_the_size_of_its_text_and_scrolls_by_keyboard(html):
    (figure,) = re.findall(r"<figure[^>]*>", html)
    assert 'tabindex="0"' in figure and 'aria-label="' in figure
    # 12.4 inches: 5 rem an inch at least, 7.5 at most.
    assert 'style="min-width: 62rem; max-width: 93rem"' in html


def test_a_printed_page_has_whole_figures_and_all_numbers(html):
    (printed,) = re.findall(r"@media print \{(.*?)\n\}", html, re.DOTALL)
    # The least width that keeps a figure's text readable on a screen is wider than paper.
    assert "figure img { min-width: 0 !important; max-width: 100% !important; }" in printed
    assert "details::details-content { display: block; content-visibility: visible; }" in printed
    assert "max-height: none" in printed


def test_the_first_link_skips_the_contents(html):
    first = re.search(r'<a [^>]*href="#([\w-]+)"[^>]*>([^<]+)', html)
    assert first.groups() == ("read", "Skip the contents")


def test_claims_are_found_by_their_verdict(html):
    for verdict in ("holds", "fails", "undecided"):
        assert f'<a href="#claim-id-{verdict}">id-{verdict}</a>' in html


def test_a_claim_without_numbers_has_no_table():
    claim = Claim("id", "Text.", "Rule.", "undecided", ())
    html = page([section()], [claim], {"cpu": "x", "cores": "2"}, "1", quick=False)
    assert "no numbers" in html and "Evidence: Text." not in html


def test_facts_of_the_machine_are_for_readers():
    facts = {"cpu": "x", "cores": "2", "memory_bytes": "25276510208", "cpu_governor": "none"}
    html = page([section()], [], facts, "1", quick=False)
    assert "<dt>memory</dt><dd>25.3 GB</dd>" in html and "<dt>cpu governor</dt>" in html


def test_a_recorded_number_has_the_digits_that_were_printed():
    row = Row("recorded", "m2-ultra", "torch-mps", "pass", 3.239, "s", None, None, "Table 4")
    table = dataclasses.replace(section().table, rows=(row,))
    made = dataclasses.replace(section(), table=table)
    assert ">3.239 s<" in page([made], [], {"cpu": "x", "cores": "2"}, "1", quick=False)
