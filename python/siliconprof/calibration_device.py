"""The Device that a calibration's measurements amount to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from . import _core
from ._core import Device, Error, Number
from .calibration_samples import Measured, cache_bytes, disturbance, interruptions, quick
from .numbers import LOCAL, range_of
from .rate_fit import LEAST_ERROR, Fit, Point, fit_rates

# Start, arithmetic, three surfaces and memory: a kernel with fewer points than this takes the
# start of a stream, as thin products do, none of which is short.
_POINTS_OF_A_START = 6
_START = "start_s"
_ARITHMETIC = "arithmetic_flops_per_s"
_STREAM = "add"
_SINGLE = "float32"
_VECTORS = (_SINGLE, "float64")
_PRODUCT = "matrix_product"
# All that operations pay for which read and write alone.
_STREAMED = {_START, "cached_bytes_per_s", "memory_bytes_per_s", "streamed_bytes_per_s"}
# Three shapes stand for all layouts and short sides of products: of 630 times measured on two cores
# of a Xeon with AMX nine in ten lay within this (a factor, less 1).
_THIN = "product_thin"
_THIN_ERROR = 0.6
# One shape, or two, stand for all convolutions but those of 3 x 3 windows: strided ones of larger
# images took up to this longer.
_FEW_SHAPES_ERROR = 0.3
# Whose counted bytes are a whole table, of which a call touches some rows: no measure of others.
_UNTOUCHED = ("embedding_backward_add",)
# Nothing multiplies much faster than products; where windows of 3 x 3 lie at every position, down
# to a quarter of the multiplications may be made [lavin2016].
_OVER_PRODUCTS = 1.1
_FEWEST_OF_3X3 = 0.25
# Of the time of the quickest product its surfaces take a third at most.
_OVER_WHOLE_PRODUCTS = 1.5
_WHOLE_NUMBER_ERROR = 0.001  # what the system counts
_CACHE_ERROR = 0.2  # half the way between two working sets

Kind = tuple[str, str]  # of a kernel or a class of operations, and its dtype


def build_device(
    vendor: str,
    framework: str,
    facts: Mapping[str, str],
    found: Sequence[Measured],
    today: str,
) -> Device:
    """Numbers from what was measured, memory levels first."""
    name = _printable(facts.get("cpu", "")) or "this machine"
    capacity = capacity_bytes(facts)
    cores = facts.get("cores", "?")
    title = f"siliconprof calibrate on {name}, {cores} cores"
    source = f"{title.replace('(', '[').replace(')', ']')} ({today}), {LOCAL}"
    levels = [measured for measured in found if measured.kernel.working_set_bytes]
    cache = cache_bytes(levels)
    fits = fit_kernels(found, cache)
    # Few samples repeat well on any machine; all together tell how well this one repeats.
    least_error = max(LEAST_ERROR, min(disturbance(found) - 1.0, 0.9))
    numbers = {
        "memory.capacity_bytes": Number(capacity, "measured", source, _WHOLE_NUMBER_ERROR),
        "memory.cache_bytes": Number(min(cache, capacity), "fitted", source, _CACHE_ERROR),
        "memory.bandwidth_bytes_per_s": _bandwidth(levels, source, least_error),
        **_peaks(found, source, least_error),
    }
    errors = _errors(fits, least_error)
    for (kernel, dtype), fit in fits.items():
        for key, each in fit.seconds_per_unit.items():
            value = each if key == _START else 1.0 / each
            low, high = range_of(key)
            if low <= value <= high:  # beyond it the work takes no time to speak of
                path = f"kernel.{framework}.{kernel}.{dtype}.{key}"
                numbers[path] = Number(value, "fitted", source, errors[kernel, dtype])
    return Device(_id(name), name, vendor, vendor, numbers)


def capacity_bytes(facts: Mapping[str, str]) -> float:
    """Of the machine's memory. Raises: Error where the system doesn't say it."""
    found = facts.get("memory_bytes", "")
    low, high = range_of("memory.capacity_bytes")
    try:
        number = float(found)
    except ValueError:
        number = 0.0
    if not low <= number <= high:
        raise Error(f"[calibrate] memory_bytes = {found!r}: the machine's bytes are needed")
    return number


def _printable(name: str) -> str:
    """The name as a device file can hold it."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def _errors(fits: Mapping[Kind, Fit], least_error: float) -> dict[Kind, float]:
    """Of each fit its residual; where as many rates as points leave none, the middle one of the
    others. None is known better than the machine repeats, or than its few shapes tell."""
    judged = [fit.residual for fit in fits.values() if fit.spare > 0]
    usual = _core.median(judged) if judged else least_error
    return {
        (kernel, dtype): min(
            max(fit.residual if fit.spare > 0 else usual, least_error, _few_shapes_error(kernel)),
            0.9,
        )
        for (kernel, dtype), fit in fits.items()
    }


def _few_shapes_error(kernel: str) -> float:
    if kernel == _THIN:
        return _THIN_ERROR
    is_of_few = kernel.startswith("conv2d") and "3x3" not in kernel
    return _FEW_SHAPES_ERROR if is_of_few else 0.0


def fit_kernels(found: Sequence[Measured], cache: float) -> dict[Kind, Fit]:
    """Rates by kernel, and by class for the ops that were not measured; each by dtype."""
    interrupted = interruptions(found)
    points: dict[tuple[str, str, str], list[Point]] = {}
    for measured in found:
        call = measured.trace.calls[0]
        key = (_core.kernel_name(call), call.op_class, call.dtype)
        points.setdefault(key, []).extend(measured.points(cache, interrupted))
    streams = points.get((_STREAM, "elementwise", _SINGLE), [])
    start_s = fit_rates(streams).seconds_per_unit.get(_START, 1e-7) if streams else 1e-7
    fixed = {_START: start_s}
    fits: dict[Kind, Fit] = {}
    by_class: dict[Kind, list[Point]] = {}
    for (kernel, op_class, dtype), some in sorted(points.items(), key=_products_first):
        known = None if len(some) >= _POINTS_OF_A_START and kernel != _THIN else fixed
        is_product = _is_full_product(kernel, op_class)
        least = _quickest(points, dtype) if is_product else _least_of(kernel, dtype, fits)
        fits[kernel, dtype] = fit_rates(some, known, least)
        if kernel not in _UNTOUCHED:
            by_class.setdefault((op_class, dtype), []).extend(some)
    for kind, some in by_class.items():
        if kind not in fits and all(set(p.amounts) <= _STREAMED for p in some):
            fits[kind] = fit_rates(some, fixed)
    return fits


def _products_first(item: tuple[tuple[str, str, str], object]) -> bool:
    kernel, op_class, _ = item[0]
    return not _is_full_product(kernel, op_class)


def _is_full_product(kernel: str, op_class: str) -> bool:
    """Of no short side: what arithmetic alone takes shows in these."""
    return op_class == _PRODUCT and kernel.startswith("product") and kernel != _THIN


def _quickest(
    points: Mapping[tuple[str, str, str], Sequence[Point]], dtype: str
) -> dict[str, float]:
    """What a unit of arithmetic takes at least in a product, going by the quickest one: how it
    shares the time with the surfaces shows in few shapes."""
    units = [
        point.seconds / point.amounts[_ARITHMETIC]
        for (kernel, op_class, other), some in points.items()
        if other == dtype and _is_full_product(kernel, op_class)
        for point in some
    ]
    return {_ARITHMETIC: min(units) / _OVER_WHOLE_PRODUCTS}


def _least_of(kernel: str, dtype: str, fits: Mapping[Kind, Fit]) -> dict[str, float]:
    """What a unit of arithmetic takes at least, going by the products; few points don't tell."""
    products = [
        fit
        for (name, other), fit in fits.items()
        if other == dtype and name.startswith("product") and name != _THIN
    ]
    units = [fit.seconds_per_unit for fit in products]
    known = [each[_ARITHMETIC] for each in units if _ARITHMETIC in each]
    if not known:
        return {}
    part = _FEWEST_OF_3X3 if "3x3" in kernel else 1.0
    return {_ARITHMETIC: part * min(known) / _OVER_PRODUCTS}


def _bandwidth(levels: Sequence[Measured], source: str, least_error: float) -> Number:
    """Of the largest working set."""
    last = levels[-1]
    moved = last.trace.calls[0].cost.bytes
    best_s = quick(last.far_s)
    error = max(least_error, min(_core.median(last.far_s) / best_s - 1.0, 0.9))
    return Number(moved / best_s, "measured", source, error)


def _peaks(found: Sequence[Measured], source: str, least_error: float) -> dict[str, Number]:
    """The best rate of a product, by dtype: on a CPU's vector units, but for 16 bits."""
    rates: dict[str, tuple[float, float]] = {}
    for measured in found:
        call = measured.trace.calls[0]
        if call.op_class == _PRODUCT:
            best_s = quick(measured.far_s)
            error = _core.median(measured.far_s) / best_s - 1.0
            rate = (call.cost.flops / best_s, max(least_error, min(error, 0.9)))
            rates[call.dtype] = max(rates.get(call.dtype, rate), rate)
    return {
        f"peak.{unit}.{dtype}_flops_per_s": Number(rate, "measured", source, error)
        for dtype, (rate, error) in rates.items()
        for unit in ("matrix", "vector")
        if unit == "matrix" or dtype in _VECTORS
    }


def _id(name: str) -> str:
    """Letters, digits and dashes of a machine's name."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return f"{words[:48].strip('-') or 'machine'}-here"
