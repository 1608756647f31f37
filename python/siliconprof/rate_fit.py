"""Rates of a kernel from what it took: non-negative, with the least relative errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy

# A fit through as many points as rates leaves no residual; no measurement repeats better than this.
LEAST_ERROR = 0.01
# Least squares are repeated with each point's weight one over its error, which makes them least
# absolute errors: a point that was disturbed doesn't bend the others.
_REWEIGHTINGS = 12
_SMALL_ERROR = 0.01
_SMALL_PART = 0.1  # of what was measured: what a fit predicts is taken as that at least
_AS_MUCH = 1e-9  # rounding decides nothing

@dataclass(frozen=True)
class Point:
    """One kernel under one condition: amounts of work by the key of their rate, and seconds."""

    amounts: Mapping[str, float]
    seconds: float


@dataclass(frozen=True)
class Fit:
    """Seconds for each unit of work by key; the 90th percentile of the residuals, predicted over
    measured or the other way less 1, and the sum of squares of the relative ones.

    spare: points beyond the rates that were fitted; without any the residual tells nothing.
    """

    seconds_per_unit: Mapping[str, float]
    residual: float
    squares: float
    spare: int


def fit_rates(
    points: Sequence[Point],
    fixed: Mapping[str, float] | None = None,
    least: Mapping[str, float] | None = None,
) -> Fit:
    """The rates, none negative, that make the relative errors of `points` least.

    `fixed`: seconds for each unit of work that are known already; `least`: what others take at
    least. Work whose rate the points leave at infinity is not in the fit. Raises: ValueError for no
    points.
    """
    if not points:
        raise ValueError("[fit_rates] no points; needed: at least one")
    known = dict(fixed or {})
    keys = sorted({key for point in points for key in point.amounts} - set(known))
    least_s = numpy.array([(least or {}).get(key, 0.0) for key in keys])
    seconds = numpy.array([point.seconds for point in points])
    rest = seconds - [
        sum(point.amounts.get(key, 0.0) * each for key, each in known.items()) for point in points
    ]
    amounts = numpy.array([[point.amounts.get(key, 0.0) for key in keys] for point in points])
    rest = rest - amounts @ least_s
    relative = amounts / seconds[:, None]
    scale = numpy.maximum(numpy.linalg.norm(relative, axis=0), 1e-300)
    weights = numpy.ones(len(points))
    for _ in range(_REWEIGHTINGS):
        found = nonnegative_least_squares(
            relative / scale * weights[:, None], rest / seconds * weights
        )
        found /= scale
        errors = numpy.abs((rest - amounts @ found) / seconds)
        weights = 1.0 / numpy.sqrt(numpy.maximum(errors, _SMALL_ERROR))
    # As intervals read an error: a factor either way, less 1.
    predicted = numpy.maximum(1.0 - (rest - amounts @ found) / seconds, _SMALL_PART)
    factors = numpy.maximum(predicted, 1.0 / predicted) - 1.0
    units = zip(keys, found + least_s, strict=True)
    fitted = {key: float(each) for key, each in units if each > 0.0}
    return Fit(
        {**known, **fitted},
        max(float(numpy.quantile(factors, 0.9)), LEAST_ERROR),
        float(errors @ errors),
        len(points) - int(numpy.count_nonzero(found)),
    )


def nonnegative_least_squares(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """x >= 0 that minimises |a·x - b|; a (rows, columns), b (rows) -> x (columns).

    Source: C. Lawson and R. Hanson, Solving Least Squares Problems, 1974, chapter 23.
    """
    columns = a.shape[1]
    x = numpy.zeros(columns)
    free = numpy.zeros(columns, bool)
    for _ in range(10 * columns):
        gradient = a.T @ (b - a @ x)
        gradient[free] = -numpy.inf
        best = float(gradient.max())
        # Of columns that explain as much, as all work does of a kernel with one shape, the first.
        entering = int(numpy.argmax(gradient >= best - _AS_MUCH * abs(best)))
        if free.all() or best <= 1e-12:
            break
        free[entering] = True
        x = _bounded_step(a, b, x, free)
    return x


def _bounded_step(
    a: numpy.ndarray, b: numpy.ndarray, x: numpy.ndarray, free: numpy.ndarray
) -> numpy.ndarray:
    """The least squares of the free columns; those that would turn negative leave, one by one."""
    while free.any():
        trial = numpy.zeros_like(x)
        trial[free] = numpy.linalg.lstsq(a[:, free], b, rcond=None)[0]
        negative = free & (trial <= 0.0)
        if not negative.any():
            return trial
        steps = x[negative] / (x[negative] - trial[negative])
        x = x + float(steps.min()) * (trial - x)
        free &= x > 1e-300
    return numpy.zeros_like(x)
