from __future__ import annotations

import json

import pytest

from siliconprof import _core, doctor


@pytest.fixture
def still(monkeypatch):
    """No clock is read: rates and costs are given."""
    rates(monkeypatch, [50e9, 60e9, 70e9], [290e9, 300e9, 310e9])
    monkeypatch.setattr(doctor, "read_costs_ns", lambda name: [20.0, 25.0, 40.0])


def rates(monkeypatch, plain, own):
    monkeypatch.setattr(doctor, "numpy_matmul_rates", lambda: plain)
    monkeypatch.setattr(doctor, "matmul_rates", lambda: own)


def loaded(monkeypatch, found, wanted):
    monkeypatch.setattr(_core, "loaded_openblas", lambda: found)
    monkeypatch.setattr(_core, "wanted_openblas_family", lambda: wanted)


def test_nothing_is_measured_while_numpys_threads_still_turn(monkeypatch):
    order = []
    monkeypatch.setattr(doctor, "numpy_matmul_rates", lambda: order.append("numpy") or [1e9] * 3)
    monkeypatch.setattr(doctor, "matmul_rates", lambda: order.append("own") or [1e9] * 3)
    doctor.numpy_openblas()
    assert order == ["own", "numpy"]


def test_the_report_is_one_json_document_with_its_parts(still):
    report = doctor.report()
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert set(report) == {"counters", "machine", "numpy", "engines"}


def test_counts_of_the_machine_are_numbers_or_say_why_not(monkeypatch):
    counts = {"cores": "4", "memory_bytes": "unavailable: no", "page_size_bytes": "4096"}
    monkeypatch.setattr(doctor, "environment", lambda: {"cpu": "9", **counts})
    found = doctor.machine()
    assert (found["cpu"], found["cores"], found["page_size_bytes"]) == ("9", 4, 4096)
    assert found["memory_bytes"] == "unavailable: no"


def test_every_counter_has_a_cost_or_a_reason(still):
    for entry in doctor.counters():
        assert {"name", "available", "reason", "remedy", "cost_ns", "scope", "unit"} <= set(entry)
        assert entry["cost_ns"] == 25.0 if entry["available"] else entry["reason"]
        assert entry["cost_ns_quartiles"] == ([22.5, 32.5] if entry["available"] else None)


def test_numpy_with_the_wrong_kernels_gets_a_remedy(still, monkeypatch):
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", "Prescott", "")], "SkylakeX")
    report = doctor.numpy_openblas()
    assert report["remedy"] == "export OPENBLAS_CORETYPE=SkylakeX"
    assert "Prescott" in report["reason"]
    assert report["ratio"] == pytest.approx(0.2)


def test_rates_and_their_ratio_have_quartiles(still):
    report = doctor.numpy_openblas()
    assert report["matmul_flops_per_s"] == 60e9
    assert report["matmul_flops_per_s_quartiles"] == [55e9, 65e9]
    assert report["siliconprof_matmul_flops_per_s_quartiles"] == [295e9, 305e9]
    low, high = report["ratio_quartiles"]
    assert (low, high) == (pytest.approx(55 / 305), pytest.approx(65 / 295))
    assert low < report["ratio"] < high


@pytest.mark.parametrize("plain", [[290e9, 305e9, 320e9], [400e9, 410e9, 420e9]])
def test_narrow_kernels_that_are_no_slower_beyond_the_spread_need_no_remedy(
    still, monkeypatch, plain
):
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", "Prescott", "")], "SkylakeX")
    rates(monkeypatch, plain, [290e9, 300e9, 310e9])
    report = doctor.numpy_openblas()
    assert report["remedy"] is None
    assert "no slower here beyond the spread" in report["reason"]


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


def test_a_machine_without_openblas_is_told_the_rest(still, monkeypatch):
    def lacking():
        raise _core.EngineUnavailable("[cpu] engine 'openblas' is unavailable: no OpenBLAS found")

    monkeypatch.setattr(doctor, "matmul_rates", lacking)
    loaded(monkeypatch, [("/usr/lib/libopenblas.so.0", "Prescott", "")], "SkylakeX")
    report = doctor.report()
    found = report["numpy"]
    assert report["counters"] and report["machine"] and report["engines"]
    assert (found["matmul_flops_per_s"], found["library"]) == (60e9, "/usr/lib/libopenblas.so.0")
    own = [found[key] for key in found if key.startswith(("siliconprof", "ratio"))]
    assert own == [None] * 4
    assert "no OpenBLAS found" in found["reason"] and found["remedy"] is None


def test_the_engines_are_those_of_the_core(still):
    assert [entry["name"] for entry in doctor.engines()] == _core.engine_names()


def test_the_rates_come_from_the_size_and_are_positive():
    for found in (doctor.numpy_matmul_rates(8, 3), doctor.matmul_rates(8, 3)):
        assert len(found) == 3
        assert min(found) > 0


def test_the_cost_of_a_read_is_asked_for_more_than_once(monkeypatch):
    answers = iter([3.0, 1.0, 2.0])
    monkeypatch.setattr(_core, "counter_read_cost_ns", lambda *_: next(answers))
    assert doctor.read_costs_ns("wall_s", 3) == [3.0, 1.0, 2.0]
