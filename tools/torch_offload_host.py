"""A host beside a CUDA device: what its link, its memory and its AdamW take under PyTorch; used by
measure_torch_offload.py.

Transfers and updates go through many tensors of one size, as a step does, so that caches hold none.
"""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import torch
from torch_cuda_timing import middle
from torch_offload_steps import HostAdamw, OffloadedStep

TRANSFER_BYTES = (4 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20)
ADAMW_ELEMENTS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)


def seconds_of(call, turns=7, after=torch.cuda.synchronize):
    """(median seconds, spread) of a call."""
    call()
    after()
    samples = []
    for _ in range(turns):
        begin = time.perf_counter()
        call()
        after()
        samples.append(time.perf_counter() - begin)
    return middle(samples)


def transfers():
    """Seconds of a copy among many on one stream, by size, direction and memory; of both ways at
    once; and what the host takes to issue one."""
    for size in TRANSFER_BYTES:
        count = max(4, min(200, (1 << 30) // size))
        there = [torch.zeros(size, dtype=torch.uint8, device="cuda") for _ in range(count)]
        for memory in ("pinned", "pageable"):
            pinned = memory == "pinned"
            here = [torch.ones(size, dtype=torch.uint8, pin_memory=pinned) for _ in range(count)]
            for direction in ("to_host", "to_device"):

                def copy(direction=direction, here=here, there=there, pinned=pinned):
                    for a, b in zip(here, there, strict=True):
                        to, of = (a, b) if direction == "to_host" else (b, a)
                        to.copy_(of, non_blocking=pinned)

                spent, spread = seconds_of(copy)
                yield (
                    f"transfer.{direction}.{memory} bytes={size} copies={count}",
                    spent / count,
                    spread,
                )
                if pinned and size == TRANSFER_BYTES[0]:
                    issue, spread = seconds_of(copy, after=lambda: None)
                    torch.cuda.synchronize()
                    yield f"transfer.{direction}.issue bytes={size}", issue / count, spread
            if pinned and count >= 8:
                one, two = torch.cuda.Stream(), torch.cuda.Stream()

                def both(here=here, there=there, one=one, two=two):
                    for i, (a, b) in enumerate(zip(here, there, strict=True)):
                        with torch.cuda.stream(one if i % 2 else two):
                            to, of = (a, b) if i % 2 else (b, a)
                            to.copy_(of, non_blocking=True)

                spent, spread = seconds_of(both)
                yield f"transfer.both.pinned bytes={size} copies={count}", spent / count, spread


def streams():
    """Seconds of the host's memory at work on 256 MB: reads and writes, reads alone."""
    a, b, c = (torch.ones(64_000_000) for _ in range(3))
    nothing = lambda: None  # noqa: E731
    for what, size, call in (
        ("copy", 8, lambda: c.copy_(a)),
        ("add", 12, lambda: torch.add(a, b, out=c)),
        ("sum", 4, lambda: a.sum()),
        ("addcmul_in_place", 16, lambda: c.addcmul_(a, b)),
    ):
        spent, spread = seconds_of(call, after=nothing)
        yield f"memory.{what} bytes={size * a.numel()}", spent, spread


def updates():
    """Seconds of AdamW a tensor: fused in one call for all, fused in a call each, torch's foreach
    and its loop, and of the fused SGD."""
    nothing = lambda: None  # noqa: E731
    for n in ADAMW_ELEMENTS:
        count = max(1, min(1000, 100_000_000 // n))
        host = HostAdamw([(n,)] * count, pinned=True)
        places, gradients = range(count), host.gradients[0]
        for g in gradients:
            g.fill_(1e-3)
        spent, spread = seconds_of(lambda h=host, p=places: h.update(p, h.gradients[0]), 5, nothing)
        yield f"adamw.fused n={n} tensors={count}", spent / count, spread

        def each(host=host, places=places):
            for i in places:
                host.update([i], host.gradients[0])

        spent, spread = seconds_of(each, 5, nothing)
        yield f"adamw.fused_each n={n} tensors={count}", spent / count, spread
        if n not in (100_000, 10_000_000):
            continue
        for w, g in zip(host.masters, gradients, strict=True):
            w.grad = g
        for name, kind, given in (
            ("adamw.foreach", torch.optim.AdamW, {"foreach": True}),
            ("adamw.loop", torch.optim.AdamW, {"foreach": False}),
            ("sgd.fused", torch.optim.SGD, {"fused": True}),
        ):
            optimizer = kind(host.masters, lr=1e-4, **given)
            spent, spread = seconds_of(optimizer.step, 3, nothing)
            yield f"{name} n={n} tensors={count}", spent / count, spread


class Beside:
    """Copies of 64 MB one after the other on a stream: the link at work beside the host."""

    def __init__(self, direction):
        self.direction, self.stream = direction, torch.cuda.Stream()
        self.here = [torch.ones(1 << 24, pin_memory=True) for _ in range(4)]
        self.there = [torch.ones(1 << 24, device="cuda") for _ in range(4)]

    def start(self, copies):
        with torch.cuda.stream(self.stream):
            for i in range(copies):
                a, b = self.here[i % 4], self.there[i % 4]
                to, of = (a, b) if self.direction == "to_host" else (b, a)
                to.copy_(of, non_blocking=True)


def contention():
    """Seconds of 1e8 elements of AdamW while the link is at work, or on a thread beside one that
    issues kernels; of the link's copies meanwhile; of updates whose results go to the device."""
    nothing = lambda: None  # noqa: E731
    host = HostAdamw([(1_000_000,)] * 100, pinned=True)
    for g in host.gradients[0]:
        g.fill_(1e-3)

    def update_each():
        for i in range(100):
            host.update([i], host.gradients[0])

    spent, spread = seconds_of(update_each, 7, nothing)
    yield "adamw.alone n=1000000 tensors=100", spent / 100, spread
    for direction in ("to_host", "to_device"):
        yield from beside_the_link(direction, host, update_each)
    with ThreadPoolExecutor(1) as worker:
        spent, spread = seconds_of(lambda: worker.submit(update_each).result(), 7, nothing)
        yield "adamw.thread n=1000000 tensors=100", spent / 100, spread
        spent = beside_issue_s(worker, update_each)
        yield "adamw.thread_beside_issue n=1000000 tensors=100", spent / 100, 0.0


def beside_the_link(direction, host, update_each):
    """What copies one way take alone, an update beside them, and they beside updates."""
    beside = Beside(direction)
    alone, spread = seconds_of(lambda: beside.start(32), 5)
    yield f"transfer.{direction}.alone bytes={1 << 26}", alone / 32, spread
    samples = []
    for _ in range(5):
        beside.start(64)
        begin = time.perf_counter()
        update_each()
        samples.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    spent = statistics.median(samples) / 100
    yield f"adamw.beside_{direction} n=1000000 tensors=100", spent, 0.0
    begin = time.perf_counter()
    beside.start(32)
    while not beside.stream.query():
        host.update([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], host.gradients[0])
    spent = (time.perf_counter() - begin) / 32
    yield f"transfer.{direction}.beside_adamw bytes={1 << 26}", spent, 0.0


def beside_issue_s(worker, update_each):
    """Median seconds of an update on `worker` while this thread issues kernels."""
    x = torch.zeros(32, device="cuda")
    samples = []
    for _ in range(5):
        begin = time.perf_counter()
        done = worker.submit(update_each)
        while not done.done():
            x.add_(1.0)
        samples.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    return statistics.median(samples)


def programs():
    """Host seconds a tensor of sending a gradient from a hook and of updating and fetching a
    parameter, on tensors of 32 elements; seconds of update and fetch of larger ones."""
    yield "program.send n=32 tensors=200", send_from_hook_s(), 0.0
    for n in (32, 100_000, 1_000_000, 10_000_000):
        count = max(10, min(200, 100_000_000 // n))
        places = torch.nn.ParameterList(torch.zeros(n, device="cuda") for _ in range(count))
        step = OffloadedStep(places, None, "overlapped", None)
        for program in (update, update_and_fetch, update_then_fetch, send_update_fetch):
            spent, spread = seconds_of(partial(program, step), 5)
            yield f"program.{program.__name__} n={n} tensors={count}", spent / count, spread
        step.close()


def send_from_hook_s():
    """Host seconds that a backward pass takes longer for each gradient that a hook sends."""
    chain = torch.nn.Sequential(
        *(torch.nn.Linear(32, 1, bias=False) if i % 2 else torch.nn.Linear(1, 32, bias=False)
          for i in range(200))
    ).cuda()  # fmt: skip
    x = torch.randn(1, 1, device="cuda")

    def clocked():
        chain.zero_grad(set_to_none=True)
        y = chain(x).sum()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        y.backward()
        spent = time.perf_counter() - begin
        torch.cuda.synchronize()
        return spent

    plain = statistics.median(clocked() for _ in range(15))
    step = OffloadedStep(chain, lambda: chain(x).sum(), "overlapped", None)
    hooked = statistics.median(clocked() for _ in range(15))
    step.close()
    return (hooked - plain) / 200


def update(step):
    for i in step.everything:
        step.host.update([i], step.arriving)


def update_and_fetch(step):
    """Each parameter goes back once it is updated, while the next one is."""
    for i in step.everything:
        step.host.update([i], step.arriving)
        with torch.cuda.stream(step.back):
            step.fetch(i)
    step.back.synchronize()


def update_then_fetch(step):
    update(step)
    for i in step.everything:
        step.fetch(i)


def send_update_fetch(step):
    for p, there in zip(step.parameters, step.arriving, strict=True):
        there.copy_(p.detach(), non_blocking=True)
    torch.cuda.synchronize()
    update_then_fetch(step)
