from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.datasets.samples import SAMPLES, write_sample

TEXT = {"layers": 1, "width": 16, "heads": 2}
STEPS = {
    "text": ("gpt2-small", {**TEXT, "batch": 2, "seq": 8}),
    "ptb": ("transformer-lm", {**TEXT, "batch": 2, "seq": 8, "vocab": 200}),
    "imdb": ("bert-base", {**TEXT, "batch": 2, "seq": 8}),
    "common-voice": ("whisper-tiny", {**TEXT, "batch": 2, "frames": 20, "label_len": 8}),
    "cifar-10": ("simclr-resnet18", {"batch": 2, "image": 16, "channels": 4}),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_data_is_trained_on_by_path(kind, tmp_path):
    id, sizes = STEPS[kind]
    run = sp.train(id, data=write_sample(kind, tmp_path / kind), steps=2, threads=1, **sizes)
    assert len(run.losses) == 2
    assert run.losses[0] < 12
    assert (kind if kind != "text" else "as bytes") in run.profile.environment["data"]


def test_a_kind_that_is_not_there_and_a_folder_in_use_are_refused(tmp_path):
    with pytest.raises(sp.UnknownNameError, match=r"'cifar'.*cifar-10"):
        write_sample("cifar", tmp_path)
    (tmp_path / "mine").touch()
    with pytest.raises(sp.ArgumentError, match="an empty folder is needed"):
        write_sample("ptb", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_place_that_the_system_refuses_is_named(tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "folder", tmp_path / ("x" * 300)):
        with pytest.raises(sp.Error, match=r"\[write_sample\] cannot write .*: (File|Not a dir)"):
            write_sample("text", place)
