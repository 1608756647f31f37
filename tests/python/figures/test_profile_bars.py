from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.figures.profile_bars import MOST_KINDS, bars, together


def test_a_few_ops_have_a_bar_each_in_their_order():
    profile = sp.predict(sp.op("matmul", m=64, k=64, n=64, vjp=True), "m2-ultra")
    found = bars(profile)
    ops = [span for span in profile.spans if span.kind == "op"]
    assert [bar.label for bar in found] == [op.name for op in ops]
    assert [bar.interval_s for bar in found] == [op.interval_s for op in ops]


def test_a_recorded_time_has_the_bar_of_its_step():
    (bar,) = bars(sp.load("table4").profiles()[0])
    assert (bar.label, bar.wall_s) == ("step", 2.71)


def test_many_ops_have_a_bar_for_each_of_the_longest_kinds():
    profile = sp.predict(sp.workload("gpt2-small", batch=2, seq=64), "h200")
    found = bars(profile)
    assert len(found) == MOST_KINDS + 1
    assert {"embedding, forward (1 call)", "attention_qkv, forward (12 calls)"} <= {
        bar.label for bar in found
    }
    times = [bar.wall_s for bar in found[:-1]]
    assert times == sorted(times, reverse=True)
    assert found[-1].label.startswith("all others (")
    assert sum(bar.wall_s for bar in found) == pytest.approx(profile.time_s)
    for term, seconds in profile.terms.items():
        assert sum(bar.terms[term] for bar in found) == pytest.approx(seconds, abs=1e-12)


def test_samples_of_calls_are_added_step_by_step():
    calls = [
        _core.Span("copy", "op", "forward", 0, place, 2.0, (1.0, 3.0), [place + 1.0, place + 2.0])
        for place in range(2)
    ]
    bar = together("both", calls)
    assert (bar.wall_s, list(bar.samples_s), bar.interval_s) == (4.0, [3.0, 5.0], None)
