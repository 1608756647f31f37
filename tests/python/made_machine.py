"""A machine that never was: a backend whose clock is a model with known rates."""

from __future__ import annotations

from types import SimpleNamespace

import siliconprof as sp
from siliconprof import _core
from siliconprof.numbers import LOCAL

SOURCE = f"made up (2026), {LOCAL}"
CACHE_BYTES = 16e6
# Rates of a machine that never was, by kernel and key.
RATES = {
    "product_forward": {
        "start_s": 5e-6,
        "arithmetic_flops_per_s": 150e9,
        "left_bytes_per_s": 8e9,
        "right_bytes_per_s": 5e9,
        "result_bytes_per_s": 9e9,
        "memory_bytes_per_s": 40e9,
    },
    "conv2d": {
        "start_s": 4e-6,
        "arithmetic_flops_per_s": 120e9,
        "left_bytes_per_s": 60e9,
        "right_bytes_per_s": 2e9,
        "result_bytes_per_s": 50e9,
        "memory_bytes_per_s": 50e9,
    },
    "sort": {"start_s": 1e-6, "arithmetic_flops_per_s": 5e9, "memory_bytes_per_s": 25e9},
    "add": {
        "start_s": 1e-6,
        "cached_bytes_per_s": 100e9,
        "memory_bytes_per_s": 30e9,
        "streamed_bytes_per_s": 35e9,
    },
}
# Times float32's rates.
FORMATS = {"float32": 1.0, "float64": 0.5, "bfloat16": 2.0, "float16": 1.5}
STREAM = {
    "start_s": 1e-6,
    "cached_bytes_per_s": 70e9,
    "memory_bytes_per_s": 25e9,
    "streamed_bytes_per_s": 40e9,
}


def rates_of(kernel: str) -> dict[str, float]:
    for known, rates in RATES.items():
        if kernel.startswith((known, known.partition("_")[0] + "_", known + "_")):
            return rates
    product_like = ("attention", "attention_backward")
    return RATES["product_forward"] if kernel in product_like else STREAM


class Made:
    """A backend whose clock is the known machine's model, times a factor for each kernel run."""

    vendor = "cpu"
    framework = "native"
    free_bytes = None

    def __init__(self, factor=lambda run: 1.0, interrupt_at=None, cache_bytes=CACHE_BYTES):
        self.last_cache_bytes = 2.0 * cache_bytes  # others have the rest of it
        numbers = {
            "memory.capacity_bytes": 1e10,
            "memory.bandwidth_bytes_per_s": 1e10,
            "memory.cache_bytes": cache_bytes,
        }
        for dtype, times in FORMATS.items():
            numbers[f"peak.vector.{dtype}_flops_per_s"] = 1e11
            for kernel in _core.kernel_names():
                for key, value in rates_of(kernel).items():
                    rate = value if key == "start_s" else value * times
                    numbers[f"kernel.native.{kernel}.{dtype}.{key}"] = rate
        self.device = sp.Device(
            "made",
            "Made",
            "cpu",
            "cpu",
            {key: _core.Number(value, "assumed", SOURCE, 0.1) for key, value in numbers.items()},
        )
        self.factor, self.interrupt_at = factor, interrupt_at
        self.runs = 0
        self.now_s = 0.0

    def measure(self, trace, sampling):
        self.runs += 1
        if self.interrupt_at == self.runs:
            raise KeyboardInterrupt
        profile = sp.predict(trace, self.device, "native")
        factor = self.factor(self.runs)
        self.now_s += profile.time_s
        return SimpleNamespace(
            spans=[
                SimpleNamespace(kind=span.kind, call=span.call, samples_s=[span.wall_s * factor])
                for span in profile.spans
            ]
        )

    def facts(self):
        return {"cpu": "Made (tm) CPU", "cores": "2", "memory_bytes": "10000000000"}

    def usage(self):
        return None

    def clock(self):
        return self.now_s
