from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets import speech
from siliconprof.datasets.speech import Speech
from siliconprof.datasets.tokenizer import Bytes


def test_the_sample_is_a_table_with_its_clips(tmp_path):
    speech.write_sample(tmp_path, 3)
    clips = speech.read_clips(tmp_path)
    assert len(clips) == 3
    assert all(clip.path.is_file() and clip.sentence for clip in clips)
    assert speech.read_clips(tmp_path / "train.tsv") == clips


def test_sentences_stand_between_ends_of_text(tmp_path):
    speech.write_sample(tmp_path, 2)
    batch = Speech(tmp_path, Bytes(), 2, 50, 20, 40).batch(0)
    assert batch["mel"].shape == (2, 50, 20) and batch["mel"].dtype == numpy.float32
    said = {clip.sentence for clip in speech.read_clips(tmp_path)}
    for tokens, targets in zip(batch["tokens"], batch["targets"]):
        assert tokens[0] == 256 and targets[-1] == 256
        numpy.testing.assert_array_equal(tokens[1:], targets[:-1])
        assert Bytes().decode(tokens) in said
    assert not numpy.array_equal(batch["mel"][0], batch["mel"][1])


def test_long_sentences_are_cut():
    batch = Speech(None, Bytes(), 1, 10, 20, 5).batch(0)
    assert batch["tokens"].shape == batch["targets"].shape == (1, 5)
    assert (batch["targets"] < 256).all()


def test_a_table_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "own.tsv").write_bytes(b"\xef\xbb\xbfpath\tsentence\r\na.wav\thello\r\n")
    (clip,) = speech.read_clips(tmp_path / "own.tsv")
    assert clip == speech.Clip(tmp_path / "clips" / "a.wav", "hello")


def test_a_table_without_its_columns_is_named(tmp_path):
    (tmp_path / "train.tsv").write_text("client_id\tsentence\nx\thello\n")
    with pytest.raises(sp.RecordError, match=r"train\.tsv, line 2: needed: columns path"):
        speech.read_clips(tmp_path)
    with pytest.raises(sp.RecordError, match=r"no table; needed: one of train\.tsv"):
        speech.read_clips(tmp_path / "gone")
