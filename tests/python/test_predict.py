from __future__ import annotations

import math
from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.predict import alone_s, model, synchronised


def trace() -> sp.Trace:
    return sp.op("matmul", batch=8, m=2000, k=2000, n=2000)


def test_a_prediction_says_where_it_comes_from_and_shows_its_terms():
    profile = sp.predict(trace(), "m2-ultra", "mlx")
    assert (profile.origin, profile.device, profile.framework) == ("predicted", "m2-ultra", "mlx")
    assert profile.interval[0] < profile.time_s < profile.interval[1]
    kernels = {"matrix", "vector", "bandwidth", "launch", "paging"}
    assert set(profile.terms) == {*kernels, "transfers", "host optimizer"}
    assert profile.samples_s == []


@pytest.mark.parametrize(
    ("device", "framework"),
    [("m2-ultra", "mlx"), ("rtx-a6000", "torch-cuda"), ("m1-pro-cpu", "native")],
)
def test_without_a_framework_the_vendors_own_is_taken(device, framework):
    assert sp.predict(trace(), device).framework == framework


@pytest.mark.parametrize("device", sp.devices())
def test_every_device_predicts_a_float32_product(device):
    assert sp.predict(trace(), device).time_s > 0


def test_a_profile_names_the_version_of_its_framework():
    profile = sp.predict(trace(), "m2-ultra", "torch-mps@2.2")
    assert profile.framework == "torch-mps@2.2"
    assert sp.predict(trace(), "m2-ultra", "torch-mps").framework == "torch-mps"


def test_a_device_and_a_framework_can_be_objects():
    by_name = sp.predict(trace(), "m2-ultra", "mlx")
    by_object = sp.predict(trace(), sp.device("m2-ultra"), sp.framework("mlx"))
    assert by_object == by_name


def test_a_changed_device_changes_the_prediction():
    device = sp.device("m2-ultra")
    numbers = device.numbers
    peak = numbers["peak.matrix.float32_flops_per_s"]
    numbers["peak.matrix.float32_flops_per_s"] = _core.Number(
        peak.value / 2, peak.kind, peak.source
    )
    half = sp.Device(device.id, device.name, device.vendor, device.family, numbers)
    assert sp.predict(trace(), half).time_s > 1.5 * sp.predict(trace(), device).time_s


def test_a_single_operation_begins_no_pass_of_a_step():
    call = sp.op("matmul", batch=1, m=2048, k=2048, n=2048)
    assert sp.predict(call, "h200", framework="torch-cuda").terms["launch"] < 50e-6


def test_a_users_file_is_read_again_each_time(tmp_path):
    source = Path(_packaged("quadro-rtx-4000.toml")).read_text()
    path = tmp_path / "mine.toml"
    path.write_text(source)
    first = sp.predict(trace(), str(path))
    assert first == sp.predict(trace(), path)
    path.write_text("nonsense = 1")
    with pytest.raises(sp.DeviceError, match=r"mine.toml"):
        sp.predict(trace(), str(path))


def _packaged(name: str) -> str:
    from importlib.resources import files

    return str(files("siliconprof") / "data" / "devices" / name)


@pytest.mark.parametrize("device", ["m2-ultra", 3, sp.device("m2-ultra")])
def test_what_is_no_trace_is_refused(device):
    with pytest.raises(sp.ArgumentError, match=r"\[predict\] trace = None .*siliconprof.Trace"):
        sp.predict(None, device)


@pytest.mark.parametrize("device", [3, None, b"m2-ultra", "a\0.toml", "\ud800", "\ud800.toml"])
def test_what_is_neither_an_id_nor_a_path_is_refused(device):
    with pytest.raises(sp.ArgumentError, match=r"\[device\] device = "):
        sp.predict(trace(), device)


def test_a_device_of_an_unknown_vendor_names_those_that_exist():
    own = sp.Device("x", "X", "amd", "rdna", {})
    with pytest.raises(sp.UnknownNameError, match=r"vendor 'amd'.*apple, nvidia, cpu"):
        sp.predict(trace(), own)


def test_a_dot_makes_no_path_of_an_id():
    with pytest.raises(sp.UnknownNameError, match=r"unknown device 'm2.ultra'"):
        sp.predict(trace(), "m2.ultra")


def test_an_unknown_device_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="m2-ultra"):
        sp.predict(trace(), "m2-ulta")


def test_an_unknown_framework_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="torch-mps"):
        sp.predict(trace(), "m2-ultra", "torch-mp")


def test_a_framework_that_does_not_run_there_names_those_that_do():
    with pytest.raises(sp.ArgumentError, match=r"'torch-cuda' does not run on 'm2-ultra'.*mlx"):
        sp.predict(trace(), "m2-ultra", "torch-cuda")


def test_float64_is_no_quicker_than_float32_whose_kernels_alone_have_constants():
    for name, sizes in (("gpt2-large", {"batch": 8, "seq": 512}), ("resnet50", {"batch": 64})):
        steps = (sp.workload(name, **sizes, precision=p) for p in ("fp32", "fp64"))
        single, double = (sp.predict(step, "h200").time_s for step in steps)
        assert double > single


def test_a_dtype_that_the_device_lacks_is_refused():
    with pytest.raises(sp.DtypeError, match="float64"):
        sp.predict(sp.op("matmul", m=2, k=2, n=2, dtype="float64"), "m2-ultra")


def test_the_model_behind_a_prediction_can_be_asked_for_its_numbers():
    assert model("m2-ultra", "mlx").number("launch.dispatch_s").value > 0


@pytest.mark.parametrize(("batch", "seq", "slower_s"), [(256, 128, 58.4), (64, 512, 100.9)])
def test_a_step_beyond_a_macs_memory_is_slowed_as_one_that_was_recorded(batch, seq, slower_s):
    """BERT-base on an M1 Max of 32 GB: 100 steps took 6549 s and 12364 s, where a quarter of the
    batch took 177 s and 568 s (lucadiliello, pytorch-apple-silicon-benchmarks, 4559602)."""

    def paging_s(batch: int) -> float:
        step = sp.workload("bert-base", batch=batch, seq=seq, framework="torch-mps")
        return sp.predict(step, "m1-max-24", "torch-mps").terms["paging"]

    assert paging_s(batch // 4) == 0.0
    assert slower_s / 2 < paging_s(batch) < slower_s * 2


def test_an_offloaded_step_takes_a_macs_memory_for_what_it_keeps_on_the_host():
    step = sp.workload("gpt2-medium", batch=1, seq=256, offload=True)
    lasting = sum(
        info.bytes
        for info in step.tensors
        if info.role in ("parameter", "optimizer_state") and info.base is None
    )
    profile = sp.predict(step, device="m2-8")
    assert profile.peak_memory_bytes >= lasting > 5e9
    assert profile.terms["paging"] > 0


def test_pytorchs_allocator_on_a_mac_reserves_heaps_and_refuses_above_its_watermark():
    step = sp.workload("gpt2-small", batch=4, seq=256, framework="torch-mps")
    machine = model("m2", "torch-mps")
    replay = machine.memory(step)
    assert replay.peak_allocated_bytes <= replay.peak_reserved_bytes
    assert len(replay.timeline) == len(step) and replay.refused is None
    assert max(reserved for _, reserved in replay.timeline) == replay.peak_reserved_bytes
    small = sp.framework("torch-mps").with_number("memory.apple.high_watermark_part", 0.2)
    small = small.with_number("memory.apple.low_watermark_part", 0.2)
    refused = sp.predict(step, "m2", small)
    assert "refuses call" in refused.notes[-1]
    assert model("m2", small).memory(step).refused[1] > 0


def test_mlx_keeps_freed_buffers_and_goes_on_beyond_its_limit():
    step = sp.workload("gpt2-small", batch=4, seq=256, framework="mlx")
    replay = model("m2", "mlx").memory(step)
    assert replay.peak_allocated_bytes < replay.peak_reserved_bytes
    tight = sp.device("m2").with_number("memory.working_set_limit_bytes", 1.5e9)
    squeezed = model(tight, "mlx").memory(step)
    assert squeezed.peak_reserved_bytes < replay.peak_reserved_bytes
    assert squeezed.refused is None
    assert "goes on" in sp.predict(step, tight, "mlx").notes[-1]


def test_a_framework_without_constants_of_an_allocator_has_no_replay():
    assert model("m1-pro-cpu", "native").memory(trace()) is None


def test_a_models_scoped_number_is_the_familys_before_the_vendors_and_any():
    keys = ("call.any.sort.wait_s", "call.apple.sort.wait_s", "call.apple-m3.sort.wait_s")
    numbers = dict(sp.framework("mlx").numbers)
    for key in keys:
        numbers.pop(key, None)
    for value, key in enumerate(keys, 1):
        numbers[key] = _core.Number(float(value), "fitted", "test")
        software = sp.Framework("made", "Made", ["apple"], numbers)
        assert model("m3", software).find_scoped("call", "sort.wait_s") == numbers[key]
    assert model("m3", software).find_scoped("call", "wait_s") is None


def waited_for(numbers: dict[str, float]) -> tuple[float, float, float]:
    """A gather on an M3 that is waited for, under MLX with some numbers of its own."""
    base = sp.framework("mlx")
    kept = {key: n for key, n in base.numbers.items() if not key.startswith("call.")}
    made = {key: _core.Number(value, "fitted", "test", 0.2) for key, value in numbers.items()}
    software = sp.Framework(base.id, base.name, base.vendors, kept | made)
    return synchronised(model("m3", software), sp.op("gather", rows=64, count=10, columns=16))


def test_a_call_that_is_waited_for_takes_what_its_class_waits_longer():
    plain, _, _ = waited_for({})
    longer, _, _ = waited_for({"call.apple.indexed.wait_s": 1e-4})
    both = {"call.apple.indexed.wait_s": 1e-4, "call.apple-m3.indexed.wait_s": 2e-4}
    nearer, _, _ = waited_for(both)
    assert longer - plain == pytest.approx(1e-4)
    assert nearer - plain == pytest.approx(2e-4)


def test_an_operations_own_wait_stands_before_its_classs():
    plain, _, _ = waited_for({})
    both = {"call.apple-m3.indexed.wait_s": 1e-4, "call.apple.gather.wait_s": 3e-4}
    assert waited_for(both)[0] - plain == pytest.approx(3e-4)


def test_a_call_timed_again_finds_its_data_in_the_last_cache_where_half_of_it_holds_them():
    machine = model("a100-pcie", "torch-cuda")
    part = machine.framework.numbers["call.nvidia-ga100.cached_part"].value

    def seconds(n: int) -> tuple[float, sp.Profile]:
        trace = sp.op("relu", n=n)
        profile = machine.predict(trace)
        return alone_s(machine, trace, profile), profile

    near_s, profile = seconds(2 * 2**20)  # 16 of 40 MiB
    assert near_s == pytest.approx(part * profile.terms["bandwidth"])
    far_s, profile = seconds(4 * 2**20)
    assert far_s == pytest.approx(profile.time_s - profile.terms["launch"])


def test_writes_to_few_rows_queue_on_every_board_alike():
    def seconds(device: str, rows: int, columns: int) -> float:
        trace = sp.op("scatter", rows=rows, count=1_000_000, columns=columns)
        profile = sp.predict(trace, device, "torch-cuda")
        return profile.time_s - profile.terms["launch"]

    numbers = sp.framework("torch-cuda").numbers
    for device, scope in (("v100-pcie", ""), ("a100-pcie", ""), ("h200", "-hopper")):
        queued_s = numbers[f"access.nvidia{scope}.scatter.same_row_s"].value
        assert seconds(device, 64, 16) == pytest.approx(queued_s * 1_000_000 / 64, rel=0.05)
    assert seconds("h200", 1024, 32) < seconds("h200", 64, 16)


def test_a_calls_interval_is_its_classs_error_either_way_and_the_data_sheets():
    time_s, low, high = waited_for({"call.apple.indexed.error_part": 0.5})
    sheet = 1.0 + sp.device("m3").numbers["memory.bandwidth_bytes_per_s"].relative_error
    assert (low, high) == pytest.approx((time_s / 1.5 / sheet, time_s * 1.5 * sheet))


def test_a_call_that_mostly_waits_has_an_error_of_its_own():
    both = {"call.apple.indexed.error_part": 0.1, "call.apple.indexed.waiting_error_part": 0.5}
    time_s, low, high = waited_for(both)
    sheet = 1.0 + sp.device("m3").numbers["memory.bandwidth_bytes_per_s"].relative_error
    assert (low, high) == pytest.approx((time_s / 1.5 / sheet, time_s * 1.5 * sheet))


def test_a_product_is_slower_with_both_factors_turned_than_with_one():
    """Tensor cores read tf32 along the depth alone: a layer's data gradient turns its weights, a
    weights' gradient both."""
    size = {"batch": 1, "m": 4096, "k": 4096, "n": 4096, "dtype": "tf32"}
    machine = model("h200", "torch-cuda")

    def seconds(**turned: bool) -> float:
        profile = machine.predict(sp.op("matmul", **size, **turned))
        return profile.time_s - profile.terms["launch"]

    along = seconds(transpose_b=True)
    assert along < seconds() < 1.3 * along < seconds(transpose_a=True)


def test_a_slower_host_issues_every_call_later_and_a_bound_kernel_no_later():
    step = sp.workload("gpt2-small", batch=1, seq=64, layers=2, framework="torch-cuda")
    h200, framework = sp.device("h200"), sp.framework("torch-cuda")
    slower = framework
    for key, number in framework.numbers.items():
        if key.startswith("issue.") or key == "launch.nvidia.issue_s":
            slower = slower.with_number(key, number.value / 0.5)
    at_one = h200.with_number("host.pace", 1)
    paced = sp.predict(step, h200.with_number("host.pace", 0.5), framework)
    assert paced.time_s == pytest.approx(sp.predict(step, at_one, slower).time_s, rel=1e-12)
    assert paced.time_s > 1.5 * sp.predict(step, h200).time_s
    a100 = sp.device("a100")  # the framework's, where the device says nothing
    unsaid = sp.predict(step, a100, framework.with_number("host.pace", 0.5))
    assert unsaid.spans == sp.predict(step, a100.with_number("host.pace", 0.5), framework).spans
    bound = sp.op("matmul", m=20000, k=20000, n=20000)
    usual, late = (sp.predict(bound, d) for d in (h200, h200.with_number("host.pace", 0.5)))
    assert late.time_s == pytest.approx(usual.time_s, rel=1e-2)


def test_a_cpu_is_its_own_host():
    device = sp.device("m1-pro-cpu")
    slower = sp.predict(trace(), device.with_number("host.pace", 0.5))
    assert slower.spans == sp.predict(trace(), device).spans


@pytest.mark.parametrize(
    ("device", "framework"),
    [
        *(("m2-pro", f"mlx{version}") for version in ("", "@0.24", "@0.5", "@0.2")),
        *(("m2-pro", framework) for framework in ("mlx-compile", "torch-mps", "torch-mps@2.1")),
        *((device, "torch-cuda") for device in ("h200", "a100-pcie", "rtx-2080-ti")),
        ("m1-pro-cpu", "native"),
    ],
)
def test_operations_with_an_axis_of_nothing_take_a_finite_time(device, framework):
    predicted = 0
    for op in _core.op_names():
        for empty in _core.op_dims(op):
            sizes = {dim: 0 if dim == empty else 4 for dim in _core.op_dims(op)}
            try:
                trace = sp.op(op, **sizes)
                time_s = sp.predict(trace, device, framework).time_s
            except sp.Error:
                continue
            assert math.isfinite(time_s) and time_s >= 0.0, (op, empty)
            predicted += 1
    assert predicted > 100


def test_mlx_norms_batches_array_by_array_and_copies_windows_for_weights():
    """As its sources have it: 15 arrays read and written where one kernel does with 2, and windows
    written out and read again."""
    machine = model("m4-pro", "mlx")

    def kernel_s(op, **sizes):
        terms = machine.predict(sp.op(op, **sizes)).terms
        return sum(terms.values()) - terms["launch"]

    norm_s = kernel_s("batch_norm", outer=1 << 20, channels=64, inner=1)
    copy_s = kernel_s("copy", n=1 << 26)
    start_s = machine.framework.numbers["access.apple.batch_norm.start_s"].value
    assert norm_s - start_s == pytest.approx(7.5 * copy_s, rel=0.05)
    sizes = {"batch": 64, "height": 56, "width": 56, "channels": 64, "outputs": 64}
    sizes |= {"kernel_h": 3, "kernel_w": 3, "padding": 1}
    forward_s, weight_s = (kernel_s(op, **sizes) for op in ("conv2d", "conv2d_weight_backward"))
    windows_bytes = 4.0 * 64 * 56 * 56 * 64 * 9
    bandwidth = sp.device("m4-pro").numbers["memory.bandwidth_bytes_per_s"].value
    assert weight_s > forward_s + windows_bytes / bandwidth
