"""Recorded tables: the packaged ones hold what was printed, and bad files are named."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import siliconprof
from siliconprof import RecordError, UnknownNameError
from siliconprof.records import COLUMNS, HOST_PACE, Record, Row, load, names

HEADER = """title = "T"
read = "typed in"
uncertainty = "not stated"
statistic = "mean"
notes = ["one", "two"]
[source]
title = "S"
url = "https://example.org"
date = "2024"
[units]
s = "seconds per step"
"""
LINE = "a step,m2-max,mlx,float32,1.5,s,"


def write(
    folder: Path, *lines: str, header: str = HEADER, columns: str = ",".join(COLUMNS)
) -> Path:
    (folder / "own.toml").write_text(header, encoding="utf-8")
    path = folder / "own.csv"
    path.write_text("\n".join([columns, *lines]) + "\n", encoding="utf-8")
    return path


def value(name: str, what: str, device: str, framework: str | None = None) -> float | None:
    found = [
        row.value
        for row in load(name).rows
        if (row.what, row.device, row.framework) == (what, device, framework)
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("name", names())
def test_a_packaged_table_loads_with_source_and_without_double_rows(name: str) -> None:
    record = load(name)
    assert record.id == name
    assert record.url.startswith("https://")
    keys = [(row.what, row.device, row.framework, row.dtype) for row in record.rows]
    assert len(keys) == len(set(keys)) > 0


def test_values_are_those_printed_in_si_units() -> None:
    assert value("table1", "memory", "m2-ultra") == 192 * 2**30
    assert value("table1", "computing power", "rtx-4090") == 83e12
    assert value("table1", "launch price", "rtx-a6000") == 4650
    assert value("table4", "gpt2-large step, batch 8", "m2-ultra", "mlx") == 2.710
    assert value("table4", "gpt2-large step, batch 2", "m2-pro", "torch-mps") == 10.704
    assert value("table4", "gpt2-large step, batch 8", "rtx-a6000", "torch-cuda") == 2.771
    assert value("table5", "whisper-medium energy per iteration, batch 4", "rtx-4090") == 108.58
    assert value("table6", "cold launch", "m2-max") == pytest.approx(0.9080e-3, rel=1e-12)
    assert value("table6", "follow-up launch", "rtx-4090") == pytest.approx(3.6e-6, rel=1e-12)
    what = "MatMul dim=1000000x64 dim=64x1024"
    assert value("m3max_ops", what, "m3-max", "torch-mps") == pytest.approx(32.40e-3, rel=1e-12)
    assert value("m3max_ops", what, "m3-max-cpu", "torch-cpu") == pytest.approx(1.74092, rel=1e-12)


# 85 detailed and 21 averaged operations on 5 backends; 7 devices; 4 workloads; 13 settings.
PRINTED_ROWS = {
    "h200_offload": 142,
    "h200_offload_steps": 172,
    "h200_ops": 6004,
    "h200_others": 216,
    "h200_blind": 116,
    "h200_fresh": 288,
    "h200_composites": 124,
    "h200_images": 3648,
    "h200_large": 666,
    "h200_paced": 108,
    "h200_mixed": 92,
    "h200_sealed": 76,
    "h200_steps": 376,
    "h200_suite": 73,
    "h200_unseen": 64,
    "h200_later": 104,
    "h200_related": 72,
    "h100_steps": 136,
    "h100_families": 88,
    "h100_ops": 1100,
    "h100_parted": 76,
    "h100_kept": 68,
    "h100_ranged": 80,
    "h100_options": 140,
    **{"h100_drawn": 224, "h200_drawn": 224, "h200_redrawn": 224},
    **{"h100_kernels": 44, "h200_kernels": 15, "h100_compiled": 56},
    "h100_uncompiled": 76,
    "h100_replayed": 48,
    "hopper_layouts": 779,
    "h100_compiled_ops": 248,
    "h100_replayed_ops": 96,
    "h100_checkpoint": 48,
    "h200_parted": 72,
    "h200_graph_ops": 27,
    "h200_graphs": 58,
    "h100_graphs": 58,
    "h100_related": 72,
    **{"h100_suite": 73, "cpu_ops": 434, "cpu_suite": 255, "cpu_streams": 254},
    "m3max_ops": 530,
    "m3max_speedups": 318,
    "simclr": 4,
    "table1": 21,
    "table2": 8,
    "table3": 13,
    "table4": 8,
    "table5": 4,
    "table6": 14,
}


def test_tables_have_the_printed_number_of_rows() -> None:
    assert {name: len(load(name).rows) for name in PRINTED_ROWS} == PRINTED_ROWS


def test_parameters_times_16_bytes_are_the_theoretical_memory() -> None:
    rows = {row.what: row.value for row in load("table2").rows}
    for model in ("whisper-medium", "whisper-large", "gpt2-large", "gpt2-xl"):
        memory, parameters = rows[f"{model} theoretical memory"], rows[f"{model} parameters"]
        assert memory is not None and parameters is not None
        assert memory / parameters == pytest.approx(16, rel=0.05)  # the table's own rounding


def test_a_missing_value_is_none_with_a_note() -> None:
    missing = [row for name in names() for row in load(name).rows if row.value is None]
    assert len(missing) > 0
    assert all(row.note for row in missing)
    assert value("table4", "gpt2-large step, batch 8", "rtx-a6000", "torch-mps") is None


def test_rows_that_compute_something_else_say_so() -> None:
    for row in load("m3max_ops").rows:
        other = row.what.startswith("Argmax dim") and row.framework in ("mlx", "mlx-compile")
        if other:
            assert "argmax of the flattened array" in row.note


def test_a_name_may_carry_the_files_suffix() -> None:
    assert load("table4.csv") == load("table4")


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("table4").title = "x"  # type: ignore[misc]


def test_a_record_says_its_origin_as_a_profile_does() -> None:
    assert load("table4").origin == load("table4").profiles()[0].origin == "recorded"


def test_each_time_becomes_a_recorded_profile_and_nothing_else_does() -> None:
    profiles = load("table4.csv").profiles()
    assert len(profiles) == 7
    first = profiles[0]
    assert (first.origin, first.device, first.framework) == ("recorded", "m2-ultra", "mlx")
    assert first.time_s == 2.710
    assert first.interval is None
    assert "2501.14925" in first.source
    assert [(span.name, span.kind) for span in first.spans] == [("step", "step")]
    assert any("Context length" in note for note in first.notes)
    assert load("table5").profiles() == []


def test_a_recorded_time_compares_with_a_prediction() -> None:
    recorded = load("table4").profiles()[0]
    gap = siliconprof.compare(recorded, siliconprof.predict(siliconprof.workload("triad"), "m2"))
    assert gap.ratio > 0.0


def test_a_recorded_profile_invents_no_work_and_no_statistic() -> None:
    profile = load("table4").profiles()[0]
    assert (profile.flops, profile.bytes, profile.statistic) == (None, None, "unstated")
    assert profile.spans[0].cost is None
    assert load("m3max_ops").profiles()[0].statistic == "mean"


def test_a_rows_note_comes_first_in_its_profile(tmp_path: Path) -> None:
    [profile] = load(write(tmp_path, LINE + "in swap")).profiles()
    assert profile.notes[0] == "in swap"
    assert "statistic: mean" in profile.notes
    assert profile.statistic == "mean"


def test_an_own_file_loads_by_path(tmp_path: Path) -> None:
    path = write(tmp_path, LINE, "b step,,,,,s,did not run")
    for where in (path, str(path)):
        record = load(where)
        assert isinstance(record, Record)
        assert record.rows[0] == Row("a step", "m2-max", "mlx", "float32", 1.5, "s", "")
        assert record.rows[1] == Row("b step", "", None, None, None, "s", "did not run")
        assert (record.notes, record.source, record.statistic) == (("one", "two"), "S", "mean")


def test_an_unknown_name_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'tabel4'; did you mean .*'table4'"):
        load("tabel4")


def test_a_name_near_none_lists_all_without_an_empty_hint() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"'zzzzzzzz' \(there are: .*h100_families, h100_graphs, h100_kept, h100_kernels",
    ):
        load("zzzzzzzz")


@pytest.mark.parametrize("path", ["/", ".", Path("/"), "x" * 300, "a/" + "x" * 300 + ".csv"])
def test_a_path_that_can_be_no_table_is_refused(path: str | Path) -> None:
    with pytest.raises((RecordError, UnknownNameError)):
        load(path)


def test_a_row_knows_its_file_and_line_and_is_equal_without_them(tmp_path: Path) -> None:
    first, second = load(write(tmp_path, LINE, "", LINE, "")).rows  # editors leave empty lines
    assert (first.place, second.place) == ("own.csv line 2", "own.csv line 4")
    assert first == second


def test_a_header_nested_too_deeply_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, LINE, header="a = " + "[" * 5000)
    with pytest.raises(RecordError, match=r"\[own.toml\] is not valid TOML"):
        load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is a folder; needed: a name or the path"):
        load(tmp_path)
    for path in (tmp_path / "none.csv", "./none.csv"):
        with pytest.raises(RecordError, match=r"\[none.csv\] .*none.csv cannot be read: No such f"):
            load(path)
    with pytest.raises(UnknownNameError, match=r"no file 'table9.csv' is there, nor .*: table1"):
        load("table9.csv")
    path = write(tmp_path, LINE)
    (tmp_path / "own.toml").unlink()
    with pytest.raises(RecordError, match=r"\[own.csv\] the header .* is missing; .* own.toml"):
        load(path)


def test_a_spreadsheets_mark_before_the_text_is_none_of_it(tmp_path: Path) -> None:
    path = write(tmp_path, LINE)
    plain = load(path)
    for file in (path, path.with_suffix(".toml")):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load(path) == plain


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (",m2-max,mlx,float32,1.5,s,", "what = ''"),
        ("a,M2 Max,mlx,float32,1.5,s,", "device = 'M2 Max'"),
        ("a,m2-max,mlx@0.5,float32,1.5,s,", "framework = 'mlx@0.5': needs 1 to 64 letters"),
        ("a,m2-max,mlx,flaot32,1.5,s,", "dtype = 'flaot32': nearest valid: float32"),
        ("a,m2-max,mlx,float32,1.5,ms,", "unit = 'ms': an SI unit"),
        ("a,m2-max,mlx,float32,1.5,J,", "unit = 'J': the header's"),
        ("a,m2-max,mlx,float32,fast,s,", "value = 'fast'"),
        ("a,m2-max,mlx,float32,nan,s,", "value = 'nan'"),
        ("a,m2-max,mlx,float32,inf,s,", "value = 'inf'"),
        ("a,m2-max,mlx,float32,0,s,", "value = '0'"),
        ("a,m2-max,mlx,float32,-1,s,", "value = '-1'"),
        ("a,m2-max,mlx,float32,,s,", "note = ''"),
        ("a,m2-max,mlx,float32,1.5,s", "needs 7 cells, found 6"),
        ('a,m2-max,mlx,float32,1.5,s,"x', "not CSV"),
    ],
)
def test_a_bad_line_is_named_with_file_line_column_and_value(
    tmp_path: Path, line: str, message: str
) -> None:
    with pytest.raises(RecordError) as caught:
        load(write(tmp_path, LINE, line))
    assert "own.csv" in str(caught.value)
    assert "line 3" in str(caught.value)
    assert message in str(caught.value)


def test_a_device_goes_by_any_id_that_its_file_may_have(tmp_path: Path) -> None:
    (row,) = load(write(tmp_path, "a step,My_gpu.2,mlx,float32,1.5,s,")).rows
    assert row.device == "My_gpu.2"


def test_wrong_columns_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"\[own.csv\] columns = \['a', 'b'\]: needs what"):
        load(write(tmp_path, columns="a,b"))
    path = write(tmp_path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(RecordError, match=r"columns = None"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "T"', "", "title = None"),
        ('read = "typed in"', "read = 3", "read = 3"),
        ('read = "typed in"', 'raed = "x"', "raed = 'x': unknown key; nearest valid: read"),
        ('notes = ["one", "two"]', 'notes = "one"', "notes = 'one'"),
        ('date = "2024"', 'dates = "2024"', "source.dates = '2024': unknown key"),
        ('s = "seconds per step"', "", "units = {}"),
        ('s = "seconds per step"', 'ms = "milliseconds"', "units.ms = 'milliseconds'"),
        ("[source]", "[source", "is not valid TOML"),
        (
            "[units]",
            '[versions]\nmxl = "0.5"\n[units]',
            "versions.mxl = '0.5': unknown key; nearest",
        ),
        ("[units]", '[versions]\nmlx = "0.6"\n[units]', "mlx = '0.6': nearest valid: 0.2, 0.5"),
        ("[units]", '[versions]\nnative = "1"\n[units]', "native = '1': only the present one"),
    ],
)
def test_a_bad_header_is_named_with_file_key_and_value(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in HEADER
    with pytest.raises(RecordError) as caught:
        load(write(tmp_path, LINE, header=HEADER.replace(old, new, 1)))
    assert "[own.toml]" in str(caught.value)
    assert message in str(caught.value)


def test_a_table_may_say_how_fast_the_host_was(tmp_path: Path) -> None:
    columns = ",".join((*COLUMNS, HOST_PACE))
    path = write(tmp_path, LINE + ",0.85", LINE + ",", columns=columns)
    assert [row.host_pace for row in load(path).rows] == [0.85, None]
    assert load(write(tmp_path, LINE)).rows[0].host_pace is None


@pytest.mark.parametrize("pace", ["0", "-1", "nan", "fast"])
def test_a_pace_that_no_host_has_is_refused(tmp_path: Path, pace: str) -> None:
    path = write(tmp_path, f"{LINE},{pace}", columns=",".join((*COLUMNS, HOST_PACE)))
    with pytest.raises(RecordError, match=r"line 2\] host_pace = "):
        load(path)


def test_a_row_has_as_many_cells_as_the_table_columns(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="needs 8 cells, found 7"):
        load(write(tmp_path, LINE, columns=",".join((*COLUMNS, HOST_PACE))))
    with pytest.raises(RecordError, match="needs 7 cells, found 8"):
        load(write(tmp_path, LINE + ",1"))
