"""Framework files: each efficiency resolves on each device, and bad files are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof import DeviceError, UnknownNameError, _core
from siliconprof.core_rates import is_per_cycle
from siliconprof.devices import device, devices
from siliconprof.frameworks import (
    OP_CLASSES,
    POWER_KEYS,
    framework,
    frameworks,
    load_framework,
    number_keys,
    runs_on,
)
from siliconprof.predict import model as model_of

HEAD = """
id = "mine"
name = "Mine"
vendors = ["nvidia"]
[sources.bench]
title = "Benchmark"
url = "https://example.org/bench"
date = "2024"
"""
LAUNCH = {"launch.dispatch_s": 5e-6, "launch.round_trip_s": 2e-5}
EFFICIENCY = {
    f"efficiency.any.{op_class}.{term}": 0.8
    for op_class in OP_CLASSES
    for term in ("compute.any", "bandwidth")
}
PAIRS = [
    (one, other)
    for one in devices()
    for other in frameworks()
    if runs_on(framework(other), device(one))
]


def load(
    folder: Path,
    numbers: dict[str, float],
    without: str = "",
    head: str = HEAD,
    error: str = ", relative_error = 0.2",
    kind: str = "fitted",
) -> _core.Framework:
    entries = {**LAUNCH, **EFFICIENCY, **numbers}
    entries.pop(without, None)
    lines = [
        f'{key} = {{ value = {value!r}, kind = "{kind}", source = "bench"{error} }}'
        for key, value in entries.items()
    ]
    path = folder / "mine.toml"
    path.write_text("\n".join(lines) + head, encoding="utf-8")
    return load_framework(path)


def test_the_listing_holds_every_promised_framework_sorted() -> None:
    promised = {"mlx", "mlx-compile", "native", "torch-cpu", "torch-cuda", "torch-mps"}
    assert frameworks() == sorted({*frameworks(), *promised})


@pytest.mark.parametrize("name", frameworks())
def test_a_packaged_framework_loads_with_known_keys_and_sourced_numbers(name: str) -> None:
    found = framework(name)
    assert found.id == name
    assert set(found.numbers) <= number_keys()
    for key, number in found.numbers.items():
        assert "https://" in number.source, key
        assert "2501.14925" not in number.source, f"{key}: the paper's tables are not calibration"


def test_a_packaged_framework_is_parsed_once() -> None:
    assert framework("mlx") is framework("mlx")


@pytest.mark.parametrize(("device_id", "framework_id"), PAIRS)
def test_every_op_class_and_dtype_resolves_on_every_device(
    device_id: str, framework_id: str
) -> None:
    where = device(device_id)
    model = model_of(where, framework_id)
    what = model.framework
    peaks = [key for key in where.numbers if key.startswith("peak.matrix.")]
    dtypes = [key.split(".")[2].removesuffix("_flops_per_s") for key in peaks]
    scopes = (where.family, where.vendor, "any")
    for op_class in OP_CLASSES:
        stems = [f"efficiency.{scope}.{op_class}" for scope in scopes]
        assert any(f"{stem}.bandwidth" in what.numbers for stem in stems), op_class
        for dtype in dtypes:
            keys = [f"{stem}.compute.{one}" for stem in stems for one in (dtype, "any")]
            assert any(key in what.numbers for key in keys), (op_class, dtype)
    for dtype in dtypes:
        size = {"batch": 1, "m": 64, "k": 64, "n": 64}
        assert model.predict(_core.single_op("matmul", size, dtype)).time_s > 0


@pytest.mark.parametrize(
    ("name", "scope", "value"),
    [  # the op suite without its M3 Max table: ReLU, Sigmoid, Concat, SumAll on an M3 of 10 cores
        ("mlx", "apple-m3.elementwise.bandwidth", 0.895),
        ("mlx-compile", "apple-m3.matrix_vector.bandwidth", 0.942),
        ("torch-mps", "apple-m3.elementwise.bandwidth", 0.89),
    ],
)
def test_the_m3s_constants_are_those_without_the_m3_max(
    name: str, scope: str, value: float
) -> None:
    number = framework(name).numbers[f"efficiency.{scope}"]
    assert number.value == value
    suite = framework(name).numbers["efficiency.apple-m3.elementwise.bandwidth"]
    assert "M3 Max table left out" in suite.source


def test_there_is_a_device_for_each_framework() -> None:
    assert {other for _, other in PAIRS} == set(frameworks())


def test_efficiencies_state_their_uncertainty_and_lie_in_0_to_1() -> None:
    for name in frameworks():
        for key, number in framework(name).numbers.items():
            if key.startswith("efficiency."):
                assert 0 < number.value <= 1 or is_per_cycle(key), (name, key)
                assert number.relative_error >= 0.15, (name, key)


def test_mlx_launch_constants_reproduce_the_published_chains() -> None:
    numbers = framework("mlx").numbers
    dispatch, buffer = (numbers[f"launch.{k}_s"].value for k in ("dispatch", "command_buffer"))
    assert 3200 * dispatch + 3200 / 50 * buffer == pytest.approx(8.8e-3, rel=0.01)
    assert 3200 * dispatch + 3200 / 200 * buffer == pytest.approx(7.7e-3, rel=0.01)


M1_AND_M2 = [id for id in devices() if id[:2] in ("m1", "m2") and device(id).vendor == "apple"]


@pytest.mark.parametrize("name", M1_AND_M2)
def test_a_gpu_of_m1_or_m2_draws_by_its_cores_and_clock_under_each_framework(name: str) -> None:
    found = device(name)
    cores, clock = (found.numbers[f"compute.{key}"].value for key in ("cores", "clock_hz"))
    for framework_id in ("mlx", "mlx-compile", "torch-mps"):
        profile = sp.predict(sp.op("relu", n=1 << 28), name, framework_id)
        assert profile.energy_joules is not None
        watts = profile.energy_joules / profile.time_s
        assert watts == pytest.approx(0.99 * 0.88e-9 * cores * clock, rel=0.02)


def test_an_unknown_framework_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'torch-cud'; did you mean 'torch-cuda'"):
        framework("torch-cud")
    with pytest.raises(_core.ArgumentError, match=r"framework = None .*an id is needed"):
        framework(None)  # type: ignore[arg-type]


def test_a_whole_file_loads(tmp_path: Path) -> None:
    found = load(tmp_path, {})
    assert (found.id, found.name, list(found.vendors)) == ("mine", "Mine", ["nvidia"])
    assert found.numbers["launch.dispatch_s"].value == 5e-6


@pytest.mark.parametrize("value", [1.01, 50.0])
def test_an_efficiency_above_1_is_rejected(tmp_path: Path, value: float) -> None:
    key = "efficiency.any.elementwise.bandwidth"
    load(tmp_path, {key: 1.0})
    with pytest.raises(DeviceError, match=rf"mine.toml\] {key} = {value}: .* in \(0, 1\]"):
        load(tmp_path, {key: value})


@pytest.mark.parametrize("value", [0.0, -0.5])
def test_an_efficiency_of_zero_or_below_is_rejected(tmp_path: Path, value: float) -> None:
    with pytest.raises(DeviceError, match=r"above zero"):
        load(tmp_path, {"efficiency.any.elementwise.bandwidth": value})


@pytest.mark.parametrize(
    ("kind", "why"),
    [("spec", "an efficiency states"), ("fitted", "a number that is fitted states")],
)
def test_an_efficiency_without_uncertainty_is_rejected(tmp_path: Path, kind: str, why: str) -> None:
    with pytest.raises(DeviceError, match=rf"relative_error = None: {why}"):
        load(tmp_path, {}, error="", kind=kind)


def test_what_stands_in_for_another_machine_or_interface_says_so() -> None:
    cuda = framework("torch-cuda").numbers
    dispatch = cuda["launch.dispatch_s"]
    assert (dispatch.kind, dispatch.relative_error) == ("assumed", 0.9)
    assert "OpenCL stands in for CUDA" in dispatch.source
    for name in ("mlx", "mlx-compile"):
        for key in ("launch.dispatch_s", "launch.command_buffer_s"):
            number = framework(name).numbers[key]
            assert "one machine, an M3 Ultra" in number.source and number.relative_error >= 0.5


def test_sources_are_about_the_vendor_and_the_ops_of_their_number() -> None:
    for key, number in framework("torch-cuda").numbers.items():
        assert "metal" not in number.source.lower(), key
    any_product = framework("torch-mps").numbers["efficiency.apple.matrix_product.compute.any"]
    assert "square products" in any_product.source
    plain = framework("native").numbers["efficiency.apple-cpu.elementwise.bandwidth"]
    low, high = (plain.value * (1 + sign * plain.relative_error) for sign in (-1, 1))
    assert low < 0.285 < 0.554 < high, "the two sums that its source cites"


@pytest.mark.parametrize("key", [*LAUNCH, *EFFICIENCY])
def test_a_missing_required_number_is_named(tmp_path: Path, key: str) -> None:
    with pytest.raises(DeviceError, match=key.replace("any.", r"\w+\.", 1)):
        load(tmp_path, {}, without=key)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("efficiency.nvidia-amper.elementwise.bandwidth", "nvidia-ampere"),
        ("efficiency.any.elementwize.bandwidth", "elementwise"),
        ("efficiency.any.matrix_product.compute.fp16", "compute.float16"),
        ("launch.dispatch", "launch.dispatch_s"),
        ("launch.nvidia.dispatch", "launch.nvidia.dispatch_s"),
    ],
)
def test_an_unknown_scope_class_dtype_or_unit_is_rejected_with_the_nearest(
    tmp_path: Path, key: str, nearest: str
) -> None:
    with pytest.raises(DeviceError) as caught:
        load(tmp_path, {key: 0.5})
    assert nearest in str(caught.value)
    assert "mine.toml" in str(caught.value)


@pytest.mark.parametrize("key", ["launch.command_buffer_s", "launch.ops_per_command_buffer"])
def test_the_two_command_buffer_numbers_come_together(tmp_path: Path, key: str) -> None:
    with pytest.raises(DeviceError, match=rf"is needed beside {key}$"):
        load(tmp_path, {key: 1.0})


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("product.nvidia.float32.bandwidth", "product.<scope>.float32.reach"),
        ("attention.any.float16.backward.tile", "attention.<scope>.float16.backward.start_s"),
        ("power.nvidia.busy_part", "power.<scope>.idle_part"),
        ("power.nvidia.stream_part", "power.<scope>.stream_byte_joules"),
        ("memory.any.low_watermark_part", "memory.<scope>.high_watermark_part"),
        ("memory.any.capacity_part", "memory.<scope>.limit_part"),
    ],
)
def test_constants_of_one_unit_come_together(tmp_path: Path, given: str, missing: str) -> None:
    with pytest.raises(DeviceError, match=rf"\] {missing} = None: is needed beside .*<scope>"):
        load(tmp_path, {given: 1.0})


def test_constants_of_one_unit_may_be_of_several_scopes(tmp_path: Path) -> None:
    numbers = {f"power.any.{key}": 1.0 for key in POWER_KEYS}
    with pytest.raises(DeviceError, match=r"power.any.idle_part = 1.0: 1 or more: an idle board"):
        load(tmp_path, numbers)
    numbers["power.any.idle_part"] = 0.5
    found = load(tmp_path, {**numbers, "power.nvidia-ada.busy_part": 0.7})
    assert found.numbers["power.nvidia-ada.busy_part"].value == 0.7


@pytest.mark.parametrize("vendors", ["[]", '"nvidia"', '["amd"]', "[1]", "[[]]"])
def test_vendors_must_be_a_list_of_known_ones(tmp_path: Path, vendors: str) -> None:
    with pytest.raises(DeviceError, match=r"vendors = .*: needs a list out of apple, nvidia, cpu"):
        load(tmp_path, {}, head=HEAD.replace('["nvidia"]', vendors))


@pytest.mark.parametrize("device", ["l4", "rtx-a6000", "a100", "h200"])
def test_convolutions_are_no_slower_where_tf32_is_permitted(device):
    """But for the rest of the step, whose products TF32 is permitted in too."""
    seconds = [
        sp.predict(sp.workload("resnet50", batch=32, precision=precision), device).time_s
        for precision in ("tf32", "fp32")
    ]
    assert seconds[0] <= 1.01 * seconds[1]


def test_convolutions_that_were_timed_under_tf32_are_not_float32s() -> None:
    """Of an A100 they are known by tiles of their own, float32's by a rate alone: whatever that
    rate, it is no other way to do them."""
    sizes = {"batch": 100, "height": 28, "width": 28, "channels": 3, "outputs": 8}
    one = sp.op("conv2d", dtype="tf32", kernel_h=3, kernel_w=3, **sizes)
    board = sp.device("a100")
    key = "peak.matrix.float32_flops_per_s"
    faster = board.with_number(key, 10 * board.numbers[key].value)
    assert sp.predict(one, board).terms == sp.predict(one, faster).terms
    # Gradients are assumed as the forward pass: float32's may be quicker.
    gradient = sp.op("conv2d_data_backward", dtype="tf32", kernel_h=3, kernel_w=3, **sizes)
    single = sp.op("conv2d_data_backward", kernel_h=3, kernel_w=3, **sizes)
    assert sp.predict(gradient, board).time_s <= sp.predict(single, board).time_s


@pytest.mark.parametrize(
    ("version", "more"), [("2.1", {"bfloat16"}), ("2.2", {"bfloat16"}), ("2.5", set())]
)
def test_old_versions_say_what_they_lack(version, more):
    software = framework(f"torch-mps@{version}")
    assert set(framework("torch-mps").lacks) == {"float64", "compile"}
    assert set(software.lacks) == {"float64", "compile", "amp-fp16", "amp-bf16"} | more
    step = sp.workload("gpt2-small", framework="torch-mps", precision="amp-fp16", layers=1, seq=8)
    with pytest.raises(sp.DtypeError, match=r"has no amp-fp16: .* since PyTorch 2\.5"):
        sp.predict(step, "m2-max", software.id)
    with pytest.raises(sp.DtypeError, match="has no amp-fp16"):
        sp.explain(step, ("m2-max", software.id), ("m2-ultra", "torch-mps"))
    assert sp.predict(step, "m2-max", "torch-mps").time_s > 0
    assert software.with_number("launch.dispatch_s", 1e-5).lacks == software.lacks


def test_a_version_without_a_scaler_on_cpus_has_no_amp_fp16():
    step = sp.workload("gpt2-small", precision="amp-fp16", layers=1, seq=8)
    with pytest.raises(sp.DtypeError, match=r"@2\.2 has no amp-fp16: .* since PyTorch 2\.3"):
        sp.predict(step, "xeon-8380", "torch-cpu@2.2")
    assert sp.predict(step, "xeon-8380", "torch-cpu").time_s > 0


def test_no_offloaded_step_is_replayed_as_a_graph():
    step = sp.workload("gpt2-small", offload=True, layers=1, seq=8)
    with pytest.raises(sp.DtypeError, match=r"@graphs has no offload: .*captured graph"):
        sp.predict(step, "h200", "torch-cuda@graphs")
    assert sp.predict(step, "h200", "torch-cuda").time_s > 0


def test_what_a_framework_lacks_is_known_and_has_a_reason(tmp_path: Path) -> None:
    with pytest.raises(
        DeviceError, match=r"lacks\.amp = .*there are: float64, float16, .*, compile"
    ):
        load(tmp_path, {}, head=HEAD + '\n[lacks]\namp = "no"\n')
    with pytest.raises(DeviceError, match=r"lacks\.amp-fp16 = 1: needs one line"):
        load(tmp_path, {}, head=HEAD + "\n[lacks]\namp-fp16 = 1\n")


def test_families_must_be_of_packaged_devices(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"families = .*: needs a list of families"):
        load(tmp_path, {}, head=HEAD.replace('["nvidia"]', '["nvidia"]\nfamilies = ["none"]'))
