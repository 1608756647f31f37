from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.cli.profile_argument import profile_of


def test_a_file_is_a_saved_profile(saved):
    path = saved(1.0)
    assert profile_of(str(path)) == sp.load(path)


@pytest.mark.parametrize("text", ["table4:2", "table4.csv:2"])
def test_a_table_and_a_row_are_one_of_its_times(text):
    assert profile_of(text) == sp.load("table4").profiles()[1]


def test_a_colon_in_a_files_name_is_no_row(saved):
    path = saved(1.0, "a:b.json")
    assert profile_of(str(path)) == sp.load(path)
    path = path.rename(path.with_name("a.json:1"))
    assert profile_of(str(path)) == sp.load(path)


def test_a_saved_profile_has_no_rows(saved):
    path = saved(1.0)
    with pytest.raises(sp.ArgumentError, match=r"json:1': needed: .*p.json', as a saved profile"):
        profile_of(f"{path}:1")
    with pytest.raises(sp.ArgumentError, match="a saved profile has no rows"):
        profile_of(f"{path}:x")


@pytest.mark.parametrize("row", ["", ":0", ":8", ":" + "9" * 30, ":", ":x", ":-1", ":1.5"])
def test_a_row_that_is_missing_or_not_there_lists_those_that_are(row):
    with pytest.raises(sp.ArgumentError, match=r"ROW from 1 to 7 .*2: gpt2-large.*torch-mps"):
        profile_of(f"table4{row}")


def test_a_long_table_is_listed_in_part():
    with pytest.raises(sp.ArgumentError) as caught:
        profile_of("m3max_ops")
    assert len(str(caught.value)) < 2000
    assert "…" in str(caught.value)


def test_a_table_without_times_says_so():
    with pytest.raises(sp.ArgumentError, match="no row of table 'table5' is a time"):
        profile_of("table5:1")


@pytest.mark.parametrize("text", ["", ":", ":1", "tabel4:1", "none.json"])
def test_what_is_neither_is_refused(text):
    with pytest.raises(sp.Error):
        profile_of(text)
