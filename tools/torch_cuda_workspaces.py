"""What a ResNet's convolutions take for the time of their call; used by measure_torch_cuda.py."""

import torch
import torch.nn.functional as F
from torch_cuda_timing import ROWS, rand, use

# Channels, side, outputs, kernel, stride of a ResNet-18's layers on images of 32 places.
LAYERS = (
    (3, 32, 64, 3, 1),
    (64, 32, 64, 3, 1),
    (64, 32, 128, 3, 2),
    (64, 32, 128, 1, 2),
    (128, 16, 128, 3, 1),
    (128, 16, 256, 3, 2),
    (128, 16, 256, 1, 2),
    (256, 8, 256, 3, 1),
    (256, 8, 512, 3, 2),
    (256, 8, 512, 1, 2),
    (512, 4, 512, 3, 1),
)
IMAGES = (2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512, 768, 1024)
# Where transforms begin and end shows between those: by eights and more.
BETWEEN = (*range(6, 64, 2), *range(72, 256, 8), *range(272, 512, 16), *range(544, 1024, 32))


def image_workspaces():
    for dtype in ("float32", "tf32", "float16"):
        for layer in LAYERS:
            for images in IMAGES if dtype != "float32" else sorted({*IMAGES, *BETWEEN}):
                workspaces(dtype, images, *layer)
        torch.cuda.empty_cache()


def peak_over(call, made):
    """(bytes above what is there and what the call makes, at its first time and at its second)."""
    found = []
    for _ in range(2):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        kept = call()
        found.append(torch.cuda.max_memory_allocated() - before - made)
        del kept
    return found


def workspaces(dtype, images, channels, side, outputs, kernel, stride):
    t = use(dtype)
    x, w = (
        rand(images, channels, side, side, dtype=t),
        rand(outputs, channels, kernel, kernel, dtype=t),
    )
    pad = kernel // 2
    y = F.conv2d(x, w, stride=stride, padding=pad)
    dy = torch.ones_like(y)
    places = ([stride] * 2, [pad] * 2, [1, 1], False, [0, 0], 1)

    def backward(*wanted):
        return torch.ops.aten.convolution_backward(dy, x, w, None, *places, [*wanted, False])

    words = f"batch={images} height={side} channels={channels} outputs={outputs} kernel={kernel} "
    words += f"stride={stride}"
    for direction, made, call in (
        ("forward", y, lambda: F.conv2d(x, w, stride=stride, padding=pad)),
        ("data", x, lambda: backward(True, False)),
        ("weight", w, lambda: backward(False, True)),
    ):
        first, second = peak_over(call, rounded(made))
        ROWS.append(["workspace.conv2d", words, dtype, direction, f"{second:d}", f"{first:d}"])


def rounded(tensor):
    count = tensor.numel() * tensor.element_size()
    return (count + 511) // 512 * 512
