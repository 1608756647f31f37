"""Gaps between targets, split: parts sum, ends are predictions, sides keep their kernels."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.explain import Ways, explain_workload, parse_target

A6000, ULTRA = ("rtx-a6000", "torch-cuda"), ("m2-ultra", "mlx")
SMALL = {"batch": 1, "seq": 64}


@pytest.fixture(scope="module")
def trace() -> sp.Trace:
    return sp.workload("gpt2-small", **SMALL)


def seconds(causes: sp.Causes) -> dict[str, float]:
    return {term.name: term.seconds for term in causes.terms}


def test_the_terms_sum_to_the_gap_between_the_two_predictions(trace):
    causes = sp.explain(trace, A6000, ULTRA)
    gap_s = sp.predict(trace, *ULTRA).time_s - sp.predict(trace, *A6000).time_s
    assert causes.gap_s == pytest.approx(gap_s, rel=1e-9)
    assert sum(seconds(causes).values()) == pytest.approx(causes.gap_s, rel=1e-9)
    assert sum(term.share for term in causes.terms) == pytest.approx(1.0)
    assert (causes.from_target, causes.to_target) == ("rtx-a6000/torch-cuda", "m2-ultra/mlx")


def test_each_term_is_split_by_phase_and_by_class(trace):
    for term in sp.explain(trace, A6000, ULTRA).terms:
        assert sum(term.by_phase.values()) == pytest.approx(term.seconds, abs=1e-12)
        assert sum(term.by_class.values()) == pytest.approx(term.seconds, abs=1e-12)
    assert {"forward", "backward", "optimizer"} <= set(
        sp.explain(trace, A6000, ULTRA).terms[1].by_phase
    )


def test_the_other_way_round_every_term_has_the_other_sign(trace):
    there, back = sp.explain(trace, A6000, ULTRA), sp.explain(trace, ULTRA, A6000)
    for one, other in zip(there.terms, back.terms, strict=True):
        assert one.seconds == pytest.approx(-other.seconds, abs=1e-12)


def is_predicted(step, id):
    """A file need not have every format, nor what a step takes that keeps its optimizer there."""
    try:
        return sp.predict(step, id).time_s > 0
    except (sp.DtypeError, sp.DeviceError):
        return False


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("gpt2-small", {**SMALL, "layers": 2}),
        ("gpt2-small", {**SMALL, "layers": 2, "precision": "amp-fp16"}),
        ("gpt2-small", {**SMALL, "layers": 2, "offload": True}),
        ("resnet18", {"batch": 2, "image": 64}),
    ],
)
def test_on_every_pair_of_devices_the_ends_are_predictions_and_the_terms_sum(name, sizes):
    step = sp.workload(name, **sizes)
    ids = [id for id in sp.devices() if is_predicted(step, id)]
    assert len(ids) > 70
    for before, after in zip(ids, [*ids[7:], *ids[:7]], strict=True):
        causes = sp.explain(step, before, after)
        assert causes.from_s == pytest.approx(sp.predict(step, before).time_s, rel=1e-9)
        assert causes.to_s == pytest.approx(sp.predict(step, after).time_s, rel=1e-9)
        terms = sum(seconds(causes).values())
        assert terms == pytest.approx(causes.gap_s, abs=1e-9 * causes.to_s)


def test_calls_of_which_some_are_larger_than_the_cache_are_explained_as_predicted():
    """In place a ReLU touches half as much: of one shape some are large, others not."""
    step = sp.workload("resnet18", framework="native", batch=64)
    before, after = sp.device("epyc-zen4-2"), sp.device("xeon-amx-2")
    for cache_bytes in (6.7e6, 1e7):
        kinds: dict[str, set[bool]] = {}
        traffic = sp._core.call_traffic(step, cache_bytes)
        for call, (_, _, is_large) in zip(step.calls, traffic, strict=True):
            kinds.setdefault(f"{call.op} {call.dims}", set()).add(is_large)
        assert {True, False} in kinds.values()
        machine = before.with_number("memory.cache_bytes", cache_bytes)
        causes = sp.explain(step, (machine, "native"), (after, "native"))
        assert causes.from_s == pytest.approx(sp.predict(step, machine, "native").time_s, rel=1e-9)


@pytest.mark.parametrize("precision", ["fp32", "tf32", "amp-fp16", "amp-bf16"])
def test_a_device_explained_by_itself_has_no_terms(precision):
    causes = explain_workload("gpt2-small", A6000, "rtx-a6000", precision=precision, **SMALL)
    assert causes.gap_s == 0.0
    assert set(seconds(causes).values()) == {0.0}
    assert {term.share for term in causes.terms} == {None}


def test_only_what_differs_has_a_part():
    wider = sp.device("rtx-a6000").with_number("memory.bandwidth_bytes_per_s", 2e12)
    causes = explain_workload("gpt2-small", A6000, (wider, "torch-cuda"), **SMALL)
    assert causes.gap_s < 0.0
    assert seconds(causes)["vector kernels and bandwidth"] == pytest.approx(causes.gap_s)


def test_each_side_runs_its_own_frameworks_kernels():
    causes = explain_workload("gpt2-small", ULTRA, ("m2-ultra", "mlx-compile"), **SMALL)
    step = sp.workload("gpt2-small", framework="mlx-compile", **SMALL)
    assert causes.to_s == pytest.approx(sp.predict(step, "m2-ultra", "mlx-compile").time_s)
    assert seconds(causes)["fusion"] != 0.0


def test_formats_are_a_term_of_their_own():
    single = explain_workload("gpt2-small", A6000, ULTRA, **SMALL)
    assert seconds(single)["dtype support"] == 0.0
    mixed = explain_workload("gpt2-small", A6000, ULTRA, ways=Ways(("amp-fp16", "fp32")), **SMALL)
    step = sp.workload("gpt2-small", framework="torch-cuda", precision="amp-fp16", **SMALL)
    assert mixed.from_s == pytest.approx(sp.predict(step, *A6000).time_s)
    assert mixed.to_s == pytest.approx(single.to_s)
    assert seconds(mixed)["dtype support"] != 0.0


def test_a_mac_without_tf32_is_said_to_compute_in_float32():
    causes = explain_workload("gpt2-small", A6000, ULTRA, precision="tf32", **SMALL)
    assert "m2-ultra has no tf32" in causes.notes[0]
    single = explain_workload("gpt2-small", A6000, ULTRA, **SMALL)
    assert causes.to_s == pytest.approx(single.to_s)


def test_measurements_leave_a_residual_beside_the_gap(trace):
    plain = sp.explain(trace, A6000, ULTRA)
    assert plain.residual_s is None
    span = sp._core.Span("step", "step", "forward", -1, -1, 1.5)
    profile = sp.Profile("measured", trace.label, "gpu", "torch", [span], work=trace.work)
    measured_s = plain.to_s - plain.from_s + profile.time_s + 0.25
    causes = sp.explain(trace, A6000, ULTRA, measured=(profile, measured_s))
    assert causes.residual_s == pytest.approx(0.25)
    assert seconds(causes) == seconds(plain)
    with pytest.raises(sp.ArgumentError, match=r"measured from = .*not a prediction"):
        sp.explain(trace, A6000, ULTRA, measured=(sp.predict(trace, *A6000), 1.0))


def test_a_profile_of_other_work_is_no_measurement_of_a_side(trace):
    span = sp._core.Span("step", "step", "forward", -1, -1, 1.5)
    other = sp.workload("gpt2-small", batch=2, seq=64)
    profile = sp.Profile("measured", other.label, "gpu", "torch", [span], work=other.work)
    with pytest.raises(sp.ArgumentError, match=r"measured to = .*batch=2 .*needed: .*batch=1 "):
        sp.explain(trace, A6000, ULTRA, measured=(None, profile))
    with pytest.raises(sp.ArgumentError, match=r"measured from = .*batch=2 .*needed: .*batch=1 "):
        explain_workload("gpt2-small", A6000, ULTRA, (profile, None), **SMALL)


def test_a_format_is_lacking_where_it_is_needed():
    """Not on the other side, which has it."""
    need = {"layers": 1, "batch": 1, "seq": 8}
    one = sp.workload("gpt2-small", framework="torch-cuda", precision="amp-bf16", **need)
    other = sp.workload("gpt2-small", framework="mlx", precision="fp64", **need)
    with pytest.raises(sp.DtypeError, match="m4-pro has no peak rate for float64"):
        sp.explain((one, other), "h100", "m4-pro")


def test_what_was_set_is_noted(trace):
    wider = sp.device("h200").with_number("memory.bandwidth", 9.6e12)
    notes = sp.explain(trace, "h200", wider).notes
    assert any(note.endswith("set: memory.bandwidth_bytes_per_s = 9.6e+12") for note in notes)


def test_offloading_has_transfers():
    causes = explain_workload("gpt2-small", A6000, ("h200", None), offload=True, **SMALL)
    assert seconds(causes)["transfers"] != 0.0


def test_offloading_on_one_side_is_a_matter_of_transfers():
    card = ("rtx-4090", "torch-cuda")
    ways = Ways(offloads=(True, False))
    causes = explain_workload("gpt2-small", card, card, ways=ways, **SMALL)
    step = sp.workload("gpt2-small", framework="torch-cuda", offload=True, **SMALL)
    assert causes.from_s == pytest.approx(sp.predict(step, *card).time_s)
    assert seconds(causes)["transfers"] == pytest.approx(causes.gap_s)


def test_a_target_is_a_device_a_slash_and_a_framework(tmp_path):
    assert parse_target("m2-ultra/torch-mps") == ("m2-ultra", "torch-mps")
    assert parse_target("m2-ultra") == ("m2-ultra", "mlx")
    assert parse_target("./my.toml/mlx") == ("./my.toml", "mlx")
    with pytest.raises(sp.UnknownNameError, match="m2-ultra"):
        parse_target("m2-ultre")
    for text in ("m2-ultra/mlx/x", "m2-ultra//mlx", "/m2-ultra/mlx"):
        with pytest.raises(sp.ArgumentError, match=f"target = '{text}' .*DEVICE/FRAMEWORK"):
            parse_target(text)


@pytest.mark.parametrize("bad", [7, None, ("m2-ultra",), ("m2-ultra", 3), ("a", "b", "c")])
def test_what_is_no_target_is_refused(trace, bad):
    with pytest.raises(sp.Error, match=r"explain.*(needed|pair)"):
        sp.explain(trace, A6000, bad)


def test_a_target_longer_than_any_files_name_is_an_unknown_device(trace):
    with pytest.raises(sp.UnknownNameError, match="unknown device 'xxx"):
        sp.explain(trace, A6000, f"{'x' * 5000}/mlx")


@pytest.mark.parametrize("bad", [(1.0, -2.0), (1.0, "x"), 3.0, (1.0,)])
def test_what_is_no_measurement_is_refused(trace, bad):
    with pytest.raises(sp.ArgumentError, match="measured"):
        sp.explain(trace, A6000, ULTRA, measured=bad)


def test_what_is_no_trace_is_refused():
    with pytest.raises(sp.ArgumentError, match="Trace is needed"):
        sp.explain("gpt2-large", A6000, ULTRA)


def test_causes_can_be_drawn(trace):
    axes = sp.explain(trace, A6000, ULTRA).plot()
    assert "rtx-a6000/torch-cuda" in [text.get_text() for text in axes.get_yticklabels()]


def test_a_calibrated_side_is_split_to_what_predict_says(calibrated_file):
    step = sp.workload("gpt2-small", batch=1, seq=16, layers=2)
    causes = sp.explain(step, calibrated_file.as_posix(), ("m2-ultra", "mlx"))
    assert causes.from_s == pytest.approx(sp.predict(step, calibrated_file).time_s, rel=1e-9)
    assert causes.to_s == pytest.approx(sp.predict(step, "m2-ultra", "mlx").time_s, rel=1e-9)
    assert sum(term.seconds for term in causes.terms) == pytest.approx(causes.gap_s)
    moved = {term.name for term in causes.terms if term.seconds != 0.0}
    assert {"matrix kernels", "vector kernels and bandwidth", "launch and dispatch"} <= moved


def test_a_hosts_pace_is_launch_and_dispatch_alone(trace):
    device = sp.device("h200")
    slow = device.with_number("host.pace", 0.5)
    causes = sp.explain(trace, (device, "torch-cuda"), (slow, "torch-cuda"))
    assert causes.gap_s > 0.0
    assert seconds(causes)["launch and dispatch"] == pytest.approx(causes.gap_s, rel=1e-9)
    offloaded = sp.workload("gpt2-small", **SMALL, layers=2, offload=True)
    causes = sp.explain(offloaded, (device, "torch-cuda"), (slow, "torch-cuda"))
    assert seconds(causes)["launch and dispatch"] == pytest.approx(causes.gap_s, rel=1e-9)


def test_a_target_may_be_written_as_it_is_printed(trace):
    causes = sp.explain(trace, "rtx-a6000/torch-cuda", "m2-ultra/mlx")
    assert causes.gap_s == sp.explain(trace, A6000, ULTRA).gap_s
    assert causes.to_target == "m2-ultra/mlx"


def test_steps_of_different_work_are_refused():
    need = {"layers": 1, "seq": 8}
    steps = [sp.workload("gpt2-small", batch=batch, **need) for batch in (1, 2)]
    with pytest.raises(sp.ArgumentError, match=r"the same work is needed .*batch=1.*batch=2"):
        sp.explain(tuple(steps), "h200", "m2-ultra")
    single = sp.op("add", n=8)
    with pytest.raises(sp.ArgumentError, match=r"the same work is needed .*add n=8.*batch=1"):
        sp.explain((single, steps[0]), "h200", "m2-ultra")


def test_a_missing_trace_is_an_error_not_a_crash():
    model = _core.Model(sp.device("h200"), sp.framework("torch-cuda"))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.explain([None] * 8, model, model)
