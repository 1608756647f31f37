from __future__ import annotations

import json

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.profile_document import document, profile_from


def full_profile() -> sp.Profile:
    """A profile with every field set, and floats that short forms would change."""
    spans = [
        _core.Span("step", "step", "forward", -1, -1, 0.1 + 0.2, (0.1, 1 / 3), [0.1, 0.3, 1 / 3]),
        _core.Span("op", "op", "forward", 0, 0, 5e-324, None, [], None, 2**53 + 1, 3, 5, 7),
    ]
    return sp.Profile(
        "measured",
        "ä label",
        "here",
        "openblas",
        spans,
        statistic="mean",
        sampling="paper",
        stop_reason="all samples taken",
        warmup_samples_s=[0.7],
        peak_memory_bytes=2**40 + 1,
        peak_memory_interval_bytes=(2.0**39, 2.0**42 / 3),
        energy_joules=1.1,
        energy_interval_joules=(0.7, 4 / 3),
        counters=[
            _core.CounterReading("wall", "s", 1e-9),
            _core.CounterReading("energy", "J", None, "no RAPL", "level"),
        ],
        memory_timeline=[_core.MemoryPoint(0, {"input": 12, "activation": 3})],
        environment={"cpu": "x"},
        notes=["n"],
        source="s",
    )


def test_a_round_trip_through_json_is_exact():
    profile = full_profile()
    text = json.dumps(document(profile), allow_nan=False)
    assert profile_from(json.loads(text), "x.json") == profile


def test_a_prediction_with_terms_makes_the_round_trip():
    profile = sp.predict(sp.op("matmul", m=8, k=8, n=8, vjp=True), "rtx-a6000")
    assert profile_from(json.loads(json.dumps(document(profile))), "x.json") == profile


def test_a_file_of_before_there_were_intervals_of_memory_and_energy_is_read():
    content = document(full_profile())
    for key in ("peak_memory_interval_bytes", "energy_interval_joules"):
        del content[key]
    old = profile_from(content, "x.json")
    assert old.energy_joules == full_profile().energy_joules
    assert old.energy_interval_joules is old.peak_memory_interval_bytes is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("label", "other"),
        ("notes", []),
        ("energy_joules", None),
        ("energy_interval_joules", [0.7, 2.0]),
        ("peak_memory_interval_bytes", None),
    ],
)
def test_a_changed_field_is_a_different_profile(key, value):
    content = document(full_profile())
    content[key] = value
    assert profile_from(content, "x.json") != full_profile()


def test_what_the_core_refuses_is_named_with_the_file():
    content = document(sp.predict(sp.op("copy", n=8), "m2"))
    content["memory_timeline"][0]["by_role"] = {"activations": 3}
    with pytest.raises(sp.RecordError, match=r"x\.json.*activations"):
        profile_from(content, "x.json")


def test_a_profile_without_costs_makes_the_round_trip():
    profile = sp.load("table4").profiles()[0]
    content = json.loads(json.dumps(document(profile)))
    assert content["spans"][0]["matrix_flops"] is None
    assert profile_from(content, "x.json") == profile


def test_an_unknown_kind_of_span_is_refused():
    content = document(full_profile())
    content["spans"][0]["kind"] = "stepp"
    with pytest.raises(sp.Error, match="step"):
        profile_from(content, "x.json")
