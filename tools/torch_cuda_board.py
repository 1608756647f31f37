# ruff: noqa: B023
"""Power of a CUDA board and its transfers; used by measure_torch_cuda.py."""

import statistics
import time

import pynvml
import torch


def power(use, rand, dtypes):
    """Rows of watts over three seconds of one kind of work, from the board's energy register."""
    rows = []
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)

    def watts(name, call, seconds=3.0, amount=0.0):
        torch.cuda.synchronize()
        for _ in range(5):
            call()
        torch.cuda.synchronize()
        energy = pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
        begin, count, clock = time.perf_counter(), 0, []
        while time.perf_counter() - begin < seconds:
            for _ in range(10):
                call()
            torch.cuda.synchronize()
            count += 10
            clock.append(pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM))
        spent = time.perf_counter() - begin
        joules = (pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) - energy) * 1e-3
        rows.append(
            [
                "power." + name,
                f"amount={amount:g} clock_mhz={statistics.median(clock)}",
                "",
                "watts",
                f"{joules / spent:.4e}",
                f"{spent / count:.4e}",
            ]
        )

    torch.cuda.synchronize()
    time.sleep(3)
    watts("idle", lambda: time.sleep(0.01), 4.0)
    for dtype in dtypes:
        t = use(dtype)
        a, b = rand(8192, 8192, dtype=t), rand(8192, 8192, dtype=t)
        c = torch.empty_like(a)
        watts("product_" + dtype, lambda: torch.matmul(a, b, out=c), amount=2 * 8192**3)
    use("float32")
    x = rand(2**28, dtype=torch.float32)
    y = torch.empty_like(x)
    watts("copy", lambda: y.copy_(x), amount=2**31)
    watts("tiny", lambda: torch.add(x[:32], 1.0, out=y[:32]))
    return rows


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
