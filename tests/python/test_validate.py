"""Scores of predictions on recorded numbers."""

from __future__ import annotations

import re

import pytest

import siliconprof as sp
from siliconprof.predict import model, synchronised
from siliconprof.records import names
from siliconprof.validate import HELD_OUT, WHOLE_STEP, Score, groups, summarise, validate

HEADER = """
title = "Own"
read = "by hand"
uncertainty = "none"
statistic = "median"
notes = []
[source]
title = "Own"
url = "https://example.org"
date = "2026"
[units]
s = "seconds"
bytes = "bytes"
J = "joules"
"""


def score(error, covered=True, unit="s"):
    return Score("w", "d", "f", 1.0, 1.0 + error, unit, error, covered)


@pytest.fixture
def own(tmp_path):
    def write(*rows, columns="what,device,framework,dtype,value,unit,note"):
        (tmp_path / "own.toml").write_text(HEADER)
        lines = [columns, *rows]
        (tmp_path / "own.csv").write_text("\n".join(lines) + "\n")
        return str(tmp_path / "own.csv")

    return write


def test_rows_of_one_step_share_its_trace_and_prediction(own, monkeypatch):
    built, asked = [], []

    def build(id, **given):
        built.append((id, given["seq"], given["framework"]))
        return sp.workload(id, **given)

    def ask(trace, *target):
        asked.append(target)
        return sp.predict(trace, *target)

    monkeypatch.setattr("siliconprof.recorded_work.workload", build)
    monkeypatch.setattr("siliconprof.validate.predict", ask)
    rows = [
        f"gpt2-small layers=1 seq={seq} {quantity},{place},float32,1,{unit},"
        for place in ("h200,torch-cuda", "rtx-4090,torch-cuda", "m2,mlx")
        for seq in (8, 16)
        for quantity, unit in (("time", "s"), ("peak memory", "bytes"))
    ]
    scores, _ = validate(record=own(*rows))
    assert len(built) == len(asked) == len(scores) / 2 == 6
    for (id, seq, framework), target, place in zip(built, asked, range(0, 12, 2), strict=True):
        step = sp.predict(sp.workload(id, layers=1, seq=seq, framework=framework), *target)
        found = [score.predicted for score in scores[place : place + 2]]
        assert found == [step.time_s, step.peak_memory_bytes]
    # One step on two devices, one after the other, is predicted for each.
    twice = [rows[0], rows[4]]
    h200, rtx = validate(record=own(*twice))[0]
    assert len(built) == 7 and len(asked) == 8
    assert h200.predicted != rtx.predicted


def test_a_step_is_scored_by_time_and_by_memory(own):
    what = "gpt2-small batch=1 seq=64 precision=fp32"
    step = sp.predict(
        sp.workload("gpt2-small", batch=1, seq=64, framework="torch-cuda"), "h200", "torch-cuda"
    )
    path = own(
        f"{what} time,h200,torch-cuda,float32,{2 * step.time_s},s,",
        f"{what} peak memory,h200,torch-cuda,float32,{step.peak_memory_bytes},bytes,",
        f"{what} energy,h200,torch-cuda,float32,1,J,",
    )
    time, memory, energy = validate(record=path)[0]
    assert time.error == pytest.approx(-0.5)
    assert time.within_interval == (step.interval[0] <= 2 * step.time_s <= step.interval[1])
    assert time.interval == step.interval and time.source.startswith("Own (2026)")
    assert memory.error == 0 and memory.within_interval is True
    assert memory.interval == step.peak_memory_interval_bytes
    assert energy.predicted == step.energy_joules and energy.within_interval is False
    assert energy.interval == step.energy_interval_joules


def test_a_row_that_says_how_fast_its_host_was_is_predicted_beside_such_a_host(own, monkeypatch):
    asked = []

    def ask(trace, *target):
        asked.append(target)
        return sp.predict(trace, *target)

    monkeypatch.setattr("siliconprof.validate.predict", ask)
    what = "gpt2-small batch=1 seq=64 layers=1"
    usual_pace = sp.device("h200").numbers["host.pace"].value
    rows = [
        f"{what} {quantity},h200,torch-cuda,float32,1,{unit},,{pace}"
        for pace in ("", "0.5", usual_pace)
        for quantity, unit in (("time", "s"), ("energy", "J"))
    ]
    columns = "what,device,framework,dtype,value,unit,note,host_pace"
    scores, _ = validate(record=own(*rows, columns=columns))
    step = sp.workload("gpt2-small", batch=1, seq=64, layers=1, framework="torch-cuda")
    slow = sp.predict(step, sp.device("h200").with_number("host.pace", 0.5))
    usual = sp.predict(step, "h200")
    expected = [usual.time_s, usual.energy_joules, slow.time_s, slow.energy_joules]
    assert [s.predicted for s in scores] == [*expected, *expected[:2]]
    assert scores[2].interval == slow.interval
    assert len(asked) == 3, "once for a step beside a host"
    tail = "; at host.pace = 0.5, as recorded"
    assert [s.source.endswith(tail) for s in scores] == [False, False, True, True, False, False]


def test_a_row_of_the_suite_is_one_call_that_is_waited_for(own):
    path = own("ReLU dim=128x16x1024,m3-max,mlx,float32,0.001,s,")
    [found], left_out = validate(record=path)
    trace = sp.op("relu", n=128 * 16 * 1024)
    value, low, high = synchronised(model("m3-max", "mlx"), trace)
    assert found.predicted == value and low < value < high
    assert left_out == []


def test_a_row_of_the_suite_is_predicted_in_its_dtype(own):
    label = "Conv2d dim=100x28x28x3 dim=8x3x3x3"
    path = own(*(f"{label},h200,torch-cuda,{dtype},0.001,s," for dtype in ("float32", "tf32")))
    scores, _ = validate(record=path)
    sizes = {"batch": 100, "height": 28, "width": 28, "channels": 3, "outputs": 8}
    sizes |= {"kernel_h": 3, "kernel_w": 3}
    for score, dtype in zip(scores, ("float32", "tf32"), strict=True):
        trace = sp.op("conv2d", dtype=dtype, **sizes)
        assert score.predicted == synchronised(model("h200", "torch-cuda"), trace)[0]


def test_what_computes_something_else_is_left_out_with_its_reason(own):
    path = own(
        "ReLU dim=128x16x1024,m3-max,mlx,float32,0.001,s,",
        "Sum dim=4x4 axi=0,m3-max,mlx,float32,0.001,s,different computation: axis dropped",
    )
    scores, left_out = validate(record=path)
    assert len(scores) == 1
    reason = "different computation: axis dropped"
    assert list(map(str, left_out)) == [
        f"own.csv line 3: Sum dim=4x4 axi=0 on m3-max under mlx: {reason}"
    ]


def test_held_out_records_are_scored_and_none_of_them_is_fitted_on():
    scores, left_out = validate("h200")
    assert len(scores) > 100 and left_out == []
    assert {s.device for s in scores} == {"h200"}
    fitted = {f"h200_{name}" for name in ("ops", "composites", "images", "large", "offload")}
    fitted |= {"h200_graph_ops", "h200_suite", "h100_ops", "h100_power"}
    assert not fitted & set(HELD_OUT)
    assert fitted | set(HELD_OUT) <= set(names())


def test_a_device_without_rows_and_an_unknown_table_are_refused():
    with pytest.raises(sp.ArgumentError, match="rtx-3090"):
        validate("rtx-3090")
    with pytest.raises(sp.UnknownNameError):
        validate(record="tabel9")
    with pytest.raises(sp.UnknownNameError, match="h200"):
        validate("h20")


def test_the_papers_own_words_are_scored_under_what_it_ran(own):
    path = own(
        '"gpt2-large step, batch 2",m2-max,mlx,,3,s,',
        '"whisper-medium energy per iteration, batch 4",rtx-a6000,,float32,200,J,GPU only',
    )
    time, energy = validate(record=path)[0]
    step = sp.workload("transformer-lm-gpt2-large", framework="mlx", batch=2)
    assert time.predicted == sp.predict(step, "m2-max", "mlx").time_s
    assert (time.subject, time.op_class) == ("transformer-lm-gpt2-large", WHOLE_STEP)
    assert (energy.framework, energy.quantity) == ("torch-cuda", "energy")


def test_each_nth_row_is_a_quick_look(own):
    path = own(*(f"ReLU dim={n}x16x1024,m3-max,mlx,float32,0.001,s," for n in (1, 2, 3)))
    assert [s.what for s in validate(record=path, every=2)[0]] == [
        "ReLU dim=1x16x1024",
        "ReLU dim=3x16x1024",
    ]


GOOD = "gpt2-small layers=1 seq=8 time,h200,torch-cuda,float32,0.001,s,"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("gpt2-small layers=x seq=8 time,h200,torch-cuda,float32,1,s,", "layers = 'x'"),
        ("gpt2-small layers=1 seq=8 time,h200,torch-cuda,float32,1,J,", "time is in s, not J"),
        ("gpt2-small layers=1 seq=8 time,h200,torch-cuda,float16,1,s,", "dtype float16 contrad"),
        ("gpt2-small layers=1 seq=8 time,h200,torch-cud,float32,1,s,", "'torch-cuda'"),
        ("gpt2-small layers=1 seq=8 time,h20,torch-cuda,float32,1,s,", "'h200'"),
        ("gpt2-small layers=1 seq=8 time,,torch-cuda,float32,1,s,", "no device is named"),
        ("gpt2-small layers=1 seq=8 time,h200,,float32,1,s,", "no framework is named"),
        ("gpt2-small layers=1 seq=8 time,h200,torch-cuda,float32,,s,it broke", "it broke"),
        ("gpt2-small layers=1 seq=8 speed,h200,torch-cuda,float32,1,s,", "no quantity is named"),
        ("gpt2-smal layers=1 seq=8 time,h200,torch-cuda,float32,1,s,", "gpt2-small"),
        ("gpt2-small batch=99999999999999 time,h200,torch-cuda,float32,1,s,", "batch"),
    ],
)
def test_a_row_that_cannot_be_predicted_is_left_out_and_the_others_are_scored(own, row, reason):
    scores, [left_out] = validate(record=own(GOOD, row, GOOD))
    assert len(scores) == 2
    assert str(left_out).startswith("own.csv line 3: ") and reason in left_out.reason


def test_a_record_of_which_nothing_can_be_scored_says_why(own):
    path = own("gpt2-small batch=x seq=4 time,m3-max,mlx,float32,0.001,s,")
    with pytest.raises(sp.ArgumentError, match=r"own.csv line 2: .*batch = 'x'"):
        validate(record=path)


def test_single_operations_are_predicted_as_any_other_trace(own):
    path = own(
        "triad n=1000000 time,h200,torch-cuda,float64,0.001,s,",
        "softmax outer=64 size=100 inner=1 time,m3-max,mlx,,0.001,s,",
    )
    (triad, softmax), left_out = validate(record=path)
    first = sp.predict(sp.workload("triad", n=10**6, dtype="float64"), "h200")
    second = sp.predict(sp.op("softmax", outer=64, size=100, inner=1), "m3-max", "mlx")
    assert [triad.predicted, softmax.predicted] == [first.time_s, second.time_s]
    assert (triad.subject, softmax.op_class, left_out) == ("triad", "row_normalisation", [])


def test_the_documents_example_is_a_table_that_is_scored(root, tmp_path):
    """docs/record-files.md: what it shows loads, and each row but the last is scored."""
    text = (root / "docs/record-files.md").read_text()
    shown = re.findall(r"```(csv|toml)\n(.*?)```", text, re.S)
    for suffix, text in shown:
        (tmp_path / f"own.{suffix}").write_text(text)
    assert sorted(suffix for suffix, _ in shown) == ["csv", "toml"]
    rows = sp.load(tmp_path / "own.csv").rows
    scores, left_out = validate(record=tmp_path / "own.csv")
    assert [score.what for score in scores] == [row.what for row in rows[:-1]]
    assert len(left_out) == 1 and rows[-1].note in left_out[0].reason


def test_energy_that_nothing_predicts_is_left_out_with_its_reason(own):
    path = own(
        "gpt2-small batch=1 seq=4 time,m1-pro-cpu,torch-cpu,float32,0.001,s,",
        "gpt2-small batch=1 seq=4 energy,m1-pro-cpu,torch-cpu,float32,1,J,",
    )
    scores, left_out = validate(record=path)
    assert len(scores) == 1
    assert str(left_out[0]).endswith("no energy is predicted for m1-pro-cpu under torch-cpu")


def test_a_summary_is_of_absolute_errors():
    found = summarise([score(-0.1), score(0.3), score(0.2, False), score(0.0, None)])
    assert (found.rows, found.max) == (4, 0.3)
    assert (found.median, found.p90) == (pytest.approx(0.15), pytest.approx(0.27))
    assert found.mape == pytest.approx(0.15)
    assert found.covered == pytest.approx(2 / 3)


def test_groups_keep_times_and_memory_apart():
    some = [score(0.1), score(0.1, None, "bytes"), score(0.2), score(0.1, None, "J")]
    assert [key for key, _ in groups(some)] == ["d f time", "d f memory", "d f energy"]


def test_groups_are_also_by_op_class_and_by_workload(own):
    path = own(
        "gpt2-small batch=1 seq=4 time,m3-max,mlx,float32,0.001,s,",
        "ReLU dim=128x16x1024,m3-max,mlx,float32,0.001,s,",
    )
    scores, _ = validate(record=path)
    assert [key for key, _ in groups(scores, "op class")] == [
        "whole step mlx time",
        "elementwise mlx time",
    ]
    assert [key for key, _ in groups(scores, "workload")] == [
        "gpt2-small mlx time",
        "ReLU mlx time",
    ]
    with pytest.raises(sp.UnknownNameError, match="workload"):
        list(groups(scores, "worklod"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"device": 3}, r"device = 3 \(int\): a device's id, a Device or None is needed"),
        ({"framework": "mlx"}, r"framework = 'mlx' \(str\): a siliconprof.Framework is needed"),
    ],
)
def test_an_argument_of_another_kind_is_named(wrong, message):
    with pytest.raises(sp.ArgumentError, match=rf"^\[validate\] {message}"):
        validate(**wrong)


def test_a_device_is_taken_in_place_of_the_packaged_one_of_its_id(own):
    what = "gpt2-small batch=1 seq=64 layers=1"
    rows = [f"{what} time,h200,torch-cuda,float32,1,s,,{pace}" for pace in ("", "0.5")]
    rows.append(f"{what} time,h100,torch-cuda,float32,1,s,,")
    record = own(*rows, columns="what,device,framework,dtype,value,unit,note,host_pace")
    machine = sp.device("h200").with_number("memory.bandwidth", 1e10)
    scores, _ = validate(machine, record)
    step = sp.workload("gpt2-small", batch=1, seq=64, layers=1, framework="torch-cuda")
    expected = [machine, machine.with_number("host.pace", 0.5)]
    assert [s.predicted for s in scores] == [sp.predict(step, d).time_s for d in expected]
    assert scores[0].predicted != validate("h200", record)[0][0].predicted
