from __future__ import annotations

import importlib
import os
import signal

import pytest

import siliconprof as sp
from siliconprof.calibrate import calibrated


@pytest.fixture
def made(monkeypatch, Made):
    """The backend cpu is a machine that never was."""
    module = importlib.import_module("siliconprof.calibrate")
    machine = Made()
    monkeypatch.setitem(module.RUNNERS, "cpu", lambda: machine)
    monkeypatch.setattr(
        module, "calibrated", lambda runner, *given: calibrated(runner, *given, machine.clock)
    )
    return machine


def test_the_document_names_device_time_and_kernels(document, made, tmp_path):
    place = tmp_path / "here.toml"
    content = document("calibrate", "--budget", "60", "--out", place)
    assert content["device"] == "made-tm-cpu-here"
    assert content["kernels_measured"] <= 64
    assert content["seconds_used"] > 0.0
    assert content["notes"] == []
    assert sp.device(place).id == content["device"]


def test_precisions_are_measured_besides(call, document, made, tmp_path):
    place = tmp_path / "here.toml"
    asked = ("--precision", "amp-bf16", "--precision", "fp64")
    content = document("calibrate", *asked, "--out", place)
    assert 64 < content["kernels_measured"] <= 3 * 64
    peaks = [key for key in sp.device(place).numbers if key.startswith("peak.matrix.")]
    assert peaks == [f"peak.matrix.{d}_flops_per_s" for d in ("bfloat16", "float32", "float64")]
    assert call("calibrate", "--precision", "tf32", "--out", place)[0] == 2


def test_the_table_shows_what_was_found(call, made, tmp_path):
    status, out = call("calibrate", "--out", tmp_path / "here.toml")
    assert status == 0
    assert "memory.cache_bytes" in out
    assert "16 MB" in out


def test_a_wrong_name_is_told_before_anything_is_measured(call, made, tmp_path):
    assert call("calibrate", "--out", tmp_path / "here.json")[0] == 2
    assert call("calibrate", "--out", tmp_path / "nowhere" / "here.toml")[0] == 2
    assert made.runs == 0


def test_a_batch_systems_end_keeps_what_was_measured(document, made, tmp_path):
    measure = made.measure

    def ended(trace, sampling):
        if made.runs == 30:
            os.kill(os.getpid(), signal.SIGTERM)
        return measure(trace, sampling)

    made.measure = ended
    content = document("calibrate", "--out", tmp_path / "here.toml")
    assert content["notes"] == ["interrupted after 15 kernels; what was measured is kept"]
    assert sp.device(tmp_path / "here.toml").id == content["device"]


def test_an_unknown_backend_is_wrong_use(call, tmp_path):
    assert call("calibrate", "--backend", "abacus", "--out", tmp_path / "here.toml")[0] == 2
