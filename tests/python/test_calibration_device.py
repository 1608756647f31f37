from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.calibration_device import build_device, capacity_bytes
from siliconprof.calibration_plan import kernels, memory_levels
from siliconprof.calibration_samples import measure


def calibrated(made, some):
    found = [measure(made, k, 16e6, 1.0) for k in [*memory_levels(), *some]]
    return build_device("cpu", "native", made.facts(), found, "2026-01-02")


@pytest.fixture(scope="module")
def device(Made):
    return calibrated(Made(), kernels()[:30])


def test_numbers_name_the_machine_and_the_day(device):
    sources = {number.source for number in device.numbers.values()}
    assert sources == {"siliconprof calibrate on Made [tm] CPU, 2 cores (2026-01-02), here"}
    assert device.id == "made-tm-cpu-here"


def test_a_name_that_no_file_can_hold_is_cleaned(Made, tmp_path):
    made = Made()
    for name, shown in (("A\tCPU \x07(2 GHz)\n", "A CPU (2 GHz)"), (" \x00", "this machine")):
        made.facts = lambda name=name: {"cpu": name, "cores": "2", "memory_bytes": "1e10"}
        device = calibrated(made, kernels()[:3])
        assert device.name == shown
        device.save(tmp_path / "here.toml")
        assert sp.device(tmp_path / "here.toml") == device


@pytest.mark.parametrize("found", ["", "unavailable: no such name", "nan", "0", "-1"])
def test_a_machine_without_bytes_of_memory_is_refused(found):
    with pytest.raises(sp.Error, match=r"\[calibrate\] memory_bytes = .* are needed"):
        capacity_bytes({"memory_bytes": found} if found else {})


def test_a_cache_is_no_larger_than_the_memory(Made):
    made = Made(cache_bytes=300e6)
    made.facts = lambda: {"cpu": "Small", "cores": "1", "memory_bytes": "20000000"}
    device = calibrated(made, kernels()[:3])
    assert device.numbers["memory.cache_bytes"].value == 20e6


def test_the_bandwidth_is_that_of_the_largest_working_set(device):
    # Through the cache at 100 GB/s, and across its edge at 30.
    expected = 1.0 / (1.0 / 100e9 + 1.0 / 30e9)
    number = device.numbers["memory.bandwidth_bytes_per_s"]
    assert number.value == pytest.approx(expected, rel=0.02)
    assert number.kind == "measured"


def test_the_peak_is_the_best_rate_of_products(device):
    number = device.numbers["peak.matrix.float32_flops_per_s"]
    assert 110e9 < number.value < 150e9  # the surfaces take the rest
    assert device.numbers["peak.vector.float32_flops_per_s"] == number


def test_the_peak_is_the_best_whatever_was_measured_last(Made, device):
    found = calibrated(Made(), [*reversed(kernels()[:30])])
    key = "peak.matrix.float32_flops_per_s"
    assert found.numbers[key].value == pytest.approx(device.numbers[key].value)


def test_nothing_multiplies_much_faster_than_products(Made):
    device = calibrated(Made(), kernels())
    key = "kernel.native.{}.float32.arithmetic_flops_per_s"
    layouts = ("forward", "data_gradient", "weight_gradient")
    fastest = max(device.numbers[key.format(f"product_{layout}")].value for layout in layouts)
    assert device.numbers[key.format("conv2d")].value <= 1.1 * fastest * (1.0 + 1e-9)


def test_a_fit_without_spare_points_is_known_as_well_as_the_others(Made):
    device = calibrated(Made(lambda run: 1.0 + 0.3 * (run % 4)), kernels())
    # Three points, of far, near and large operands, and three rates.
    key = "kernel.native.layer_norm.float32.memory_bytes_per_s"
    assert device.numbers[key].relative_error > 0.05


def test_no_fit_is_known_better_than_the_machine_repeats(Made):
    made = Made()
    found = [measure(made, k, 16e6, 1.0) for k in [*memory_levels(), *kernels()]]
    for one in found:
        one.far = [[each, each, each, 1.4 * each] for samples in one.far for each in samples]
    device = build_device("cpu", "native", made.facts(), found, "2026-01-02")
    errors = [number.relative_error for key, number in device.numbers.items() if "kernel" in key]
    assert min(errors) == device.numbers["peak.matrix.float32_flops_per_s"].relative_error > 0.05


def test_kernels_that_few_shapes_stand_for_are_known_no_better(Made):
    device = calibrated(Made(), kernels())

    def error(kernel):
        key = f"kernel.native.{kernel}.float32.memory_bytes_per_s"
        return device.numbers[key].relative_error

    assert error("product_thin") == 0.6
    assert error("conv2d") == error("conv2d_narrow") == error("conv2d_data_backward") == 0.3
    assert error("conv2d_3x3") < 0.1 and error("product_forward") < 0.1


def test_thin_products_start_as_streams_do(Made):
    numbers = calibrated(Made(), kernels()).numbers
    start = numbers["kernel.native.product_thin.float32.start_s"].value
    assert start == numbers["kernel.native.add.float32.start_s"].value
    assert start < 2e-6 < numbers["kernel.native.product_forward.float32.start_s"].value


def test_a_sort_goes_by_its_comparisons(Made):
    numbers = calibrated(Made(), kernels()).numbers
    rate = numbers["kernel.native.sort.float32.arithmetic_flops_per_s"].value
    assert rate == pytest.approx(5e9, rel=0.05)
    assert "kernel.native.sort.float32.cached_bytes_per_s" not in numbers


def test_ops_that_were_not_measured_are_predicted_by_their_class(device):
    native = sp.framework("native")
    bare = {key: n for key, n in native.numbers.items() if not key.startswith("stand_in.")}
    framework = sp._core.Framework("native", "Made", native.vendors, bare, native.lacks)
    assert "kernel.native.scale.float32.cached_bytes_per_s" not in device.numbers
    rate = device.numbers["kernel.native.elementwise.float32.cached_bytes_per_s"].value
    near_s = sp.op("scale", n=500_000).cost.bytes / rate  # found in the cache, but for little
    found = sp.predict(sp.op("scale", n=500_000), device, framework).time_s
    assert near_s < found < 1.3 * near_s


def test_no_product_multiplies_much_faster_than_the_quickest_was(Made):
    """Layouts that took turns of a disturbed machine: surfaces would explain all of it."""
    made = Made()
    products = [k for k in kernels() if k.op in ("linear", "matmul")]
    found = [measure(made, k, 16e6, 1.0) for k in [*memory_levels(), *products]]
    for one in found:
        if one.kernel.op == "linear":  # as if its few shapes took what their surfaces take
            work = _core.kernel_work(one.trace.calls[0], 0.0, 0.0)
            one.far = [[(work["left_bytes_per_s"] + work["result_bytes_per_s"]) / 1e9]]
            one.near = [list(one.far[0])]
    numbers = build_device("cpu", "native", made.facts(), found, "2026-01-02").numbers
    quickest = max(
        one.trace.calls[0].cost.flops / min(*one.far_s, *one.near[0])
        for one in found
        if one.trace.calls[0].op_class == "matrix_product"
    )
    for layout in ("forward", "data_gradient", "weight_gradient"):
        rate = numbers[f"kernel.native.product_{layout}.float32.arithmetic_flops_per_s"].value
        assert rate <= 1.5 * quickest * (1.0 + 1e-9)


def test_a_table_that_is_hardly_touched_measures_no_other_op_of_its_class(Made):
    device = calibrated(Made(), kernels())
    assert "kernel.native.embedding_backward_add.float32.start_s" in device.numbers
    key = "kernel.native.{}.float32.cached_bytes_per_s"
    assert device.numbers[key.format("indexed")] == device.numbers[key.format("gather")]


@pytest.mark.parametrize("name", ["epyc-zen4-2", "epyc-zen5-2", "xeon-amx-16", "xeon-amx-2"])
@pytest.mark.parametrize("op", ["embedding", "gather", "scatter"])
def test_no_shipped_machine_moves_more_than_its_memory_does(name, op):
    sizes = {"v": 500_000, "n": 65536, "c": 2048} if op == "embedding" else None
    sizes = sizes or {"rows": 500_000, "count": 65536, "columns": 2048}
    trace = sp.op(op, **sizes)
    seconds = sp.predict(trace, name, "native").time_s
    bandwidth = sp.device(name).numbers["memory.bandwidth_bytes_per_s"].value
    assert trace.cost.bytes / seconds < 1.2 * bandwidth
