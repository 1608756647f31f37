from __future__ import annotations

import csv
import importlib.util
import os
import re

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.predict import model
from siliconprof.records import COLUMNS as RECORD_COLUMNS
from siliconprof.sweep_file import COLUMNS, open_table

LABEL = ("gpt2-small", "fp32", "m2", "mlx")
MODELS = [model("m2")]


def chunk_of(models: list[_core.Model]) -> _core.SweepChunk:
    def build(batch: int, length: int) -> sp.Trace:
        return sp.workload("gpt2-small", layers=1, batch=batch, seq=length)

    family = _core.StepFamily(build, (1, 8), (2, 8))
    return _core.sweep_chunk([",".join(LABEL)], models, [family], [(1, 8), (2, 8)])


@pytest.fixture(scope="module")
def chunk() -> _core.SweepChunk:
    return chunk_of(MODELS)


def test_a_text_table_has_a_header_and_the_chunks_one_after_the_other(chunk, tmp_path):
    path = tmp_path / "g.csv"
    with open_table(path) as table:
        table.write(chunk, [LABEL], chunk.columns())
        table.write(chunk, [LABEL], chunk.columns())
    lines = path.read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert len(lines) == 5 and lines[1] == lines[3]
    assert lines[1].startswith("gpt2-small,fp32,m2,mlx,1,8,")


def test_a_row_has_the_price_and_what_one_item_takes(tmp_path):
    priced = [model(sp.device("m2").with_number("price.launch_usd", 1234.5))]
    for name, models, price in (("a.csv", priced, 1234.5), ("b.csv", MODELS, None)):
        with open_table(tmp_path / name) as table:
            chunk = chunk_of(models)
            columns = chunk.columns()
            table.write(chunk, [LABEL], columns)
        with open(tmp_path / name, newline="") as file:
            rows = list(csv.DictReader(file))
        for i, (row, items) in enumerate(zip(rows, (8, 16), strict=True)):
            assert float(row["joules_per_item"]) == columns["joules_per_item"][i]
            assert row["price_usd"] == ("" if price is None else str(price))
            for each, whole in (
                ("time_per_item_s", "time_s"),
                ("joules_per_item", "energy_joules"),
            ):
                assert float(row[each]) == pytest.approx(float(row[whole]) / items, rel=1e-8)


def test_a_table_that_fails_leaves_what_was_there(chunk, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("old")
    with pytest.raises(KeyError), open_table(path) as table:
        table.write(chunk, [LABEL], chunk.columns())
        raise KeyError
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.csv"]
    assert path.read_text() == "old"


def test_an_interrupt_keeps_whole_chunks_under_another_name(chunk, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt) as caught, open_table(path) as table:
        table.write(chunk, [LABEL], chunk.columns())
        table._file.write(b"gpt2-small,fp")
        raise KeyboardInterrupt
    partial = tmp_path / "g.partial.csv"
    assert path.read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["g.csv", "g.partial.csv"]
    lines = partial.read_text().splitlines()
    assert lines[0] == ",".join(COLUMNS) and len(lines) == 3
    assert lines[-1].startswith(chunk.text().splitlines()[-1])
    assert caught.value.__notes__ == [f"what was done by then is in {partial}"]


def test_an_interrupt_before_the_first_row_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt) as caught, open_table(tmp_path / "g.csv"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    assert not hasattr(caught.value, "__notes__")


def test_a_table_can_go_through_a_pipe_and_a_link(chunk, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to("pipe.csv")
    reader = os.open(tmp_path / "pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    with open_table(tmp_path / "link.csv") as table:
        table.write(chunk, [LABEL], chunk.columns())
    lines = os.read(reader, 10_000).decode().splitlines()
    os.close(reader)
    assert lines[0] == ",".join(COLUMNS) and len(lines) == 3
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "pipe.csv").is_fifo()


@pytest.mark.parametrize("begin", ["", "\ufeff", "\n"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_recorded_table_is_not_replaced(chunk, tmp_path, begin, quote):
    path = tmp_path / "own.csv"
    columns = (f"{quote}{name}{quote}" for name in RECORD_COLUMNS)
    path.write_text(f"{begin}{','.join(columns)}\nrest\n")
    with pytest.raises(sp.ArgumentError, match=r"\[sweep\] .*own\.csv is a recorded table"):
        open_table(path).__enter__()
    assert path.read_text().endswith("rest\n")
    path.write_text("a,b\n")
    with open_table(path) as table:
        table.write(chunk, [LABEL], chunk.columns())
    assert path.read_text().startswith("workload,")


def test_a_folder_that_is_not_there_is_an_error_naming_the_path(tmp_path):
    path = tmp_path / "nowhere" / "g.csv"
    with pytest.raises(sp.Error, match=r"cannot write .*nowhere"), open_table(path):
        pass


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(sp.ArgumentError, match=r"\.csv or \.parquet"):
        open_table(tmp_path / "g.txt").__enter__()


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="no pyarrow")
def test_a_parquet_table_reads_back(chunk, tmp_path):
    import pyarrow.parquet

    path = tmp_path / "g.parquet"
    with open_table(path) as table:
        table.write(chunk, [LABEL], chunk.columns())
    read = pyarrow.parquet.read_table(path)
    assert read.column_names == list(COLUMNS)
    assert read["batch"].to_pylist() == [1, 2]
    assert read["device"].to_pylist() == ["m2", "m2"]


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is there")
def test_without_pyarrow_parquet_says_what_is_needed(tmp_path):
    need = rf"out = '{re.escape(str(tmp_path))[:20]}.*pyarrow, which is not installed, is needed"
    with pytest.raises(sp.ArgumentError, match=need):
        open_table(tmp_path / "g.parquet").__enter__()
    assert list(tmp_path.iterdir()) == []
