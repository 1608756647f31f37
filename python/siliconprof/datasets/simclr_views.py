"""SimCLR's two random views of each image, as for CIFAR-10: crop, flip, colours, grey; no blur.

Source: Chen et al., A Simple Framework for Contrastive Learning of Visual Representations.
"""

from __future__ import annotations

import math

import numpy

from .base import Batch, Order, digest, not_enough
from .images import blended, grey, normalised, resized, turned_hue

STRENGTH = 0.5
JITTER, HUE = 0.8 * STRENGTH, 0.2 * STRENGTH
AREA, LOG_RATIO = (0.08, 1.0), (math.log(3 / 4), math.log(4 / 3))
JITTER_SHARE, GREY_SHARE = 0.8, 0.2

Random = numpy.random.Generator


class SimclrViews:
    """`batch` images in two views each: row i and row batch + i are of one image."""

    def __init__(
        self, images: numpy.ndarray, rows: int, size: int, source: str, seed: int = 0
    ) -> None:
        if len(images) < rows // 2:
            raise not_enough("data", f"images in {source}", len(images), f"at least {rows // 2}")
        self._images, self._batch, self._size, self._seed = images, rows // 2, size, seed
        self._order = Order(len(images), seed)
        content = digest(images)
        self.description = f"{len(images)} images of {source} in two views, {content}, seed {seed}"

    def batch(self, index: int) -> Batch:
        """images (2·batch, size, size, 3) float32, normalised."""
        items = self._order.items(index, self._batch)
        views = [
            random_view(
                self._images[item] / 255.0,
                self._size,
                numpy.random.default_rng([self._seed, index, row, view]),
            )
            for view in range(2)
            for row, item in enumerate(items)
        ]
        return {"images": numpy.stack([normalised(view) for view in views])}


def random_view(image: numpy.ndarray, size: int, random: Random) -> numpy.ndarray:
    """(size, size, 3) from 0 to 1."""
    view = resized(image, size, random_box(image.shape[0], image.shape[1], random))
    if random.random() < 0.5:
        view = view[:, ::-1]
    if random.random() < JITTER_SHARE:
        view = jittered(view, random)
    if random.random() < GREY_SHARE:
        view = numpy.broadcast_to(grey(view), view.shape)
    return view


def random_box(height: int, width: int, random: Random) -> tuple[float, float, float, float]:
    """(top, left, height, width) of 8 to 100 % of the area, 3:4 to 4:3; all where ten don't fit."""
    for _ in range(10):
        area = height * width * random.uniform(*AREA)
        ratio = math.exp(random.uniform(*LOG_RATIO))
        tall, wide = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
        if 0 < tall <= height and 0 < wide <= width:
            top, left = random.integers(height - tall + 1), random.integers(width - wide + 1)
            return float(top), float(left), float(tall), float(wide)
    return 0.0, 0.0, float(height), float(width)


def jittered(image: numpy.ndarray, random: Random) -> numpy.ndarray:
    """Brightness, contrast, saturation and hue moved at random, in a random order."""
    share = random.uniform(1 - JITTER, 1 + JITTER, 3)
    turn = random.uniform(-HUE, HUE)
    for which in random.permutation(4):
        if which == 0:
            image = blended(image, 0.0, share[0])
        elif which == 1:
            image = blended(image, float(grey(image).mean()), share[1])
        elif which == 2:
            image = blended(image, grey(image), share[2])
        else:
            image = turned_hue(image, turn)
    return image
