"""What `train` takes from a trace, from its data and from a file, and what it refuses."""

from __future__ import annotations

import re

import numpy
import pytest

import siliconprof as sp
from siliconprof import safetensors
from siliconprof.training import loop

SIZES = {"batch": 1, "seq": 8, "layers": 1, "heads": 2, "width": 8, "vocab": 300}


class Batches:
    """The same tokens again and again."""

    def batch(self, index):
        tokens = numpy.arange(8, dtype=numpy.int32)[None]
        return {"tokens": tokens, "targets": tokens}


def test_a_traces_own_learning_rate_is_the_one_it_is_trained_at():
    def losses(step, **given):
        return sp.train(step, steps=4, threads=1, **given).losses

    step = sp.workload("gpt2-small", optimizer="sgd", learning_rate=0.5, **SIZES)
    named = {"optimizer": "sgd", **SIZES}
    assert losses(step) == losses("gpt2-small", learning_rate=0.5, **named)
    assert losses(step, learning_rate=1e-3) == losses("gpt2-small", **named)
    assert losses(step) != losses("gpt2-small", **named)


def test_a_learning_rate_without_an_optimizer_is_refused():
    with pytest.raises(sp.ArgumentError, match=r"learning rate is given, .*needed: adamw or sgd"):
        sp.workload("gpt2-small", optimizer=None, learning_rate=0.1, **SIZES)


@pytest.mark.parametrize(("name", "value"), [("tokenizer", "/nowhere"), ("seed", 3)])
def test_what_only_data_of_a_path_have_is_refused_for_others(name, value):
    given = {**SIZES, "data": Batches(), name: value}
    with pytest.raises(sp.ArgumentError, match=rf"{name} = .*data as a path, or none, is needed"):
        sp.train("gpt2-small", steps=1, threads=1, **given)


def test_data_that_changed_under_the_same_name_are_others(tmp_path):
    state, text = tmp_path / "run.safetensors", tmp_path / "text.txt"
    given = {**SIZES, "data": text, "state": state, "threads": 1}
    text.write_bytes(b"ab" * 300)
    sp.train("gpt2-small", steps=1, **given)
    text.write_bytes(b"xy" * 300)
    with pytest.raises(sp.ArgumentError, match=r"was saved with data = '600 tokens of text\.txt"):
        sp.train("gpt2-small", steps=2, **given)
    text.write_bytes(b"ab" * 300)
    assert len(sp.train("gpt2-small", steps=2, **given).losses) == 2


def test_a_state_in_other_numbers_is_refused(tmp_path):
    state = tmp_path / "run.safetensors"
    sp.train("gpt2-small", steps=1, state=state, threads=1, **SIZES)
    tensors, metadata = safetensors.read(state)
    tensors["wte.weight"] = numpy.round(tensors["wte.weight"]).astype(numpy.int32)
    safetensors.write(state, tensors, metadata)
    with pytest.raises(sp.RecordError, match=r"wte\.weight is int32; needed: float32"):
        sp.train("gpt2-small", steps=2, state=state, threads=1, **SIZES)


def test_a_run_whose_end_cannot_be_saved_is_not_lost(tmp_path, monkeypatch):
    def full(path, run):
        raise sp.Error(f"[save] cannot write {path}: No space left on device")

    monkeypatch.setattr(loop, "write_run", full)
    with pytest.raises(sp.Error, match="No space left") as caught:
        sp.train("gpt2-small", steps=2, state=tmp_path / "r.safetensors", threads=1, **SIZES)
    run = caught.value.run
    assert (len(run.losses), run.stopped, run.saved_step) == (2, "done", None)
    assert run.profile.time_s > 0.0 and "wte.weight" in run.weights


def test_a_state_of_before_data_had_a_digest_goes_on(tmp_path):
    state = tmp_path / "run.safetensors"
    sp.train("gpt2-small", steps=1, state=state, threads=1, **SIZES)
    tensors, metadata = safetensors.read(state)
    older = re.sub(r", [0-9a-f]{8}, seed", ", seed", metadata["data"])
    assert older != metadata["data"]
    safetensors.write(state, tensors, {**metadata, "data": older})
    assert len(sp.train("gpt2-small", steps=2, state=state, threads=1, **SIZES).losses) == 2
    others = {**metadata, "data": older.replace("seed 0", "seed 1")}
    safetensors.write(state, tensors, others)
    with pytest.raises(sp.ArgumentError, match="was saved with data"):
        sp.train("gpt2-small", steps=3, state=state, threads=1, **SIZES)


@pytest.mark.parametrize("seed", [None, numpy.array([0, 0]), "0"])
def test_a_seed_that_is_none_is_refused_beside_an_object_too(seed):
    with pytest.raises(sp.ArgumentError, match=r"seed = .*a whole number is needed"):
        sp.train("gpt2-small", steps=1, data=Batches(), seed=seed, threads=1, **SIZES)
