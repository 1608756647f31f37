"""What a page of a training step takes once a compressor has had it (paging.compressed_part).

    python tools/measure_page_compression.py

Ten steps are trained here; then pages of 16 KiB are drawn from parameters, states, gradients and
what PyTorch keeps for the backward pass, and compressed by WKdm, the compressor of macOS. The
result depends on the numbers in the tensors, not on the machine. Needs siliconprof and torch.

WKdm [wilson1999]: a dictionary of 16 words, of which one equals the next word, or its upper 22
bits, or nothing does; words of zero cost their tag alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy

PAGE_BYTES = 16384
PAGES_PER_TENSOR = 3
STEPS = 10
# Published data are not needed: a few steps on the samples that ship.
WORKLOADS: dict[str, dict[str, Any]] = {
    "gpt2-small": {"batch": 2, "seq": 256},
    "bert-base": {"batch": 2, "seq": 128},
    "whisper-tiny": {"batch": 1},
    "simclr-resnet18": {"batch": 16},
}

Sample = tuple[str, float, numpy.ndarray]  # role, pages that each drawn one stands for, pages


def wkdm_bytes(pages: numpy.ndarray) -> numpy.ndarray:
    """Bytes that each row of (pages, words) uint32 takes; one that doesn't shrink is kept whole."""
    count, words = pages.shape
    known = numpy.zeros((count, 16), numpy.uint32)
    each = numpy.arange(count)
    missed, partly, exactly = (numpy.zeros(count, numpy.int64) for _ in range(3))
    for word in pages.T:
        # Any fixed spread of the upper 22 bits over the 16 entries serves.
        entry = ((word >> 10) * numpy.uint32(2654435769)) >> numpy.uint32(28)
        held = known[each, entry]
        is_zero = word == 0
        is_equal = (held == word) & ~is_zero
        is_near = ((held ^ word) < 1024) & ~is_zero & ~is_equal
        exactly += is_equal
        partly += is_near
        missed += ~(is_zero | is_equal | is_near)
        known[each, entry] = numpy.where(is_zero, held, word)
    header, tags = 12, words // 4
    found = header + tags + 4 * missed + 4 * -(-(exactly + partly) // 8) + 4 * -(-partly // 3)
    return numpy.minimum(found, 4 * words)


def drawn(role: str, values: numpy.ndarray, random: numpy.random.Generator) -> Iterator[Sample]:
    """Some whole pages of a tensor; none of one that is smaller than a page."""
    flat = numpy.ascontiguousarray(values).reshape(-1).view(numpy.uint8)
    count = flat.nbytes // PAGE_BYTES
    if count:
        pages = flat[: count * PAGE_BYTES].view(numpy.uint32).reshape(count, -1)
        some = random.choice(count, min(PAGES_PER_TENSOR, count), replace=False)
        yield role, count / len(some), pages[some]


def samples(name: str, sizes: dict[str, Any]) -> Iterator[Sample]:
    import torch
    import torch_steps

    import siliconprof as sp
    from siliconprof.datasets import open_dataset
    from siliconprof.training.step import Step

    random = numpy.random.default_rng(0)
    trace = sp.workload(name, **sizes)
    data = open_dataset(trace, None, None, 0)
    step = Step(trace)
    step.set_learning_rate(1e-4)
    for number in range(STEPS):
        step.run(number, number, data.batch(number))
    for tensor, arrays in step.arrays.items():
        role = "parameters" if tensor in step.parameters else "states"
        yield from drawn(role, arrays[0], random)
    arrays = {tensor: torch.from_numpy(step.arrays[tensor][0]) for tensor in step.parameters}
    leaves = torch_steps.leaves(arrays, set(), channels_last=False)
    kept: dict[int, torch.Tensor] = {}
    ours = {leaf.data_ptr() for leaf in leaves.values()}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage().data_ptr() not in ours:
            kept[tensor.data_ptr()] = tensor
        return tensor

    batch = {key: torch.from_numpy(value) for key, value in data.batch(STEPS).items()}
    batch = {key: x if x.is_floating_point() else x.long() for key, x in batch.items()}
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = torch_steps.peer_of(name)(leaves, batch)
    for tensor in kept.values():
        yield from drawn("activations", tensor.detach().numpy(), random)
    loss.backward()
    for leaf in leaves.values():
        if leaf.grad is not None:
            yield from drawn("gradients", leaf.grad.numpy(), random)


def compressed_parts(found: list[Sample]) -> dict[str, tuple[float, float]]:
    """By role, and "all": bytes, and what part of them is left."""
    taken = wkdm_bytes(numpy.concatenate([pages for _, _, pages in found]))
    each = [(role, weight) for role, weight, pages in found for _ in pages]
    parts = {}
    for role in dict.fromkeys([*(role for role, _ in each), "all"]):
        of_role = [
            (weight, size)
            for (name, weight), size in zip(each, taken, strict=True)
            if role in (name, "all")
        ]
        whole = PAGE_BYTES * sum(weight for weight, _ in of_role)
        parts[role] = (whole, sum(weight * size for weight, size in of_role) / whole)
    return parts


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    for name, sizes in WORKLOADS.items():
        print(name, sizes)
        for role, (size, part) in compressed_parts(list(samples(name, sizes))).items():
            print(f"  {role:12} {size / 1e6:8.1f} MB  {part:.3f} of them left", flush=True)


if __name__ == "__main__":
    main()
