from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.names import nearest_of, nearest_valid, unknown_name


def test_the_message_names_the_value_the_nearest_and_all_that_exist():
    error = unknown_name("engine", "openbals", ["eigen", "openblas"])
    assert "unknown engine 'openbals'" in str(error)
    assert "did you mean 'openblas'" in str(error)
    assert "eigen, openblas" in str(error)


def test_what_may_stand_in_place_of_a_name_is_said():
    error = unknown_name("device", "x", ["m2"], "the path of a file")
    assert str(error).endswith("(there are: m2; or the path of a file)")


@pytest.mark.parametrize("found", [None, 3, "\ud800", pytest.param("x" * 10**6, id="long")])
def test_no_value_breaks_the_message(found):
    text = str(unknown_name("engine", found, ["eigen"]))
    assert len(text) < 200
    assert "did you mean" not in text


def test_names_that_nobody_types_are_near_nothing():
    assert nearest_of("read", ["\ud800", "reed"]) == ["reed"]
    assert nearest_of("\ud800", ["reed"]) == nearest_of("x" * 10**6, ["reed"]) == []


def test_the_nearest_valid_names_or_all_of_them_end_a_message():
    assert nearest_valid("titel", ["title", "read"]) == "nearest valid: title"
    assert nearest_valid("zzzzzzzz", ["title", "read"]) == "valid: title, read"
    assert nearest_valid(["read"], ["title", "read"]) == "valid: title, read"
    assert nearest_valid("read", []) == "valid: none"


def test_the_error_is_a_lookup_error_and_ours():
    with pytest.raises(LookupError):
        raise unknown_name("engine", "x", [])
    assert isinstance(unknown_name("engine", "x", []), sp.Error)
