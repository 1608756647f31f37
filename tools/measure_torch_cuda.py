"""Times of single operations under PyTorch on a CUDA device, to fit a family's constants on.

A kernel's time is that of the device's own trace, so launches don't show; host costs are wall times
of many calls on tensors of a few elements. Only micro-benchmarks: no model,
no training step. Writes CSV rows: op, dims (name=value, space-separated), dtype, direction
(forward, backward, both), seconds, spread (quartile distance / median), kernels a call.

  python3 tools/measure_torch_cuda.py OUT.csv [--budget 400]

With --pace it tells the pace of this host instead (host.pace, docs/device-files.md), in about 20 s
and with torch alone, and writes it as JSON:

  python3 tools/measure_torch_cuda.py --pace [OUT.json]
"""

import argparse
import csv
import json
import statistics
import sys
import time

import torch
from torch_cuda_choices import (
    attention_grids,
    between_convolutions,
    few_windows,
    large_images,
    single_gradients,
    small_batch_norms,
    unaligned_products,
)
from torch_cuda_composites import composite_kernels, composites_on_host
from torch_cuda_heads import head_copies
from torch_cuda_host import host, pace, wholes
from torch_cuda_kernels import (
    attention,
    elementwise,
    optimizers,
    products,
    rows,
    vision,
    workspaces,
)
from torch_cuda_layouts import layouts, losses, sum_power
from torch_cuda_model_ops import (
    autocast_batch_norms,
    biased_products,
    image_batches,
    packed_attention,
)
from torch_cuda_timing import DTYPES, ROWS, rand, use
from torch_cuda_turns import in_turns, layers_in_steps
from torch_cuda_workspaces import image_workspaces


def tiny_calls():
    """Wall seconds a call takes on the host when the kernel is next to nothing."""
    use("float32")

    def wall(op, call, count=2000):
        call()
        torch.cuda.synchronize()
        samples = []
        for _ in range(7):
            begin = time.perf_counter()
            for _ in range(count):
                call()
            issued = time.perf_counter() - begin
            torch.cuda.synchronize()
            samples.append((issued / count, (time.perf_counter() - begin) / count))
        for name, i in (("issue", 0), ("pipelined", 1)):
            values = [s[i] for s in samples]
            ROWS.append(
                [
                    op,
                    "",
                    "float32",
                    name,
                    f"{statistics.median(values):.4e}",
                    f"{(max(values) - min(values)) / statistics.median(values):.3f}",
                ]
            )

    x = torch.ones(32, 32, device="cuda")
    out = torch.empty_like(x)
    wall("host.add_out", lambda: torch.add(x, x, out=out))
    wall("host.add", lambda: x + x)
    wall("host.matmul", lambda: x @ x)

    def synchronised():
        torch.add(x, x, out=out)
        torch.cuda.synchronize()

    wall("host.round_trip", synchronised, 500)
    ROWS.extend(host())


def layers():
    """Whole layers within steps, beside the pace of their host."""
    ROWS.extend(wholes())


def parts_in_turn():
    """All that a step's host does, beside one yardstick: its wander does not tell in ratios."""
    ROWS.extend(in_turns())


def layers_in_turn():
    """Of these whole layers alone, as single steps have them."""
    ROWS.extend(layers_in_steps())


def composite_calls():
    """What transformers computes by several kernels each, on the host."""
    ROWS.extend(composites_on_host())


def board():
    """Power and transfers, which know nothing of operations."""
    from torch_cuda_board import power, transfers  # needs more than torch

    ROWS.extend(power(use, rand, DTYPES))
    ROWS.extend(transfers())


def image_power():
    """Power of kernels of networks of images, from a graph that never lets the board idle."""
    from torch_cuda_image_power import image_power as power_of_images

    power_of_images()


def product_power():
    """The same of products."""
    from torch_cuda_product_power import product_power as power_of_products

    power_of_products()


def tell_pace(out):
    found = pace()
    print(found)
    if out:
        with open(out, "w") as file:
            json.dump(found.document() | {"device": torch.cuda.get_device_name()}, file)


PARTS = (
    tiny_calls,
    layers,
    parts_in_turn,
    layers_in_turn,
    board,
    attention,
    rows,
    optimizers,
    elementwise,
    vision,
    workspaces,
    products,
    biased_products,
    packed_attention,
    image_batches,
    autocast_batch_norms,
    few_windows,
    single_gradients,
    large_images,
    between_convolutions,
    attention_grids,
    small_batch_norms,
    unaligned_products,
    head_copies,
    layouts,
    losses,
    sum_power,
    composite_calls,
    composite_kernels,
    image_workspaces,
    image_power,
    product_power,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", help="optional with --pace")
    parser.add_argument("--pace", action="store_true", help="only the pace of this host")
    parser.add_argument("--budget", type=float, default=400.0, help="seconds")
    parser.add_argument("--only", default="", help="parts, by name, comma-separated")
    arguments = parser.parse_args()
    if arguments.pace:
        tell_pace(arguments.out)
        return
    if not arguments.out:
        parser.error("OUT.csv is needed")
    begin = time.perf_counter()
    torch.manual_seed(0)
    for part in PARTS:
        if arguments.only and part.__name__ not in arguments.only.split(","):
            continue
        if time.perf_counter() - begin > arguments.budget:
            print("no time left for", part.__name__, file=sys.stderr)
            continue
        part()
        torch.cuda.empty_cache()
        print(part.__name__, len(ROWS), f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
        with open(arguments.out, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["op", "dims", "dtype", "direction", "seconds", "spread", "kernels"])
            writer.writerows(ROWS)


if __name__ == "__main__":
    main()
