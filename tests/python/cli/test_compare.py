from __future__ import annotations


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
