from __future__ import annotations

import pytest

from siliconprof import swap_space
from siliconprof.memory_limit import LimitUnavailable


def test_a_file_is_made_switched_on_off_and_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(swap_space, "swap_file", lambda size: _file(tmp_path, size))
    commands = []
    with swap_space.swap_space("file", 1 << 16, lambda command: commands.append(command[0])):
        assert commands == ["mkswap", "swapon"]
        assert [path.stat().st_size for path in tmp_path.iterdir()] == [1 << 16]
    assert commands == ["mkswap", "swapon", "swapoff"]
    assert not list(tmp_path.iterdir())


_REAL = swap_space.swap_file


def _file(folder, size):
    return _REAL(size, folder)


def test_an_interrupt_switches_it_off_too(tmp_path, monkeypatch):
    monkeypatch.setattr(swap_space, "swap_file", lambda size: _file(tmp_path, size))
    commands = []
    run = lambda command: commands.append(command[0])  # noqa: E731
    with pytest.raises(KeyboardInterrupt), swap_space.swap_space("file", 4096, run):
        raise KeyboardInterrupt
    assert commands[-1] == "swapoff" and not list(tmp_path.iterdir())


def test_a_swap_that_cannot_be_switched_on_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(swap_space, "swap_file", lambda size: _file(tmp_path, size))

    def refuse(command):
        raise LimitUnavailable("[swap] not permitted")

    with pytest.raises(LimitUnavailable), swap_space.swap_space("file", 4096, refuse):
        pass
    assert not list(tmp_path.iterdir())


def test_more_than_a_shared_disk_can_spare_is_refused():
    refusal = pytest.raises(LimitUnavailable, match="at most 1500000000")
    with refusal, swap_space.swap_space("file", 2_000_000_000):
        pass


def test_a_zram_device_of_its_own_is_added_sized_and_removed(tmp_path):
    control, block = tmp_path / "control", tmp_path / "block"
    for folder in (control, block / "zram7"):
        folder.mkdir(parents=True)
    (control / "hot_add").write_text("7\n")
    with swap_space.zram_device(4096, control, block) as path:
        assert str(path) == "/dev/zram7"
        assert (block / "zram7" / "disksize").read_text() == "4096"
    assert (control / "hot_remove").read_text() == "7"


def test_without_zram_the_reason_names_the_file(tmp_path):
    refusal = pytest.raises(LimitUnavailable, match=r"hot_add.*zram module")
    with refusal, swap_space.zram_device(4096, tmp_path, tmp_path):
        pass


def test_a_missing_program_is_named():
    with pytest.raises(LimitUnavailable, match="no program no-such-mkswap"):
        swap_space.run_command(["no-such-mkswap"])
