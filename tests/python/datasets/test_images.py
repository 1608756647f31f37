from __future__ import annotations

import colorsys

import numpy
import pytest

from siliconprof.datasets import images

RANDOM = numpy.random.default_rng(1)


@pytest.mark.parametrize("turn", [0.0, 0.1, -0.27, 0.5])
def test_the_hue_turns_as_in_hsv(turn):
    image = RANDOM.random((3, 4, 3))
    image[0, 0] = 0.5  # grey has no hue
    found = images.turned_hue(image, turn)
    for place in numpy.ndindex(3, 4):
        hue, saturation, value = colorsys.rgb_to_hsv(*image[place])
        wanted = colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)
        assert found[place] == pytest.approx(wanted, abs=1e-12)


def test_a_ramp_resized_is_a_ramp():
    ramp = numpy.broadcast_to(numpy.arange(8.0)[None, :, None], (8, 8, 3))
    found = images.resized(ramp, 4)
    numpy.testing.assert_allclose(found[0, :, 0], [0.5, 2.5, 4.5, 6.5])
    numpy.testing.assert_array_equal(images.resized(ramp, 8), ramp)
    part = images.resized(ramp, 2, (0.0, 2.0, 8.0, 4.0))
    numpy.testing.assert_allclose(part[0, :, 0], [2.5, 4.5])


def test_blending_stays_between_black_and_white():
    image = numpy.full((1, 1, 3), 0.8)
    assert images.blended(image, 0.0, 0.5).max() == pytest.approx(0.4)
    assert images.blended(image, 0.0, 2.0).max() == 1.0


def test_grey_weighs_the_colours_as_the_eye_does():
    assert images.grey(numpy.array([[[1.0, 0.0, 0.0]]])).item() == pytest.approx(0.299)
    assert images.grey(numpy.ones((1, 1, 3))).item() == pytest.approx(1.0)
