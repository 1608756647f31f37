from __future__ import annotations

import subprocess

import pytest

from siliconprof import Error, workload
from siliconprof.experiments import near_capacity
from siliconprof.experiments.figure4 import EXPERIMENT
from siliconprof.experiments.near_capacity import Pass, limited_run
from siliconprof.memory_limit import LimitUnavailable

SIZES = EXPERIMENT.quick_parameters.sizes


def ending(code, stdout="", stderr=""):
    return lambda *given, **named: subprocess.CompletedProcess(given, code, stdout, stderr)


def test_a_killed_process_keeps_its_passes_and_says_why(monkeypatch):
    monkeypatch.setattr(near_capacity.subprocess, "run", ending(-9, "[1.0, 2.0, 3.0, 4.0]\n[0."))
    found = limited_run("gpt2-small", {}, 5, None, "", 0, 1.0)
    assert found.passes == (Pass(1.0, 2.0, 3.0, 4.0),)
    assert found.ended.startswith("killed")


def test_a_failing_process_is_an_error_with_its_last_line(monkeypatch):
    monkeypatch.setattr(near_capacity.subprocess, "run", ending(1, "", "Traceback\nboom"))
    with pytest.raises(Error, match="boom"):
        limited_run("gpt2-small", {}, 5, None, "", 0, 1.0)


def test_a_real_limit_makes_a_real_step_fault():
    """Skipped where groups or zram are not permitted."""
    limit = int(0.85 * workload("gpt2-small", **SIZES).peak_memory_bytes)
    try:
        found = limited_run("gpt2-small", SIZES, 3, limit, "zram", 300_000_000, 60.0)
    except LimitUnavailable as error:
        pytest.skip(str(error))
    assert len(found.passes) == 3
    assert found.passes[-1].major_faults > 100
