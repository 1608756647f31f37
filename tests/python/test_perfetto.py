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
    slices = [event for event in content["traceEvents"] if event["ph"] == "X"]
    events = {event["name"]: (event["ts"], event["dur"]) for event in slices}
    assert events == {"step": (0.0, 3e6), "a": (0.0, 1e6), "b": (1e6, 2e6)}
    assert [event["args"]["phase"] for event in slices] == [None, "forward", "forward"]
    names = [event["args"]["name"] for event in content["traceEvents"] if event["ph"] == "M"]
    assert names == ["t", "measured · here · openblas"]
    assert content["otherData"]["origin"] == "measured"


def test_children_that_sum_to_more_than_their_parent_are_drawn_inside_it(tmp_path):
    def span(name, kind, parent, time_s):
        call = 0 if kind == "op" else -1
        return _core.Span(name, kind, "forward", parent, call, time_s)

    spans = [
        span("step", "step", -1, 4.0),
        span("phase", "phase", 0, 5.0),
        span("short", "phase", 0, 3.0),
        span("a", "op", 1, 4.0),
        span("b", "op", 1, 6.0),
        span("c", "op", 2, 1.0),
    ]
    path = tmp_path / "trace.json"
    to_perfetto(sp.Profile("measured", "t", "here", "openblas", spans), path)
    events = {e["name"]: e for e in json.loads(path.read_text())["traceEvents"]}
    slices = {name: event for name, event in events.items() if event["ph"] == "X"}
    drawn = {name: (event["ts"] / 1e6, event["dur"] / 1e6) for name, event in slices.items()}
    expected = {"phase": (0, 2.5), "short": (2.5, 1.5), "a": (0, 1.0), "b": (1.0, 1.5)}
    for name, place in {"step": (0, 4.0), **expected, "c": (2.5, 0.5)}.items():
        assert drawn[name] == pytest.approx(place), name
    assert events["b"]["args"]["wall_s"] == 6.0


def test_memory_goes_up_to_the_end_of_slices_that_are_drawn_shorter(tmp_path):
    spans = [
        _core.Span("step", "step", "forward", -1, -1, 1.0),
        *(_core.Span("op", "op", "forward", 0, call, 1.0) for call in range(4)),
    ]
    timeline = [_core.MemoryPoint(call, {"activation": 10 + call}) for call in range(4)]
    profile = sp.Profile("predicted", "t", "m2", "mlx", spans, memory_timeline=timeline)
    to_perfetto(profile, tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    times = [event["ts"] / 1e6 for event in events if event["name"] == "memory"]
    assert times == pytest.approx([0.0, 0.25, 0.5, 0.75])


def test_what_is_no_path_is_refused(tmp_path):
    with pytest.raises(sp.ArgumentError, match=r"\[to_perfetto\] path = None"):
        to_perfetto(sp.load("table4").profiles()[0], None)
    with pytest.raises(sp.Error, match=r"\[to_perfetto\] cannot write .*No such file"):
        to_perfetto(sp.load("table4").profiles()[0], tmp_path / "nowhere" / "p.json")


def test_a_saved_profile_is_not_replaced_by_its_trace(tmp_path):
    path = tmp_path / "p.json"
    profile = sp.load("table4").profiles()[0]
    profile.save(path)
    with pytest.raises(sp.ArgumentError, match=r"\[to_perfetto\] .*p\.json is a saved profile"):
        to_perfetto(profile, path)
    assert sp.load(path) == profile
    for name, content in (("old.json", '{"traceEvents": []}'), ("binary", "\udcff")):
        (tmp_path / name).write_text(content, errors="surrogateescape")
        to_perfetto(profile, tmp_path / name)  # what is no profile is replaced


def test_a_recorded_span_has_no_invented_work(tmp_path):
    to_perfetto(sp.load("table4").profiles()[0], tmp_path / "t.json")
    *_, event = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert event["args"]["flops"] is None


def test_a_term_is_named_as_the_seconds_that_it_is(tmp_path):
    profile = sp.predict(sp.op("copy", n=64), "m2", framework="mlx")
    to_perfetto(profile, tmp_path / "t.json")
    *_, event = (
        event
        for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"]
        if event["ph"] == "X"
    )
    assert event["args"]["term_bandwidth_s"] == profile.spans[-1].terms["bandwidth"]
    assert "bandwidth" not in event["args"]


def counters_of(trace, device, path) -> dict[str, list[tuple[float, int]]]:
    """(microseconds, bytes) of each memory counter."""
    to_perfetto(sp.predict(trace, device), path)
    found: dict[str, list[tuple[float, int]]] = {}
    for event in json.loads(path.read_text())["traceEvents"]:
        if event["ph"] == "C":
            found.setdefault(event["name"], []).append((event["ts"], event["args"]["bytes"]))
    return found


def test_memory_is_a_counter_of_all_and_of_each_role(tmp_path):
    trace = sp.workload("gpt2-small", framework="mlx", layers=1, batch=1, seq=8)
    found = counters_of(trace, "m2-ultra", tmp_path / "t.json")
    assert {"memory", "memory: parameter", "memory: optimizer state"} < set(found)
    predicted = sp.predict(trace, "m2-ultra")
    assert max(held for _, held in found["memory"]) == predicted.peak_memory_bytes
    assert found["memory"][-1][0] < predicted.time_s * 1e6


def test_memory_is_in_the_order_of_calls_where_phases_take_turns(tmp_path):
    sizes = {"layers": 1, "batch": 1, "seq": 8}
    trace = sp.workload("gpt2-small", framework="torch-cuda", accumulate=2, **sizes)
    found = counters_of(trace, "h200", tmp_path / "t.json")["memory"]
    assert [time for time, _ in found] == sorted({time for time, _ in found})
    held = [sum(p.by_role.values()) for p in sp.predict(trace, "h200").memory_timeline]
    changes = [b for a, b in zip([None, *held], held, strict=False) if a != b]
    assert [value for _, value in found] == changes
