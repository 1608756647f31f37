from __future__ import annotations

import pytest

import siliconprof as sp

ROW = {
    "device": "RTX 3090",
    "framework": "PyTorch NGC 22.09/22.10",
    "model": "ResNet-50 synthetic ImageNet",
    "batch": "448",
    "seq_or_image": "224x224",
    "precision": "fp16 (AMP)",
    "metric": "training throughput",
    "value": "896.0",
}


@pytest.fixture
def tool(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import score_published_steps

    return score_published_steps


def test_a_published_rate_is_a_step_of_its_batch(tool):
    step = tool.step_of(ROW)
    assert (step.device, step.workload, step.precision) == ("rtx-3090", "resnet50", "amp-fp16")
    assert step.seconds == pytest.approx(0.5)
    assert step.sizes == {"batch": 448, "optimizer": "sgd"}


def test_epochs_and_hundreds_of_steps_are_single_steps(tool):
    vgg = {"model": "VGG16-bn", "precision": "fp32", "batch": "32", "value": "1406"}
    metric = "training time per epoch without evaluation"
    assert tool.step_of(ROW | vgg | {"metric": metric}).seconds == pytest.approx(60.0)
    bert = {"model": "BERT-base-cased sequence classification", "seq_or_image": "128"}
    metric = "time per 100 steps (training)"
    step = tool.step_of(ROW | bert | {"precision": "fp32", "metric": metric, "value": "12"})
    assert step.seconds == pytest.approx(0.12) and step.sizes == {"batch": 448, "seq": 128}


@pytest.mark.parametrize(
    "other",
    [
        {"device": "Gaudi"},
        {"framework": "TensorFlow (XLA)"},
        {"model": "GNMT"},
        {"precision": "int8"},
        {"batch": "not stated"},
        {"value": "not stated"},
        {"metric": "inference throughput"},
    ],
)
def test_rows_of_other_boards_models_and_measures_are_left_out(tool, other):
    assert tool.step_of(ROW | other) is None


def test_tf32_is_told_from_the_fp32_that_it_is_called(tool):
    assert tool.precision_of("TF32 (called fp32)") == "tf32"


def test_berts_vocabulary_is_no_part_of_steps_that_answer_questions(tool):
    step = tool.Published("rtx-3090", "bert-base", {"batch": 8, "seq": 384}, "tf32", 0.1)
    scored = tool.score(step)
    trace = sp.workload("bert-base", framework=tool.UNFUSED, precision="tf32", batch=8, seq=384)
    whole = sp.predict(trace, "rtx-3090", tool.FRAMEWORK)
    less_s = tool.head_s(trace, whole)
    assert 0.0 < less_s < 0.3 * whole.time_s
    assert scored.seconds == pytest.approx(whole.time_s - less_s)
    assert scored.ratio == pytest.approx(scored.seconds / 0.1)


# Physics that boards without numbers of their own must keep: the same kernels on the same cores at
# less bandwidth take longer, and no more than in proportion. Beside the same host: the one that an
# H100 was mostly met beside is slower than an H200's.
@pytest.mark.parametrize("workload", ["gpt2-medium", "resnet50"])
def test_a_board_with_less_of_everything_takes_longer(workload):
    step = sp.workload(workload, batch=16, precision="amp-fp16")
    boards = [sp.device(device) for device in ("h200", "h100", "a100", "v100", "t4")]
    times = [sp.predict(step, board.with_number("host.pace", 0.9)).time_s for board in boards]
    assert times == sorted(times)
    numbers = [sp.device(device).numbers for device in ("h200", "a100")]
    bandwidths = [n["memory.bandwidth_bytes_per_s"].value for n in numbers]
    peaks = [n["peak.matrix.float16_flops_per_s"].value for n in numbers]
    assert times[2] / times[0] < max(bandwidths[0] / bandwidths[1], peaks[0] / peaks[1])


@pytest.mark.parametrize(("images", "outputs"), [(1, 1888), (4, 512), (16, 256)])
def test_a_convolution_of_few_images_takes_no_longer_on_a_larger_board(images, outputs):
    sizes = {"height": 32, "width": 32, "channels": 64, "kernel_h": 3, "kernel_w": 3}
    call = sp.op("conv2d", batch=images, outputs=outputs, padding=1, **sizes)
    on_h200, on_a100 = (sp.predict(call, device).time_s for device in ("h200", "a100"))
    assert on_h200 < on_a100


def test_a_board_of_less_power_is_held_up_by_what_a_sibling_draws_at_most(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_reach

    found = fit_reach.joules({("RTX 2080 8GB", "float32"): 9.23e12})
    power = sp.framework("torch-cuda").numbers
    left = 1.0 - power["power.nvidia.idle_part"].value - power["power.nvidia.busy_part"].value
    assert found == {("nvidia-turing", "float32"): pytest.approx(left * 215.0 / 9.23e12)}
    (shipped,) = (n for k, n in power.items() if k == "power.nvidia-turing.float32.flop_joules")
    assert shipped.value == pytest.approx(found["nvidia-turing", "float32"], rel=0.01)
    product = sp.op("matmul", m=8192, k=8192, n=8192)
    parts = [
        sp.predict(product, device).time_s
        * sp.device(device).numbers["peak.vector.float32_flops_per_s"].value
        / product.flops
        for device in ("rtx-2080", "t4")
    ]
    assert parts[1] > 1.2 * parts[0], "70 W beside 215"


def test_a_reach_is_what_the_tiles_leave_of_the_published_rate(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_reach

    best = fit_reach.best_rate(sp.device("a100"), "float16")
    found = fit_reach.reaches({("A100 SXM4 80GB", "float16"): 0.5 * best})
    assert found["nvidia-ga100", "float16"] == [pytest.approx(0.5)]
    assert found["nvidia-ga100", "tf32"] == found["nvidia-ga100", "float16"]
    assert fit_reach.reaches({("RTX 4090 24GB", "float16"): 1e18}) == {
        ("nvidia-ada", "float16"): [1.0],
        ("nvidia-ada", "tf32"): [1.0],
    }
