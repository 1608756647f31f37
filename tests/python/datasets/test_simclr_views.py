from __future__ import annotations

import numpy
import pytest

import siliconprof as sp
from siliconprof.datasets import simclr_views
from siliconprof.datasets.simclr_views import SimclrViews

IMAGES = numpy.random.default_rng(0).integers(0, 256, (6, 32, 32, 3), dtype=numpy.uint8)


def test_two_views_of_each_image_are_half_the_rows_apart():
    flat = numpy.zeros((4, 32, 32, 3), numpy.uint8)
    flat += (60 * numpy.arange(4, dtype=numpy.uint8))[:, None, None, None]
    found = SimclrViews(flat, 8, 32, "it").batch(0)["images"]
    assert found.shape == (8, 32, 32, 3) and found.dtype == numpy.float32
    # Whatever is done to black, it stays black.
    dark = numpy.argsort(found.mean((1, 2, 3)))[:2]
    assert abs(int(dark[0]) - int(dark[1])) == 4


def test_views_differ_and_are_the_same_for_the_same_batch():
    data = SimclrViews(IMAGES, 6, 32, "it")
    first = data.batch(0)["images"]
    assert not numpy.allclose(first[:3], first[3:])
    data.batch(5)
    numpy.testing.assert_array_equal(data.batch(0)["images"], first)


def test_a_crop_lies_inside_the_image_and_has_a_share_of_its_area():
    random = numpy.random.default_rng(2)
    boxes = [simclr_views.random_box(32, 32, random) for _ in range(300)]
    for top, left, height, width in boxes:
        assert top >= 0 and left >= 0 and top + height <= 32 and left + width <= 32
        assert 0.07 < height * width / 1024 <= 1.0
        assert 0.6 < width / height < 1.7
    assert len({box[2] for box in boxes}) > 10


def test_colours_stay_between_black_and_white():
    random = numpy.random.default_rng(3)
    for _ in range(20):
        view = simclr_views.random_view(IMAGES[0] / 255.0, 16, random)
        assert view.shape == (16, 16, 3) and view.min() >= -1e-9 and view.max() <= 1 + 1e-9


def test_fewer_images_than_a_batch_are_refused():
    with pytest.raises(sp.ArgumentError, match="6 images in it; needed: at least 8"):
        SimclrViews(IMAGES, 16, 32, "it")
