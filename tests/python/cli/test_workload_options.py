from __future__ import annotations

import inspect

import pytest

import siliconprof as sp
from siliconprof.cli.workload_options import (
    JSON,
    lowering_of,
    offloading,
    taking_a_model,
    taking_a_trace,
    trace_of,
)


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
    assert names[:8] == ["workload", "dtype", "batch", "m", "k", "n", "vjp", "seq"]
    assert names[-1] == "json"
    assert command.__doc__ == "What it does."


def test_a_command_of_models_takes_no_options_of_operations():
    given = []

    @taking_a_model
    def command(described: dict, json: bool = JSON) -> None:
        given.append((described, json))

    command(workload="gpt2-small", batch=2, json=True)
    assert given == [({"id": "gpt2-small", "batch": 2}, True)]
    names = list(inspect.signature(command).parameters)
    assert names[:4] == ["workload", "batch", "seq", "label_len"]
    assert not {"dtype", "m", "k", "n", "vjp"} & set(names)


def test_a_size_that_the_workload_lacks_is_refused():
    with pytest.raises(sp.UnknownNameError, match="batch"):
        trace_of("matvec", "float32", False, batch=2)
    with pytest.raises(sp.UnknownNameError, match="seq"):
        trace_of("matvec", seq=2)


def test_a_step_takes_its_options_and_sizes_by_name():
    trace = trace_of("gpt2-small", batch=2, seq=8, lora=4, offload=False, size=["layers=1"])
    assert trace.trained_parameters == 4 * (768 + 3 * 768)


def test_a_batch_of_zero_is_refused_and_not_forgotten():
    with pytest.raises(sp.ArgumentError, match="batch is 0"):
        trace_of("gpt2-small", batch=0)


@pytest.mark.parametrize("text", ["layers", "layers=two", "="])
def test_a_size_that_is_no_name_and_number_is_refused(text):
    with pytest.raises(sp.Error, match=r"layers=2|unknown"):
        trace_of("gpt2-small", size=[text])


@pytest.mark.parametrize(
    ("given", "size"),
    [({"batch": 2}, ["batch=3"]), ({}, ["seq=8", "seq=8"]), ({"offload": True}, ["offload=1"])],
)
def test_a_size_is_given_once(given, size):
    with pytest.raises(sp.ArgumentError, match=rf"size = '{size[-1]}'.*one size of each name"):
        trace_of("gpt2-small", size=size, **given)


def test_a_step_has_no_vector_jacobian_product_of_its_own():
    with pytest.raises(sp.ArgumentError, match="has its gradients already"):
        trace_of("gpt2-small", vjp=True)


def test_a_prediction_is_made_of_the_frameworks_kernels():
    assert lowering_of("m2-ultra", None) == "mlx"
    assert lowering_of("m2-ultra", "torch-mps") == "torch-mps"
    assert lowering_of(None, None) == "native"
    assert lowering_of("m2-ultra", "my-framework.toml") == "native"


def test_a_mode_of_offloading_asks_for_it_by_itself():
    assert offloading(False, None) is False
    assert offloading(True, None) is True
    assert offloading(False, "serial") == offloading(True, "serial") == "serial"
    with pytest.raises(sp.ArgumentError, match=r"offload-mode = 'none'.*one of pageable"):
        offloading(True, "none")
