# ruff: noqa: B023
"""Power of a CUDA board and its transfers; used by measure_torch_cuda.py."""

import statistics
import time

import pynvml
import torch
import torch.nn.functional as F

GRAPHED = 40


class PowerMeter:
    """The board's energy register and clock, read around work that is done again and again."""

    def __init__(self):
        pynvml.nvmlInit()
        self.board = pynvml.nvmlDeviceGetHandleByIndex(0)

    def millijoules(self):
        return pynvml.nvmlDeviceGetTotalEnergyConsumption(self.board)

    def row(self, name, call, seconds=3.0, amount=0.0):
        torch.cuda.synchronize()
        for _ in range(5):
            call()
        torch.cuda.synchronize()
        energy = self.millijoules()
        begin, count, clock = time.perf_counter(), 0, []
        while time.perf_counter() - begin < seconds:
            for _ in range(10):
                call()
            torch.cuda.synchronize()
            count += 10
            clock.append(pynvml.nvmlDeviceGetClockInfo(self.board, pynvml.NVML_CLOCK_SM))
        spent = time.perf_counter() - begin
        joules = (self.millijoules() - energy) * 1e-3
        return [
            "power." + name,
            f"amount={amount:g} clock_mhz={statistics.median(clock)}",
            "",
            "watts",
            f"{joules / spent:.4e}",
            f"{spent / count:.4e}",
        ]


def power(use, rand, dtypes):
    """Rows of watts over three seconds of one kind of work, from the board's energy register."""
    meter = PowerMeter()
    torch.cuda.synchronize()
    time.sleep(3)
    rows = [meter.row("idle", lambda: time.sleep(0.01), 4.0)]
    for dtype in dtypes:
        t = use(dtype)
        a, b = rand(8192, 8192, dtype=t), rand(8192, 8192, dtype=t)
        c = torch.empty_like(a)
        product = meter.row(
            "product_" + dtype, lambda: torch.matmul(a, b, out=c), amount=2 * 8192**3
        )
        rows.append(product)
    use("float32")
    x = rand(2**28, dtype=torch.float32)
    y = torch.empty_like(x)
    rows.append(meter.row("copy", lambda: y.copy_(x), amount=2**31))
    rows.append(meter.row("tiny", lambda: torch.add(x[:32], 1.0, out=y[:32])))
    for what, dtype, flops, count_bytes, call in work(use, rand, dtypes):
        facts = f"dtype={dtype} flops={flops:g} bytes={count_bytes:g}"
        rows.append(meter.row(f"{what} {facts}", call, 1.0))
    for what, dtype, flops, count_bytes, call in short_work(use, rand):
        facts = f"dtype={dtype} calls={GRAPHED} flops={flops:g} bytes={count_bytes:g}"
        rows.append(meter.row(f"{what} graph {facts}", graphed(call), 0.7))
    return rows


def graphed(call):
    """GRAPHED calls as one launch, so that the device never waits for the host."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPHED):
            call()
    return graph.replay


def short_work(use, rand):
    """(name, dtype, flops, compulsory bytes, call) of kernels of a small step."""
    for dtype in ("float32", "float16"):
        t = use(dtype)
        for m in (256, 2048):
            k, n = 768, 3072
            x, w, y = rand(m, k, dtype=t), rand(n, k, dtype=t) * 0.02, rand(m, n, dtype=t)
            size = x.element_size()
            moved = size * (m * k + k * n + m * n)
            name = f"linear rows={m} k={k} n={n}"
            yield name, dtype, 2 * m * k * n, moved, lambda: torch.matmul(x, w.T, out=y)
            z, length = torch.empty_like(x), x.numel()
            yield f"add n={length}", dtype, 0, 3 * length * size, lambda: torch.add(x, x, out=z)
            name = f"layer_norm rows={m} n={k}"
            yield name, dtype, 0, 2 * length * size, lambda: F.layer_norm(x, (k,))
            q = rand(max(1, m // 512), 12, min(m, 512), 64, dtype=t)
            b, h, s, d = q.shape
            name = f"attention batch={b} heads={h} queries={s} keys={s} head_dim={d} causal=1"
            call = F.scaled_dot_product_attention
            yield (
                name,
                dtype,
                2 * b * h * s * s * d,
                4 * q.numel() * size,
                lambda: call(q, q, q, is_causal=True),
            )
    use("float32")
    x = rand(4096, 3072, dtype=torch.float32)
    yield "cast_float16 n=12582912", "float32", 0, 6 * x.numel(), lambda: x.to(torch.float16)
    yield "sum outer=1 size=4096 inner=3072", "float32", 0, 4 * x.numel(), lambda: x.sum(0)


def work(use, rand, dtypes):
    """(name, dtype, flops, compulsory bytes, call) of the kinds of work that a step is made of."""
    for dtype in dtypes:
        t = use(dtype)
        yield from linear_work(rand, dtype, t)
        yield from fused_work(rand, dtype, t)
    for dtype in ("float32", "float16"):
        yield from elementwise_work(rand, dtype, use(dtype))
    yield adamw_work(rand)


def linear_work(rand, dtype, t):
    size = rand(1, dtype=t).element_size()
    for m, k, n in (
        (4096, 768, 3072),
        (8192, 1600, 6400),
        (4096, 1024, 50257),
        (256, 768, 3072),
    ):
        x, w = rand(m, k, dtype=t) * 2, rand(n, k, dtype=t) * 0.04
        dy = (rand(m, n, dtype=torch.float32) * 1e-3).to(t)
        moved = size * (m * k + k * n + m * n)
        name, flops = f"linear rows={m} k={k} n={n}", 2 * m * k * n
        yield name + " forward", dtype, flops, moved, lambda: x @ w.T
        yield name + " data", dtype, flops, moved, lambda: dy @ w
        yield name + " weight", dtype, flops, moved, lambda: dy.T @ x


def fused_work(rand, dtype, t):
    for name, (make, flops, moved) in fused(rand, t).items():
        inputs, function = make
        yield name + " forward", dtype, flops, moved, lambda: function(*inputs)
        leaves = [v.detach().requires_grad_() for v in inputs]
        y = function(*leaves)
        dy = torch.ones_like(y) * 1e-3
        yield (
            name + " backward",
            dtype,
            2 * flops,
            2 * moved,
            lambda: torch.autograd.grad(y, leaves, dy, retain_graph=True),
        )


def elementwise_work(rand, dtype, t):
    n = 2**26
    x, y, z = rand(n, dtype=t), rand(n, dtype=t), torch.empty(n, device="cuda", dtype=t)
    size = x.element_size()
    yield f"add n={n}", dtype, 0, 3 * n * size, lambda: torch.add(x, y, out=z)
    yield f"gelu_tanh n={n}", dtype, 0, 2 * n * size, lambda: F.gelu(x, approximate="tanh")


def adamw_work(rand):
    parameters = [rand(1600, 6400, dtype=torch.float32).requires_grad_() for _ in range(30)]
    for p in parameters:
        p.grad = torch.randn_like(p)
    n = sum(p.numel() for p in parameters)
    optimizer = torch.optim.AdamW(parameters, foreach=True)
    return f"adamw_foreach n={n}", "float32", 0, 28 * n, optimizer.step


def transfers():
    """Rows of copies between the host and the device."""
    rows = []
    for mib in (1, 16, 256, 1024):
        n = mib * 2**18
        device = torch.empty(n, device="cuda")
        for kind in ("pinned", "pageable"):
            here = torch.ones(n, pin_memory=kind == "pinned")
            for direction in ("to_device", "to_host"):
                samples = []
                for _ in range(5):
                    torch.cuda.synchronize()
                    a = time.perf_counter()
                    (device.copy_(here) if direction == "to_device" else here.copy_(device))
                    torch.cuda.synchronize()
                    samples.append(time.perf_counter() - a)
                rows.append(
                    [
                        "transfer_" + kind,
                        f"bytes={4 * n}",
                        "float32",
                        direction,
                        f"{statistics.median(samples):.4e}",
                        "0",
                    ]
                )
    return rows


def fused(rand, t):
    """Inputs and function, flops and compulsory bytes forward, of what isn't a single product."""
    q, k, v = (rand(8, 20, 1024, 64, dtype=t) for _ in range(3))
    x, w = rand(256, 64, 32, 32, dtype=t), rand(64, 64, 3, 3, dtype=t)
    rows, scale = rand(16384, 1600, dtype=t), rand(1600, dtype=t)
    size = x.element_size()
    return {
        "attention batch=8 heads=20 queries=1024 keys=1024 head_dim=64 causal=1": (
            ([q, k, v], lambda a, b, c: F.scaled_dot_product_attention(a, b, c, is_causal=True)),
            2 * 8 * 20 * 1024 * 1024 * 64,
            4 * q.numel() * size,
        ),
        "conv2d batch=256 height=32 width=32 channels=64 outputs=64": (
            ([x, w], lambda a, b: F.conv2d(a, b, padding=1)),
            2 * 256 * 1024 * 64 * 64 * 9,
            2 * x.numel() * size,
        ),
        "layer_norm rows=16384 n=1600": (
            ([rows, scale, scale], lambda a, b, c: F.layer_norm(a, (1600,), b, c)),
            0,
            2 * rows.numel() * size,
        ),
    }
