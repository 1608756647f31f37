from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof import safetensors
from siliconprof.training.saved_run import FORMAT, SavedRun, describe, read_run, write_run


def run():
    tensors = {"w": numpy.arange(4, dtype=numpy.float32)}
    return SavedRun({"workload": "m", "tokens": [2, 8]}, "a text", [3.5, 0.1 + 0.2], 1, tensors)


def test_a_run_comes_back_to_the_last_bit(tmp_path):
    path = tmp_path / "run.safetensors"
    write_run(path, run())
    found = read_run(path)
    assert found.step == 2 and found.losses == run().losses and found.updates == 1
    assert (found.described, found.data) == (run().described, run().data)
    numpy.testing.assert_array_equal(found.tensors["w"], run().tensors["w"])


def test_another_step_is_another_run(tmp_path):
    other = run()
    other.described = {**other.described, "tokens": [2, 9]}
    with pytest.raises(sp.ArgumentError, match=r"saved with tokens = \[2, 9\]; needed: \[2, 8\]"):
        other.check_same(run(), tmp_path / "run.safetensors")
    run().check_same(run(), tmp_path)


def test_another_optimizer_is_named_and_other_calls_are_put_in_words(tmp_path):
    sizes = {"batch": 1, "seq": 4, "layers": 1, "width": 8, "heads": 2, "vocab": 11}

    def of(**given):
        return SavedRun(describe(sp.workload("gpt2-small", **sizes, **given)), "a text")

    plain = of()
    with pytest.raises(sp.ArgumentError, match=r"with optimizer = 'sgd'; needed: 'adamw'"):
        of(optimizer="sgd").check_same(plain, tmp_path)
    words = "saved by a step of other operations; needed: the same optimizer, precision and opt"
    for other in ({"precision": "amp-bf16"}, {"clip": 1.0}, {"dropout": 0.1}):
        with pytest.raises(sp.ArgumentError, match=words):
            of(**other).check_same(plain, tmp_path)
    early = of()
    del early.described["optimizer"]  # as files were written at first
    early.check_same(plain, tmp_path)
    with pytest.raises(sp.ArgumentError, match=words):
        early.check_same(of(optimizer="sgd"), tmp_path)


def test_weights_of_others_are_no_run(tmp_path):
    path = tmp_path / "w.safetensors"
    safetensors.write(path, {"w": numpy.zeros(3, numpy.float32)}, {"format": "pt"})
    with pytest.raises(sp.RecordError, match=r"w\.safetensors: no saved run"):
        read_run(path)


@pytest.mark.parametrize("wrong", [{"described": "["}, {"described": "[1]"}, {"updates": "x"}, {}])
def test_a_run_that_does_not_say_what_it_is_is_none(tmp_path, wrong):
    path = tmp_path / "run.safetensors"
    write_run(path, run())
    tensors, metadata = safetensors.read(path)
    if not wrong:
        del metadata["described"]
    safetensors.write(tmp_path / "other.safetensors", tensors, {**metadata, **wrong})
    with pytest.raises(sp.RecordError, match=r"other\.safetensors: no saved run"):
        read_run(tmp_path / "other.safetensors")


def test_steps_that_compute_something_else_are_told_apart():
    sizes = {"batch": 1, "seq": 4, "layers": 1, "width": 8, "heads": 2, "vocab": 11}
    plain = describe(sp.workload("gpt2-small", **sizes))
    assert describe(sp.workload("gpt2-small", **sizes)) == plain
    for given in ({"precision": "amp-bf16"}, {"clip": 1.0}, {"lora": 2}, {"dropout": 0.1}):
        assert describe(sp.workload("gpt2-small", **sizes, **given)) != plain
    other_rate = sp.workload("gpt2-small", **sizes, learning_rate=0.5)
    assert describe(other_rate) == plain, "the rate is the call's to choose"


@pytest.mark.parametrize(
    ("losses", "updates"),
    [
        (numpy.zeros((1, 2)), 1),
        (numpy.zeros(()), 0),
        (numpy.zeros(2, numpy.float32), 1),
        (numpy.zeros(2), 3),
        (numpy.zeros(2), -1),
    ],
)
def test_losses_and_updates_that_no_run_has_are_refused(tmp_path, losses, updates):
    path = tmp_path / "run.safetensors"
    metadata = {"format": FORMAT, "described": "{}", "data": "d", "updates": str(updates)}
    safetensors.write(path, {"training.losses": losses}, metadata)
    with pytest.raises(sp.RecordError, match=r"run\.safetensors: no saved run"):
        read_run(path)
