from __future__ import annotations

import os
import resource

import pytest

from siliconprof.memory_limit import (
    LimitUnavailable,
    MemoryGroup,
    find_hierarchy,
    memory_group,
    own_limit_bytes,
    unmapped_bytes,
)


@pytest.fixture
def first(tmp_path):
    """A hierarchy of version 1 as files."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "memory.limit_in_bytes").write_text("9223372036854771712")
    return tmp_path


def second(tmp_path, handed_down):
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    (tmp_path / "cgroup.subtree_control").write_text(handed_down)
    return tmp_path


def test_version_one_is_found(first):
    assert find_hierarchy(first) == (first / "memory", 1)


def test_version_two_is_found_where_it_hands_memory_down(tmp_path):
    assert find_hierarchy(second(tmp_path, "cpu memory")) == (tmp_path, 2)


def test_version_two_that_keeps_memory_to_itself_says_what_to_write(tmp_path):
    with pytest.raises(LimitUnavailable, match=r"'\+memory' in .*subtree_control"):
        find_hierarchy(second(tmp_path, "cpu"))


def test_a_system_without_groups_says_so(tmp_path):
    with pytest.raises(LimitUnavailable, match="no memory controller"):
        find_hierarchy(tmp_path)


@pytest.mark.parametrize(("version", "file"), [(1, "memory.limit_in_bytes"), (2, "memory.max")])
def test_each_version_has_its_file_for_the_limit(tmp_path, version, file):
    MemoryGroup(tmp_path, version).set_limit(12345)
    assert (tmp_path / file).read_text() == "12345"


def limited(tmp_path, own, limits):
    """What a process in these groups may use, whose folders have these files."""
    (tmp_path / "own").write_text(own)
    for name, text in limits.items():
        file = tmp_path / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return own_limit_bytes(tmp_path / "cgroup", tmp_path / "own")


NOBODY = "9223372036854771712"


@pytest.mark.parametrize(
    ("own", "limits", "least"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "300\n", "a/memory.max": "200\n"}, 200),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "200\n"}, 200),
        ("0::/a\n", {"a/memory.max": "max\n"}, None),
        ("0::/\n", {"memory.max": "70\n"}, 70),  # a container's own
        ("0::/../host\n", {"memory.max": "70\n"}, 70),
        ("4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "50\n"}, 50),
        ("4:cpu,memory:/a\n", {"memory/memory.limit_in_bytes": "60\n"}, 60),
        ("4:memory:/a\n", {"memory/a/memory.limit_in_bytes": NOBODY}, None),
        ("4:cpu:/a\n", {"memory/a/memory.limit_in_bytes": "50\n"}, None),
        ("0::/a\n", {"unified/a/memory.max": "80\n"}, 80),
    ],
)
def test_the_least_limit_of_a_process_is_that_of_its_groups(tmp_path, own, limits, least):
    assert limited(tmp_path, own, limits) == least


def test_without_groups_there_is_no_limit(tmp_path):
    assert own_limit_bytes(tmp_path, tmp_path / "none") is None


def test_the_group_is_removed_after_an_interrupt(first, monkeypatch):
    monkeypatch.setattr(MemoryGroup, "set_limit", lambda self, limit_bytes: None)
    with pytest.raises(KeyboardInterrupt), memory_group(1, first) as group:
        assert group.path.is_dir() and group.version == 1
        raise KeyboardInterrupt
    assert not group.path.exists()


def test_a_group_that_was_left_behind_is_in_nobodys_way(first, monkeypatch):
    monkeypatch.setattr(MemoryGroup, "set_limit", lambda self, limit_bytes: None)
    (first / "memory" / f"siliconprof-{os.getpid()}").mkdir()
    with memory_group(1, first) as one, memory_group(2, first) as other:
        assert one.path != other.path


def test_a_real_group_takes_its_limit_and_goes_again():
    try:
        with memory_group(64 << 20) as group:
            name = "memory.limit_in_bytes" if group.version == 1 else "memory.max"
            assert int((group.path / name).read_text()) == 64 << 20
    except LimitUnavailable as error:
        pytest.skip(str(error))
    assert not group.path.exists() and str(os.getpid()) in group.path.name


@pytest.mark.parametrize(("pages", "left"), [("3 2 1 0 0 0 0\n", 7), ("20 2 1\n", 0)])
def test_what_may_still_be_mapped_is_the_limit_less_what_is(tmp_path, monkeypatch, pages, left):
    page = resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10 * page, resource.RLIM_INFINITY))
    file = tmp_path / "statm"
    file.write_text(pages)
    assert unmapped_bytes(file) == left * page
    file.write_text("")
    assert unmapped_bytes(file) is None
    assert unmapped_bytes(tmp_path / "none") is None
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    file.write_text(pages)
    assert unmapped_bytes(file) is None
