from __future__ import annotations

import tomllib

import pytest

from siliconprof import Profile, _core, framework, predict
from siliconprof.experiments import m3max_ops
from siliconprof.experiments.m3max_ops import M3_MAX, MEAN, RATIO, SPEEDUP, TIME, Params, run
from siliconprof.experiments.pairs import Target
from siliconprof.suite import SUITE, suite

RATE_BYTES_PER_S = 1e10


@pytest.fixture(scope="module")
def made():
    """Every row here runs at 10 GB/s."""

    def given(trace, sampling=None):
        time_s = trace.bytes / RATE_BYTES_PER_S
        span = _core.Span("step", "step", "forward", -1, -1, time_s, (time_s, time_s), [time_s])
        return Profile("measured", trace.label, "cpu", "openblas", [span], sampling="given")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m3max_ops, "run_here", given)
        return run(Params(others=(Target("m2-ultra", "mlx"),), largest_bytes=10**8))


def test_the_five_recorded_columns_and_the_three_speed_ups_are_there_for_each_row(made):
    for label in (row.label for row in suite()):
        columns = {row.point["column"] for row in made.where(origin="recorded", label=label)}
        assert len(columns) == 8
    (row,) = made.where(origin="recorded", label="Sort dim=64x128x1024 axi=0", column="mps")
    assert row.value == 8.83e-3
    (row,) = made.where(origin="recorded", label="Sort dim=64x128x1024 axi=0", column="mlx_gpu/mps")
    assert row.value == 11.86


@pytest.mark.parametrize("operation", ["Argmax", "Softmax", "Sum", "Sort", "ScatterSum"])
def test_mlx_rows_that_did_other_work_are_shown_and_not_compared(made, operation):
    recorded = made.where(origin="recorded", operation=operation, quantity=TIME)
    mlx = [row for row in recorded if row.framework.startswith("mlx") and row.value]
    assert mlx and not any(row.point["same"] for row in mlx)
    compared = made.where(quantity=RATIO, operation=operation)
    assert {row.framework for row in compared} <= {"torch-mps", "torch-cpu"}


def test_rows_that_do_what_they_say_are_compared(made):
    (ratio,) = made.where(
        quantity=RATIO, label="ReLU dim=128x16x1024", framework="mlx", device="m3-max"
    )
    (predicted,) = made.where(
        origin="predicted",
        quantity=TIME,
        label="ReLU dim=128x16x1024",
        framework="mlx",
        device="m3-max",
    )
    assert ratio.value == pytest.approx(predicted.value / 0.44e-3)
    assert ratio.lo < ratio.value < ratio.hi


def test_a_predicted_call_is_waited_for(made):
    entry = next(row for row in suite() if row.label == "ReLU dim=128x16x1024")
    (row,) = made.where(origin="predicted", quantity=TIME, label=entry.label, framework="torch-mps")
    queued = predict(entry.trace(), "m3-max", "torch-mps@2.2")
    busy_s = queued.time_s - queued.terms["launch"]
    wait = framework("torch-mps@2.2").numbers["call.apple.elementwise.wait_s"]
    assert row.value == pytest.approx(busy_s + 145e-6 + wait.value)


def test_means_are_over_all_shapes_or_there_is_none(made):
    (mean,) = made.where(origin="measured", quantity=MEAN, operation="ReLU")
    sizes = [128 * 16 * 1024, 64 * 128 * 1024]
    assert mean.value == pytest.approx(sum(8 * n for n in sizes) / 2 / RATE_BYTES_PER_S)
    (none,) = made.where(origin="measured", quantity=MEAN, operation="MatMul")
    assert none.value is None and "of 6 shapes have no value" in none.source


def test_rows_that_cannot_be_measured_say_why(made):
    rows = made.where(origin="measured", quantity=TIME)
    assert [row.what for row in rows] == [row.label for row in suite()]
    for row in rows:
        assert row.value is not None or "takes" in row.source or "no op" in row.source


def test_an_engine_without_the_op_gives_a_row_with_the_reason(monkeypatch):
    def refuse(trace, sampling=None):
        raise _core.ArgumentError("[openblas] op is relu; needed: one of a, b")

    monkeypatch.setattr(m3max_ops, "run_here", refuse)
    row = m3max_ops.measured_row(suite()[27], Params())
    assert (row.value, row.source) == (None, "[openblas] op is relu")


def test_speed_ups_are_ratios_of_the_means(made):
    means = {
        row.framework: row.value
        for row in made.where(origin="predicted", device="m3-max", quantity=MEAN, operation="ReLU")
    }
    (found,) = made.where(
        origin="predicted", quantity=SPEEDUP, operation="ReLU", column="mlx_gpu/mps", average=True
    )
    assert found.value == pytest.approx(means["torch-mps"] / means["mlx"])


def test_all_five_columns_are_predicted_and_compared(made):
    columns = {"mlx_gpu", "mlx_gpu_compile", "mlx_cpu", "mps", "cpu"}
    predicted = [row for target in M3_MAX for row in made.where(device=target.device)]
    found = {row.point.get("column") for row in predicted if row.origin == "predicted"}
    assert columns <= found
    assert {row.point["column"] for row in made.where(quantity=RATIO)} == columns
    errors = made.where(quantity="error")
    places = [(row.device, row.framework) for row in errors]
    assert places == [(target.device, target.framework) for target in M3_MAX]


def test_the_gpus_speed_up_over_one_core_is_the_recorded_one_within_a_half(made):
    for operation in ("BCE", "Softplus"):
        (found,) = made.where(
            origin="predicted", operation=operation, column="mlx_gpu/mlx_cpu", average=True
        )
        (known,) = made.where(
            origin="recorded", operation=operation, column="mlx_gpu/mlx_cpu", average=True
        )
        assert found.value == pytest.approx(known.value, rel=0.5)


def test_each_row_has_its_predicted_speed_ups(made):
    found = made.where(origin="predicted", quantity=SPEEDUP, average=False, column="mlx_gpu/mps")
    assert [row.point["label"] for row in found] == [row.label for row in suite()]
    times = {
        row.framework: row.value
        for row in made.where(origin="predicted", quantity=TIME, label=found[0].point["label"])
        if row.device == "m3-max"
    }
    assert found[0].value == pytest.approx(times["torch-mps"] / times["mlx"])


def test_other_devices_are_predicted_row_by_row_and_as_means(made):
    times = made.where(origin="predicted", device="m2-ultra", quantity=TIME)
    assert [row.what for row in times] == [row.label for row in suite()]
    found = made.where(origin="predicted", device="m2-ultra", quantity=MEAN)
    assert [row.point["operation"] for row in found] == list(SUITE)


def test_the_m3_max_stays_out_of_every_fit(root):
    """The tools that fit efficiencies and launch costs name it where they leave it out."""
    for name in ("fit_efficiency.py", "fit_launch.py"):
        text = (root / "tools" / name).read_text()
        assert "m3max_ops" in text
    for name in ("m3-max", "m3-max-cpu"):
        text = (root / f"python/siliconprof/data/devices/{name}.toml").read_text()
        parts = tomllib.loads(text)
        kinds = {n["kind"] for part in ("memory", "compute") for n in parts[part].values()}
        assert "fitted" not in kinds


def test_what_of_an_m3_max_is_in_a_fit_is_said():
    # tools/fit_efficiency.py: square products of published tables, none of the suite's.
    assert "of an M3 Max only square products" in m3max_ops.EXPERIMENT.claim


def test_one_sample_is_no_samples(monkeypatch):
    step = _core.Span("step", "step", "forward", -1, -1, 1e-3, None, [1e-3])
    once = Profile("measured", "t", "cpu", "openblas", [step], sampling="adaptive")
    monkeypatch.setattr(m3max_ops, "run_here", lambda trace, sampling: once)
    row = m3max_ops.measured_row(suite()[0], Params())
    assert "of 1 sample, adaptive" in row.source
