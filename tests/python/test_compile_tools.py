"""What torch.compile changes, by its fit."""

from __future__ import annotations

import pytest

import siliconprof as sp


@pytest.fixture
def fit(tools):
    import fit_compile

    return fit_compile


@pytest.fixture
def fit_replayed(tools):
    import fit_replayed

    return fit_replayed


def test_the_packaged_constants_of_compiled_steps_are_the_fits(
    fit, monkeypatch, capsys, check_packaged
):
    monkeypatch.setattr("sys.argv", ["fit_compile.py"])
    fit.main()
    check_packaged("torch-cuda@compile", capsys.readouterr().out, "h100_compiled_ops", 60)


def test_the_packaged_constants_of_replayed_passes_are_the_fits(
    fit_replayed, monkeypatch, capsys, check_packaged
):
    monkeypatch.setattr("sys.argv", ["fit_replayed.py"])
    fit_replayed.main()
    check_packaged("torch-cuda@reduce-overhead", capsys.readouterr().out, "h100_replayed_ops", 5)


def test_a_version_that_is_like_another_differs_where_its_file_says_so():
    like, own = (
        sp.framework(f"torch-cuda@{version}").numbers for version in ("compile", "reduce-overhead")
    )
    rate = "efficiency.nvidia.add.bandwidth"
    assert own[rate].value == like[rate].value != sp.framework("torch-cuda").numbers[rate].value
    assert "issue.nvidia.forward.linear_s" in like
    assert "issue.nvidia.forward.linear_s" not in own
    assert own["launch.nvidia.issue_s"].value < like["launch.nvidia.issue_s"].value
    gap = "launch.nvidia-hopper.pass_gap_s"
    graphs = sp.framework("torch-cuda@graphs").numbers["launch.nvidia-hopper.graph_gap_s"]
    assert own[gap].value == graphs.value and gap not in like


def row(what, value, note, pace=None):
    made = sp.load("h100_compiled_ops").rows[0].__class__
    return made(what, "d", "torch-cuda", "float32", value, "s", note, pace)


class Some:
    def __init__(self, *rows):
        self.rows = rows


def test_a_gradients_time_is_what_both_passes_take_without_the_forward_one(fit):
    some = Some(
        row("compiled.gelu_erf n=64 forward", 3e-6, "spread 0.01, kernels 1"),
        row("compiled.gelu_erf n=64 both", 8e-6, "spread 0.01, kernels 3"),
        row("compiled.add n=64 forward", 3e-6, "spread 0.01, kernels 1"),
        row("compiled.add n=64 both", 9e-6, "spread 0.01, kernels 3"),  # no call of its own
        row("host.compiled.linear depth=8 forward", 1.0, "triton 1"),
    )
    forward, backward, plain = fit.kernel_times(some)
    assert (forward.op, backward.op, plain.op) == ("gelu_erf", "gelu_erf_backward", "add")
    assert backward.seconds == pytest.approx(5e-6) and backward.kernels == 2
    assert backward.dims == {"n": 64}


def test_a_hosts_seconds_are_told_apart_at_its_pace(fit, capsys):
    """Of made chains every amount is known; one that takes nothing is left out."""
    true = {"triton": 1e-5, "product": 2e-5, "attention": 5e-5, "convolution": 3e-5}
    rows = []
    for i in range(1, 9):
        counts = {"triton": i, "product": i * i % 5, "attention": i % 3, "convolution": i % 4}
        for way, begin in (("forward", 3e-4), ("backward", 1e-4)):
            seconds = begin + sum(true[kind] * n for kind, n in counts.items())
            note = ", ".join(f"{kind} {n}" for kind, n in counts.items()) + f", parameter {i % 2}"
            rows.append(row(f"host.compiled.c{i} depth=8 {way}", seconds / 0.5, note, 0.5))
    found = fit.host(Some(*rows))
    assert found["triton"] == pytest.approx(1e-5, rel=1e-3)
    assert found["product"] == pytest.approx(2e-5, rel=1e-3)
    assert found["forward attention"] == pytest.approx(5e-5, rel=1e-3)
    assert found["backward convolution"] == pytest.approx(3e-5, rel=1e-3)
    assert found["forward pass"] == pytest.approx(3e-4, rel=1e-3)
    assert found.get("parameter", 0.0) < 1e-9
    assert "16 chains" in capsys.readouterr().out


def test_a_replayed_pass_costs_its_host_little_but_for_its_parameters(fit_replayed):
    """Of made chains, at half the pace, every amount is known."""
    rows = []
    for i in range(1, 9):
        kernels, parameters = i * i % 7, i
        seconds = {"forward": 2e-4 + 2e-6 * kernels + 3e-6 * parameters}
        seconds["backward"] = 3e-4 + 2e-6 * kernels + 7e-6 * parameters
        for way, more in (("forward", "kept 3"), ("backward", f"parameter {parameters}")):
            note = f"triton {kernels}, {more}"
            rows.append(row(f"host.made.c{i} depth=8 {way}", seconds[way] / 0.5, note, 0.5))
    found = fit_replayed.host(Some(*rows))
    true = (2e-4, 3e-4, 2e-6, 3e-6, 7e-6)
    assert [found[column] for column in fit_replayed.COLUMNS] == pytest.approx(true)


def test_of_a_norm_and_the_relu_in_its_kernel_each_has_its_bytes(fit):
    dims = {"outer": 2, "channels": 4, "inner": 8}
    norm, own, relu = fit.without_relu("batch_norm_relu", dims, "float32")
    whole = sp.op("batch_norm", **dims).cost.bytes
    assert (norm, own, relu) == ("batch_norm", whole - 256, 256)
