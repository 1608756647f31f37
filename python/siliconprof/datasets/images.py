"""What is done to an image: (height, width, 3), red, green and blue from 0 to 1."""

from __future__ import annotations

import numpy

# Of CIFAR-10's training images.
MEAN = numpy.array([0.4914, 0.4822, 0.4465])
DEVIATION = numpy.array([0.2470, 0.2435, 0.2616])
# How much each colour adds to what is seen as brightness. Source: ITU-R BT.601.
GREY = numpy.array([0.299, 0.587, 0.114])


def normalised(image: numpy.ndarray) -> numpy.ndarray:
    """float32 of mean 0 and deviation 1 over the training set."""
    return ((image - MEAN) / DEVIATION).astype(numpy.float32)


def resized(
    image: numpy.ndarray, size: int, box: tuple[float, float, float, float] | None = None
) -> numpy.ndarray:
    """The part (top, left, height, width) of the image, or all of it, as (size, size, 3); between
    pixels bilinear, beyond the edge the edge."""
    top, left, height, width = box or (0.0, 0.0, float(image.shape[0]), float(image.shape[1]))
    if (top, left) == (0.0, 0.0) and image.shape[:2] == (size, size) == (height, width):
        return image
    low_y, high_y, share_y = _places(top, height, size, image.shape[0])
    low_x, high_x, share_x = _places(left, width, size, image.shape[1])
    share_y, share_x = share_y[:, None, None], share_x[None, :, None]
    rows = image[low_y] * (1 - share_y) + image[high_y] * share_y
    made: numpy.ndarray = rows[:, low_x] * (1 - share_x) + rows[:, high_x] * share_x
    return made


def _places(
    begin: float, length: float, size: int, limit: int
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Of each new pixel the old ones around its centre, and the share of the second."""
    centre = begin + (numpy.arange(size) + 0.5) * (length / size) - 0.5
    centre = numpy.clip(centre, 0, limit - 1)
    low = numpy.floor(centre).astype(numpy.int64)
    return low, numpy.minimum(low + 1, limit - 1), centre - low


def grey(image: numpy.ndarray) -> numpy.ndarray:
    """(height, width, 1)."""
    made: numpy.ndarray = (image @ GREY)[..., None]
    return made


def blended(image: numpy.ndarray, other: numpy.ndarray | float, share: float) -> numpy.ndarray:
    """`share` of the image, which may be above 1, and the rest of the other, within 0 to 1."""
    return numpy.clip(share * image + (1 - share) * other, 0.0, 1.0)


def turned_hue(image: numpy.ndarray, turn: float) -> numpy.ndarray:
    """The hue moved by `turn` of the whole circle; saturation and value (of HSV) stay."""
    value = image.max(-1)
    spread = value - image.min(-1)
    safe = numpy.where(spread > 0, spread, 1.0)
    red, green, blue = numpy.moveaxis(image, -1, 0)
    sextant = numpy.where(
        value == red,
        (green - blue) / safe,
        numpy.where(value == green, 2 + (blue - red) / safe, 4 + (red - green) / safe),
    )
    hue = sextant + 6 * turn
    # Each colour is the value less the spread times how far the hue is from it.
    far = [(offset + hue) % 6 for offset in (5.0, 3.0, 1.0)]
    made = [value - spread * numpy.clip(numpy.minimum(k, 4 - k), 0, 1) for k in far]
    return numpy.stack(made, -1)
