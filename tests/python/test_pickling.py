from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

import siliconprof as sp
from siliconprof import Sampling
from siliconprof.devices import device
from siliconprof.frameworks import framework
from siliconprof.remaking import options_of


def made() -> list[object]:
    return [
        device("h200"),
        device("h200").numbers["memory.bandwidth_bytes_per_s"],
        framework("torch-mps@2.2"),
        sp.predict(sp.workload("gpt2-small", layers=1, batch=1, seq=8), "h200"),
        sp.run(sp.op("add", n=8), sampling=Sampling.fixed(3)),
        sp.predict(sp.op("add", n=8), "h200").spans[0],
        sp.run(sp.op("add", n=8), sampling=Sampling.fixed(6)).spans[-1],
        sp.run(sp.op("add", n=8), sampling=Sampling.fixed(1)).counters[0],
        sp.workload("gpt2-small", layers=1, batch=1, seq=8).memory_timeline[3],
        Sampling.fixed(3, 2),
        Sampling.adaptive(0.1, 3.0, 4, 5, 6, 0.7),
        Sampling.paper(),
        sp.op("matmul", m=4, k=5, n=6, transpose_a=True, dtype="float64", vjp=True),
        sp.workload("triad", n=64),
        sp.workload("gpt2-small", layers=1, batch=1, seq=8, precision="amp-fp16", clip=1.0),
    ]


@pytest.mark.parametrize("index", range(15))
def test_what_may_go_to_another_process_comes_back_equal(index):
    one = made()[index]
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        if hasattr(one, "lacks"):
            assert (again.id, again.numbers, again.lacks) == (one.id, one.numbers, one.lacks)
        else:
            assert again == one


def test_a_gap_and_its_rows_come_back_equal():
    fast, slow = (sp.predict(sp.op("add", n=8), device) for device in ("h200", "m2-pro"))
    recorded = sp.load("table4").profiles()[0]
    for gap in (sp.compare(fast, slow, 0.1), sp.compare(slow, recorded)):
        for again in (pickle.loads(pickle.dumps(gap)), copy.deepcopy(gap)):
            assert again == gap and again.verdict == gap.verdict
        assert pickle.loads(pickle.dumps(gap.rows[0])) == gap.rows[0]


def test_causes_come_back_with_their_terms():
    step = sp.workload("gpt2-small", layers=1, batch=1, seq=8)
    causes = sp.explain(step, "m2-ultra/mlx", "h200", measured=(2.0, None))
    again = pickle.loads(pickle.dumps(causes))
    assert again == causes and again != causes.with_notes(["another"])
    for name in ("from_target", "to_s", "gap_s", "measured_from_s", "measured_to_s", "notes"):
        assert getattr(again, name) == getattr(causes, name)
    for name in ("name", "seconds", "share", "by_phase", "by_class"):
        assert [getattr(term, name) for term in again.terms] == [
            getattr(term, name) for term in causes.terms
        ]


def test_a_trace_that_comes_back_is_made_again_in_other_kernels_and_sizes():
    step = sp.workload("gpt2-small", layers=1, batch=1, seq=8)
    again = pickle.loads(pickle.dumps(step))
    assert sp.predict(again, "h200") == sp.predict(step, "h200")
    assert options_of(again)[0] == options_of(step)[0]
    assert len(pickle.dumps(step)) < 500


def test_a_trace_that_nobody_can_make_again_says_so():
    step = sp._core.training_step("gpt2-small", {"layers": 1, "batch": 1, "seq": 8})
    with pytest.raises(TypeError, match=r"\[pickle\] the trace 'gpt2-small.*needed: one that sp.w"):
        pickle.dumps(step)


def test_other_processes_take_traces():
    step = sp.workload("gpt2-small", layers=1, batch=1, seq=8)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(sp.predict, step, "h200").result()
    assert found == sp.predict(step, "h200")
