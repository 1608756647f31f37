from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.experiments.table import Row, Table, load, silent


def row(**changes) -> Row:
    fields = {
        "origin": "measured",
        "device": "here",
        "framework": "openblas",
        "what": "matmul, time",
        "value": 1 / 3,
        "unit": "s",
        "lo": 0.3,
        "hi": 0.4,
        "source": "median of 9",
        "point": {"dtype": "float32", "n": 9, "quantity": "time"},
    }
    return Row(**{**fields, **changes})


def table() -> Table:
    rows = (row(), row(device="m2-ultra", origin="predicted", value=None, lo=None, hi=None))
    return Table("figure5", rows, {"cpu": "x"}, {"size": "8"}, "2025-01-01T00:00:00+00:00")


def test_a_result_has_exactly_the_fields_of_the_contract():
    assert list(row().result()) == [
        "origin", "device", "framework", "what", "value", "unit", "lo", "hi", "source",
    ]  # fmt: skip


def test_rows_are_found_by_field_and_by_coordinate():
    assert table().where(device="here") == [table().rows[0]]
    assert len(table().where(dtype="float32")) == 2
    assert table().where(dtype="float32", origin="recorded") == []
    assert table().where(no_such_coordinate=1) == []


def test_a_saved_table_reads_back_equal(tmp_path):
    table().save(tmp_path / "t.json")
    assert load(tmp_path / "t.json") == table()


def test_a_truncated_table_is_named(tmp_path):
    path = tmp_path / "t.json"
    table().save(path)
    path.write_text(path.read_text()[:50])
    with pytest.raises(sp.RecordError, match=r"t.json: not a table"):
        load(path)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(sp.RecordError, match=r"none.json: cannot be read"):
        load(tmp_path / "none.json")


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "t.json"
    table().save(path)
    path.write_text(path.read_text().replace('"version": 1', '"version": 7'))
    with pytest.raises(sp.RecordError, match="version 7; needed: siliconprof-table version 1"):
        load(path)


def test_silence_is_silent(capsys):
    silent("text")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["value", "lo", "hi"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_finite_number_is_refused_where_it_arises(name, number):
    with pytest.raises(sp.Error, match=rf"{name} of matmul, time is {number}; needed: a finite"):
        row(**{name: number})
