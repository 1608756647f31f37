from __future__ import annotations

import pytest

import siliconprof as sp

STEP = ("gpt2-small", "--batch", "1", "--seq", "64")
SIDES = ("--from", "rtx-a6000/torch-cuda", "--to", "m2-ultra/mlx")


def test_the_document_has_terms_that_sum_to_the_gap(document):
    content = document("explain", *STEP, *SIDES)
    assert content["gap_s"] == content["to_s"] - content["from_s"]
    assert [set(term) for term in content["terms"]] == [{"name", "seconds", "share"}] * 8
    assert sum(term["seconds"] for term in content["terms"]) == pytest.approx(content["gap_s"])
    assert content["residual_s"] is None
    assert "measured" in content["residual_reason"]


def test_the_ends_are_what_predict_says(document):
    content = document("explain", *STEP, *SIDES)
    for side, options in (
        ("from_s", ("--device", "rtx-a6000", "--framework", "torch-cuda")),
        ("to_s", ("--device", "m2-ultra", "--framework", "mlx")),
    ):
        assert content[side] == pytest.approx(document("predict", *STEP, *options)["time_s"])


def test_by_phase_and_by_class_on_request(document):
    for by in ("phase", "class"):
        for term in document("explain", *STEP, *SIDES, "--by", by)["terms"]:
            assert sum(term[f"by_{by}"].values()) == pytest.approx(term["seconds"], abs=1e-12)


def test_measured_times_give_a_residual(document):
    times = ("--measured-from", "2.0", "--measured-to", "2.71")
    content = document("explain", *STEP, *SIDES, *times)
    measured_s = content["measured_to_s"] - 2.0
    assert content["residual_s"] == pytest.approx(measured_s - content["gap_s"])


def test_a_recorded_time_is_of_the_same_work_on_the_same_device(call, document):
    step = ("transformer-lm-gpt2-large", "--batch", "8")
    found = document("explain", *step, *SIDES, "--measured-to", "table4:1")
    assert found["measured_to_s"] == sp.load("table4").profiles()[0].time_s
    assert call("explain", *step, *SIDES, "--measured-from", "table4:1")[0] == 2
    assert call("explain", *STEP, *SIDES, "--measured-to", "table4:1")[0] == 2


def test_what_if_sets_numbers_of_either_side(document):
    own = ("--from", "rtx-a6000", "--to", "rtx-a6000")
    assert document("explain", *STEP, *own)["gap_s"] == 0.0
    assert document("explain", *STEP, *own, "--set", "memory.bandwidth=2e12")["gap_s"] < 0.0
    assert document("explain", *STEP, *own, "--set-from", "memory.bandwidth=2e12")["gap_s"] > 0.0


def test_sides_may_train_in_different_formats(document):
    options = ("--precision", "amp-fp16", "--precision-to", "fp32")
    content = document("explain", *STEP, *SIDES, *options)
    terms = {term["name"]: term["seconds"] for term in content["terms"]}
    assert terms["dtype support"] != 0.0


def test_an_operation_is_explained_too(document):
    assert document("explain", "matvec", *SIDES)["gap_s"] != 0.0


def test_the_text_is_a_table_of_the_terms(call):
    status, out = call("explain", *STEP, *SIDES, "--by", "phase")
    assert status == 0
    assert "matrix kernels" in out and "  backward" in out and "100 %" in out


def test_no_gap_has_no_shares_and_no_sum_of_them(call):
    status, out = call("explain", *STEP, "--from", "m2", "--to", "m2")
    assert status == 0
    assert "100 %" not in out and out.count("–") == 9


def test_the_waterfall_is_a_file(call, tmp_path):
    path = tmp_path / "gap.png"
    assert call("explain", *STEP, *SIDES, "--figure", path)[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "wrong",
    [
        ("--from", "rtx-a6000"),
        ("--from", "rtx-a6000", "--to", "m2-ultre"),
        ("--from", "rtx-a6000/mlx", "--to", "m2-ultra"),
        (*SIDES, "--by", "layer"),
        (*SIDES, "--set", "memory.bandwith=1e12"),
        (*SIDES, "--measured-to", "no-such-file.json"),
        (*SIDES, "--figure", "gap.txt"),
        (*SIDES, "--offload", "--offload-to"),
    ],
)
def test_wrong_use_ends_with_2(call, wrong):
    assert call("explain", *STEP, *wrong)[0] == 2


def test_help_has_an_example(call):
    assert "--to m2-ultra/mlx" in " ".join(call("explain", "--help")[1].split())
    assert sp.Causes.__doc__


def test_a_side_may_be_a_device_file(document, device_file):
    content = document("explain", *STEP, "--from", "m2-ultra", "--to", f"{device_file}/mlx")
    assert content["gap_s"] > 0.0 and content["to"] == "half-ultra/mlx"


def test_an_assumed_host_is_a_note_of_the_side_that_offloads(document):
    sides = ("--from", "rtx-4090", "--to", "rtx-a6000", "--seq", "64")
    (note,) = document("explain", "gpt2-small", *sides, "--offload-to")["notes"]
    assert note.startswith("the host beside rtx-a6000 is assumed")
    assert document("explain", "gpt2-small", *sides)["notes"] == []


def test_what_predict_notes_of_a_side_is_noted(call, document):
    asked = ("explain", "gpt2-small", "--batch", "32", "--seq", "512")
    sides = ("--from", "h200", "--to", "m1")
    notes = document(*asked, *sides)["notes"]
    assert any(note.startswith("'to' (m1/mlx): over MLX's memory limit") for note in notes)
    out = " ".join(call(*asked, *sides)[1].split())
    assert all(f"note: {note}" in out for note in notes)


def test_a_mode_of_offloading_alone_is_both_sides(document):
    own = ("--from", "h200/torch-cuda", "--to", "rtx-a6000/torch-cuda")
    plain, offloaded = (
        {term["name"]: term["seconds"] for term in document("explain", *STEP, *own, *more)["terms"]}
        for more in ((), ("--offload-mode", "serial"))
    )
    assert plain["transfers"] == 0.0 < offloaded["transfers"]


def test_the_table_has_times_with_their_sign(call):
    _, out = call("explain", *STEP, *SIDES)
    head = next(line for line in out.splitlines() if line.startswith("term"))
    assert head.split() == ["term", "time", "share"]
    vector = next(line for line in out.splitlines() if line.startswith("vector kernels"))
    assert " +" in vector and "ms" in vector
