"""siliconprof: one trace of operations; run it, predict it, or load what others recorded.

Every number says whether it is measured, predicted or recorded. Times in seconds, memory in
bytes, energy in joules, rates in FLOP/s and bytes/s.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .waiting import bounded_waiting

with bounded_waiting():  # which loads the runtime
    from . import _core as _core

from ._core import (
    ArgumentError,
    Causes,
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
)
from ._core import Window as window
from .advise import advise
from .calibrate import CalibrationWarning, calibrate
from .compare import compare
from .device_document import attach_device_methods
from .devices import device, devices
from .explain import attach_causes_methods, explain
from .frameworks import framework, frameworks
from .notebook_views import attach_notebook_views
from .pickling import attach_pickling
from .predict import predict
from .profile_methods import attach_profile_methods
from .run import bind, evaluate, run
from .sampling import attach_sampling_checks
from .store import load
from .sweep import sweep
from .what_if import attach_what_if
from .workloads import op, workload, workloads

if TYPE_CHECKING:
    from .report import reproduce
    from .training import train

__all__ = [
    "ArgumentError",
    "CalibrationWarning",
    "Causes",
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
    "advise",
    "bind",
    "calibrate",
    "compare",
    "device",
    "devices",
    "evaluate",
    "explain",
    "framework",
    "frameworks",
    "load",
    "op",
    "predict",
    "reproduce",
    "run",
    "sweep",
    "train",
    "window",
    "workload",
    "workloads",
]

attach_device_methods()
attach_profile_methods()
attach_notebook_views()
attach_pickling()
attach_causes_methods()
attach_what_if()
attach_sampling_checks()

# What needs matplotlib or pandas is imported on first use.
_LAZY = {"reproduce": "report", "train": "training"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
