from __future__ import annotations

import siliconprof as sp
from siliconprof import _core


def test_every_workload_is_listed_with_its_sizes(call, document):
    status, out = call("workloads")
    assert status == 0
    assert all(id in out for id in sp.workloads())
    entries = {entry["id"]: entry for entry in document("workloads")["workloads"]}
    assert entries["batched-matmul"]["dims"] == {"batch": 8, "m": 2000, "k": 2000, "n": 2000}


def test_models_are_listed_with_parameters_and_theoretical_memory(call, document):
    entries = {entry["id"]: entry for entry in document("workloads")["workloads"]}
    gpt2 = entries["gpt2-small"]
    assert gpt2["parameters"] == 124439808
    assert gpt2["theoretical_memory_bytes"] == 16 * 124439808
    assert gpt2["sizes"]["layers"] == 12
    assert "124,439,808" in call("workloads")[1]


def test_every_operation_is_listed_with_its_sizes_numbers_and_formula(call, document):
    status, out = call("workloads", "--ops")
    assert status == 0
    assert all(name in out for name in _core.op_names())
    entries = {entry["name"]: entry for entry in document("workloads", "--ops")["ops"]}
    assert entries["dropout"]["dims"] == ["n"]
    assert entries["dropout"]["attributes"] == {"rate": 0.1, "seed": 0.0}
    assert entries["dropout"]["summary"] == _core.op_summary("dropout")
