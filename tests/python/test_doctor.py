from __future__ import annotations

import json

import pytest

from siliconprof import _core, doctor


@pytest.fixture
def still(monkeypatch):
    """No clock is read: rates and costs are given."""
    monkeypatch.setattr(doctor, "numpy_matmul_flops_per_s", lambda: 60e9)
    monkeypatch.setattr(doctor, "matmul_flops_per_s", lambda: 300e9)
    monkeypatch.setattr(_core, "counter_read_cost_ns", lambda name: 25.0)


def loaded(monkeypatch, found, wanted):
    monkeypatch.setattr(_core, "loaded_openblas", lambda: found)
    monkeypatch.setattr(_core, "wanted_openblas_family", lambda: wanted)


def test_the_report_is_one_json_document_with_its_parts(still):
    report = doctor.report()
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert set(report) == {"counters", "machine", "numpy", "engines"}


def test_every_counter_has_a_cost_or_a_reason(still):
    for entry in doctor.counters():
        assert {"name", "available", "reason", "remedy", "cost_ns", "scope", "unit"} <= set(entry)
        assert entry["cost_ns"] == 25.0 if entry["available"] else entry["reason"]


def test_numpy_with_the_wrong_kernels_gets_a_remedy(still, monkeypatch):
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", "Prescott", "")], "SkylakeX")
    report = doctor.numpy_openblas()
    assert report["remedy"] == "export OPENBLAS_CORETYPE=SkylakeX"
    assert "Prescott" in report["reason"]
    assert report["ratio"] == pytest.approx(0.2)


@pytest.mark.parametrize("family", ["SkylakeX", "Cooperlake", "SapphireRapids"])
def test_numpy_with_kernels_as_wide_as_the_cpu_needs_no_remedy(still, monkeypatch, family):
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", family, "")], "SkylakeX")
    assert doctor.numpy_openblas()["remedy"] is None


def test_a_library_that_may_decide_itself_needs_no_remedy(still, monkeypatch):
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", "Haswell", "")], "")
    assert doctor.numpy_openblas()["remedy"] is None


def test_numpys_bundled_library_is_preferred_to_others(still, monkeypatch):
    found = [("/usr/lib/libopenblas.so.0", "A", ""), ("/x/numpy.libs/libopenblas.so", "B", "")]
    loaded(monkeypatch, found, "B")
    assert doctor.numpy_openblas()["library"] == "/x/numpy.libs/libopenblas.so"


def test_numpy_without_openblas_is_said(still, monkeypatch):
    loaded(monkeypatch, [], "SkylakeX")
    report = doctor.numpy_openblas()
    assert (report["library"], report["remedy"]) == (None, None)
    assert "no OpenBLAS" in report["reason"]


def test_the_engines_are_those_of_the_core(still):
    assert [entry["name"] for entry in doctor.engines()] == _core.engine_names()


def test_the_rates_come_from_the_size_and_are_positive():
    assert doctor.numpy_matmul_flops_per_s(8, 3) > 0
    assert doctor.matmul_flops_per_s(8) > 0
