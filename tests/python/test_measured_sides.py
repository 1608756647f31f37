"""Measured times of the sides of a gap: of the same work, or refused."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.measured_sides import both_seconds
from siliconprof.predict import model

SIZES = {"batch": 1, "seq": 8, "layers": 1}
SIDES = model("rtx-a6000"), model("m2-ultra")


def steps(**given):
    """What `both_seconds` is told: the step natively and in each side's kernels."""
    kernels = ("torch-cuda", "mlx")
    native = sp.workload("gpt2-small", **SIZES, **given)

    def same(side):
        return native, sp.workload("gpt2-small", framework=kernels[side], **SIZES, **given)

    return same


def profile(trace):
    names = ("matrix_flops", "vector_flops", "bytes_read", "bytes_written")
    cost = {name: getattr(trace.cost, name) for name in names}
    span = sp._core.Span("step", "step", "forward", -1, -1, 1.5, **cost)
    return sp.Profile("measured", trace.label, "gpu", "torch", [span], work=trace.work)


def recorded(words, device, framework):
    span = sp._core.Span("step", "step", "forward", -1, -1, 1.5)
    return sp.Profile("recorded", words, device, framework, [span], source="S (2026), x")


def test_seconds_are_taken_as_they_are():
    assert both_seconds((2.0, None), SIDES, steps()) == (2.0, None)


@pytest.mark.parametrize("kernels", ["native", "torch-cuda"])
def test_a_profile_of_the_step_in_either_kernels_is_its_seconds(kernels):
    step = sp.workload("gpt2-small", framework=kernels, **SIZES)
    assert both_seconds((profile(step), None), SIDES, steps()) == (1.5, None)


def test_a_profile_in_another_precision_is_refused():
    step = sp.workload("gpt2-small", precision="amp-bf16", **SIZES)
    with pytest.raises(sp.ArgumentError, match=rf"moves {step.bytes} bytes, in another precision"):
        both_seconds((profile(step), None), SIDES, steps())
    assert both_seconds((profile(step), None), SIDES, steps(precision="amp-bf16"))[0] == 1.5


def test_where_the_kernels_are_not_known_bytes_say_nothing():
    step = sp.workload("gpt2-small", **SIZES)
    own = (sp.workload("gpt2-small", framework="mlx", **SIZES),)
    assert both_seconds((None, profile(step)), SIDES, lambda side: own) == (None, 1.5)


def test_operations_are_told_apart_by_their_label():
    one, other = sp.op("triad", n=1000), sp.op("triad", n=2000)
    assert both_seconds((profile(one), None), SIDES, lambda side: (one,)) == (1.5, None)
    with pytest.raises(sp.ArgumentError, match=r"'triad n=1000 float32'; needed: 'triad n=2000"):
        both_seconds((profile(one), None), SIDES, lambda side: (other,))


WORDS = "gpt2-small batch=1 seq=8 layers=1"


def test_a_recorded_row_is_known_by_its_words():
    row = recorded(f"{WORDS} precision=fp32 time", "rtx-a6000", "torch-cuda")
    assert both_seconds((row, None), SIDES, steps()) == (1.5, None)


@pytest.mark.parametrize(
    ("words", "device", "framework", "message"),
    [
        (f"{WORDS} time", "m2", "mlx", "recorded on device 'm2'; needed: 'rtx-a6000'"),
        (f"{WORDS} time", "rtx-a6000", "mlx", "recorded on framework 'mlx'"),
        ("an epoch", "rtx-a6000", "torch-cuda", "words don't say its work: 'an' is no workload"),
        ("gpt2-small batch=0 time", "rtx-a6000", "torch-cuda", "words don't say its work: .*batch"),
        ("gpt2-small seq=8 time", "rtx-a6000", "torch-cuda", r"layers=12 .*needed: .*layers=1 "),
    ],
)
def test_a_recorded_row_of_something_else_is_refused(words, device, framework, message):
    with pytest.raises(sp.ArgumentError, match=message):
        both_seconds((recorded(words, device, framework), None), SIDES, steps())


@pytest.mark.parametrize("bad", [(1.0, -2.0), (1.0, "x"), 3.0, (1.0,), (True, None)])
def test_what_is_no_time_is_refused(bad):
    with pytest.raises(sp.ArgumentError, match="measured"):
        both_seconds(bad, SIDES, steps())


def test_a_prediction_is_no_measurement():
    predicted = sp.predict(sp.workload("gpt2-small", **SIZES), "rtx-a6000")
    with pytest.raises(sp.ArgumentError, match="not a prediction"):
        both_seconds((predicted, None), SIDES, steps())


def test_what_ran_on_this_cpu_is_no_time_of_a_gpu():
    step = sp.workload("gpt2-small", **SIZES)
    spans = profile(step).spans
    here = sp.Profile("measured", step.label, "cpu", "openblas", spans, work=step.work)
    for measured in ((here, None), (None, here)):
        with pytest.raises(sp.ArgumentError, match=r"measured on a CPU; needed: '(rtx-a6|m2-u)"):
            both_seconds(measured, SIDES, steps())
    cpus = model("xeon-amx-2"), model("epyc-zen4-2")
    assert both_seconds((here, None), cpus, lambda side: (step,)) == (1.5, None)
