"""What a bound trace can do besides being called: calls one by one, attributes, memory."""

from __future__ import annotations

import re

import numpy
import pytest

import siliconprof as sp


def tiny_update():
    return sp.op("adamw", n=3)


def test_a_bound_call_runs_with_the_attribute_that_was_set():
    ones = [numpy.ones(3, numpy.float32) for _ in range(4)]
    call = sp.bind(tiny_update(), *ones)
    call.set_attribute(0, "learning_rate", 0.0)
    call()
    assert call.results[0].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(sp.ArgumentError, match="step is 0"):
        call.set_attribute(0, "step", 0.0)
    with pytest.raises(sp.UnknownNameError, match="did you mean 'step'"):
        call.set_attribute(0, "stepp", 1.0)
    with pytest.raises(sp.ArgumentError, match="call is 1; needed: below 1"):
        call.set_attribute(1, "step", 1.0)
    with pytest.raises(sp.ArgumentError, match="call is -1; needed: from 0 on"):
        call.set_attribute(-1, "step", 1.0)


def test_some_of_the_calls_can_be_run_and_each_is_timed():
    trace = sp.workload(
        "gpt2-small", batch=1, seq=4, layers=1, width=8, heads=2, vocab=11, context=4
    )
    call = sp.bind(trace, threads=1)
    call.run(0, 3)
    assert (call.seconds[:3] > 0).all() and not call.seconds[3:].any()
    with pytest.raises(sp.ArgumentError, match=r"needed: a range within 0 to"):
        call.run(0, len(trace) + 1)
    with pytest.raises(sp.ArgumentError, match=r"calls -1 to 0; needed: a range within 0 to"):
        call.run(-1, 0)


def test_the_memory_of_a_parameter_can_be_read_and_written():
    trace = sp.workload("gpt2-small", batch=1, seq=4, layers=0, width=8, heads=2, vocab=11)
    names = [info.name for info in trace.tensors]
    call = sp.bind(trace, threads=1)
    weights = call.tensor(names.index("wte.weight"))
    weights[...] = 0.0
    call()
    assert call.results[0][0] == pytest.approx(numpy.log(11), abs=1e-6)
    with pytest.raises(sp.ArgumentError, match="others share their memory"):
        call.tensor(trace.calls[0].outputs[0])
    with pytest.raises(sp.ArgumentError, match="tensor -1"):
        call.tensor(-1)


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("run", ("a", 1), "[bind] begin = 'a' (str): a whole number is needed"),
        ("run", (0, 1.0), "[bind] end = 1.0 (float): a whole number is needed"),
        ("run", (False, 1), "[bind] begin = False (bool): a whole number is needed"),
        ("run", (0, 2**70), "(int): at most 9223372036854775807 is needed"),
        ("set_attribute", ("x", "step", 1), "[bind] call = 'x' (str): a whole number is needed"),
        ("set_attribute", (0, 5, 1), "[bind] name = 5 (int): a text is needed"),
        ("set_attribute", (0, "step", "2"), "[bind] step = '2' (str): a finite number is needed"),
        ("set_attribute", (0, "step", True), "[bind] step = True (bool): a finite number is need"),
        ("set_attribute", (0, "step", None), "[bind] step = None (NoneType): a finite number is"),
        ("set_attribute", (0, "step", numpy.nan), "[bind] step = nan (float): a finite number"),
        ("set_attribute", (0, "step", 2**53 + 1), "(int): a number that float64 holds is needed"),
        ("set_attribute", (0, "step", 10**400), "(int): a finite number is needed"),
        ("set_attribute", (0, "step", numpy.int64(2**53 + 1)), "a number that float64 holds is"),
        ("set_attribute", (0, "step", numpy.True_), ": a finite number is needed"),
        ("set_attribute", (0, "\ud800", 1), ": a text without lone surrogates is needed"),
        ("run", (numpy.True_, 1), ": a whole number is needed"),
        ("run", (numpy.zeros(2), 1), "(ndarray): a whole number is needed"),
        ("run", (10**5000, 1), "begin = a number of thousands of digits (int): at most"),
        ("tensor", ("x",), "[bind] id = 'x' (str): a whole number is needed"),
        ("tensor", (2**40,), "tensor 1099511627776 of 'adamw"),
    ],
)
def test_arguments_of_another_kind_are_named(method, arguments, message):
    call = sp.bind(tiny_update())
    with pytest.raises(sp.ArgumentError, match=re.escape(message)):
        getattr(call, method)(*arguments)


def test_long_arguments_are_shown_in_part():
    with pytest.raises(sp.ArgumentError, match=r"begin = '€{50,58}\.\.\. \(str\)"):
        sp.bind(tiny_update()).run("€" * 1000, 1)


def test_numbers_of_numpy_are_numbers():
    call = sp.bind(tiny_update())
    call.set_attribute(numpy.int64(0), "learning_rate", numpy.float32(0.0))
    call.run(numpy.int32(0), numpy.int32(1))
    assert call.seconds[0] > 0
