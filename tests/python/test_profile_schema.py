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
        ("energy_joules", "much", "a number or null"),
        ("warmup_samples_s", [1, "2"], "a list of numbers"),
        ("environment", {"cpu": 3}, "an object of strings"),
        ("notes", "one", "a list of strings"),
        ("spans", {}, "a list"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_what_was_needed(content, key, value, needed):
    content[key] = value
    with pytest.raises(sp.RecordError, match=f"x.json: {key} = .*needed: .*{needed}"):
        check_document(content, "x.json")


@pytest.mark.parametrize(
    ("key", "value"),
    [("wall_s", None), ("interval_s", [1.0]), ("terms", [1]), ("matrix_flops", -2)],
)
def test_a_bad_value_in_a_span_is_named_with_its_place(content, key, value):
    content["spans"][1][key] = value
    with pytest.raises(sp.RecordError, match=rf"spans\[1\]\.{key} = "):
        check_document(content, "x.json")


def test_a_span_before_its_parent_is_refused(content):
    content["spans"][0]["parent"] = 1
    with pytest.raises(sp.RecordError, match=r"spans\[0\]\.parent = 1"):
        check_document(content, "x.json")
