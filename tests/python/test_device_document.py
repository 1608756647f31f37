from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.device_document import to_toml


@pytest.mark.parametrize("id", sp.devices())
def test_every_shipped_device_reads_back_equal(id, tmp_path):
    device = sp.device(id)
    device.save(tmp_path / f"{id}.toml")
    assert sp.device(tmp_path / f"{id}.toml") == device


def test_names_are_escaped():
    numbers = sp.device("m2").numbers
    text = to_toml(sp.Device("a", 'A "B" \\ C', "apple", "apple-m2", numbers))
    assert 'name = "A \\"B\\" \\\\ C"' in text


def test_a_source_without_address_is_refused():
    numbers = {"memory.capacity_bytes": sp._core.Number(1.0, "spec", "hearsay", 0.0)}
    with pytest.raises(sp.Error, match="hearsay"):
        to_toml(sp.Device("a", "A", "apple", "apple-m2", numbers))


def test_a_source_may_have_brackets_in_its_title_and_date(tmp_path):
    source = "Data sheet (draft) (2025 (rev. 2)), https://example.org/x_(y)"
    numbers = dict(sp.device("m2").numbers)
    numbers["price.launch_usd"] = sp._core.Number(999.0, "spec", source, 0.0)
    device = sp.Device("a", "A", "apple", "apple-m2", numbers)
    device.save(tmp_path / "a.toml")
    assert sp.device(tmp_path / "a.toml") == device
    assert 'date = "2025 (rev. 2)"' in (tmp_path / "a.toml").read_text()


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(sp.ArgumentError, match=r"path = .*m2\.json': .* ends in \.toml"):
        sp.device("m2").save(tmp_path / "m2.json")


@pytest.mark.parametrize(
    "text", ['title = "a table"', '[project]\nname = "x"', "no TOML", "# notes"]
)
def test_a_file_of_another_kind_is_not_replaced(text, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(sp.ArgumentError, match=r"path = '.*own\.toml': needed: another file"):
        sp.device("m2").save(path)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["", 'id = "own"\nname = "Own"\nextends = "m2"\n'])
def test_an_older_device_and_an_empty_file_are_replaced(text, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(text)
    for id in ("m1", "m2"):
        sp.device(id).save(path)
    assert sp.device(path) == sp.device("m2")


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    path = tmp_path / "own.toml"
    with pytest.raises(sp.DeviceError, match=r"power.thermal_joules = None: is needed"):
        sp.device("m2").with_number("power.sustained_watts", 5.0).save(path)
    numbers = {"memory.capacity_bytes": sp.device("m2").numbers["memory.capacity_bytes"]}
    with pytest.raises(sp.DeviceError, match="required number is missing"):
        sp.Device("a", "A", "apple", "apple-m2", numbers).save(path)
    numbers = sp.device("m2").numbers
    for fields, error in (
        (("my gpu", "A", "apple", "apple-m2"), "id = 'my gpu': needs 1 to 64 letters"),
        (("a", "A\nB", "apple", "apple-m2"), "name = .*: needs one line"),
        (("a", "A", "amd", "apple-m2"), "vendor = 'amd': needs one of apple"),
        (("a", "A", "nvidia", "apple-m2"), "family = 'apple-m2': is a family of vendor 'apple'"),
    ):
        with pytest.raises(sp.DeviceError, match=rf"own\.toml\] {error}"):
            sp.Device(*fields, numbers).save(path)
    more = {**numbers, "memory.speed": numbers["memory.capacity_bytes"]}
    with pytest.raises(sp.DeviceError, match=r"memory\.speed = .*unknown key"):
        sp.Device("a", "A", "apple", "apple-m2", more).save(path)
    assert not path.exists()
