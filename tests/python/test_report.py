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


@pytest.mark.parametrize("quick", [True, False])
def test_the_results_say_how_when_and_where_they_were_made(one, tmp_path, quick):
    content = json.loads((sp.reproduce(tmp_path, quick=quick).parent / "results.json").read_text())
    assert set(content) == {"version", "date", "quick", "machine", "experiments", "claims"}
    assert content["quick"] is quick
    assert content["version"] == sp.__version__
    assert content["date"] == "2025-01-01T00:00:00+00:00"
    assert content["machine"] == report.environment()


@pytest.mark.parametrize("quick", [True, False])
def test_claims_are_told_whether_the_run_is_quick(one, tmp_path, monkeypatch, quick):
    told = []
    monkeypatch.setattr(report, "claims", lambda tables, quick: told.append(quick) or [])
    sp.reproduce(tmp_path, quick=quick)
    assert told == [quick]


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


@pytest.mark.parametrize("name", ["index.html", "results.json"])
def test_a_page_of_others_is_refused_before_anything_is_measured(tmp_path, monkeypatch, name):
    def never(params, say):
        raise AssertionError("measured")

    monkeypatch.setattr(report, "experiments", lambda: (experiment(never),))
    for content in ("<title>Mine</title>", "[]", '{"experiments": []}', "\udcff"):
        (tmp_path / name).write_text(content, errors="surrogateescape")
        with pytest.raises(sp.Error, match=rf"\[reproduce\] .*{name} is no report of siliconprof"):
            sp.reproduce(tmp_path)
        assert files(tmp_path) == [name]


@pytest.mark.parametrize("lost", ["index.html", "results.json"])
def test_what_is_left_of_a_report_is_replaced(one, tmp_path, lost):
    sp.reproduce(tmp_path)
    (tmp_path / lost).unlink()
    sp.reproduce(tmp_path)
    assert {"index.html", "results.json"} <= set(files(tmp_path))


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


@pytest.mark.parametrize("name", ["index.html", "results.json"])
def test_a_directory_in_place_of_a_file_is_refused_before_anything_is_measured(
    old, tmp_path, monkeypatch, name
):
    def never(params, say):
        raise AssertionError("measured")

    monkeypatch.setattr(report, "experiments", lambda: (experiment(never),))
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.txt").write_text("mine")
    before = {entry: (tmp_path / entry).read_bytes() for entry in files(tmp_path)}
    with pytest.raises(sp.Error, match=rf"{name}: Is a directory.*unchanged"):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, before)


def test_a_file_in_place_of_a_folder_is_refused(one, tmp_path):
    (tmp_path / "figures").write_text("mine")
    with pytest.raises(sp.Error, match="figures: Not a directory"):
        sp.reproduce(tmp_path)
    assert (tmp_path / "figures").read_text() == "mine"


def test_a_directory_in_place_of_a_figure_leaves_the_old_report(old, tmp_path):
    (tmp_path / "tables/one.json").unlink()
    (tmp_path / "tables/one.json").mkdir()
    del old["tables/one.json"]
    (tmp_path / "index.html").write_text("old")
    old["index.html"] = b"old"
    with pytest.raises(sp.Error, match=r"one\.json: Is a directory.*unchanged"):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, old)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_an_error_in_the_middle_of_the_swap_puts_the_old_report_back(
    old, tmp_path, monkeypatch, count, error
):
    for name in old:
        (tmp_path / name).write_bytes(old[name] + b"\n\n")
    before = {name: (tmp_path / name).read_bytes() for name in old}
    real, calls = os.replace, []

    def fail_once(source, target):
        calls.append(target)
        if len(calls) == count:
            raise error
        real(source, target)

    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises((sp.Error, KeyboardInterrupt)):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, before)


def test_a_swap_that_cannot_be_undone_is_said(old, tmp_path, monkeypatch):
    real, calls = os.replace, []

    def fail_from_the_second(source, target):
        calls.append(target)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", fail_from_the_second)
    with pytest.raises(sp.Error, match="partly the old and partly the new") as caught:
        sp.reproduce(tmp_path)
    assert "unchanged" not in str(caught.value)


def test_an_error_in_the_swap_of_a_new_figure_takes_it_away(old, tmp_path, monkeypatch):
    (tmp_path / "figures/one.svg").unlink()
    del old["figures/one.svg"]
    real = os.replace

    def fail_at_the_page(source, target):
        if target == tmp_path / "index.html" and "old" not in str(source):
            raise OSError(errno.EIO, "Input/output error", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", fail_at_the_page)
    with pytest.raises(sp.Error, match="unchanged"):
        sp.reproduce(tmp_path)
    assert unchanged(tmp_path, old)


@pytest.mark.parametrize("out", [None, 3, "", b"r", "a\0"])
def test_what_is_no_path_is_refused(one, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sp.ArgumentError, match=r"\[reproduce\] out = .*a path"):
        sp.reproduce(out)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"quick": "no"}, r"quick = 'no' \(str\): True or False"),
        ({"progress": 3}, r"progress = 3 \(int\): a function"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_measured(tmp_path, monkeypatch, given, error):
    monkeypatch.setattr(report, "experiments", lambda: pytest.fail("begun"))
    with pytest.raises(sp.ArgumentError, match=rf"\[reproduce\] {error}"):
        report.reproduce(tmp_path / "report", **given)


def test_a_name_that_is_too_long_is_named(one, tmp_path):
    with pytest.raises(sp.Error, match="File name too long"):
        sp.reproduce(tmp_path / ("x" * 300))


def test_a_file_in_place_of_the_folder_is_named(one, tmp_path):
    (tmp_path / "f").write_text("x")
    with pytest.raises(sp.Error, match=r"cannot write .*/f: a file is there, a folder is needed$"):
        sp.reproduce(tmp_path / "f")
    assert (tmp_path / "f").read_text() == "x"
