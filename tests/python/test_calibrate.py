from __future__ import annotations

import importlib

import pytest

import siliconprof as sp
from siliconprof.calibrate import RUNNERS, calibrated, calibration
from siliconprof.calibration_plan import FORMATS, kernels, memory_levels


def calibrate(made, budget_s=60.0, formats=()):
    return calibrated(made, budget_s, formats, made.clock)


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


@pytest.mark.parametrize("kernel", ["add", "layer_norm", "adamw", "cross_entropy", "gather"])
@pytest.mark.parametrize("of", ["cached", "memory", "streamed"])
def test_the_rates_of_streams_are_recovered(found, rates_of, kernel, of):
    number = found.device.numbers[f"kernel.native.{kernel}.float32.{of}_bytes_per_s"]
    assert number.value == pytest.approx(rates_of(kernel)[f"{of}_bytes_per_s"], rel=0.1)


def test_calls_that_no_cache_holds_are_left_out_where_filling_them_takes_too_long(Made):
    numbers = calibrate(Made(cache_bytes=900e6)).device.numbers
    assert not any("streamed" in key for key in numbers)


def test_a_whole_step_is_predicted_as_the_known_machine_takes_it(Made, found):
    made = Made()
    for workload, sizes in (("gpt2-small", {"batch": 1, "seq": 64}), ("resnet18", {"batch": 8})):
        trace = sp.workload(workload, framework="native", **sizes)
        known = sp.predict(trace, made.device, "native").time_s
        assert sp.predict(trace, found.device, "native").time_s == pytest.approx(known, rel=0.03)


@pytest.mark.parametrize("precision", ["fp64", "amp-bf16", "amp-fp16"])
def test_steps_in_other_formats_are_predicted_once_they_are_measured(Made, found, precision):
    made = Made()
    device = calibrate(made, formats=[FORMATS[precision]]).device
    trace = sp.workload("gpt2-small", batch=1, seq=64, precision=precision, framework="native")
    known = sp.predict(trace, made.device, "native").time_s
    assert sp.predict(trace, device, "native").time_s == pytest.approx(known, rel=0.03)
    with pytest.raises(sp.Error, match=f"no peak rate for {FORMATS[precision]}"):
        sp.predict(trace, found.device, "native")


def test_what_a_precision_measures_besides_leaves_float32_as_it_is(Made, found):
    device = calibrate(Made(), formats=["bfloat16"]).device
    classes = [f"kernel.native.{name}." for name in ("elementwise", "indexed", "optimizer")]
    for key, number in found.device.numbers.items():
        if not key.startswith(tuple(classes)):  # a cast of float32 is another elementwise kernel
            assert device.numbers[key].value == pytest.approx(number.value, rel=1e-6), key


def test_precisions_are_looked_up_by_name(monkeypatch):
    module = importlib.import_module("siliconprof.calibrate")
    asked = []
    monkeypatch.setattr(module, "calibrated", lambda runner, *given: asked.append(given))
    calibration(precisions=["amp-fp16", "fp32", "amp-bf16"])
    calibration(precisions="fp64")
    calibration(budget_s=5.0, precisions=["amp-bf16", "amp-bf16"])
    assert asked == [(180.0, ["bfloat16", "float16"]), (120.0, ["float64"]), (5.0, ["bfloat16"])]
    with pytest.raises(sp.Error, match=r"unknown precision 'tf32'.*fp32.*amp-bf16"):
        calibration(precisions=["tf32"])


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
    # 5 levels, 6 products that are tried first, 4 streams of another call each
    found = calibrate(Made(interrupt_at=30))
    assert found.kernels_measured == 15
    assert found.notes == ["interrupted after 15 kernels; what was measured is kept"]
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


def failing(made, fails, reason):
    """`fails(op, run)` tells which runs raise it."""
    measure, runs = made.measure, []

    def tried(trace, sampling):
        runs.append(trace)
        if fails(trace.calls[0].op, len(runs)):
            raise reason
        return measure(trace, sampling)

    made.measure = tried
    return made


def timed(made, times):
    """A machine whose samples are `times(op, seconds)`."""
    measure = made.measure

    def changed(trace, sampling):
        profile, op = measure(trace, sampling), trace.calls[0].op
        for span in profile.spans:
            span.samples_s = [times(op, each) for each in span.samples_s]
        return profile

    made.measure = changed
    return made


@pytest.mark.parametrize(
    "reason", [MemoryError(), sp.ArgumentError("[run] too large"), RuntimeError("device lost")]
)
def test_a_kernel_that_fails_is_left_out_and_said(Made, tmp_path, reason):
    made = failing(Made(), lambda op, run: op.startswith("conv2d"), reason)
    found = calibrate(made)
    others = [kernel for kernel in kernels() if not kernel.op.startswith("conv2d")]
    assert len(others) < len(kernels())
    assert found.kernels_measured == len(memory_levels()) + len(others)
    (note,) = found.notes
    assert note.startswith("left out, in some rounds or all: conv2d, conv2d_data_backward, ")
    assert (str(reason) or "MemoryError") in note
    assert not any("conv2d" in key for key in found.device.numbers)
    found.device.save(tmp_path / "here.toml")
    trace = sp.workload("resnet18", batch=2, framework="native")
    assert sp.predict(trace, sp.device(tmp_path / "here.toml"), "native").time_s > 0.0


def test_a_kernel_that_fails_in_a_later_round_keeps_what_it_took(Made):
    runs = []

    def later(op, run):
        runs.extend([run] if op == "adamw" else [])
        return op == "adamw" and len(runs) == 4  # tried, its sets, a large call

    found = calibrate(failing(Made(), later, MemoryError()))
    assert len(runs) > 4
    assert found.kernels_measured == len(memory_levels()) + len(kernels())
    assert found.notes[0].startswith("left out, in some rounds or all: ")


def test_a_working_set_that_memory_refuses_leaves_the_others(Made):
    found = calibrate(failing(Made(), lambda op, run: run == 5, MemoryError()))
    assert found.kernels_measured == len(memory_levels()) + len(kernels()) - 1
    cache = found.device.numbers["memory.cache_bytes"].value
    assert cache == pytest.approx(16e6, rel=0.15)


@pytest.mark.parametrize("fails", [lambda op, run: True, lambda op, run: op in LAYOUTS])
def test_where_too_little_can_be_measured_the_reason_is_told(Made, fails):
    with pytest.raises(sp.Error, match=r"\d working sets .* 3 and 1 are needed; broken"):
        calibrate(failing(Made(), fails, RuntimeError("broken")))


def test_products_of_another_format_are_no_peak_of_float32(Made):
    made = Made()
    measure = made.measure

    def refused(trace, sampling):
        call = trace.calls[0]
        if call.op in LAYOUTS and call.dtype == "float32":
            raise RuntimeError("broken")
        return measure(trace, sampling)

    made.measure = refused
    with pytest.raises(sp.Error, match="and 0 products could be measured; 3 and 1 are needed"):
        calibrate(made, formats=["bfloat16"])


LAYOUTS = ("linear", "matmul")


@pytest.mark.parametrize("wrong", [0.0, -1e-6, float("nan"), float("inf")])
def test_times_that_tell_nothing_leave_their_kernel_out(Made, wrong):
    made = timed(Made(), lambda op, each: wrong if op == "relu" else each)
    found = calibrate(made)
    assert found.notes == [f"left out, in some rounds or all: relu ([calibrate] relu: a time of "
                           f"{wrong} s; finite ones above 0 are needed)"]  # fmt: skip
    assert "kernel.native.relu.float32.start_s" not in found.device.numbers
    assert "kernel.native.layer_norm.float32.cached_bytes_per_s" in found.device.numbers


def test_a_clock_of_15_ms_is_no_clock_for_kernels(Made):
    with pytest.raises(sp.Error, match=r"0 working sets of a stream .* a time of 0\.0 s"):
        calibrate(timed(Made(), lambda op, each: each // 0.015 * 0.015))


def test_a_machine_that_does_not_tell_its_memory_is_refused_before_the_work(Made):
    made = Made()
    made.facts = lambda: {"cpu": "Made", "memory_bytes": "unavailable: unrecognized name"}
    with pytest.raises(sp.Error, match=r"memory_bytes = 'unavailable.*bytes are needed"):
        calibrate(made)
    assert made.runs == 0


def test_a_clock_that_goes_backwards_neither_hangs_nor_counts(Made):
    made = Made()
    found = calibrated(made, 60.0, clock=lambda: -made.now_s)
    assert found.seconds_used == 0.0
    larger = sum(kernel.large for kernel in kernels())
    tried = found.kernels_measured  # at most, in the first round
    assert 0 <= made.runs - 3 * (found.kernels_measured + larger) <= tried


def test_a_machine_of_little_memory_has_working_sets_that_fit(Made):
    """Of a server's last cache: a guest has 512 MB of it."""
    made, largest = Made(cache_bytes=300e6), []
    made.free_bytes = 400e6
    measure = made.measure

    def watched(trace, sampling):
        largest.append(trace.peak_memory_bytes)
        return measure(trace, sampling)

    made.measure = watched
    found = calibrate(made)
    assert 100e6 < max(largest) <= 1.1 * 200e6  # whole sets of operands
    assert found.kernels_measured == len(memory_levels()) + len(kernels())


def test_this_machine_says_how_much_memory_is_free():
    free = RUNNERS["cpu"]().free_bytes
    assert free is None or 0 < free <= float(RUNNERS["cpu"]().facts()["memory_bytes"])


def test_wrong_arguments_are_named():
    with pytest.raises(sp.UnknownNameError, match="backend 'gpu'"):
        sp.calibrate(backend="gpu")
    for budget_s in (0.0, -1.0, 0.99, 86401.0, float("nan"), float("inf"), "60", True):
        with pytest.raises(sp.ArgumentError, match=r"\[calibrate\] budget_s = "):
            sp.calibrate(budget_s=budget_s)
