from __future__ import annotations

import copy
import pickle

import pytest

import siliconprof as sp
from siliconprof import Sampling
from siliconprof.devices import device
from siliconprof.frameworks import framework


def made() -> list[object]:
    return [
        device("h200"),
        device("h200").numbers["memory.bandwidth_bytes_per_s"],
        framework("torch-mps@2.2"),
        sp.predict(sp.workload("gpt2-small", layers=1, batch=1, seq=8), "h200"),
        sp.run(sp.op("add", n=8), sampling=Sampling.fixed(3)),
    ]


@pytest.mark.parametrize("index", range(5))
def test_what_may_go_to_another_process_comes_back_equal(index):
    one = made()[index]
    for again in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        if hasattr(one, "lacks"):
            assert (again.id, again.numbers, again.lacks) == (one.id, one.numbers, one.lacks)
        else:
            assert again == one


def test_a_trace_is_made_again_where_it_is_wanted():
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(sp.op("add", n=8))
