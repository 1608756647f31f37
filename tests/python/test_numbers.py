"""Number tables: every malformed entry is named with file, key and value."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from siliconprof import DeviceError, _core, stand_ins
from siliconprof.devices import NUMBER_KEYS
from siliconprof.frameworks import number_keys
from siliconprof.numbers import (
    _UNITS,
    DTYPES,
    NumberFile,
    name_field,
    parse,
    range_of,
    read_toml,
    require,
    text_field,
    unit_of,
)

VALID = frozenset({"memory.bandwidth_bytes_per_s", "memory.capacity_bytes", "compute.clock_hz"})
SOURCES = """
[sources.sheet]
title = "Data sheet"
url = "https://example.org/sheet"
date = "2024-05"
"""
RATES = ("_flops_per_s", "_flops_per_cycle")
GOOD = '{ value = 4e11, kind = "spec", source = "sheet" }'


def parse_text(text: str) -> NumberFile:
    return parse(tomllib.loads(text), "gpu.toml", ("id", "name"), VALID)


def with_entry(entry: str, key: str = "memory.bandwidth_bytes_per_s") -> NumberFile:
    return parse_text(f"{key} = {entry}\n{SOURCES}")


def test_numbers_flatten_to_dotted_keys_with_kind_source_and_error() -> None:
    parsed = parse_text(
        'id = "x"\n' + SOURCES + "[memory]\n"
        'capacity_bytes = { value = 8, kind = "measured", source = "sheet", relative_error = 0.1 }'
    )
    assert parsed.fields == {"id": "x"}
    number = parsed.numbers["memory.capacity_bytes"]
    assert (number.value, number.kind, number.relative_error) == (8.0, "measured", 0.1)
    assert number.source == "Data sheet (2024-05), https://example.org/sheet"


def test_a_source_may_be_inherited() -> None:
    table = tomllib.loads(f"memory.capacity_bytes = {GOOD}")
    parsed = parse(table, "gpu.toml", (), VALID, {"sheet": "a parent's sheet"})
    assert parsed.numbers["memory.capacity_bytes"].source == "a parent's sheet"


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-inf", "-4e11", "0", "0.0", "true", '"4e11"', "[1]", "{}"]
)
def test_a_value_that_is_not_a_positive_finite_number_is_rejected(value: str) -> None:
    with pytest.raises(DeviceError) as caught:
        with_entry(f'{{ value = {value}, kind = "spec", source = "sheet" }}')
    found = repr(tomllib.loads(f"v = {value}")["v"])
    message = f"[gpu.toml] memory.bandwidth_bytes_per_s = {found}: needs a finite number above"
    assert message in str(caught.value)
    assert "bytes/s" in str(caught.value)


@pytest.mark.parametrize("missing", ["value", "kind", "source"])
def test_a_missing_part_of_a_number_is_named(missing: str) -> None:
    parts = {"value": "value = 1", "kind": 'kind = "spec"', "source": 'source = "sheet"'}
    del parts[missing]
    with pytest.raises(DeviceError, match=rf"bandwidth_bytes_per_s\.{missing} = None: is missing"):
        with_entry("{ " + ", ".join(parts.values()) + " }")


def test_a_bare_number_is_rejected() -> None:
    with pytest.raises(DeviceError, match=r"bandwidth_bytes_per_s = 400000000000.0: needs "):
        with_entry("4e11")


def test_a_kind_that_is_not_allowed_is_rejected() -> None:
    with pytest.raises(DeviceError, match=r"kind = 'guess': needs one of spec, measured, fitted"):
        with_entry('{ value = 1, kind = "guess", source = "sheet" }')


def test_a_source_key_without_an_entry_is_rejected_with_the_nearest() -> None:
    entry = '{ value = 1, kind = "spec", source = "sheat" }'
    with pytest.raises(DeviceError, match=r"source = 'sheat': not in \[sources\]; .*valid: sheet$"):
        with_entry(entry)
    with pytest.raises(DeviceError, match=r"not in \[sources\]; valid: none$"):
        parse_text(f"memory.capacity_bytes = {entry}")


@pytest.mark.parametrize("error", ["-0.1", "1.0", "nan", "inf", "true", '"0.1"'])
def test_a_relative_error_outside_0_to_1_is_rejected(error: str) -> None:
    entry = f'{{ value = 1, kind = "spec", source = "sheet", relative_error = {error} }}'
    with pytest.raises(DeviceError, match=r"relative_error = .*: needs a number in \[0, 1\)"):
        with_entry(entry)


def test_an_unknown_field_of_a_number_is_rejected_with_the_nearest() -> None:
    with pytest.raises(DeviceError, match=r"_per_s\.valu = 1: unknown key.*_per_s\.value"):
        with_entry('{ valu = 1, kind = "spec", source = "sheet" }')


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("memroy.capacity_bytes", "memory.capacity_bytes"),
        ("memory.capacity_byte", "memory.capacity_bytes"),
        ("compute.clock_hz.max", "compute.clock_hz"),
        ("nmae", "name"),
    ],
)
def test_an_unknown_key_at_any_level_is_rejected_with_the_nearest(key: str, nearest: str) -> None:
    with pytest.raises(DeviceError) as caught:
        with_entry(GOOD, key)
    assert "[gpu.toml]" in str(caught.value)
    assert key.split(".")[0] in str(caught.value)
    assert nearest in str(caught.value)


def test_a_key_near_none_is_rejected_with_what_a_file_may_begin_with() -> None:
    with pytest.raises(DeviceError, match=r"year = 2025: .*: compute, id, memory, name, sources$"):
        parse_text("year = 2025\n")


def test_a_ratio_that_is_none_is_rejected_in_words() -> None:
    entry = f'host.pace = {{ value = 0, kind = "spec", source = "sheet" }}\n{SOURCES}'
    with pytest.raises(DeviceError, match=r"pace = 0: needs .* \(numbers between 1e-06 and 1e\+06"):
        parse(tomllib.loads(entry), "gpu.toml", (), {"host.pace"})


def test_a_key_without_its_unit_is_rejected_naming_the_right_one() -> None:
    with pytest.raises(DeviceError, match=r"memory.bandwidth = .*memory.bandwidth_bytes_per_s$"):
        with_entry(GOOD, "memory.bandwidth")


def test_an_empty_section_is_rejected() -> None:
    with pytest.raises(DeviceError, match=r"memory = \{\}"):
        parse_text("[memory]\n")


@pytest.mark.parametrize("field", ["title", "url", "date"])
def test_a_source_without_title_url_or_date_is_rejected(field: str) -> None:
    lines = [line for line in SOURCES.splitlines() if not line.startswith(field)]
    with pytest.raises(DeviceError, match=rf"sources.sheet.{field} = None: a non-empty text"):
        parse_text("\n".join(lines))


def test_an_unknown_field_of_a_source_is_rejected() -> None:
    with pytest.raises(DeviceError, match=r"sources.sheet.titel = 'x': unknown key.*title"):
        parse_text(SOURCES + 'titel = "x"')


def test_a_source_that_is_no_table_or_has_no_address_is_rejected() -> None:
    with pytest.raises(DeviceError, match=r"sources.sheet = 'x': needs a table"):
        parse_text('[sources]\nsheet = "x"')
    with pytest.raises(DeviceError, match=r"sources = 3: needs tables"):
        parse_text("sources = 3")
    for url in ("a book", "https://", "https://example.org/a sheet"):
        with pytest.raises(DeviceError, match=rf"url = '{url}': needs an http"):
            parse_text(SOURCES.replace("https://example.org/sheet", url))


def test_invalid_toml_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "gpu.toml"
    file.write_text('id = "x"\nname = \n', encoding="utf-8")
    with pytest.raises(DeviceError, match=r"\[gpu.toml\] is not valid TOML: .*line 2"):
        read_toml(file, "gpu.toml")


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"\[none.toml\] cannot be read: No such file or directo"):
        read_toml(tmp_path / "none.toml", "none.toml")
    with pytest.raises(DeviceError, match=r"\[folder\] cannot be read: Is a directory$"):
        read_toml(tmp_path, "folder")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DeviceError, match=r"\[binary.toml\] cannot be read as UTF-8"):
        read_toml(binary, "binary.toml")


@pytest.mark.parametrize("value", ["", '""', "3"])
def test_a_text_field_that_is_missing_empty_or_no_text_is_rejected(value: str) -> None:
    parsed = parse_text(f"name = {value}" if value else "")
    with pytest.raises(DeviceError, match=r"name = .*: a non-empty text is required"):
        text_field(parsed, "name")


def test_a_required_number_that_is_missing_is_named_with_its_unit() -> None:
    with pytest.raises(DeviceError, match=r"memory.capacity_bytes = None: required.*\(bytes\)"):
        require(parse_text(""), ["memory.capacity_bytes"])


def test_units_come_from_the_suffix_of_the_key() -> None:
    assert unit_of("memory.bandwidth_bytes_per_s") == "bytes/s"
    assert unit_of("peak.vector.float32_flops_per_s") == "FLOP/s"
    assert unit_of("memory.transfer_rate_per_s") == "transfers/s"
    assert unit_of("launch.dispatch_s") == "seconds"
    assert unit_of("compute.cores") == "1"


def test_the_documents_table_of_units_holds_what_is_accepted(root: Path) -> None:
    text = (root / "docs/device-files.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?<=\| )([^|\n]+?) \| ([\d.e-]+) \| ([\d.e-]+) \|", text)
    held = {(unit.split()[0], float(low), float(high)) for unit, low, high in shown}
    assert {(unit.split()[0], low, high) for _, unit, low, high in _UNITS} <= held
    assert ("cores,", *range_of("compute.cores")) in held
    assert ("1", *range_of("host.pace")) in held


@pytest.mark.parametrize(("name", "keys"), [("device", NUMBER_KEYS), ("framework", number_keys())])
def test_the_documents_have_every_key(root: Path, name: str, keys: frozenset[str]) -> None:
    text = (root / f"docs/{name}-files.md").read_text(encoding="utf-8")
    named = {f"{op}_s" for op in _core.op_names()}  # <op>, <dtype>
    named |= {dtype + end for dtype in DTYPES for end in ("", "_s", *RATES)}
    if "<kernel>" in text:
        named |= set(stand_ins.MEASURED)
    last = {key.rpartition(".")[2] for key in keys}
    assert last - named - set(re.findall(r"\w+", text)) == set()


def test_a_value_outside_its_units_range_is_rejected_naming_the_range() -> None:
    low, high = range_of("memory.bandwidth_bytes_per_s")
    for value in (low, high):
        with_entry(f'{{ value = {value!r}, kind = "spec", source = "sheet" }}')
    for value in (low / 2, high * 2, 1e300, 1e-300):
        need = "implausible: bytes/s between 1e\\+06 and 1e\\+15"
        with pytest.raises(DeviceError, match=need):
            with_entry(f'{{ value = {value!r}, kind = "spec", source = "sheet" }}')


@pytest.mark.parametrize("digits", [400, 5000])
def test_an_integer_beyond_all_floats_is_rejected_in_one_short_line(
    tmp_path: Path, digits: int
) -> None:
    file = tmp_path / "gpu.toml"
    entry = f'{{ value = 1{"0" * digits}, kind = "spec", source = "sheet" }}'
    file.write_text(f"memory.capacity_bytes = {entry}\n{SOURCES}", encoding="utf-8")
    with pytest.raises(DeviceError, match=r"\[gpu.toml\]") as caught:
        parse(read_toml(file, "gpu.toml"), "gpu.toml", (), VALID)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("kind", ["measured", "fitted", "assumed"])
@pytest.mark.parametrize("error", ["", ", relative_error = 0.0"])
def test_only_a_makers_number_may_be_exact(kind: str, error: str) -> None:
    with_entry('{ value = 4e11, kind = "spec", source = "sheet" }')
    with pytest.raises(DeviceError, match=r"bytes_per_s.relative_error = (None|0.0): "):
        with_entry(f'{{ value = 4e11, kind = "{kind}", source = "sheet"{error} }}')


def test_a_byte_order_mark_and_deep_nesting_are_named(tmp_path: Path) -> None:
    file = tmp_path / "gpu.toml"
    file.write_bytes(b'\xef\xbb\xbfid = "x"\n')
    with pytest.raises(DeviceError, match="byte-order mark; save it as UTF-8 without"):
        read_toml(file, "gpu.toml")
    file.write_text("a = " + "[" * 100000, encoding="utf-8")
    with pytest.raises(DeviceError, match="not valid TOML: nested too deeply"):
        read_toml(file, "gpu.toml")


def test_a_name_is_one_line_of_plain_characters() -> None:
    assert name_field(parse_text('id = "rtx-4090_2.0"'), "id") == "rtx-4090_2.0"
    for bad in ("../x", "a b", "é", "-x"):
        with pytest.raises(DeviceError, match=r"id = .*: needs 1 to 64 letters"):
            name_field(parse_text(f'id = "{bad}"'), "id")
    with pytest.raises(DeviceError, match=r"name = .*: needs one line of printable text"):
        text_field(parse_text('name = "a\\nb"'), "name")
