from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

import siliconprof as sp
from siliconprof.training import recorder
from siliconprof.training.recorder import Recorder

STEP = sp.workload("gpt2-small", batch=1, seq=4, layers=1, width=8, heads=2, vocab=11)


def recorded(times):
    made = Recorder(STEP)
    with made:
        for time_s in times:
            made.add(time_s, numpy.full(len(STEP), time_s / len(STEP)))
    return made.profile("openblas", {"threads": "1"}, "done")


def test_the_profile_has_the_median_step_without_the_first():
    profile = recorded([9.0, 1.0, 2.0, 3.0])
    assert profile.time_s == 2.0 and profile.warmup_samples_s == [9.0]
    assert profile.samples_s == [1.0, 2.0, 3.0]
    assert profile.environment["threads"] == "1" and profile.origin == "measured"


def test_phases_are_the_sums_of_their_calls():
    profile = recorded([2.0, 2.0, 2.0])
    phases = (profile.forward_s, profile.backward_s, profile.optimizer_s)
    assert sum(phases) == pytest.approx(2.0, rel=1e-5)
    share = [call.phase for call in STEP.calls].count("forward") / len(STEP)
    assert profile.forward_s == pytest.approx(2.0 * share, rel=1e-5)
    assert profile.flops == STEP.flops
    assert sum(span.kind == "op" for span in profile.spans) == len(STEP)


@pytest.mark.parametrize(("switches", "told"), [(9.0, "3.0"), (3.0, "1.0"), (2.0, None)])
def test_steps_that_shared_the_processors_say_so(monkeypatch, switches, told):
    reading = sp._core.CounterReading("involuntary_switches", "switches", switches, "", "delta")
    window = SimpleNamespace(readings=lambda: [reading])
    made = Recorder(STEP)
    monkeypatch.setattr(made, "_window", window)
    for _ in range(3):
        made.add(1.0, numpy.zeros(len(STEP)))
    notes = made.profile("openblas", {}, "done").notes
    words = "involuntary context switches a step: other work shared the processors"
    assert [note for note in notes if "switches" in note] == ([f"{told} {words}"] if told else [])


def test_a_single_step_is_the_sample():
    profile = recorded([5.0])
    assert profile.samples_s == [5.0] and profile.warmup_samples_s == []


def test_only_the_last_steps_are_kept_and_none_of_them_is_a_warm_up(monkeypatch):
    monkeypatch.setattr(recorder, "LARGEST_STEPS", 3)
    profile = recorded([9.0, 2.0, 3.0, 4.0, 5.0])
    assert profile.samples_s == [3.0, 4.0, 5.0] and profile.warmup_samples_s == []
    assert recorded([9.0, 2.0, 3.0]).warmup_samples_s == [9.0]


def test_a_profile_of_training_can_be_saved(tmp_path):
    profile = recorded([1.0, 1.0])
    profile.save(tmp_path / "p.json")
    assert sp.load(tmp_path / "p.json") == profile
