"""Device files: the packaged ones are whole, a new one is one file, a bad one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof import ArgumentError, DeviceError, Error, UnknownNameError, _core
from siliconprof.devices import (
    DEFAULT_FRAMEWORKS,
    NUMBER_KEYS,
    VENDORS,
    default_framework,
    device,
    devices,
    families,
)
from siliconprof.frameworks import framework
from siliconprof.numbers import NUMBER_KINDS
from siliconprof.packaged import Shelf

PAPER = {
    "quadro-rtx-4000",
    "rtx-2080-ti",
    "rtx-4090",
    "rtx-a6000",
    "m2-ultra",
    "m2-max",
    "m2-pro",
}
HEAD = """
id = "my-gpu"
name = "My GPU"
vendor = "nvidia"
family = "nvidia-ada"
[sources.sheet]
title = "Data sheet"
url = "https://example.org/sheet"
date = "2024-05"
"""
NUMBERS = {
    "memory.capacity_bytes": 8e9,
    "memory.bandwidth_bytes_per_s": 4e11,
    "peak.vector.float32_flops_per_s": 1e13,
}


def text(numbers: dict[str, float], head: str = HEAD) -> str:
    lines = [
        f'{key} = {{ value = {value!r}, kind = "spec", source = "sheet" }}'
        for key, value in numbers.items()
    ]
    return "\n".join(lines) + head


def write(folder: Path, content: str, name: str = "my-gpu.toml") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def load(folder: Path, **changes: float) -> _core.Device:
    changed = {key.replace("__", "."): value for key, value in changes.items()}
    return device(write(folder, text({**NUMBERS, **changed})))


def test_the_listing_holds_every_promised_device_sorted() -> None:
    listed = devices()
    assert listed == sorted(listed)
    assert {*PAPER, "m1-pro", "m1-pro-cpu", "m2", "m3-max", "h200"} <= set(listed)
    assert len(listed) >= 60
    for chip in ("m1", "m2", "m3", "m4", "m5"):
        assert {chip, f"{chip}-pro", f"{chip}-max"} <= set(listed)
    assert {"m1-ultra", "m2-ultra", "m3-ultra"} <= set(listed)
    assert not any(name.startswith("nvidia-") for name in listed), "families are no devices"


@pytest.mark.parametrize("name", devices())
def test_a_packaged_device_loads_and_every_number_has_kind_and_source(name: str) -> None:
    found = device(name)
    assert found.id == name
    measured = {key for key in found.numbers if key.startswith("kernel.")}  # loading knows them
    assert set(found.numbers) - measured <= NUMBER_KEYS
    for key, number in found.numbers.items():
        assert number.kind in NUMBER_KINDS, key
        assert "https://" in number.source, key
        assert number.value > 0, key


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [  # data sheets and the paper's Table 1, read by hand
        ("rtx-a6000", "memory.bandwidth_bytes_per_s", 768e9),
        ("rtx-a6000", "peak.matrix.float16_flops_per_s", 154.8e12),
        ("rtx-4090", "peak.matrix.float16_flops_per_s", 165.15e12),
        ("rtx-2080-ti", "peak.matrix.float16_flops_per_s", 53.8e12),  # half rate on GeForce
        ("quadro-rtx-4000", "memory.bandwidth_bytes_per_s", 416e9),
        ("h200", "memory.bandwidth_bytes_per_s", 4800e9),
        ("h200", "memory.capacity_bytes", 150109880320),  # as CUDA tells
        ("h100", "memory.capacity_bytes", 85017493504),
        ("m2-ultra", "memory.capacity_bytes", 192 * 2**30),
        ("m2-ultra", "compute.cores", 76),
        ("m2-max", "memory.capacity_bytes", 64 * 2**30),
        ("m2-max", "peak.vector.float32_flops_per_s", 13.6e12),
        ("m2-pro", "memory.capacity_bytes", 32 * 2**30),
        ("m1-pro", "compute.cores", 14),
        ("m3-max", "compute.cores", 40),
    ],
)
def test_a_packaged_device_holds_the_published_value(name: str, key: str, value: float) -> None:
    assert device(name).numbers[key].value == value


@pytest.mark.parametrize("name", sorted(PAPER))
def test_the_single_precision_peak_rounds_to_the_papers_table(name: str) -> None:
    table = {"quadro-rtx-4000": 7, "rtx-2080-ti": 13, "rtx-4090": 83, "rtx-a6000": 39}
    table |= {"m2-ultra": 27, "m2-max": 14, "m2-pro": 7}
    peak = device(name).numbers["peak.vector.float32_flops_per_s"].value
    assert round(peak / 1e12) == table[name]


@pytest.mark.parametrize("name", devices())
def test_a_gpus_alu_peak_is_cores_times_clock_times_the_familys_width(name: str) -> None:
    width = dict.fromkeys(("nvidia-volta", "nvidia-turing", "nvidia-ga100"), 128)
    width |= {"apple": 256, "nvidia": 256, "apple-cpu": 32}
    width |= {"xeon-8380": 64}  # two FMA units of 512 bits, of 256 bits in the others
    width |= dict.fromkeys(("epyc-7763", "epyc-9654", "ryzen-9-5950x", "ryzen-9-7950x"), 32)
    found = device(name)
    numbers = {key: number.value for key, number in found.numbers.items()}
    per_core = width.get(name, width.get(found.family, width.get(found.vendor)))
    if per_core is None or not {"compute.cores", "compute.clock_hz"} <= numbers.keys():
        pytest.skip("its width isn't known here, or the file leaves out cores or clock")
    peak = per_core * numbers["compute.cores"] * numbers["compute.clock_hz"]
    assert peak == pytest.approx(numbers["peak.vector.float32_flops_per_s"], rel=0.01)


def test_the_tiers_of_a_chip_are_told_apart_by_what_differs() -> None:
    def number(name: str, key: str) -> float:
        return device(name).numbers[key].value

    for small, large in (("m1-7", "m1"), ("m1-max-24", "m1-max"), ("m4-pro-16", "m4-pro")):
        assert number(small, "compute.cores") < number(large, "compute.cores")
        assert number(small, "compute.clock_hz") == number(large, "compute.clock_hz")
    assert number("m3-max-30", "memory.bandwidth_bytes_per_s") == 307.2e9  # 3/4 of the bus
    assert number("m4-max-32", "memory.bandwidth_bytes_per_s") == pytest.approx(410e9, rel=0.01)


CUT = [("m1-ultra-48", "m1-ultra"), ("m2-ultra-60", "m2-ultra")]


@pytest.mark.parametrize(("fewer", "all"), CUT)
def test_a_chip_with_fewer_gpu_cores_has_the_whole_last_cache(fewer: str, all: str) -> None:
    caches = [device(name).numbers["memory.cache_bytes"].value for name in (fewer, all)]
    assert caches == [96 * 2**20] * 2


def test_the_host_beside_a_board_without_fans_is_a_server() -> None:
    def host(name: str) -> float:
        return device(name).numbers["host.memory_bandwidth_bytes_per_s"].value

    servers = ("a10", "a40", "l4", "l40", "l40s", "t4", "a100", "v100", "h100")
    assert {host(name) for name in servers} == {120e9}
    assert {host(name) for name in ("rtx-4090", "rtx-a6000", "titan-rtx")} == {41e9}


def test_macs_that_are_macbook_airs_alone_have_no_fan() -> None:
    apple = (name for name in devices() if device(name).vendor == "apple")
    bare = {name for name in apple if "power.sustained_watts" in device(name).numbers}
    assert bare == {"m1-7", "m2-8"}
    step = sp.workload("gpt2-small", batch=4, seq=256, framework="mlx")
    found = sp.predict(step, "m2-8", "mlx")
    warm_s = {each.name: each.value for each in found.counters}["warm_step_s"]
    assert found.time_s < warm_s < 1.1 * found.time_s


def test_a_packaged_device_is_parsed_once() -> None:
    assert device("m2-max") is device("m2-max")


def test_an_unknown_device_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'m2-mux'; did you mean 'm2-max'") as caught:
        device("m2-mux")
    assert isinstance(caught.value, (Error, LookupError))


def test_an_argument_that_is_neither_id_nor_path_is_rejected() -> None:
    with pytest.raises(_core.ArgumentError, match=r"device = 3 .*an id or the path"):
        device(3)  # type: ignore[arg-type]


def test_a_new_device_is_one_file(tmp_path: Path) -> None:
    path = write(tmp_path, text(NUMBERS))
    for where in (path, str(path)):
        found = device(where)
        assert (found.id, found.name, found.vendor) == ("my-gpu", "My GPU", "nvidia")
        assert found.numbers["memory.bandwidth_bytes_per_s"].value == 4e11


def test_a_file_is_read_again_each_time(tmp_path: Path) -> None:
    device(write(tmp_path, text(NUMBERS)))
    found = load(tmp_path, memory__capacity_bytes=16e9)
    assert found.numbers["memory.capacity_bytes"].value == 16e9


def test_a_file_may_extend_a_packaged_device(tmp_path: Path) -> None:
    head = 'id = "mine"\nname = "Mine"\nextends = "m2-max"\n'
    entry = 'memory.cache_bytes = { value = 1e6, kind = "spec", source = "applegpuinfo" }\n'
    found = device(write(tmp_path, entry + head))
    assert (found.id, found.vendor, found.family) == ("mine", "apple", "apple-m2")
    assert found.numbers["memory.cache_bytes"].value == 1e6
    assert "issues/10" in found.numbers["memory.cache_bytes"].source
    parent = device("m2-max").numbers["memory.capacity_bytes"]
    assert found.numbers["memory.capacity_bytes"].value == parent.value


def test_a_file_may_extend_a_family_file_beside_it(tmp_path: Path) -> None:
    write(tmp_path, text(NUMBERS), "house.toml")
    found = device(write(tmp_path, 'id = "mine"\nname = "Mine"\nextends = "house"\n'))
    assert found.family == "nvidia-ada"


@pytest.mark.parametrize("id", ["my_gpu", "my.gpu", "My-GPU"])
def test_a_file_may_extend_any_id(tmp_path: Path, id: str) -> None:
    write(tmp_path, text(NUMBERS), f"{id}.toml")
    found = device(write(tmp_path, f'id = "child"\nname = "Child"\nextends = "{id}"\n', "c.toml"))
    assert (found.id, found.family) == ("child", "nvidia-ada")


def test_extending_an_unknown_file_is_rejected_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, 'id = "x"\nname = "X"\nextends = "aple-m2"\n')
    with pytest.raises(DeviceError, match=r"my-gpu.toml\] extends = 'aple-m2': .*apple-m2"):
        device(path)


@pytest.mark.parametrize("name", ['"../secret"', "3", '""'])
def test_extends_takes_an_id_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(DeviceError, match=r"extends = .*: needs the id"):
        device(write(tmp_path, f"extends = {name}\n"))


def test_extending_in_a_circle_is_rejected_naming_the_circle(tmp_path: Path) -> None:
    write(tmp_path, 'extends = "two"\n', "one.toml")
    write(tmp_path, 'extends = "one"\n', "two.toml")
    with pytest.raises(DeviceError, match=r"extends itself: one -> two -> one"):
        device(tmp_path / "one.toml")
    with pytest.raises(DeviceError, match=r"extends itself: own -> own"):
        device(write(tmp_path, 'extends = "own"\n', "own.toml"))


def test_a_packaged_file_must_be_named_as_its_id(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path, text(NUMBERS), "other.toml")
    (tmp_path / "families").mkdir()
    monkeypatch.setattr(Shelf, "place", tmp_path)
    assert devices() == ["other"]
    with pytest.raises(DeviceError, match=r"\[other.toml\] id = 'my-gpu': .*'other'"):
        device("other")


@pytest.mark.parametrize("key", sorted(NUMBERS))
def test_a_missing_required_number_is_named(tmp_path: Path, key: str) -> None:
    path = write(tmp_path, text({k: v for k, v in NUMBERS.items() if k != key}))
    with pytest.raises(DeviceError, match=rf"my-gpu.toml\] {key} = None: required number"):
        device(path)


@pytest.mark.parametrize("field", ["id", "name", "vendor", "family"])
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    head = "\n".join(line for line in HEAD.splitlines() if not line.startswith(f"{field} ="))
    with pytest.raises(DeviceError, match=rf"\] {field} = None: a non-empty text"):
        device(write(tmp_path, text(NUMBERS, "\n" + head + "\n")))


def test_an_unknown_vendor_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path, text(NUMBERS, HEAD.replace('"nvidia"', '"amd"')))
    with pytest.raises(DeviceError, match=r"vendor = 'amd': needs one of apple, nvidia, cpu"):
        device(path)


@pytest.mark.parametrize(("family", "owner"), [("apple-m2", "apple"), ("apple-cpu", "cpu")])
def test_a_family_of_another_vendor_is_rejected(tmp_path: Path, family: str, owner: str) -> None:
    path = write(tmp_path, text(NUMBERS, HEAD.replace("nvidia-ada", family)))
    with pytest.raises(DeviceError, match=rf"family = '{family}': is a family of vendor '{owner}'"):
        device(path)


@pytest.mark.parametrize("family", ["any", "apple", "cpu"])
def test_a_family_named_as_another_scope_is_rejected(tmp_path: Path, family: str) -> None:
    path = write(tmp_path, text(NUMBERS, HEAD.replace("nvidia-ada", family)))
    with pytest.raises(DeviceError, match=rf"family = '{family}': is the name of another scope"):
        device(path)


@pytest.mark.parametrize("id", ["my\\ngpu", "../my-gpu", "a/b", " my-gpu", "x" * 65])
def test_an_id_that_cannot_name_a_file_is_rejected(tmp_path: Path, id: str) -> None:
    path = write(tmp_path, text(NUMBERS, HEAD.replace('"my-gpu"', f'"{id}"')))
    with pytest.raises(DeviceError, match=r"\] id = .*: needs (1 to 64|one line)"):
        device(path)


@pytest.mark.parametrize("name", devices())
def test_a_packaged_number_that_no_maker_states_has_an_error(name: str) -> None:
    for key, number in device(name).numbers.items():
        assert number.kind == "spec" or number.relative_error > 0, key


def test_the_vendors_are_those_with_a_default_framework_that_runs_on_them() -> None:
    assert tuple(DEFAULT_FRAMEWORKS) == VENDORS
    for vendor, name in DEFAULT_FRAMEWORKS.items():
        assert vendor in framework(name).vendors


def test_each_vendor_has_a_default_framework() -> None:
    found = [default_framework(device(name)) for name in ("m2-max", "rtx-4090", "m1-pro-cpu")]
    assert found == ["mlx", "torch-cuda", "native"]


def test_families_are_those_of_the_packaged_devices() -> None:
    assert {"apple-m1", "apple-m2", "apple-m3", "nvidia-turing"} <= families()
    assert families() == {device(id).family for id in devices()}


def test_a_number_says_where_it_comes_from():
    number = _core.Number(4.8e12, "spec", "sheet", 0.05)
    assert repr(number) == "<Number 4.8e+12 ± 5 %, spec: sheet>"


def test_a_number_is_off_by_a_part_of_itself():
    for error in (-0.1, 1.0, float("nan")):
        with pytest.raises(ArgumentError, match=r"relative_error .* at least 0 and below 1"):
            _core.Number(1.0, "spec", "sheet", error)


def test_a_file_that_is_not_there_is_told_once(tmp_path):
    with pytest.raises(DeviceError) as caught:
        device(str(tmp_path / "none.toml"))
    assert "cannot be read" in str(caught.value) and "not valid TOML" not in str(caught.value)


def test_a_byte_order_mark_is_told_once(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text("\ufeffid = 'marked'", encoding="utf-8")
    with pytest.raises(DeviceError) as caught:
        device(path)
    assert "byte-order mark" in str(caught.value) and "not valid TOML" not in str(caught.value)
