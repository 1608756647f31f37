from __future__ import annotations

import errno
import json
import os

import pytest

import siliconprof as sp
from siliconprof import report
from siliconprof.experiments.experiment import Experiment, Layout
from siliconprof.experiments.table import Row, Table

ROW = Row("measured", "here", "openblas", "w", 1.0, "s", 0.9, 1.1, "s", {"n": 9})


def run(params, say):
    say("measuring")
    return Table("one", (ROW,), {"cpu": "x"}, {}, "2025-01-01T00:00:00+00:00")


def experiment(run=run) -> Experiment:
    def draw(table, axes):
        axes["a"].plot([0, 1], [0, 1])

    layout = Layout((("a",),), 4.0, 3.0)
    return Experiment("one", "One", "Figure 0", "A claim.", None, None, run, draw, layout)


@pytest.fixture
def one(monkeypatch):
    monkeypatch.setattr(report, "experiments", lambda: (experiment(),))


def files(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_the_report_is_a_page_results_figures_and_tables(one, tmp_path):
    index = sp.reproduce(tmp_path / "r")
    assert index == tmp_path / "r" / "index.html"
    assert files(tmp_path / "r") == [
        "figures/one.svg",
        "index.html",
        "results.json",
        "tables/one.json",
    ]


def test_the_results_are_those_of_the_contract(one, tmp_path):
    content = json.loads((sp.reproduce(tmp_path).parent / "results.json").read_text())
    (entry,) = content["experiments"]
    assert set(entry) == {"id", "title", "paper_item", "rows", "figure"}
    assert entry["rows"] == [ROW.result()]
    assert (tmp_path / entry["figure"]).is_file()
    assert content["claims"] == []


def test_progress_counts_to_its_end_and_says_what_is_done(one, tmp_path):
    told = []
    sp.reproduce(tmp_path, progress=lambda *step: told.append(step))
    assert told[0] == (0, 2, "one")
    assert (0, 2, "one: measuring") in told
    assert told[-1][:2] == (2, 2)


def test_other_files_in_the_folder_are_left_alone(one, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    sp.reproduce(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_second_report_replaces_the_first(one, tmp_path):
    sp.reproduce(tmp_path)
    (tmp_path / "index.html").write_text("old")
    sp.reproduce(tmp_path)
    assert (tmp_path / "index.html").read_text() != "old"


@pytest.fixture
def old(one, tmp_path):
    sp.reproduce(tmp_path)
    return {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}


def unchanged(folder, old):
    return {name: (folder / name).read_bytes() for name in files(folder)} == old


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_fails_while_writing_leaves_the_old_report(old, tmp_path, monkeypatch, number):
    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(sp.Error, match=f"{tmp_path.name}.*{os.strerror(number)}"):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, old)


def test_a_read_only_folder_fails_before_anything_is_measured(old, tmp_path, monkeypatch):
    def never(params, say):
        raise AssertionError("measured")

    def refuse(self, *_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(report, "experiments", lambda: (experiment(never),))
    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    with pytest.raises(sp.Error, match="Permission denied"):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, old)


@pytest.mark.parametrize("error", [KeyboardInterrupt, sp.EngineUnavailable("x"), ValueError("x")])
def test_an_interrupt_or_an_error_leaves_the_old_report(old, tmp_path, monkeypatch, error):
    def fail(params, say):
        raise error

    monkeypatch.setattr(report, "experiments", lambda: (experiment(), experiment(fail)))
    with pytest.raises(error if isinstance(error, type) else type(error)):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, old)


def test_an_interrupt_in_a_new_folder_leaves_no_folder(tmp_path, monkeypatch):
    def interrupt(params, say):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "experiments", lambda: (experiment(interrupt),))
    with pytest.raises(KeyboardInterrupt):
        sp.reproduce(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_file_in_place_of_the_folder_is_named(one, tmp_path):
    (tmp_path / "f").write_text("x")
    with pytest.raises(sp.Error, match="cannot write"):
        sp.reproduce(tmp_path / "f")
    assert (tmp_path / "f").read_text() == "x"
