from __future__ import annotations

import errno
import math
import os

import pytest

import siliconprof as sp
from siliconprof.store import check_path, load, save, to_json


@pytest.fixture
def profile():
    return sp.predict(sp.op("matmul", m=8, k=8, n=8), "m2-ultra")


@pytest.fixture
def saved(tmp_path, profile):
    path = tmp_path / "p.json"
    save(profile, path)
    return path


def test_a_saved_profile_reads_back_equal(saved, profile):
    assert load(saved) == profile
    assert load(str(saved)) == profile


def test_the_document_is_one_line_ended_text(saved, profile):
    assert saved.read_text() == to_json(profile) + "\n"


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_a_truncated_file_is_refused_with_its_name(saved, part):
    text = saved.read_text().rstrip()
    saved.write_text(text[: int(len(text) * part)])
    with pytest.raises(sp.RecordError, match=r"p.json: not a whole JSON document"):
        load(saved)


def test_a_binary_file_is_refused_with_its_name(saved):
    saved.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(sp.RecordError, match=r"p.json: not a text file"):
        load(saved)


def test_not_a_number_is_refused(saved):
    saved.write_text(saved.read_text().replace('"wall_s": ', '"wall_s": NaN, "x": ', 1))
    with pytest.raises(sp.RecordError, match="NaN is no JSON number"):
        load(saved)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(sp.RecordError, match=r"none.json: cannot be read: No such file"):
        load(tmp_path / "none.json")


def test_a_directory_in_place_of_a_file_is_named(tmp_path):
    (tmp_path / "d.json").mkdir()
    with pytest.raises(sp.RecordError, match=r"d.json: cannot be read"):
        load(tmp_path / "d.json")


def test_an_unreadable_file_is_named(saved, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("pathlib.Path.read_text", refuse)
    with pytest.raises(sp.RecordError, match=r"p.json: cannot be read: Permission denied"):
        load(saved)


def test_a_full_disk_leaves_the_saved_profile(saved, profile, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    other = sp.predict(sp.op("matmul", m=9, k=8, n=8), "m2-ultra")
    with pytest.raises(sp.Error, match=r"p.json: No space left on device"):
        save(other, saved)
    monkeypatch.undo()
    assert load(saved) == profile


@pytest.mark.parametrize("name", ["p.txt", "p.prof", "p.json.old"])
def test_any_suffix_but_a_tables_is_a_profiles(tmp_path, profile, name):
    save(profile, tmp_path / name)
    assert load(tmp_path / name) == profile


@pytest.mark.parametrize("name", ["p.csv", "table4", ".json"])
def test_a_name_that_would_be_read_as_a_table_is_refused(tmp_path, profile, name):
    with pytest.raises(sp.ArgumentError, match=rf"{name}'.*a suffix such as .json"):
        save(profile, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.safetensors", "a.npz", "a.toml", "a.py", "a.PY"])
def test_a_name_of_another_kind_of_file_is_refused(tmp_path, profile, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(sp.ArgumentError, match=rf"{name}'.*a suffix such as .json; a \.\w+ file"):
        save(profile, tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_that_is_no_profile_is_named_as_it_is(tmp_path):
    path = tmp_path / "here.prof"
    path.write_text("what,device\n")
    with pytest.raises(sp.RecordError, match=r"here\.prof: not a whole JSON document"):
        load(path)


BAD_PATHS = [3, None, b"p.json", "", "a\0.json", "\ud800.json", ["p.json"]]


@pytest.mark.parametrize("path", BAD_PATHS)
def test_what_is_no_path_is_refused(profile, path):
    with pytest.raises(sp.ArgumentError, match=r"\[load\] path = .*a path"):
        load(path)
    with pytest.raises(sp.ArgumentError, match=r"\[save\] path = .*a path"):
        save(profile, path)


def test_a_name_that_is_too_long_is_refused(profile):
    name = "x" * 300 + ".json"
    with pytest.raises(sp.RecordError, match="too long"):
        load(name)
    with pytest.raises(sp.Error, match="too long"):
        save(profile, name)


def test_a_key_that_stands_twice_is_named(saved):
    saved.write_text(saved.read_text().replace('"label":', '"label": "x", "label":', 1))
    with pytest.raises(sp.RecordError, match=r"p.json: key 'label' stands twice"):
        load(saved)


def test_a_number_beyond_all_floats_is_named(saved):
    saved.write_text(saved.read_text().replace('"wall_s": ', '"wall_s": 1e999, "x": ', 1))
    with pytest.raises(sp.RecordError, match=r"p.json: spans\[0\].wall_s = inf; needed: a fin"):
        load(saved)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="lists"),
        pytest.param('{"a":' * 100_000, id="objects"),
        pytest.param("9" * 5000, id="digits"),
    ],
)
def test_a_document_that_python_cannot_hold_is_refused_with_its_name(saved, text):
    saved.write_text(text)
    with pytest.raises(sp.RecordError, match=r"p.json"):
        load(saved)


def of_one_span(interval=None, origin="measured", **fields):
    span = sp._core.Span("step", "step", "forward", -1, -1, 1.0, interval)
    return sp.Profile(origin, "made", "cpu", "f", [span], **fields)


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (lambda: of_one_span((2.0, 3.0)), r"spans\[0\].interval_s = \[2.0, 3.0\]; needed: low, th"),
        (lambda: of_one_span((0.5, math.inf)), r"spans\[0\].interval_s = \[0.5, inf\]; needed: "),
        (lambda: of_one_span(None, "predicted"), r"spans\[0\].interval_s = None; needed: an int"),
        (lambda: of_one_span(energy_joules=-1.0), r"energy_joules = -1.0; needed: a finite num"),
        (lambda: of_one_span(warmup_samples_s=[math.nan]), r"warmup_samples_s = \[nan\]; needed"),
    ],
)
def test_what_would_not_be_read_back_is_not_written(tmp_path, made, named):
    with pytest.raises(sp.Error, match=rf"^\[to_json\] the profile 'made': {named}"):
        made().save(tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []


def test_a_recorded_profile_is_saved_and_read_back_equal(tmp_path):
    recorded = load("table4").profiles()[0]
    save(recorded, tmp_path / "r.json")
    assert load(tmp_path / "r.json") == recorded


def test_a_path_is_checked_before_there_is_a_profile(tmp_path):
    check_path(None)
    check_path(tmp_path / "p.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(sp.ArgumentError, match="needed: a suffix"):
        check_path(tmp_path / "p.csv")
    with pytest.raises(sp.Error, match=r"\[save\] cannot write .*No such file"):
        check_path(tmp_path / "nowhere" / "p.json")


def test_a_recorded_table_is_loaded_by_name():
    record = load("table4.csv")
    assert record.id == "table4"
    assert record.rows and record.source


def test_an_unknown_table_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="table4"):
        load("tabel4.csv")
