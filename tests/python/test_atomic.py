from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

import siliconprof as sp
from siliconprof.atomic import beginning, check_writable, write_text


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


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to("target")
    write_text(link, "new")
    assert link.is_symlink() and os.readlink(link) == "target"
    assert target.read_text() == "new" and not target.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_link_to_nothing_makes_what_it_leads_to(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/target")
    write_text(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "folder" / "target").read_text() == "new"


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("link")
    with pytest.raises(sp.Error, match=f"link: {os.strerror(errno.ELOOP)}"):
        write_text(link, "new")
    assert link.is_symlink()


@pytest.fixture
def pipe(tmp_path):
    """A named pipe, and what reads from it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def test_a_pipe_is_written_to_and_stays_one(pipe, tmp_path):
    path, reader = pipe
    (tmp_path / "link").symlink_to(path)
    check_writable("save", path)
    write_text(path, "one, ")
    write_text(tmp_path / "link", "two")
    assert os.read(reader, 100) == b"one, two"
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "pipe"]


def test_what_cannot_be_opened_is_refused_and_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's name may not be as long as a path
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        with pytest.raises(sp.Error, match=f"socket: {os.strerror(errno.ENXIO)}"):
            write_text(Path("socket"), "new")
    assert stat.S_ISSOCK(os.stat("socket").st_mode)


def test_a_disk_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "disk"
    path.write_text("old")
    monkeypatch.setattr(stat, "S_ISBLK", lambda mode: True)
    for write in (write_text, lambda path, text: check_writable("save", path)):
        with pytest.raises(sp.Error, match="a disk, whose content would be overwritten"):
            write(path, "new")
    assert path.read_text() == "old"


def test_permissions_stay(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    for mode in (0o600, 0o664, 0o755):
        path.chmod(mode)
        write_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_usual_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_what_could_be_written_is_left_as_it_is(tmp_path):
    (tmp_path / "file").write_text("old")
    check_writable("run", tmp_path / "file")
    check_writable("run", tmp_path / "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize(("flags", "reason"), [(os.ST_RDONLY, errno.EROFS), (0, errno.EACCES)])
def test_a_read_only_disk_is_told_from_a_folder_of_others(tmp_path, monkeypatch, flags, reason):
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=flags))
    with pytest.raises(sp.Error, match=f"file: {os.strerror(reason)}$"):
        check_writable("run", tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/file", errno.ENOENT),
        ("old/file", errno.ENOTDIR),
        ("folder", errno.EISDIR),
        ("link", errno.ENOENT),
        ("x" * 300, errno.ENAMETOOLONG),
    ],
)
def test_what_cannot_be_written_is_told_before(tmp_path, name, reason):
    (tmp_path / "old").write_text("old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("missing/file")
    for write in (check_writable, lambda place, path: write_text(path, "new")):
        with pytest.raises(sp.Error, match=rf"^\[.*cannot write .*: {os.strerror(reason)}$"):
            write("run", tmp_path / name)


@pytest.mark.parametrize("name", ["pipe", "folder/new"])
def test_what_may_not_be_written_is_told_before(tmp_path, monkeypatch, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    # Root may write everywhere.
    forbidden = {os.path.realpath(tmp_path / name) for name in ("pipe", "folder")}
    monkeypatch.setattr(os, "access", lambda path, mode: os.path.realpath(path) not in forbidden)
    with pytest.raises(sp.Error, match=r"^\[run\] cannot write .*: Permission denied$"):
        check_writable("run", tmp_path / name)
    check_writable("run", tmp_path / "new")


def test_the_beginning_of_a_text_is_told_and_of_nothing_else(tmp_path):
    (tmp_path / "text").write_text("what,device")
    (tmp_path / "short").write_text("w")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "pipe")
    names = ("text", "short", "bytes", "pipe", "nowhere", "", "x" * 300)
    assert [beginning(tmp_path / name, 4) for name in names] == ["what", "w", *[""] * 5]
