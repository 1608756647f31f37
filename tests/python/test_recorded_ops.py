from __future__ import annotations

import statistics

import pytest

import siliconprof as sp
from siliconprof.predict import model
from siliconprof.recorded_ops import calls_of, kernel_s, op_rows, product_of


def test_a_linears_three_products_turn_its_sizes():
    sizes = {"rows": 2, "k": 3, "n": 5}
    assert product_of("linear", "forward", sizes)[0] == (1, 2, 3, 5)
    assert product_of("linear", "data", sizes)[0] == (1, 2, 5, 3)
    assert product_of("linear", "weight", sizes)[0] == (1, 5, 2, 3)
    for direction in ("forward", "data", "weight"):
        (call,) = calls_of("linear", sizes, direction, "float32")
        assert call.flops == 2 * 2 * 3 * 5


def test_a_first_layer_and_an_unknown_operation_are_no_call_of_ours():
    assert calls_of("conv2d", {"channels": 3}, "forward", "float32") == []
    assert calls_of("cast", {"n": 8}, "forward", "float32") == []


def test_the_gradient_of_a_convolution_is_two_calls():
    (row, *_) = (r for r in op_rows("h200_ops") if (r.op, r.direction) == ("conv2d", "backward"))
    assert [call.calls[0].op for call in row.calls] == [
        "conv2d_data_backward",
        "conv2d_weight_backward",
    ]
    assert row.kind == "convolution"


def test_a_kernels_seconds_leave_the_launch_out():
    machine = model("h200", "torch-cuda")
    (call,) = calls_of("relu", {"n": 1 << 20}, "forward", "float32")
    profile = machine.predict(call)
    assert kernel_s(machine, [call]) == pytest.approx(profile.time_s - profile.terms["launch"])


def test_a_product_with_a_bias_is_a_linear_layer_whose_depth_is_not_split():
    sizes = {"rows": 128, "k": 4096, "n": 1024}
    machine = model("h200", "torch-cuda")
    biased = calls_of("linear_bias", sizes, "forward", "float32")
    plain = calls_of("linear", sizes, "forward", "float32")
    assert [call.calls[0].op for call in biased] == ["linear"]
    assert kernel_s(machine, biased) > 1.5 * kernel_s(machine, plain)


def test_a_clip_of_gradients_is_their_norm_and_its_use():
    row = next(row for row in op_rows("h200_ops") if row.op == "clip")
    assert [call.calls[0].op for call in row.calls] == ["square_sum", "clip"]
    assert kernel_s(model("h200"), row.calls) == pytest.approx(row.seconds, rel=0.15)


@pytest.mark.parametrize(("id", "tensors"), [("gpt2-small", 148), ("gpt2-medium", 292)])
def test_clipping_takes_a_step_what_it_took_when_it_was_measured(id, tensors):
    """One call over all gradients: its launches aren't those of each gradient."""
    what = f"host.clip tensors={tensors} "
    found = [row.value for row in sp.load("h200_ops").rows if row.what.startswith(what)]

    def step_s(**given):
        return sp.predict(sp.workload(id, batch=1, **given), "h200").time_s

    took_s = step_s(clip=1.0) - step_s()
    assert took_s == pytest.approx(statistics.median(found), rel=0.3)


def test_nine_in_ten_matrix_kernels_lie_within_their_own_intervals():
    """Not within those of whole steps, which err less: a step is a sum. They ran in bursts too
    short for a board's power to hold them up; shorter ones, and what streams, find in the cache
    what a step doesn't."""
    bare = sp.device("h200").with_number("host.pace", 200.0)
    found = model(bare.with_number("power.board_watts", 1e5), "torch-cuda")
    held: dict[str, list[bool]] = {"conv2d": [], "linear": [], "attention": []}
    for row in op_rows("h200_ops"):
        if row.op not in held or row.seconds < 1e-5 or len(row.calls) > 1:
            continue
        profile = found.predict(row.calls[0])
        low, high = (end - profile.terms["launch"] for end in profile.interval)
        held[row.op].append(low <= row.seconds <= high)
    for op, some in held.items():
        assert len(some) > 100 and sum(some) / len(some) > 0.85, op


@pytest.mark.parametrize("batch", [16, 32])
def test_images_larger_than_cudnn_transforms_are_not_predicted_so(batch):
    words = f"conv2d batch={batch} height=56 width=56 channels=64 outputs=64"
    (row,) = [
        row
        for row in op_rows("h200_ops")
        if row.what.startswith(words) and (row.dtype, row.direction) == ("float32", "forward")
    ]
    assert kernel_s(model("h200", "torch-cuda"), row.calls) == pytest.approx(row.seconds, rel=0.25)


def test_what_a_call_alone_draws_is_known_no_better_than_how_long_it_takes():
    sizes = {"batch": 64, "height": 32, "width": 32, "channels": 64, "outputs": 64}
    call = sp.op("conv2d", **sizes, kernel_h=3, kernel_w=3, padding=1)
    found = sp.predict(call, sp.device("h200").with_number("host.pace", 200.0), "torch-cuda")
    for end, joules in zip(found.interval, found.energy_interval_joules, strict=True):
        assert joules / found.energy_joules == pytest.approx(end / found.time_s, rel=0.05)
