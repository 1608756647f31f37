from __future__ import annotations

from html.parser import HTMLParser

import pytest

import siliconprof as sp
from siliconprof.overview import Overview, of_profile


class Tags(HTMLParser):
    """What is open, what was said, and cells by row."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.rows = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append(0)
        self.rows[-1:] = [self.rows[-1] + (tag in ("td", "th"))] if self.rows else []
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def shown():
    step = sp.workload("gpt2-small", layers=1, batch=1, seq=8)
    mac, card = sp.predict(step, "m2-ultra", "mlx"), sp.predict(step, "h200")
    return [mac, sp.compare(mac, card), sp.explain(step, "m2-ultra/mlx", "h200")]


@pytest.mark.parametrize("index", range(3))
def test_a_notebook_gets_a_whole_table(index):
    found = Tags(shown()[index]._repr_html_())
    assert not found.open and len(found.rows) > 5 and len(set(found.rows)) == 1


def test_it_says_what_a_command_prints():
    profile = shown()[0]
    overview = of_profile(profile)
    words = Tags(profile._repr_html_()).words
    expected = [overview.heading, overview.below, *(cell for row in overview.rows for cell in row)]
    assert set(filter(None, expected)) <= set(words)


def test_words_are_no_markup_and_numbers_stand_right():
    text = Overview("<b>", ("", "value"), [("a & b", "1 s")], notes=["x < y"]).html()
    assert "&lt;b&gt;" in text and "a &amp; b" in text and "x &lt; y" in text
    assert '<td style="text-align: right">1 s</td>' in text
    assert '<td style="text-align: left">a &amp; b</td>' in text
