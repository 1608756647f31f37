from __future__ import annotations

import os
import subprocess
import sys

import pytest

from siliconprof.waiting import bounded_waiting


@pytest.fixture(autouse=True)
def unsaid(monkeypatch):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        monkeypatch.delenv(name, raising=False)


def test_the_environment_is_afterwards_as_before():
    before = dict(os.environ)
    with bounded_waiting():
        assert {**os.environ} == {**before, "GOMP_SPINCOUNT": "2000"}
    assert {**os.environ} == before
    with pytest.raises(ImportError), bounded_waiting():
        raise ImportError
    assert {**os.environ} == before


@pytest.mark.parametrize("name, value", [("OMP_WAIT_POLICY", "active"), ("GOMP_SPINCOUNT", "7")])
def test_what_the_environment_says_stays(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with bounded_waiting():
        assert {**os.environ} == before


def test_the_runtime_is_loaded_within():
    code = "import os, siliconprof; print('GOMP_SPINCOUNT' in os.environ)"
    shown = {**os.environ, "OMP_DISPLAY_ENV": "verbose"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=shown, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
    if "GOMP_" in done.stderr:  # GCC's
        assert "GOMP_SPINCOUNT = '2000'" in done.stderr
