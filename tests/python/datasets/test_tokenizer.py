from __future__ import annotations

import json

import pytest

import siliconprof as sp
from siliconprof.datasets.tokenizer import (
    BytePairs,
    Bytes,
    Words,
    open_tokenizer,
    split_pieces,
)

TEXT = "Tyger, tyger: burning bright — näïve 東京!\n\n  in the 1794 forests'll"


def byte_pairs(*merges):
    """GPT-2's vocabulary of bytes, and these merges."""
    characters = [c for c in BytePairs.__init__.__globals__["_byte_characters"]()]
    joined = ["".join(pair) for pair in merges]
    names = [*characters, *joined, "<|endoftext|>"]
    return {name: id for id, name in enumerate(names)}, merges


@pytest.mark.parametrize("tokenizer", [Bytes(), BytePairs(*byte_pairs(("t", "h"), ("Ġ", "th")))])
def test_a_text_comes_back_as_it_was(tokenizer):
    tokens = tokenizer.encode(TEXT)
    assert tokenizer.decode(tokens) == TEXT
    assert max(tokens) < tokenizer.size and tokenizer.end == tokenizer.size - 1


def test_pairs_are_joined_by_rank_not_by_place():
    vocabulary, merges = byte_pairs(("b", "c"), ("a", "b"), ("a", "bc"))
    tokenizer = BytePairs(vocabulary, merges)
    assert tokenizer.encode("abc") == [vocabulary["abc"]]
    assert tokenizer.encode("abab") == [vocabulary["ab"]] * 2


def test_a_pair_is_joined_everywhere_at_once():
    vocabulary, merges = byte_pairs(("a", "a"))
    assert BytePairs(vocabulary, merges).encode("aaaaa") == [vocabulary["aa"]] * 2 + [
        vocabulary["a"]
    ]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello world", ["Hello", " world"]),
        ("I'll don't 's", ["I", "'ll", " don", "'t", " '", "s"]),
        ("a  b", ["a", " ", " b"]),
        ("a \n b  ", ["a", " \n", " b", "  "]),
        ("x2 = 3.14", ["x", "2", " =", " 3", ".", "14"]),
        ("naïve 東京²", ["naïve", " 東京", "²"]),
        ("snake_case!?", ["snake", "_", "case", "!?"]),
    ],
)
def test_text_is_split_as_gpt2_splits_it(text, pieces):
    assert list(split_pieces(text)) == pieces


def test_the_vocabulary_files_are_read(tmp_path):
    vocabulary, merges = byte_pairs(("t", "h"))
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary))
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (tmp_path / "merges.txt").write_text("\n".join(lines) + "\n")
    tokenizer = open_tokenizer(tmp_path, 50257)
    assert tokenizer.encode("th") == [vocabulary["th"]]
    with pytest.raises(sp.ArgumentError, match="258 tokens; needed: at most 100"):
        open_tokenizer(tmp_path, 100)


def test_a_folder_without_a_vocabulary_is_named(tmp_path):
    with pytest.raises(sp.RecordError, match=r"vocab\.json"):
        open_tokenizer(tmp_path, 50257)


@pytest.mark.parametrize("wrong", [{"a": "x"}, {"a": -1}, {"a": 1.5}, "joined"])
def test_vocabularies_that_give_no_tokens_are_refused(tmp_path, wrong):
    vocabulary, merges = byte_pairs(("t", "h"))
    if wrong == "joined":  # a pair that the vocabulary has no token for
        del vocabulary["th"]
    else:
        vocabulary.update(wrong)
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary))
    (tmp_path / "merges.txt").write_text("\n".join(" ".join(pair) for pair in merges))
    with pytest.raises(sp.RecordError, match=r"not GPT-2's vocab.json and merges.txt"):
        open_tokenizer(tmp_path, 50257)


def test_words_are_the_most_frequent_ones():
    words = Words("a b a\nc a b\n", 4)
    assert words.size == 4
    assert words.encode("a b\nc\n") == [2, 3, 1, 0, 1]
    assert words.decode([2, 3, 1, 0, 1]) == "a b\n <unk>\n"
