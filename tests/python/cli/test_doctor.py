from __future__ import annotations

import pytest

from siliconprof import _core, doctor


@pytest.fixture(autouse=True)
def still(monkeypatch):
    monkeypatch.setattr(doctor, "numpy_matmul_flops_per_s", lambda: 60e9)
    monkeypatch.setattr(doctor, "matmul_flops_per_s", lambda: 300e9)
    monkeypatch.setattr(_core, "counter_read_cost_ns", lambda name: 25.0)


def test_the_document_has_counters_and_the_machine(document):
    report = document("doctor")
    names = [entry["name"] for entry in report["counters"]]
    assert "minor_faults" in names
    assert report["machine"]["cpu"]


def test_the_text_says_what_one_read_costs_and_what_numpy_gets(call, monkeypatch):
    monkeypatch.setattr(_core, "loaded_openblas", lambda: [("/x/libopenblas.so", "Prescott", "")])
    monkeypatch.setattr(_core, "wanted_openblas_family", lambda: "SkylakeX")
    status, out = call("doctor")
    assert status == 0
    assert "25 ns" in out
    assert "60 GFLOP/s" in out
    assert "export OPENBLAS_CORETYPE=SkylakeX" in " ".join(out.split())
