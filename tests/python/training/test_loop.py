from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import PurePath
from types import SimpleNamespace

import numpy
import pytest

import siliconprof as sp
from siliconprof import safetensors
from siliconprof.datasets import open_dataset

SIZES = {
    "batch": 2,
    "seq": 16,
    "layers": 1,
    "width": 16,
    "heads": 2,
    "vocab": 257,
    "context": 16,
    "threads": 1,
}


def losses(steps=12, **given):
    return sp.train("gpt2-small", steps=steps, **{**SIZES, **given}).losses


def test_the_loss_falls_on_the_sample_text():
    found = losses(150, learning_rate=3e-3)
    assert len(found) == 150
    assert abs(found[0] - numpy.log(257)) < 0.1
    assert numpy.mean(found[-10:]) < found[0] - 1.5


def test_each_step_sees_other_data_and_the_seed_says_which():
    assert losses(3) == losses(3)
    assert losses(3) != losses(3, seed=1)
    still = losses(3, learning_rate=0.0)
    assert len(set(still)) == 3


def test_the_learning_rate_may_follow_the_step():
    seen = []

    def rate(step):
        seen.append(step)
        return 1e-2 if step < 2 else 0.0

    run = sp.train("gpt2-small", steps=4, learning_rate=rate, **SIZES)
    assert seen == [0, 1, 2, 3]
    before = sp.train("gpt2-small", steps=2, learning_rate=1e-2, **SIZES)
    for name, array in run.weights.items():
        numpy.testing.assert_array_equal(array, before.weights[name])


def test_dropout_drops_others_in_each_step():
    batch = {"tokens": numpy.zeros((2, 16), "i4"), "targets": numpy.ones((2, 16), "i4")}

    class One:
        description = "one batch"

        def batch(self, index):
            return batch

    found = losses(4, data=One(), learning_rate=0.0, dropout=0.3)
    assert len(set(found)) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="names elsewhere are text")
def test_a_file_may_have_a_name_that_is_no_text_in_utf_8(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff.txt")
    path.write_text("one two three " * 20)
    run = sp.train("gpt2-small", steps=1, data=path, **SIZES)
    assert r" of \xff.txt as bytes" in run.profile.environment["data"]


def test_data_are_found_by_any_kind_of_path(tmp_path):
    (tmp_path / "a.txt").write_text("one two three " * 20)
    (found,) = os.scandir(tmp_path)
    for path in (found, PurePath(found)):
        assert losses(1, data=path) == losses(1, data=found.path)


def test_data_of_ones_own_need_a_batch_alone(tmp_path):
    class Own:
        def batch(self, index):
            rows = numpy.full((2, 16), index, "i4")
            return {"tokens": rows, "targets": rows}

    given = {**SIZES, "data": Own(), "state": tmp_path / "run.safetensors"}
    run = sp.train("gpt2-small", steps=2, **given)
    assert run.profile.environment["data"].endswith("Own")
    assert sp.train("gpt2-small", steps=3, **given).losses[:2] == run.losses


@pytest.mark.parametrize(
    "given",
    [{}, {"precision": "amp-fp16"}, {"offload": True}, {"dropout": 0.5, "accumulate": 2}],
)
def test_checkpointing_and_offload_change_no_loss(given):
    found = losses(5, **given)
    assert losses(5, checkpoint=True, **given) == found
    assert losses(5, **{**given, "offload": True}) == found


def test_accumulated_micro_batches_learn_as_one_batch_does():
    whole = losses(6, batch=4)
    parts = losses(6, batch=2, accumulate=2)
    numpy.testing.assert_allclose(parts, whole, rtol=1e-5)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"precision": "amp-fp16", "lora": 2},
        {"accumulate": 2, "dropout": 0.1},
        {"optimizer": "sgd"},
    ],
)
def test_a_run_that_is_resumed_has_the_losses_of_one_that_was_not(tmp_path, given):
    state = tmp_path / "run.safetensors"
    whole = losses(9, **given)
    assert losses(4, state=state, **given) == whole[:4]
    assert losses(9, state=state, **given) == whole


def test_a_run_that_is_done_does_nothing_but_say_so(tmp_path):
    state = tmp_path / "run.safetensors"
    found = losses(3, state=state)
    with pytest.raises(sp.ArgumentError, match=r"has done 3 steps; needed: more than 3"):
        losses(3, state=state)
    assert len(found) == 3


def test_another_run_cannot_be_resumed_and_the_file_stays(tmp_path):
    state = tmp_path / "run.safetensors"
    losses(2, state=state)
    before = state.read_bytes()
    with pytest.raises(sp.ArgumentError, match=r"saved with tokens = \[2, 16\]; needed: \[2, 8\]"):
        losses(4, state=state, seq=8)
    with pytest.raises(sp.ArgumentError, match=r"saved with data = .*seed 0"):
        losses(4, state=state, seed=5)
    assert state.read_bytes() == before


def test_a_truncated_state_is_named_and_stays(tmp_path):
    state = tmp_path / "run.safetensors"
    losses(2, state=state)
    state.write_bytes(state.read_bytes()[:-5])
    with pytest.raises(sp.RecordError, match=r"run\.safetensors: not a whole safetensors file"):
        losses(4, state=state)
    assert state.exists()


# A script's background jobs are started with interrupts ignored.
PROGRAM = """
import json, signal, sys
import siliconprof as sp
signal.signal(signal.SIGINT, signal.default_int_handler)
run = sp.train("gpt2-small", steps=int(sys.argv[1]), state=sys.argv[2], save_every=1,
               **json.loads(sys.argv[3]))
print(json.dumps([run.stopped, run.losses, len(run.profile.samples_s)]))
"""


def begun(steps, state):
    command = [sys.executable, "-c", PROGRAM, str(steps), str(state), json.dumps(SIZES)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    give_up_s = time.monotonic() + 60
    while not state.exists() and time.monotonic() < give_up_s:
        time.sleep(0.01)
    return child


def test_a_run_that_is_killed_goes_on_where_it_was_saved(tmp_path):
    state = tmp_path / "run.safetensors"
    child = begun(10**6, state)
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    done = len(safetensors.read(state)[0]["training.losses"])
    assert done >= 1
    assert losses(done + 5, state=state) == losses(done + 5)


def test_ctrl_c_ends_a_run_with_its_profile_and_saves_it(tmp_path):
    state = tmp_path / "run.safetensors"
    child = begun(10**6, state)
    os.kill(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    stopped, found, samples = json.loads(out)
    assert child.returncode == 0 and stopped == "interrupted"
    assert samples >= 1
    assert safetensors.read(state)[0]["training.losses"].tolist() == found


def test_the_profile_is_a_measured_one_of_whole_steps():
    run = sp.train("gpt2-small", steps=6, **SIZES)
    profile = run.profile
    assert profile.origin == "measured" and profile.sampling == "training"
    assert profile.stop_reason == "done after 6 steps"
    assert len(profile.samples_s) == 5 and len(profile.warmup_samples_s) == 1
    assert profile.flops == run.trace.flops
    assert run.items_per_s == pytest.approx(32 / profile.time_s)


def test_gradients_that_overflow_leave_the_parameters_and_halve_the_scale(tmp_path):
    state = tmp_path / "run.safetensors"
    given = {**SIZES, "precision": "amp-fp16"}
    weights = sp.train("gpt2-small", steps=1, learning_rate=0.0, **given).weights
    large = {name: array * 100 for name, array in weights.items()}
    run = sp.train("gpt2-small", steps=1, weights=large, state=state, **given)
    assert run.skipped == 1 and run.stopped == "done"
    for name, array in run.weights.items():
        numpy.testing.assert_array_equal(array, large[name])
    assert safetensors.read(state)[0]["loss_scale"].tolist() == [32768.0]


def spoiling(step):
    return 1e30 if step == 3 else 1e-3


def test_a_loss_that_is_no_number_ends_the_run_and_is_not_saved(tmp_path):
    state = tmp_path / "run.safetensors"
    given = {**SIZES, "learning_rate": spoiling, "state": state}
    run = sp.train("gpt2-small", steps=9, save_every=2, **given)
    assert run.stopped == "diverged" and run.profile.stop_reason == "diverged after 5 steps"
    assert numpy.isfinite(run.losses).tolist() == [True] * 4 + [False]
    assert run.saved_step == 4
    assert safetensors.read(state)[0]["training.losses"].tolist() == run.losses[:4]
    again = sp.train("gpt2-small", steps=9, **given)
    assert again.stopped == "diverged" and again.saved_step == 4


def test_a_state_that_lacks_a_parameter_is_refused(tmp_path):
    state = tmp_path / "run.safetensors"
    losses(2, state=state)
    tensors, metadata = safetensors.read(state)
    kept = {name: numpy.array(value) for name, value in tensors.items() if name != "wte.weight"}
    safetensors.write(state, kept, metadata)
    with pytest.raises(sp.RecordError, match=r"wte\.weight"):
        losses(4, state=state)


def test_without_a_state_nothing_is_saved():
    assert sp.train("gpt2-small", steps=2, **SIZES).saved_step is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id": "triad"}, r"\[train\] step = 'triad' .*a model's id is needed"),
        ({"id": "gpt2-smal"}, "unknown model 'gpt2-smal'; did you mean 'gpt2-small'"),
        ({"steps": 0}, "steps = 0.*at least 1"),
        ({"step": 50}, "unknown train argument 'step'; did you mean 'steps'"),
        ({"optimizer": None}, "has no optimizer"),
        ({"state": "nowhere/run.safetensors"}, "state = .*a folder that is there"),
        ({"state": f"{'x' * 300}/run.safetensors"}, "state = .*a folder that is there"),
        ({"save_every": 0}, "save_every = 0"),
        ({"save_every": 2}, "save_every = 2.*state, a file to save to, is needed"),
        ({"learning_rate": float("nan")}, "learning_rate = nan"),
        ({"learning_rate": -1.0}, "learning_rate = -1.0 .*at least 0 is needed"),
        ({"learning_rate": lambda step: -1e-3}, "learning_rate = -0.001 .*at least 0 is needed"),
        ({"threads": 0}, r"\[train\] threads = 0"),
        ({"show": "no"}, r"\[train\] show = 'no' .*True or False"),
        ({"data": "nowhere.txt"}, "nowhere.txt: cannot be read"),
    ],
)
def test_wrong_arguments_are_named(given, message):
    given = {"id": "gpt2-small", "steps": 1, **SIZES, **given}
    with pytest.raises(sp.Error, match=message):
        sp.train(given.pop("id"), **given)


def test_a_state_that_cannot_be_read_again_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sp.ArgumentError, match=r"state = .*a file that can be read again"):
        losses(1, state=tmp_path / "pipe")
    with pytest.raises(sp.Error, match=r"cannot write .*: Is a directory"):
        losses(1, state=tmp_path)


def test_a_step_is_trained_as_its_id_is():
    sizes = {name: size for name, size in SIZES.items() if name != "threads"}
    step = sp.workload("gpt2-small", **sizes)
    assert sp.train(step, steps=3, threads=1).losses == losses(3)
    with pytest.raises(sp.ArgumentError, match=r"seq = 8.*everything is said already"):
        sp.train(step, steps=3, seq=8)


def test_data_of_another_shape_are_refused():
    class Wrong:
        description = "wrong"

        def batch(self, index):
            return {"tokens": numpy.zeros((2, 3), "i4"), "targets": numpy.zeros((2, 16), "i4")}

    with pytest.raises(sp.ArgumentError, match=r"tokens of the data has shape \(2, 3\)"):
        losses(1, data=Wrong())


TEXT = {"batch": 2, "seq": 16, "layers": 1, "width": 32, "heads": 2, "vocab": 300}
SPEECH = {"batch": 2, "frames": 30, "mels": 20, "label_len": 12}
IMAGES = {"batch": 4, "image": 32, "channels": 8}


@pytest.mark.parametrize(
    ("id", "sizes", "steps", "rate"),
    [
        ("gpt2-small", TEXT, 120, 3e-3),
        ("transformer-lm", TEXT, 120, 3e-3),
        ("llama-1b", {**TEXT, "kv_heads": 1, "hidden": 48}, 120, 3e-3),
        ("bert-base", {**TEXT, "hidden": 64}, 120, 3e-3),
        ("whisper-tiny", {**TEXT, **SPEECH}, 120, 3e-3),
        ("resnet18", IMAGES, 60, 3e-3),
        ("vgg16", {"batch": 2, "channels": 4, "hidden": 128}, 90, 5e-4),
    ],
)
def test_every_family_learns_one_batch_by_heart(id, sizes, steps, rate):
    sizes = {name: size for name, size in sizes.items() if (id, name) != ("whisper-tiny", "seq")}
    found = overfitted(id, sizes, steps, rate)
    assert found[0] > 1.5
    assert found[-1] < 0.06


def test_simclr_learns_to_tell_four_images_apart_as_well_as_can_be():
    """Four directions are apart at best with a cosine of -1/3, and views alike of 1."""
    found = overfitted("simclr-resnet18", {**IMAGES, "image": 16}, 100, 3e-3)
    best = numpy.log(1 + 6 * numpy.exp((-1 / 3 - 1) / 0.5))
    assert best - 1e-5 < found[-1] < best + 0.01 < found[0] - 1


def overfitted(id, sizes, steps, rate):
    step = sp.workload(id, **sizes)
    first = open_dataset(step).batch(0)
    data = SimpleNamespace(description="one batch", batch=lambda index: first)
    return sp.train(step, steps=steps, data=data, learning_rate=rate, threads=1).losses
