from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.overview import SHOWN
from siliconprof.quantity import scaled

PHASES = ["forward", "backward", "optimizer"]


def test_the_verdict_has_a_ratio_and_an_interval(document, saved):
    content = document("compare", saved(1.0, "a.json"), saved(2.0, "b.json"))
    assert content["verdict"] == "slower"
    low, high = content["interval"]
    assert low < content["ratio"] == 2.0 < high
    assert content["rows"][0]["difference_s"] == 1.0


def test_slower_ends_with_one_when_asked_to(call, saved):
    a, b = saved(1.0, "a.json"), saved(2.0, "b.json")
    assert call("compare", a, b, "--fail-on", "slower")[0] == 1
    assert call("compare", b, a, "--fail-on", "slower")[0] == 0
    assert call("compare", a, b)[0] == 0


def test_the_document_is_printed_also_when_the_result_is_bad(call, saved):
    status, out = call(
        "compare", saved(1.0, "a.json"), saved(2.0, "b.json"), "--fail-on", "slower", "--json"
    )
    assert status == 1
    assert '"verdict": "slower"' in out


def test_the_text_names_the_verdict(call, saved):
    status, out = call("compare", saved(1.0, "a.json"), saved(1.0, "b.json"))
    assert status == 0
    assert "same" in out


@pytest.fixture
def steps(tmp_path):
    """A step of GPT-2 predicted on two devices, saved."""
    step = sp.workload("gpt2-small", batch=1, seq=64)
    for device in ("m2", "h200"):
        sp.predict(step, device).save(tmp_path / f"{device}.json")
    return tmp_path / "m2.json", tmp_path / "h200.json"


def test_phases_come_first_and_then_the_operations_that_differ_most(call, steps):
    status, out = call("compare", *steps)
    lines = [line.rstrip() for line in out.splitlines()]
    body = lines[2 : next(i for i, line in enumerate(lines) if "left out" in line)]
    assert status == 0 and [line.split()[0] for line in body[:3]] == PHASES
    before, after = (sp.load(path) for path in steps)
    assert scaled(before.forward_s, "s") in body[0] and scaled(after.forward_s, "s") in body[0]
    sums = {}
    for row in sp.compare(before, after).rows:
        sums.setdefault((row.name, row.phase), []).append(row.difference_s)
    largest = sorted(sums, key=lambda key: abs(sum(sums[key])), reverse=True)[:SHOWN]
    assert len(body) == 3 + SHOWN
    for line, (name, phase) in zip(body[3:], largest, strict=True):
        count = len(sums[name, phase])
        assert line.split()[0] == name and f" {phase} " in line
        assert (f"{name} x {count} " in line) is (count > 1)
        assert line.endswith(scaled(sum(sums[name, phase]), "s"))
    told = f"{len(sums) - SHOWN} of {len(sums)} with smaller differences left out"
    assert any(line.startswith(told) for line in lines)


def test_the_document_has_both_times_and_the_phases_that_the_text_shows(document, steps):
    content = document("compare", *steps)
    sides = [sp.load(path) for path in steps]
    assert [content["from_s"], content["to_s"]] == [side.time_s for side in sides]
    assert [phase["name"] for phase in content["phases"]] == PHASES
    for phase in content["phases"]:
        from_s, to_s = (getattr(side, f"{phase['name']}_s") for side in sides)
        times = {"from_s": from_s, "to_s": to_s, "difference_s": to_s - from_s}
        assert phase == {"name": phase["name"], **times}


def test_every_call_is_there_on_request_and_in_the_document(call, document, steps):
    rows = sp.compare(*map(sp.load, steps)).rows
    _, out = call("compare", *steps, "--all")
    assert "left out" not in out
    assert sum(line.startswith("linear ") for line in out.splitlines()) == sum(
        row.name == "linear" for row in rows
    )
    assert len(document("compare", *steps)["rows"]) == len(rows) > 100


def test_a_missing_file_an_unknown_verdict_and_a_table_are_wrong_use(call, saved, tmp_path):
    a = saved(1.0)
    assert call("compare", a, tmp_path / "none.json")[0] == 2
    assert call("compare", a, a, "--fail-on", "slowerr")[0] == 2
    assert call("compare", a, "table4.csv")[0] == 2
    assert call("compare", a, "table4:99")[0] == 2


def test_a_recorded_time_can_be_compared(document, saved):
    content = document("compare", saved(2.710), "table4:1")
    assert content["ratio"] == 1.0
    assert "recorded, m2-ultra" in " ".join(content["notes"])
