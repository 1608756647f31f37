from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.profile_document import document
from siliconprof.profile_schema import check_document


@pytest.fixture
def content():
    return document(sp.predict(sp.op("matvec", m=8, n=8), "m2-pro"))


def test_a_written_document_passes(content):
    check_document(content, "x.json")


@pytest.mark.parametrize("content", [None, [], 3, "text"])
def test_what_is_no_object_is_refused(content):
    with pytest.raises(sp.RecordError, match=r"x.json: the document.*needed: an object"):
        check_document(content, "x.json")


def test_another_format_is_refused(content):
    content["format"] = "siliconprof-table"
    with pytest.raises(sp.RecordError, match="format = 'siliconprof-table'"):
        check_document(content, "x.json")


def test_an_unknown_version_is_refused_with_the_one_that_is_read(content):
    content["version"] = 99
    with pytest.raises(sp.RecordError, match="version = 99; needed: 1"):
        check_document(content, "x.json")


@pytest.mark.parametrize("key", ["origin", "spans", "counters", "environment"])
def test_a_missing_key_is_named(content, key):
    del content[key]
    with pytest.raises(sp.RecordError, match=f"x.json: {key} is missing"):
        check_document(content, "x.json")


def test_an_unknown_key_is_named(content):
    content["colour"] = "red"
    with pytest.raises(sp.RecordError, match="unknown key colour"):
        check_document(content, "x.json")


@pytest.mark.parametrize(
    ("key", "value", "needed"),
    [
        ("origin", "guessed", "measured, predicted or recorded"),
        ("label", 3, "a string"),
        ("peak_memory_bytes", -1, "zero or more"),
        ("peak_memory_bytes", 1.5, "a whole number"),
        ("energy_joules", "much", "a finite number, zero or more or null"),
        ("energy_joules", -1.0, "zero or more"),
        ("peak_memory_bytes", 2**63, "below 2.63"),
        (
            "peak_memory_interval_bytes",
            [1.0],
            "zero or more, below 2.64, or null",
        ),
        ("peak_memory_interval_bytes", [0.0, 1e30], "below 2.64"),
        ("energy_interval_joules", [-1.0, 1.0], "a pair of finite numbers"),
        ("energy_interval_joules", 1.0, "a pair of finite numbers"),
        ("label", "\ud800", "without lone surrogates"),
        ("statistic", "mode", "median, mean or unstated"),
        ("warmup_samples_s", [1, "2"], "a list of finite times"),
        ("warmup_samples_s", [-1], "a list of finite times"),
        ("environment", {"\ud800": "x"}, "an object of strings"),
        ("spans", [], "at least the step's span"),
        ("counters", [3], "an object"),
        ("environment", {"cpu": 3}, "an object of strings"),
        ("notes", "one", "a list of strings"),
        ("spans", {}, "a list"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_what_was_needed(content, key, value, needed):
    content[key] = value
    with pytest.raises(sp.RecordError, match=rf"x.json: {key}\S* = .*needed: .*{needed}"):
        check_document(content, "x.json")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "stepp"),
        ("phase", "forwards"),
        ("wall_s", None),
        ("wall_s", -1.0),
        ("wall_s", float("inf")),
        ("wall_s", 10**400),
        ("wall_s", 1e300),
        ("wall_s", True),
        ("call", 2**31),
        ("call", -2),
        ("interval_s", [1.0]),
        ("interval_s", [2.0, 1.0]),
        ("interval_s", [1e3, 1e4]),
        ("samples_s", [-1.0]),
        ("samples_s", [float("inf")]),
        ("terms", [1]),
        ("terms", {"matrix": -1.0}),
        ("terms", {"matrices": 1.0}),
        ("matrix_flops", -2),
        ("matrix_flops", 2**63),
        ("bytes_read", None),
    ],
)
def test_a_bad_value_in_a_span_is_named_with_its_place(content, key, value):
    content["spans"][1][key] = value
    with pytest.raises(sp.RecordError, match=rf"spans\[1\]\.{key} = "):
        check_document(content, "x.json")


@pytest.mark.parametrize(
    ("key", "interval", "value"),
    [
        ("energy_joules", "energy_interval_joules", 1.5),
        ("peak_memory_bytes", "peak_memory_interval_bytes", 640),
    ],
)
def test_an_interval_that_does_not_hold_its_value_is_refused(content, key, interval, value):
    needed = rf"needed: low, then high end, with {key} = {value} between them"
    for low, high in ((0.5, 0.9), (1.1, 2.0), (2.0, 0.5)):
        content |= {key: value, interval: [low * value, high * value]}
        with pytest.raises(sp.RecordError, match=rf"x.json: {interval} = \[.*{needed}"):
            check_document(content, "x.json")
    for held in (None, [value, value], [0, value], [value * (1 + 1e-12), 2 * value]):
        check_document({**content, interval: held}, "x.json")
    check_document({**content, key: None, interval: None}, "x.json")


@pytest.mark.parametrize(
    ("kind", "call", "needed"),
    [
        ("op", -1, "0 to 0, the place of a call"),
        ("op", 1, "0 to 0, the place of a call"),
        ("phase", 0, "-1, as this span is a phase's"),
        ("step", 0, "-1, as this span is a step's"),
    ],
)
def test_a_call_that_the_trace_does_not_have_is_refused(content, kind, call, needed):
    (index,) = [place for place, span in enumerate(content["spans"]) if span["kind"] == kind]
    content["spans"][index]["call"] = call
    with pytest.raises(sp.RecordError, match=rf"spans\[{index}\]\.call = {call}; needed: {needed}"):
        check_document(content, "x.json")


def test_a_prediction_without_an_interval_is_refused(content):
    content["spans"][0]["interval_s"] = None
    with pytest.raises(sp.RecordError, match=r"interval_s = None; needed: an interval"):
        check_document(content, "x.json")


@pytest.mark.parametrize(("index", "parent"), [(1, -1), (1, 1), (1, 2**31)])
def test_a_second_root_and_a_parent_that_is_no_earlier_span_are_refused(content, index, parent):
    content["spans"][index]["parent"] = parent
    with pytest.raises(sp.RecordError, match=rf"spans\[1\]\.parent = {parent}"):
        check_document(content, "x.json")


def test_a_counter_of_an_unknown_kind_is_refused(content):
    content["counters"] = [
        {"name": "x", "unit": "s", "value": 1.0, "reason": "", "kind": "sum"},
    ]
    with pytest.raises(sp.RecordError, match=r"counters\[0\]\.kind = 'sum'; needed: delta"):
        check_document(content, "x.json")


def test_a_measured_time_may_stand_at_an_end_of_its_interval(content):
    content["spans"][1]["interval_s"] = [content["spans"][1]["wall_s"]] * 2
    check_document(content, "x.json")


def test_a_span_before_its_parent_is_refused(content):
    content["spans"][0]["parent"] = 1
    with pytest.raises(sp.RecordError, match=r"spans\[0\]\.parent = 1"):
        check_document(content, "x.json")
