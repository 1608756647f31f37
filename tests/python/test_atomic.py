from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof.atomic import write_text


def test_the_text_replaces_the_old_one(tmp_path):
    path = tmp_path / "file"
    write_text(path, "old")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def fail_with(number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_disk_or_read_only_directory_leaves_the_old_file(
    tmp_path, monkeypatch, call, number
):
    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(os, call, fail_with(number))
    with pytest.raises(sp.Error, match=os.strerror(number)) as caught:
        write_text(path, "new")
    assert str(path) in str(caught.value)
    assert "unchanged" in str(caught.value)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_directory_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(sp.Error, match="missing"):
        write_text(tmp_path / "missing" / "file", "new")


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + "/y"])
def test_a_name_that_is_too_long_is_refused_and_leaves_nothing(tmp_path, name):
    with pytest.raises(sp.Error, match=r"cannot write .*: File name too long$"):
        write_text(tmp_path / name, "new")
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_that_the_system_takes_is_written(tmp_path):
    write_text(tmp_path / ("x" * 255), "new")
    assert (tmp_path / ("x" * 255)).read_text() == "new"


def test_a_directory_is_no_file(tmp_path):
    for path in (tmp_path, Path("/"), Path(".")):
        with pytest.raises(sp.Error, match="cannot write"):
            write_text(path, "new")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
