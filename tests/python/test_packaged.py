from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.packaged import Shelf


def test_names_are_the_stems_of_the_files_of_the_folder_sorted():
    names = Shelf("device", "devices").names()
    assert names == sorted(names) == sp.devices()
    assert "families" not in names
    assert "m2-ultra" in names


def test_another_suffix_is_another_kind_of_file():
    assert "table4" in Shelf("table", "records", ".csv").names()
    assert Shelf("table", "records", ".none").names() == []


def test_a_name_has_a_file_that_can_be_read():
    assert 'id = "mlx"' in Shelf("framework", "frameworks").file("mlx").read_text()


def test_an_unknown_name_has_one_wording_with_the_nearest_and_what_else_may_stand_there():
    shelf = Shelf("device", "devices", otherwise="a path")
    with pytest.raises(
        sp.UnknownNameError, match=r"unknown device 'm2-ulta'; did you mean 'm2-ultra'.*; or a path"
    ):
        shelf.file("m2-ulta")


@pytest.mark.parametrize("find", [sp.device, sp.framework, sp.load])
def test_devices_frameworks_and_tables_say_it_alike(find):
    with pytest.raises(sp.UnknownNameError, match=r"\] unknown \w+ 'zzzzzzzz' \(there are: "):
        find("zzzzzzzz")
