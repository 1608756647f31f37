"""What the prediction of a side notes stands among the notes of the gap, said of that side."""

from __future__ import annotations

import pickle

import pytest

import siliconprof as sp
from siliconprof.explain import Ways, explain_workload

CARD, MAC = ("h200", "torch-cuda"), ("m1", "mlx")
LARGE = {"batch": 32, "seq": 512}


@pytest.fixture(scope="module")
def step() -> sp.Trace:
    return sp.workload("gpt2-small", **LARGE)


def noted(step, device, framework):
    """But for its energy, of which a gap says nothing."""
    notes = sp.predict(step, device, framework).notes
    return [note for note in notes if not note.startswith("energy is the board's alone")]


def test_what_predict_notes_of_a_side_is_a_note_of_the_gap(step):
    notes = noted(step, *MAC)
    assert any(note.startswith("over MLX's memory limit") for note in notes)
    assert noted(step, *CARD) == []
    before, after = ([f"'{side}' (m1/mlx): {note}" for note in notes] for side in ("from", "to"))
    assert sp.explain(step, CARD, MAC).notes == after
    assert sp.explain(step, MAC, CARD).notes == before
    assert sp.explain(step, MAC, MAC).notes == before + after


def test_steps_by_name_are_noted_as_each_side_runs_them():
    ways = Ways(("fp32", "amp-fp16"))
    causes = explain_workload("gpt2-small", CARD, MAC, ways=ways, **LARGE)
    mixed = sp.workload("gpt2-small", precision="amp-fp16", framework="mlx", **LARGE)
    notes = noted(mixed, *MAC)
    assert notes
    assert causes.notes == [f"'to' (m1/mlx): {note}" for note in notes]


def test_nothing_else_of_the_gap_changes_and_pickle_keeps_the_notes(step):
    causes = sp.explain(step, CARD, MAC, measured=(1.0, 2.0))
    assert causes.gap_s == causes.to_s - causes.from_s
    assert sum(term.seconds for term in causes.terms) == pytest.approx(causes.gap_s)
    assert (causes.measured_from_s, causes.measured_to_s) == (1.0, 2.0)
    again = pickle.loads(pickle.dumps(causes))
    assert again.notes == causes.notes and again.to_s == causes.to_s


def test_what_the_gap_notes_itself_is_not_said_twice(step):
    wider = sp.device("m1").with_number("memory.bandwidth", 1e11)
    setting, *others = sp.explain(step, CARD, wider).notes
    assert setting == "m1/mlx: set: memory.bandwidth_bytes_per_s = 1e+11"
    assert others and not any("set: " in note for note in others)
    (host,) = sp.explain(sp.workload("gpt2-small", offload=True), "rtx-4090", "m1").notes
    assert host.startswith("the host beside rtx-4090 is assumed")


@pytest.mark.parametrize("given", [{}, {"framework": "mlx"}])
def test_a_step_in_tf32_is_noted_as_the_one_in_float32_where_there_is_no_tf32(step, given):
    rounded = sp.workload("gpt2-small", precision="tf32", **LARGE, **given)
    lacking, *others = sp.explain(rounded, CARD, MAC).notes
    assert lacking == "m1 has no tf32: its products are float32's"
    assert others == [f"'to' (m1/mlx): {note}" for note in noted(step, *MAC)] != []


def test_an_operation_in_tf32_needs_no_tf32_either():
    product = sp.op("matmul", m=8, k=8, n=8, dtype="tf32")
    assert len(sp.explain(product, CARD, MAC).notes) == 1
    alone = sp._core.single_op("matmul", {"m": 8, "k": 8, "n": 8}, "tf32")
    assert len(sp.explain(alone, CARD, MAC).notes) == 1


def test_boards_beside_different_hosts_are_said_to_be():
    step = sp.workload("gpt2-small", layers=1, batch=1, seq=8)
    (note,) = sp.explain(step, "h200", "h100").notes
    paces = [sp.device(id).numbers["host.pace"].value for id in ("h200", "h100")]
    assert note.startswith(f"hosts differ: host.pace {paces[0]:g} and {paces[1]:g}; ")
    usual = sp.framework("torch-cuda").numbers["host.pace"].value
    (note,) = [n for n in sp.explain(step, "a100", "h200").notes if "hosts differ" in n]
    assert f"host.pace {usual:g} (any host's) and {paces[0]:g};" in note
    same = [sp.device(id).with_number("host.pace", 0.9) for id in ("h200", "h100")]
    for sides in (same, ("a100", "v100"), ("m2-ultra", "h200")):
        assert not any("hosts differ" in note for note in sp.explain(step, *sides).notes), sides
