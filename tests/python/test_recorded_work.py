"""What the words of recorded rows ask for."""

from __future__ import annotations

import re

import pytest

import siliconprof as sp
from siliconprof.recorded_work import CALL, QUANTITIES, Asked, amount, asked
from siliconprof.records import UNITS, Row

STEP = "gpt2-small layers=1 seq=8"


def row(what, unit="s", dtype="float32", framework="torch-cuda"):
    return Row(what, "h200", framework, dtype, 1.0, unit, "")


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("unit", UNITS)
def test_a_quantity_has_one_unit(quantity, unit):
    found = asked(row(f"{STEP} {quantity}", unit))
    if unit == QUANTITIES[quantity]:
        assert isinstance(found, Asked) and found.quantity == quantity
    else:
        assert found == f"{quantity} is in {QUANTITIES[quantity]}, not {unit}"


@pytest.mark.parametrize(
    ("precision", "dtypes"),
    [
        ("fp32", {"float32"}),
        ("tf32", {"float32", "tf32"}),
        ("amp-fp16", {"float32", "float16"}),
        ("amp-bf16", {"float32", "bfloat16"}),
        ("fp64", {"float64"}),
    ],
)
def test_a_steps_dtype_is_what_its_precision_computes_or_keeps_parameters_in(precision, dtypes):
    words = f"{STEP} precision={precision} time"
    every = ("float64", "float32", "tf32", "float16", "bfloat16")
    found = {dtype: asked(row(words, dtype=dtype)) for dtype in every}
    assert {dtype for dtype, one in found.items() if isinstance(one, Asked)} == dtypes
    for dtype in set(every) - dtypes:
        assert found[dtype].startswith(f"dtype {dtype} contradicts precision {precision}")
    assert isinstance(asked(row(words, dtype=None)), Asked)


def test_words_are_the_arguments_of_the_workload():
    words = f"{STEP} batch=2 precision=amp-bf16 optimizer=sgd checkpoint=True clip=0.5 machine=3"
    found = asked(row(f"{words} peak memory", "bytes"))
    step = sp.workload(
        "gpt2-small",
        **{"layers": 1, "seq": 8, "batch": 2, "precision": "amp-bf16", "optimizer": "sgd"},
        **{"checkpoint": True, "clip": 0.5, "framework": "torch-cuda"},
    )
    assert found.build().work == step.work
    assert found.build().peak_memory_bytes == step.peak_memory_bytes
    assert (found.subject, found.is_step) == ("gpt2-small", True)


def test_rows_of_one_trace_have_one_key():
    time, memory = asked(row(f"{STEP} time")), asked(row(f"{STEP} peak memory", "bytes"))
    other = asked(row(f"{STEP} time", framework="torch-cpu"))
    assert time.key == memory.key != other.key
    triad = [asked(row("triad n=8 time", dtype=dtype)).key for dtype in ("float32", "float64")]
    assert triad[0] != triad[1]


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("gpt2-smal seq=8 time", "'gpt2-smal' is no workload, .*nearest: gpt2-small"),
        ("cold launch", "'cold' is no workload"),
        (f"{STEP} speed", "no quantity is named; .* peak memory"),
        ("gpt2-small", "no quantity is named"),
        ("gpt2-small layers 1 time", "'layers' is neither key=value"),
        (f"{STEP} framework=native time", "framework has a column of its own"),
        (f"{STEP} seq=9 time", "seq stands twice"),
        (f"{STEP} id=3 time", "'id=3' is no size"),
        ("softmax name=sum time", "'name=sum' is no size"),
        ("ReLU dim=x", "no label of the op suite"),
        ("Sum dim=4x4", "no label of the op suite"),
        ("Sum dim=4x4 axi=2", "axi=2: needed: -2 to 1"),
        ("Summ dim=4x4 axi=1", "unknown operation of the suite 'Summ'; did you mean 'Sum'"),
    ],
)
def test_words_that_ask_for_nothing_say_what_is_wrong(what, reason):
    found = asked(row(what))
    assert isinstance(found, str) and re.search(reason, found)


def test_a_row_of_the_suite_is_a_call_in_seconds():
    found = asked(row("ReLU dim=2x3"))
    assert (found.quantity, found.subject, found.is_step) == (CALL, "ReLU", False)
    assert found.build().calls[0].op == "relu"
    assert asked(row("ReLU dim=2x3", "J")) == "a call is timed in s, not J"
    assert asked(row("gpt2-large step, batch 2", "J")) == "time is in s, not J"


def test_a_steps_kernels_take_what_their_host_has_no_part_in():
    step = sp.workload("gpt2-small", layers=2, seq=64, framework="torch-cuda")
    slow, fast = (sp.device("h200").with_number("host.pace", pace) for pace in (0.5, 200.0))
    found = [amount(sp.predict(step, host, "torch-cuda"), "kernel time") for host in (slow, fast)]
    assert found[0][0] == pytest.approx(found[1][0])
    assert found[0][0] < 0.3 * sp.predict(step, slow, "torch-cuda").time_s
    assert found[0][1] is None
    kept = sp.workload("gpt2-small", layers=2, seq=64, framework="torch-cuda", offload=True)
    assert amount(sp.predict(kept, "h200", "torch-cuda"), "kernel time") == (None, None)
