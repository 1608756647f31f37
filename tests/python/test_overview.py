from __future__ import annotations

import siliconprof as sp
from siliconprof import _core
from siliconprof.overview import of_causes, of_gap, of_profile, phases_of, residual_reason
from siliconprof.quantity import scaled


def step(**given):
    return sp.workload("gpt2-small", layers=1, batch=1, seq=8, **given)


def test_a_prediction_at_a_glance():
    profile = sp.predict(step(), "h200")
    found = of_profile(profile, "fits in it")
    assert found.heading == profile.work and found.below == "predicted · h200 · torch-cuda"
    rows = {name: (value, how) for name, value, how in found.rows}
    low, high = (scaled(end, "s") for end in profile.interval)
    assert rows["time"] == (scaled(profile.time_s, "s"), f"{low} to {high}")
    assert rows["peak memory"][1].endswith("; fits in it")
    assert " to " in rows["energy"][1] and rows["optimizer"][0]
    assert all(any(note in line for line in found.notes) for note in profile.notes)


def test_what_a_profile_lacks_is_not_in_its_rows():
    recorded = sp.load("table4").profiles()[0]
    found = of_profile(recorded)
    assert [name for name, _, _ in found.rows] == ["time"]
    assert found.rows[0][2] == f"no interval: {recorded.reason('interval')}"
    assert f"source: {recorded.source}" in found.notes


def test_a_measured_one_says_how_many_samples_it_is_of():
    found = of_profile(sp.run(sp.op("copy", n=8), sampling=sp.Sampling.fixed(1)))
    assert found.notes[0] == "median of 1 sample; count: 1 samples as the rule asks"


def test_counts_have_their_unit_and_parts_have_none():
    span = _core.Span("step", "step", "forward", -1, -1, 1.0, None, [1.0])
    readings = [
        _core.CounterReading("page_faults", "count", 1e3),
        _core.CounterReading("minor_faults", "count", 70456412.3),
        _core.CounterReading("sustained_clock", "1", 0.875, kind="level"),
    ]
    made = sp.Profile("measured", "t", "cpu", "openblas", [span], counters=readings)
    rows = {name: value for name, value, _ in of_profile(made).rows}
    assert (rows["page_faults"], rows["sustained_clock"]) == ("1,000 count", "0.875")
    assert rows["minor_faults"] == "70,456,412 count"


def test_a_gap_sums_calls_of_an_operation_and_shows_them_all_when_asked():
    sides = sp.predict(step(), "m2-ultra", "mlx"), sp.predict(step(), "h200")
    gap = sp.compare(*sides)
    found = of_gap(gap, phases_of(sides))
    assert found.heading.startswith(f"{gap.verdict}: ratio ")
    assert [row[0] for row in found.rows[:3]] == ["forward", "backward", "optimizer"]
    assert len(found.rows) == 3 + 20 and "left out" in found.notes[0]
    assert len(of_gap(gap, every=True).rows) == len(gap.rows)
    summed = [row for row in of_gap(gap).rows if " x " in row[0]]
    assert summed, "layer norms are called more than once"


def test_a_phase_that_one_side_does_not_tell_has_no_difference():
    told = sp.predict(step(), "m2-ultra", "mlx")
    whole = sp._core.Span("step", "step", "forward", -1, -1, told.time_s)
    other = sp.Profile("recorded", "x", "m2-ultra", "mlx", [whole], source="S (2026), x")
    lines = list(phases_of((told, other)))
    assert [(line[3], line[4]) for line in lines] == [(None, None)] * 3
    assert [row[4] for row in of_gap(sp.compare(told, other), lines).rows[:3]] == ["–"] * 3


def test_what_differs_by_the_order_of_additions_alone_differs_by_nothing():
    """An optimizer's time doesn't go by the batch."""
    sides = [sp.predict(sp.workload("gpt2-small", batch=batch), "h200") for batch in (4, 8)]
    updates = [
        line
        for line in of_gap(sp.compare(*sides), phases_of((sides[0], sides[1])), every=False).rows
        if line[0].startswith(("optimizer", "adamw"))
    ]
    assert updates and {line[4] for line in updates} == {"0 s"}


def test_causes_split_further_sum_to_the_gap_and_say_why_there_is_no_residual():
    causes = sp.explain(step(), "m2-ultra/mlx", "h200")
    plain, split = of_causes(causes), of_causes(causes, "phase")
    assert [row[0] for row in plain.rows] == [*_core.cause_names(), "sum: the gap"]
    assert len(split.rows) > len(plain.rows) and plain.rows[-1][2] == "100 %"
    vectors = next(t for t in causes.terms if t.name == "vector kernels and bandwidth")
    largest = sorted(vectors.by_phase, key=lambda name: -abs(vectors.by_phase[name]))
    place = [row[0] for row in split.rows].index(vectors.name) + 1
    assert [row[0] for row in split.rows[place : place + 3]] == [f"  {n}" for n in largest]
    assert plain.notes[0] == f"residual: none; {residual_reason(causes)}"
    measured = sp.explain(step(), "m2-ultra/mlx", "h200", measured=(2.0, 1.0))
    assert residual_reason(measured) is None
    assert of_causes(measured).notes[0].startswith("residual, measured less predicted: ")
