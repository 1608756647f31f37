from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.training import recorder
from siliconprof.training.recorder import Recorder

STEP = sp.workload("gpt2-small", batch=1, seq=4, layers=1, width=8, heads=2, vocab=11)


def recorded(times):
    made = Recorder(STEP)
    for time_s in times:
        made.begin()
        made.add(time_s, numpy.full(len(STEP), time_s / len(STEP)))
    return made.profile("openblas", {"threads": "1"}, "done")


class Counted:
    """A window that reads these values, step after step."""

    def __init__(self, name, kind, values):
        self._name, self._kind, self._values = name, kind, iter(values)
        self._is_open = False

    def __enter__(self):
        self._is_open = True
        return self

    def __exit__(self, *_):
        assert self._is_open
        self._is_open = False

    def readings(self):
        assert not self._is_open
        value = next(self._values)
        reason = "refused" if value is None else ""
        return [sp._core.CounterReading(self._name, "count", value, reason, self._kind)]


def counted(monkeypatch, name, kind, values):
    monkeypatch.setattr(recorder, "Window", lambda: Counted(name, kind, values))
    return recorded([1.0] * len(values))


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


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("delta", [900.0, 2.0, 4.0, 6.0], 4.0),  # the first step is the warm-up
        ("delta", [900.0], 900.0),
        ("level", [900.0, 2.0, 4.0, 6.0], 6.0),
        ("delta", [900.0, 2.0, None, 6.0], None),  # missing once, it can't be told
        ("delta", [None, 2.0, 4.0], 3.0),
    ],
)
def test_counters_are_those_of_the_steps_that_count(monkeypatch, kind, values, expected):
    (reading,) = counted(monkeypatch, "minor_faults", kind, values).counters
    assert (reading.value, reading.kind) == (expected, kind)
    assert reading.reason == ("refused" if expected is None else "")


@pytest.mark.parametrize(("switches", "told"), [(3.0, "3.0"), (1.0, "1.0"), (0.5, None)])
def test_steps_that_shared_the_processors_say_so(monkeypatch, switches, told):
    notes = counted(monkeypatch, "involuntary_switches", "delta", [0.0, *[switches] * 3]).notes
    words = "involuntary context switches a step: other work shared the processors"
    assert [note for note in notes if "switches" in note] == ([f"{told} {words}"] if told else [])


def test_steps_that_became_slower_say_so():
    notes = recorded([1.0] * 7 + [2.0] * 6).notes
    assert "the later half of the samples took 100 % longer than the first" in notes[-1]


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
