from __future__ import annotations

import json

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.perfetto import to_perfetto


def test_children_lie_one_after_another_inside_their_parent(tmp_path):
    spans = [
        _core.Span("step", "step", "forward", -1, -1, 3.0),
        _core.Span("a", "op", "forward", 0, 0, 1.0),
        _core.Span("b", "op", "forward", 0, 1, 2.0),
    ]
    path = tmp_path / "trace.json"
    to_perfetto(sp.Profile("measured", "t", "here", "openblas", spans), path)
    content = json.loads(path.read_text())
    events = {event["name"]: (event["ts"], event["dur"]) for event in content["traceEvents"]}
    assert events == {"step": (0.0, 3e6), "a": (0.0, 1e6), "b": (1e6, 2e6)}
    assert all(event["ph"] == "X" for event in content["traceEvents"])
    assert content["otherData"]["origin"] == "measured"


def test_what_is_no_path_is_refused(tmp_path):
    with pytest.raises(sp.ArgumentError, match=r"\[to_perfetto\] path = None"):
        to_perfetto(sp.load("table4").profiles()[0], None)


def test_a_recorded_span_has_no_invented_work(tmp_path):
    to_perfetto(sp.load("table4").profiles()[0], tmp_path / "t.json")
    (event,) = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert event["args"]["flops"] is None


def test_memory_is_a_counter_beside_the_spans(tmp_path):
    trace = sp.workload("gpt2-small", framework="mlx", layers=1, batch=1, seq=8)
    predicted = sp.predict(trace, "m2-ultra")
    to_perfetto(predicted, tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    counters = [event for event in events if event["ph"] == "C"]
    assert len(counters) == len(predicted.memory_timeline)
    assert max(sum(event["args"].values()) for event in counters) == predicted.peak_memory_bytes
    # Every role in each, as a viewer keeps the last value of one that is left out.
    assert len({tuple(event["args"]) for event in counters}) == 1
    begins = {event["ts"] for event in events if event["ph"] == "X" and event["cat"] == "op"}
    assert {event["ts"] for event in counters} == begins
