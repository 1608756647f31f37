"""Predicting a trace on a device that need not be here."""

from __future__ import annotations

from pathlib import Path
from types import NoneType

from . import arguments
from ._core import ArgumentError, Device, Framework, Model, Profile, Trace
from .core_rates import of_device
from .devices import default_framework, device, is_path
from .frameworks import framework, frameworks, runs_on
from .lowerings import lowered, own_lowering
from .plausibility import check_settled


def predict(
    trace: Trace, device: str | Path | Device, framework: str | Framework | None = None
) -> Profile:
    """The time of `trace` on `device` under `framework`, with its terms and an interval.

    A step of a model (`workload`) that was made without `framework` is predicted in this
    framework's kernels; any other trace as it is.

    Arguments: device an id, a path to a device file, or a Device;
               framework an id, a Framework, or None for the default of the device's vendor.
    Raises:    UnknownNameError; DeviceError for a bad file, or for an offloaded step beside a host
               that nothing is known of; ArgumentError when the framework does not run on the
               device; DtypeError when the device lacks the trace's dtype.

    A step with its optimizer on the host (`workload(..., offload=True)`) has the seconds of the
    link and of the host as the terms "transfers" and "host optimizer", which overlap with the
    others; its spans share the step's time: the device's until its last kernel has ended, then the
    host's while it updates, then the link's. A note says where the host is assumed.
    """
    if type(trace) is not Trace:
        arguments.instance("predict", "trace", trace, Trace)
    by_name = type(device) is str and (framework is None or type(framework) is str)
    known = _shipped.get((device, framework)) if by_name else None
    machine, kernels = known or _target(device, framework)
    return machine.predict(lowered(trace, kernels))


def model(device: str | Path | Device, framework: str | Framework | None = None) -> Model:
    """The model that `predict` asks, for one device under one framework."""
    machine = device if isinstance(device, Device) else _device(device)
    check_settled(machine)
    if framework is None:
        framework = default_framework(machine)
    software = framework if isinstance(framework, Framework) else _framework(framework)
    if not runs_on(software, machine):
        fitting = [id for id in frameworks() if runs_on(_framework(id), machine)]
        raise ArgumentError(
            f"[predict] framework {software.id!r} does not run on {machine.id!r} "
            f"({_kind(software, machine)}); those that do: {', '.join(fitting) or 'none'}"
        )
    return Model(machine, of_device(software, machine))


def _kind(software: Framework, machine: Device) -> str:
    """What of the device the framework knows nothing of."""
    if machine.vendor not in software.vendors:
        return machine.vendor
    return f"{machine.family}, of which nothing is known"


def _target(device: str | Path | Device, framework: str | Framework | None) -> tuple[Model, str]:
    """The model, and whose kernels steps are made of there."""
    machine = model(device, framework)
    found = machine, own_lowering(machine.framework.id)
    names = (device, framework)
    if all(type(name) in (str, NoneType) and not is_path(name) for name in names):
        _shipped[names] = found
    return found


def synchronised(machine: Model, trace: Trace) -> tuple[float, float, float]:
    """Seconds of a call that is waited for, and its interval: the launch is a whole round trip.

    Some classes of operations, or operations, take longer than the shortest round trip even with
    nothing to do, call.<class or operation>.wait_s. Where the framework knows how far such calls
    are off, that is the interval: call.<class>.error_part, a split-conformal quantile of measured
    over predicted, or its inverse, minus 1; of a call that waits for more than half of its time
    call.<class>.waiting_error_part, where there is one.

    Where kernels were measured on the device, their times are those of calls that were waited for.
    """
    profile = machine.predict(trace)
    low, high = profile.interval or (profile.time_s, profile.time_s)
    if machine.has_measured_kernels:
        return profile.time_s, low, high
    trip = machine.number("launch.round_trip_s")
    call = trace.calls[0]
    wait = machine.find_scoped("call", f"{call.op}.wait_s")
    wait = wait or machine.find_scoped("call", f"{call.op_class}.wait_s")
    waits_s = trip.value + (wait.value if wait else 0.0)
    kernel_s = alone_s(machine, trace, profile)
    time_s = waits_s + kernel_s
    error = machine.find_scoped("call", f"{call.op_class}.error_part")
    if waits_s > kernel_s:
        error = machine.find_scoped("call", f"{call.op_class}.waiting_error_part") or error
    other_s = time_s - profile.time_s
    if error:  # and how far the data sheet may be off, which other devices' errors don't show
        sheet = machine.number("memory.bandwidth_bytes_per_s").relative_error
        factor = (1.0 + error.value) * (1.0 + sheet)
        return time_s, time_s / factor, time_s * factor
    spread_s = trip.value * trip.relative_error
    return time_s, low + other_s - spread_s, high + other_s + spread_s


def alone_s(machine: Model, trace: Trace, profile: Profile) -> float:
    """Seconds of the kernel of a call that is timed again and again on the same data: where half of
    the last cache holds all of it its traffic takes call.cached_part of what memory's would."""
    terms = profile.terms or {}
    kernel_s = profile.time_s - terms.get("launch", 0.0)
    part = machine.find_scoped("call", "cached_part")
    cache = machine.device.numbers.get("memory.cache_bytes")
    if part is None or cache is None or trace.bytes > 0.5 * cache.value:
        return kernel_s
    arithmetic_s = terms.get("matrix", 0.0) + terms.get("vector", 0.0)
    return min(kernel_s, max(arithmetic_s, part.value * terms.get("bandwidth", 0.0)))


# The parameters of `predict` and `model` hide the functions of the same name.
_device, _framework = device, framework

# Shipped data does not change while the program runs, so a target by its names is kept: a
# prediction then costs one look-up. A user's own file is read again each time.
_shipped: dict[tuple[object, object], tuple[Model, str]] = {}
