from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets.tokens import MaskedTokens, NextTokens

TOKENS = numpy.arange(101, dtype=numpy.int32)


def test_targets_are_the_tokens_that_follow():
    batch = NextTokens(TOKENS, 3, 10, "numbers").batch(0)
    assert batch["tokens"].shape == batch["targets"].shape == (3, 10)
    numpy.testing.assert_array_equal(batch["targets"], batch["tokens"] + 1)
    assert set(batch["tokens"][:, 0] % 10) == {0}


def test_an_epoch_has_every_window_once():
    data = NextTokens(TOKENS, 2, 10, "numbers")
    seen = numpy.concatenate([data.batch(i)["tokens"] for i in range(5)])
    numpy.testing.assert_array_equal(numpy.sort(seen.ravel()), numpy.arange(100))


def test_a_text_shorter_than_a_window_is_refused():
    with pytest.raises(sp.ArgumentError, match=r"10 tokens in it; needed: at least 11"):
        NextTokens(TOKENS[:10], 1, 10, "it")


def test_a_share_of_the_tokens_is_masked_and_the_targets_are_not():
    plain = NextTokens(numpy.zeros(60001, numpy.int32), 10, 600, "zeros")
    batch = MaskedTokens(plain, vocab=50, mask=49).batch(0)
    assert not batch["targets"].any() and not batch["segments"].any()
    masked = (batch["tokens"] == 49).mean()
    others = ((batch["tokens"] != 49) & (batch["tokens"] != 0)).mean()
    assert masked == pytest.approx(0.12, abs=0.015)
    assert others == pytest.approx(0.015 * 48 / 50, abs=0.006)
