from __future__ import annotations

from pathlib import Path

import siliconprof as sp
from siliconprof import report


def given(calls):
    def reproduce(out, quick, progress):
        calls.append((out, quick))
        progress(1, 2, "half way")
        progress(2, 2, "done")
        return Path(out) / "index.html"

    return reproduce


def test_it_ends_by_naming_the_file(call, monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(report, "reproduce", given(calls))
    status, out = call("reproduce", "--out", tmp_path, "--quick")
    assert status == 0
    assert out.splitlines()[-1] == f"report written: {tmp_path}/index.html"
    assert calls == [(str(tmp_path), True)]


def test_the_document_names_both_files(document, monkeypatch, tmp_path):
    monkeypatch.setattr(report, "reproduce", given([]))
    content = document("reproduce", "--out", tmp_path)
    assert content["results"] == f"{tmp_path}/results.json"


def test_an_empty_name_of_a_folder_is_wrong_use(call, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert call("reproduce", "--out", "", "--quick")[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_an_error_is_exit_two(call, monkeypatch, tmp_path):
    def full(*_):
        raise sp.Error("[reproduce] cannot write: No space left on device")

    monkeypatch.setattr(report, "reproduce", full)
    assert call("reproduce", "--out", tmp_path)[0] == 2
