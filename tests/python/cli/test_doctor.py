from __future__ import annotations

import pytest

from siliconprof import _core, doctor


@pytest.fixture(autouse=True)
def still(monkeypatch):
    monkeypatch.setattr(doctor, "numpy_matmul_rates", lambda: [50e9, 60e9, 70e9])
    monkeypatch.setattr(doctor, "matmul_rates", lambda: [290e9, 300e9, 310e9])
    monkeypatch.setattr(doctor, "read_costs_ns", lambda name: [20.0, 25.0, 40.0])


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
    assert "60 GFLOP/s (quartiles 55 GFLOP/s to 65 GFLOP/s)" in out
    assert "export OPENBLAS_CORETYPE=SkylakeX" in " ".join(out.split())


def test_without_openblas_the_text_says_so_beside_the_rest(call, monkeypatch):
    def lacking():
        raise _core.EngineUnavailable("[cpu] engine 'openblas' is unavailable: no OpenBLAS found")

    monkeypatch.setattr(doctor, "matmul_rates", lacking)
    status, out = call("doctor")
    assert status == 0
    assert "25 ns" in out and "60 GFLOP/s" in out
    assert "no OpenBLAS found" in " ".join(out.split())
