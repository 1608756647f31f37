"""Steps that can be made again are known while they live."""

from __future__ import annotations

import gc

import siliconprof as sp
from siliconprof import remaking


def test_a_step_of_a_model_says_its_options_and_is_made_again_with_others():
    options, make = remaking.options_of(sp.workload("gpt2-small", batch=3, layers=1, seq=8))
    assert (options["batch"], options["layers"], options["seq"]) == (3, 1, 8)
    again = make({"batch": 1, "optimizer": "sgd"})
    assert again.cost == sp.workload("gpt2-small", layers=1, seq=8, optimizer="sgd").cost


def test_an_operation_has_none():
    assert remaking.options_of(sp.op("relu", n=8)) is None


def test_a_trace_says_the_call_that_gave_it():
    trace = sp.op("relu", n=8)
    assert remaking.call_of(trace)() == trace
    assert remaking.call_of(sp._core.single_op("relu", {"n": 8})) is None


def test_nothing_is_kept_of_a_step_that_is_gone():
    gc.collect()
    kept = (remaking._steps, remaking._calls)
    before = [len(each) for each in kept]
    step = sp.workload("gpt2-small")
    assert [len(each) for each in kept] == [count + 1 for count in before]
    del step
    gc.collect()
    assert [len(each) for each in kept] == before
