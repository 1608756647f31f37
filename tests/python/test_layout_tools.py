"""What data that lie across each other take, by its fit."""

from __future__ import annotations

import math

import pytest

import siliconprof as sp


@pytest.fixture
def fit(tools):
    import fit_layouts

    return fit_layouts


def test_the_packaged_constants_of_layouts_are_the_fits(fit, monkeypatch, capsys, check_packaged):
    monkeypatch.setattr("sys.argv", ["fit_layouts.py"])
    fit.main()
    text = capsys.readouterr().out
    check_packaged("torch-cuda", text, "hopper_layouts", 11)
    assert text.count(" = {") == 11


def test_a_sum_takes_its_bytes_and_steps_of_which_the_longer_hides_a_part(fit):
    constants = (0.5, 1e-6, 2.0, 30.0, 0.25)
    short = fit.Sum(traffic_s=1e-6, values=1, gathered=0, cycle_s=1e-6, seconds=0.0)
    assert fit.sum_s(short, constants, 5e-7) == pytest.approx(5e-7 + 30e-6 + 0.25 * 2e-6)
    long = fit.Sum(traffic_s=4e-6, values=256, gathered=1, cycle_s=1e-6, seconds=0.0)
    assert fit.sum_s(long, constants, 5e-7) == pytest.approx(1.5e-6 + 8e-6 + 0.25 * 2e-6)


def test_constants_are_found_that_made_the_sums(fit):
    made = (0.8, 4e-6, 400.0, 100.0, 0.5)
    rows = [
        fit.Sum(traffic, values, gathered, 5e-10, 0.0)
        for values, gathered in ((25, 0), (225, 0), (500, 8), (2250, 35), (10000, 160))
        for traffic in (1e-7, 2e-6, 2e-5, 1e-4)
    ]
    seconds = [fit.sum_s(row, made, 1e-6) for row in rows]

    def loss(constants):
        pairs = zip(rows, seconds, strict=True)
        return math.fsum(abs(math.log(fit.sum_s(row, constants, 1e-6) / s)) for row, s in pairs)

    assert fit.least(loss, fit.START) == pytest.approx(made, rel=0.05)


def test_a_steps_kernels_that_go_across_take_what_whispers_profile_showed():
    """Of an encoder of 12 x 1500 tokens of 768 channels on an H100, by PyTorch's own trace: a norm
    and its copy take 166 us, a residual 116 us."""
    step = sp.workload("whisper-small", batch=12, label_len=80, precision="amp-bf16")
    device = sp.device("h100").with_number("host.pace", 200.0)
    spans = [s for s in sp.predict(step, device, "torch-cuda").spans if s.cost is not None]
    elements = 12 * 1500 * 768
    norms = [s.wall_s for s in spans if s.name == "layer_norm" and s.cost.bytes > 8 * elements]
    assert len(norms) == 25
    assert min(norms) == pytest.approx(166e-6, rel=0.1)
    sums = [s.wall_s for s in spans if s.name == "add" and s.cost.bytes == 8 * elements]
    assert len(sums) == 24
    assert min(sums) == pytest.approx(116e-6, rel=0.1)
