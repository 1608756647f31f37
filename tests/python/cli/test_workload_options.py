from __future__ import annotations

import inspect

import pytest

import siliconprof as sp
from siliconprof.cli.workload_options import JSON, taking_a_trace, trace_of


def test_only_the_sizes_that_were_given_replace_the_defaults():
    trace = trace_of("batched-matmul", "float32", False, batch=1, m=None, k=None, n=None)
    assert trace.flops == 2 * 2000**3


def test_the_vector_jacobian_product_of_a_forward_workload():
    forward = trace_of("matvec", "float16", False)
    backward = trace_of("matvec", "float16", True, m=None)
    assert backward.flops > forward.flops
    assert {call.phase for call in backward.calls} == {"backward"}


def test_a_workload_that_is_a_gradient_stays_one():
    assert len(trace_of("matmul-vjp", "float32", True, m=8, k=8, n=8)) == 2


def test_a_command_takes_the_options_of_a_trace_in_place_of_it():
    given = []

    @taking_a_trace
    def command(trace: sp.Trace, json: bool = JSON) -> None:
        """What it does."""
        given.append((trace, json))

    sizes = {"batch": 1, "m": 2, "k": 3, "n": 4}
    command(workload="batched-matmul", dtype="float32", vjp=False, json=True, **sizes)
    ((trace, json),) = given
    assert (trace.flops, json) == (48, True)
    names = list(inspect.signature(command).parameters)
    assert names == ["workload", "dtype", "batch", "m", "k", "n", "vjp", "json"]
    assert command.__doc__ == "What it does."


def test_a_size_that_the_workload_lacks_is_refused():
    with pytest.raises(sp.UnknownNameError, match="batch"):
        trace_of("matvec", "float32", False, batch=2)
