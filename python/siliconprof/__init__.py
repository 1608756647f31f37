"""siliconprof: one trace of operations; run it, predict it, or load what others recorded.

Every number says whether it is measured, predicted or recorded. Times in seconds, memory in
bytes, energy in joules, rates in FLOP/s and bytes/s.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._core import (
    ArgumentError,
    CounterUnavailable,
    Device,
    DeviceError,
    DtypeError,
    EngineUnavailable,
    Error,
    Framework,
    Gap,
    Profile,
    RecordError,
    Sampling,
    ShapeError,
    Trace,
    UnknownNameError,
    __version__,
    compare,
)
from ._core import Window as window
from .devices import device, devices
from .frameworks import framework, frameworks
from .predict import predict
from .profile_methods import attach_profile_methods
from .run import bind, evaluate, run
from .store import load
from .workloads import op, workload, workloads

if TYPE_CHECKING:
    from .report import reproduce
    from .training import train

__all__ = [
    "ArgumentError",
    "CounterUnavailable",
    "Device",
    "DeviceError",
    "DtypeError",
    "EngineUnavailable",
    "Error",
    "Framework",
    "Gap",
    "Profile",
    "RecordError",
    "Sampling",
    "ShapeError",
    "Trace",
    "UnknownNameError",
    "__version__",
    "bind",
    "compare",
    "device",
    "devices",
    "evaluate",
    "framework",
    "frameworks",
    "load",
    "op",
    "predict",
    "reproduce",
    "run",
    "train",
    "window",
    "workload",
    "workloads",
]

attach_profile_methods()

# What needs matplotlib or pandas is imported on first use.
_LAZY = {"reproduce": "report", "train": "training"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
