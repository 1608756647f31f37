from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.datasets import text


def test_the_sample_is_a_few_pages():
    assert 5000 < len(text.sample_text()) < 50000
    tokens, source, tokenizer = text.read_tokens(None, None, 257)
    assert source == "the sample text as bytes"
    assert tokenizer.decode(tokens) == text.sample_text()


def test_ptb_is_read_as_words_that_end_in_eos(tmp_path):
    sample = text.as_ptb(text.sample_text())
    assert "rabbit" in sample and "N" not in sample.split()[0]
    (tmp_path / "ptb.train.txt").write_text(sample)
    for path in (tmp_path, tmp_path / "ptb.train.txt"):
        tokens, source, tokenizer = text.read_tokens(path, None, 200)
        assert tokenizer.size == 200 and "words" in source
        assert (tokens == tokenizer.end).sum() == len(sample.splitlines())


def test_text_in_ptbs_form_has_a_sentence_a_line():
    assert text.as_ptb("It was 1794. The Tyger's bright!") == (" it was N \n the tyger's bright \n")


def test_reviews_are_read_with_their_labels(tmp_path):
    for name, said in (("pos", "good<br /><br />film"), ("neg", "dull")):
        (tmp_path / "train" / name).mkdir(parents=True)
        (tmp_path / "train" / name / "0_1.txt").write_text(said)
    assert text.read_reviews(tmp_path) == [("dull", 0), ("good\n\nfilm", 1)]
    tokens, _, tokenizer = text.read_tokens(tmp_path, None, 257)
    assert (tokens == tokenizer.end).sum() == 2
    (tmp_path / "train" / "pos" / "0_1.txt").unlink()
    with pytest.raises(sp.ArgumentError, match="pos has no review"):
        text.read_reviews(tmp_path)


def test_a_folder_of_texts_is_read_in_order(tmp_path):
    (tmp_path / "b.txt").write_text("two")
    (tmp_path / "a.txt").write_text("one")
    assert text.read_texts(tmp_path) == ["one", "two"]


def test_files_that_are_no_text_are_named(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(sp.RecordError, match=r"x\.txt: not text in UTF-8"):
        text.read_texts(tmp_path / "x.txt")
    with pytest.raises(sp.RecordError, match=r"gone\.txt: cannot be read"):
        text.read_texts(tmp_path / "gone.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(sp.ArgumentError, match="has no text"):
        text.read_texts(tmp_path / "empty")
