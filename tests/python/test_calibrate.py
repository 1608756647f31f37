from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.calibrate import calibrated
from siliconprof.calibration_plan import kernels, memory_levels


def calibrate(made, budget_s=60.0):
    return calibrated(made, budget_s, made.clock)


@pytest.fixture(scope="module")
def found(Made):
    return calibrate(Made())


def test_the_cache_is_found(found):
    cache = found.device.numbers["memory.cache_bytes"].value
    assert cache == pytest.approx(16e6, rel=0.15)


def test_a_cache_of_many_cores_and_what_lies_beyond_it_are_found(Made, rates_of):
    """300 MB, as 16 cores share them."""
    numbers = calibrate(Made(cache_bytes=300e6)).device.numbers
    assert numbers["memory.cache_bytes"].value == pytest.approx(300e6, rel=0.15)
    for kernel in ("add", "adamw", "gelu_tanh"):
        far = numbers[f"kernel.native.{kernel}.float32.memory_bytes_per_s"].value
        assert far == pytest.approx(rates_of(kernel)["memory_bytes_per_s"], rel=0.1)


@pytest.mark.parametrize("kernel", ["product_forward", "product_weight_gradient"])
def test_the_rates_of_products_are_recovered(found, rates_of, kernel):
    for key, value in rates_of(kernel).items():
        if key in ("arithmetic_flops_per_s", "right_bytes_per_s", "result_bytes_per_s"):
            number = found.device.numbers[f"kernel.native.{kernel}.float32.{key}"]
            assert number.value == pytest.approx(value, rel=0.1), key
            assert number.kind == "fitted"


@pytest.mark.parametrize("channels, side", [(128, 16), (256, 8), (96, 24)])
def test_convolutions_of_other_sizes_are_predicted_as_the_known_machine_takes_them(
    Made, found, channels, side
):
    made = Made()
    for op in ("conv2d", "conv2d_data_backward", "conv2d_weight_backward"):
        sizes = {"batch": 24, "height": side, "width": side, "kernel_h": 3, "kernel_w": 3}
        sizes |= {"channels": channels, "outputs": channels}
        trace = sp.op(op, stride=1, padding=1, **sizes)
        known = sp.predict(trace, made.device, "native").time_s
        assert sp.predict(trace, found.device, "native").time_s == pytest.approx(known, rel=0.1)


@pytest.mark.parametrize("kernel", ["add", "layer_norm", "adamw", "cross_entropy"])
def test_the_rates_of_streams_are_recovered(found, rates_of, kernel):
    number = found.device.numbers[f"kernel.native.{kernel}.float32.cached_bytes_per_s"]
    assert number.value == pytest.approx(rates_of(kernel)["cached_bytes_per_s"], rel=0.1)


def test_a_whole_step_is_predicted_as_the_known_machine_takes_it(Made, found):
    made = Made()
    for workload, sizes in (("gpt2-small", {"batch": 1, "seq": 64}), ("resnet18", {"batch": 8})):
        trace = sp.workload(workload, framework="native", **sizes)
        known = sp.predict(trace, made.device, "native").time_s
        assert sp.predict(trace, found.device, "native").time_s == pytest.approx(known, rel=0.03)


def test_every_number_is_measured_or_fitted_with_its_error(found):
    for key, number in found.device.numbers.items():
        assert number.kind in ("measured", "fitted"), key
        assert 0.0 < number.relative_error < 1.0, key
        assert "Made" in number.source


def test_the_file_reads_back_equal(found, tmp_path):
    found.device.save(tmp_path / "here.toml")
    assert sp.device(tmp_path / "here.toml") == found.device


def test_working_sets_are_those_of_the_machines_last_cache(Made):
    made, largest = Made(cache_bytes=300e6), []
    measure = made.measure

    def watched(trace, sampling):
        largest.append(sum(tensor.bytes for tensor in trace.tensors))
        return measure(trace, sampling)

    made.measure = watched
    calibrate(made)
    assert max(largest) > 6.0 * made.last_cache_bytes


def test_a_quiet_machine_gets_no_notes(found):
    assert found.notes == []
    assert found.kernels_measured == len(memory_levels()) + len(kernels())


def test_an_interrupt_keeps_what_was_measured(Made):
    found = calibrate(Made(interrupt_at=20))
    assert found.kernels_measured == 19
    assert found.notes == ["interrupted after 19 kernels; what was measured is kept"]
    trace = sp.workload("gpt2-small", batch=1, seq=64, framework="native")
    assert sp.predict(trace, found.device, "native").time_s > 0.0


def test_an_interrupt_before_there_is_anything_goes_through(Made):
    with pytest.raises(KeyboardInterrupt) as interrupt:
        calibrate(Made(interrupt_at=2))
    assert interrupt.value.__notes__ == ["kernels measured: 1; a device takes 8"]


def test_a_machine_that_slows_down_is_said(Made):
    kernel_count = len(memory_levels()) + len(kernels())
    found = calibrate(Made(factor=lambda run: 1.0 + 0.2 * (run > 2 * kernel_count)))
    assert any(note.startswith("slowed down: the last round took 20%") for note in found.notes)


def test_a_disturbed_round_is_said_and_does_not_count(Made):
    kernel_count = len(memory_levels()) + len(kernels())
    found = calibrate(Made(factor=lambda run: 1.0 + 2.0 * (kernel_count < run <= 2 * kernel_count)))
    assert any(note.startswith("noisy") for note in found.notes)
    number = found.device.numbers["kernel.native.product_forward.float32.arithmetic_flops_per_s"]
    assert number.value == pytest.approx(150e9, rel=0.1)


def test_a_spent_budget_ends_the_calibration(Made):
    found = calibrate(Made(), budget_s=1e-3)
    assert found.kernels_measured < len(memory_levels()) + len(kernels())
    assert found.notes[0].startswith("the budget was spent after")


def test_wrong_arguments_are_named():
    with pytest.raises(sp.UnknownNameError, match="backend 'gpu'"):
        sp.calibrate(backend="gpu")
    with pytest.raises(sp.ArgumentError, match="budget_s"):
        sp.calibrate(budget_s=0.0)
