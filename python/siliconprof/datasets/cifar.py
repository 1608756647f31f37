"""CIFAR-10's binary files, and labelled images of them.

Source: Krizhevsky, Learning Multiple Layers of Features from Tiny Images; the format's own page.
"""

from __future__ import annotations

from pathlib import Path

import numpy

from .._core import RecordError
from .base import Batch, Order, digest, not_enough
from .images import normalised, resized

SIDE, COLOURS, CLASSES = 32, 3, 10
RECORD_BYTES = 1 + COLOURS * SIDE * SIDE


def read_cifar(path: Path) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Images (n, 32, 32, 3) uint8 and labels (n) int32 of a .bin file, or of a folder's
    data_batch_*.bin.

    Raises: RecordError naming a file that isn't whole records of 3073 bytes, or a folder without.
    """
    paths = sorted(path.glob("data_batch_*.bin")) if path.is_dir() else [path]
    if not paths:
        raise RecordError(f"[data] {path} has no data_batch_*.bin; needed: CIFAR-10's binary files")
    parts = []
    for file in paths:
        try:
            content = numpy.fromfile(file, numpy.uint8)
        except OSError as error:
            raise RecordError(f"[data] {file}: cannot be read: {error.strerror}") from error
        if content.size == 0 or content.size % RECORD_BYTES:
            needed = f"needed: whole records of {RECORD_BYTES}"
            raise RecordError(f"[data] {file} has {content.size} bytes; {needed}")
        parts.append(content.reshape(-1, RECORD_BYTES))
    records = numpy.concatenate(parts)
    labels = records[:, 0].astype(numpy.int32)
    if labels.max() >= CLASSES:
        raise RecordError(f"[data] {path}: a label of {labels.max()}; needed: 0 to {CLASSES - 1}")
    planes = records[:, 1:].reshape(-1, COLOURS, SIDE, SIDE)
    return numpy.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels


def write_sample(folder: Path, images: int = 160, seed: int = 0) -> None:
    """A small file in the format: each class a colour and stripes of its own, under noise."""
    random = numpy.random.default_rng(seed)
    labels = numpy.arange(images) % CLASSES
    places = numpy.arange(SIDE)
    records = []
    for label in labels:
        angle = numpy.pi * label / CLASSES
        waves = numpy.cos(angle) * places[:, None] + numpy.sin(angle) * places[None, :]
        stripes = numpy.sin(2 * numpy.pi * (waves / 8 + random.random()))
        colour = 0.5 + 0.4 * numpy.cos(2 * angle + 2 * numpy.pi * numpy.arange(COLOURS) / COLOURS)
        image = colour[:, None, None] * (140 + 60 * stripes)
        image += random.normal(0, 12, image.shape)
        pixels = numpy.clip(image, 0, 255).astype(numpy.uint8)
        records.append(numpy.concatenate([[numpy.uint8(label)], pixels.reshape(-1)]))
    numpy.stack(records).astype(numpy.uint8).tofile(folder / "data_batch_1.bin")


class LabelledImages:
    """Images of `size` on a side and their labels. `images`: (n, height, width, 3) uint8."""

    def __init__(
        self,
        images: numpy.ndarray,
        labels: numpy.ndarray,
        batch: int,
        size: int,
        source: str,
        seed: int = 0,
    ) -> None:
        if len(images) < 1:
            raise not_enough("data", f"images in {source}", 0, "at least 1")
        self._images, self._labels, self._batch, self._size = images, labels, batch, size
        self._order = Order(len(images), seed)
        content = digest(images, labels)
        self.description = f"{len(images)} images of {source}, {content}, seed {seed}"

    def batch(self, index: int) -> Batch:
        """images (batch, size, size, 3) float32, normalised, and labels (batch) int32."""
        items = self._order.items(index, self._batch)
        made = [normalised(resized(self._images[item] / 255.0, self._size)) for item in items]
        return {"images": numpy.stack(made), "labels": self._labels[items]}
