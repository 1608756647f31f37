"""What WKdm leaves of a page, by counting its words."""

from __future__ import annotations

import numpy
import pytest

WORDS = 4096
HEADER, TAGS = 12, WORDS // 4


@pytest.fixture
def tool(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import measure_page_compression

    return measure_page_compression


def test_zeros_cost_their_tags_and_words_unlike_each_other_stay_whole(tool):
    zeros = numpy.zeros(WORDS, numpy.uint32)
    random = numpy.random.default_rng(0).integers(1, 2**32, WORDS, numpy.uint32)
    assert list(tool.wkdm_bytes(numpy.stack([zeros, random]))) == [HEADER + TAGS, 4 * WORDS]


def test_a_word_again_and_words_near_it_cost_their_places(tool):
    again = numpy.full(WORDS, 0x3F800000, numpy.uint32)
    near = again + numpy.arange(WORDS, dtype=numpy.uint32) % 1024
    missed, places = 4, 4 * 512  # eight places of 4 bits a word
    lows = 4 * -(-(WORDS - 1) // 3)  # three of 10 bits a word
    found = tool.wkdm_bytes(numpy.stack([again, near]))
    assert list(found) == [HEADER + TAGS + missed + places, HEADER + TAGS + missed + places + lows]


def test_half_zeros_of_floats_leave_half_and_the_tags(tool):
    """What ReLU makes of a page: of 2,048 numbers that are no zeros nothing is saved."""
    values = numpy.random.default_rng(0).normal(size=WORDS).astype(numpy.float32)
    found = tool.wkdm_bytes(numpy.maximum(values, 0).view(numpy.uint32)[None])[0]
    assert found == pytest.approx(HEADER + TAGS + 4 * (values > 0).sum(), rel=0.01)


def test_parts_are_of_the_bytes_that_the_drawn_pages_stand_for(tool):
    zeros = numpy.zeros((1, WORDS), numpy.uint32)
    random = numpy.random.default_rng(0).integers(1, 2**32, (2, WORDS), numpy.uint32)
    parts = tool.compressed_parts([("states", 6.0, zeros), ("gradients", 1.0, random)])
    page, left = tool.PAGE_BYTES, (HEADER + TAGS) / tool.PAGE_BYTES
    assert parts["states"] == (6 * page, pytest.approx(left))
    assert parts["gradients"] == (2 * page, 1.0)
    assert parts["all"] == (8 * page, pytest.approx((6 * left + 2) / 8))
