"""How one call under PyTorch is timed on a CUDA device; used by measure_torch_cuda.py."""

import statistics
import sys
import time

import torch

DTYPES = {
    "float32": torch.float32,
    "tf32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}
ROWS = []


def use(dtype):
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    torch.backends.cudnn.allow_tf32 = dtype == "tf32"
    return DTYPES[dtype]


def middle(samples):
    """(median, distance of the quartiles as a part of it)."""
    quartiles = statistics.quantiles(samples, n=4)
    median = statistics.median(samples)
    return median, (quartiles[2] - quartiles[0]) / median


def kernel_s(call):
    """(seconds of a call's kernels, spread over calls, kernels a call), from the device's trace."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    repeats = max(4, min(20, int(20e-3 / (time.perf_counter() - begin))))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as trace:
        for _ in range(repeats):
            call()
        torch.cuda.synchronize()
    durations = [
        event.duration_ns() * 1e-9
        for event in sorted(trace.profiler.kineto_results.events(), key=lambda e: e.start_ns())
        if event.device_type() == torch.autograd.DeviceType.CUDA
    ]
    each = max(1, round(len(durations) / repeats))
    samples = [sum(durations[i : i + each]) for i in range(0, len(durations), each)]
    return *middle(samples), each


def add(op, dims, dtype, direction, call):
    try:
        seconds, spread, kernels = kernel_s(call)
    except (
        Exception
    ) as error:  # an op that can't be captured or doesn't fit is reported, not hidden
        print("skipped", op, dims, dtype, direction, str(error).splitlines()[0], file=sys.stderr)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        return
    ROWS.append(
        [
            op,
            " ".join(f"{k}={v}" for k, v in dims.items()),
            dtype,
            direction,
            f"{seconds:.4e}",
            f"{spread:.3f}",
            kernels,
        ]
    )


def both(op, dims, dtype, make):
    """Forward alone, then forward and backward of the same call."""
    inputs, function = make()
    with torch.no_grad():
        add(op, dims, dtype, "forward", lambda: function(*inputs))
    leaves = [x.detach().requires_grad_() if x.is_floating_point() else x for x in inputs]
    wanted = [x for x in leaves if x.requires_grad]
    y = function(*leaves)
    dy = torch.ones_like(y)
    add(op, dims, dtype, "backward", lambda: torch.autograd.grad(y, wanted, dy, retain_graph=True))


def rand(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).mul_(0.5).to(dtype)
