# ruff: noqa: B023
"""Power of the kernels that networks of images are made of; used by measure_torch_cuda.py.

Each kernel runs again and again as a CUDA graph, with the next turn of it queued before the last
has ended, so that the board is never idle. The energy register moves ten times a second, and to
read it takes milliseconds: watts are those between its first and its last move.
"""

import time

import pynvml
import torch
import torch.nn.functional as F
from torch_cuda_timing import DTYPES, ROWS, rand, use

GRAPH_S = 4e-3
MOST_CALLS = 200
TURN_S = 12e-3
SECONDS = 0.65
LAYERS = ((64, 32), (128, 16), (256, 8), (512, 4))  # channels and side of a ResNet-18's
NORMED_IMAGES = (16, 64, 256, 1024)
CONVOLVED_IMAGES = (32, 256, 1024)


class Register:
    """The board's energy register."""

    def __init__(self):
        pynvml.nvmlInit()
        self.board = pynvml.nvmlDeviceGetHandleByIndex(0)

    def joules(self):
        return pynvml.nvmlDeviceGetTotalEnergyConsumption(self.board) * 1e-3

    def clock_mhz(self):
        return pynvml.nvmlDeviceGetClockInfo(self.board, pynvml.NVML_CLOCK_SM)


def graph_of(call):
    """(graph, calls in it): as many as take about GRAPH_S. The stream is the one that is current,
    on which backward calls run as their forward calls did."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    each = (time.perf_counter() - begin) / 5
    calls = max(2, min(MOST_CALLS, int(GRAPH_S / each)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        for _ in range(calls):
            call()
    return graph, calls


def replays_of(graph):
    """How many replays take about TURN_S, far longer than the register takes to be read."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    return max(1, int(TURN_S * 5 / (time.perf_counter() - begin)))


def watts(register, graph, seconds):
    """(watts between the register's moves, seconds a replay, clock)."""
    replays, ends = replays_of(graph), [torch.cuda.Event() for _ in range(2)]
    moves, count, last = [], 0, register.joules()

    def queue(turn):
        for _ in range(replays):
            graph.replay()
        ends[turn % 2].record()

    queue(0)
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        count += 1
        queue(count)
        ends[(count + 1) % 2].synchronize()
        now = register.joules()
        if now != last:
            moves.append((time.perf_counter(), now))
            last = now
    clock = register.clock_mhz()
    ends[count % 2].synchronize()
    each = (time.perf_counter() - begin) / (count + 1) / replays
    (first_s, first), (last_s, last) = moves[1], moves[-1]
    return (last - first) / (last_s - first_s), each, clock


def add_power(register, name, dtype, flops, count_bytes, call):
    graph, calls = graph_of(call)
    found, seconds, clock = watts(register, graph, SECONDS)
    facts = f"flops={flops:g} bytes={count_bytes:g} clock_mhz={clock}"
    words = f"{name} dtype={dtype} calls={calls} {facts}"
    ROWS.append(["power." + words, "", dtype, "watts", f"{found:.4e}", f"{seconds / calls:.4e}"])
    del graph


def image_power():
    with torch.cuda.stream(torch.cuda.Stream()):
        kernels_of_images(Register())


def kernels_of_images(register):
    for dtype in DTYPES:
        for channels, side in LAYERS:
            if dtype != "tf32":
                for images in NORMED_IMAGES:
                    norms(register, dtype, images, channels, side)
            if dtype != "bfloat16":
                for images in CONVOLVED_IMAGES:
                    convolutions(register, dtype, images, channels, side)
        if dtype in ("float32", "float16"):
            elements(register, dtype)
        torch.cuda.empty_cache()


def norms(register, dtype, images, channels, side):
    t = use(dtype)
    x, dy = (rand(images, channels, side, side, dtype=t) for _ in range(2))
    w, b = torch.ones(channels, device="cuda"), torch.zeros(channels, device="cuda")
    mean, var = torch.zeros(channels, device="cuda"), torch.ones(channels, device="cuda")
    name = f"batch_norm outer={images} channels={channels} inner={side * side}"
    count = x.numel() * x.element_size()
    leaves = [x.requires_grad_(), w.requires_grad_(), b.requires_grad_()]
    y = F.batch_norm(x, mean, var, w, b, True)

    def forward():
        with torch.no_grad():
            return F.batch_norm(x, mean, var, w, b, True)

    add_power(register, name + " forward", dtype, 0, 2 * count, forward)

    def backward():
        return torch.autograd.grad(y, leaves, dy, retain_graph=True)

    add_power(register, name + " backward", dtype, 0, 3 * count, backward)


def convolutions(register, dtype, images, channels, side):
    t = use(dtype)
    x, dy = (rand(images, channels, side, side, dtype=t) for _ in range(2))
    w = rand(channels, channels, 3, 3, dtype=t) * 0.1
    name = f"conv2d batch={images} height={side} width={side} channels={channels} "
    name += f"outputs={channels} kernel_h=3 kernel_w=3 stride=1 padding=1"
    flops = 2 * x.numel() * channels * 9
    count = (2 * x.numel() + w.numel()) * x.element_size()

    def backward(*wanted):
        places = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        return torch.ops.aten.convolution_backward(dy, x, w, None, *places, [*wanted, False])

    for direction, call in (
        ("forward", lambda: F.conv2d(x, w, padding=1)),
        ("data", lambda: backward(True, False)),
        ("weight", lambda: backward(False, True)),
    ):
        add_power(register, f"{name} {direction}", dtype, flops, count, call)


def elements(register, dtype):
    t = use(dtype)
    for n in (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26):
        x, y, out = (rand(n, dtype=t) for _ in range(3))
        size = x.element_size()
        backward = torch.ops.aten.threshold_backward
        for name, count, call in (
            ("relu", 2, lambda: torch.relu_(x)),
            ("relu_backward", 3, lambda: backward(y, x, 0)),
            ("add", 3, lambda: torch.add(x, y, out=out)),
        ):
            add_power(register, f"{name} n={n}", dtype, 0, count * n * size, call)
        if dtype == "float32":
            half = out.half()
            add_power(register, f"cast_float16 n={n}", dtype, 0, 6 * n, lambda: half.copy_(x))
