"""Random calls of any operation for comparisons with PyTorch: sizes, and inputs from its domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

import siliconprof as sp
from siliconprof import _core

torch = pytest.importorskip("torch")

Sizes = dict[str, Any]
Random = numpy.random.Generator


ENGINES = ["reference", "openblas"]
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24}
CASES = 6
OPS = [op for op in _core.op_names() if not op.endswith("_backward")]


# ---- sizes ------------------------------------------------------------------------------


def any_size(random: Random, least: int = 1, most: int = 23) -> int:
    return int(random.integers(least, most + 1))


def conv_sizes(random: Random, *axes: str) -> Sizes:
    kernels = {"length": "kernel", "height": "kernel_h", "width": "kernel_w"}
    sizes = {"batch": any_size(random, 1, 3), "channels": any_size(random, 1, 9)}
    sizes |= {"outputs": any_size(random, 1, 9), "stride": any_size(random, 1, 3)}
    for axis in axes:
        sizes |= {axis: any_size(random, 5, 19), kernels[axis]: any_size(random, 1, 5)}
    least = min(size for name, size in sizes.items() if name.startswith("kernel"))
    return {**sizes, "padding": any_size(random, 0, min(2, least - 1))}


def pool_sizes(random: Random) -> Sizes:
    kernel = any_size(random, 1, 3)
    sizes = {"batch": any_size(random, 1, 3), "channels": any_size(random, 1, 9), "kernel": kernel}
    sizes |= {"height": any_size(random, 3, 15), "width": any_size(random, 3, 15)}
    return {**sizes, "stride": any_size(random, 1, 3), "padding": any_size(random, 0, kernel // 2)}


def attention_sizes(random: Random) -> Sizes:
    queries = any_size(random)
    keys = queries + any_size(random, 0, 9)
    sizes = {"batch": any_size(random, 1, 3), "heads": any_size(random, 1, 4)}
    sizes |= {"queries": queries, "keys": keys, "head_dim": any_size(random, 1, 17)}
    return {**sizes, "causal": any_size(random, 0, 1)}


def qkv_sizes(random: Random) -> Sizes:
    sizes = {"batch": any_size(random, 1, 3), "tokens": any_size(random)}
    sizes |= {"heads": any_size(random, 1, 4), "head_dim": any_size(random, 1, 17)}
    return {**sizes, "causal": any_size(random, 0, 1)}


def slice_sizes(random: Random) -> Sizes:
    length, begin = any_size(random), any_size(random, 0, 9)
    size = begin + length + any_size(random, 0, 9)
    sizes = {"outer": any_size(random), "size": size, "length": length}
    return {**sizes, "inner": any_size(random), "begin": begin}


def scatter_sizes(random: Random) -> Sizes:
    count = any_size(random)
    return {"rows": count + any_size(random, 0, 9), "count": count, "columns": any_size(random)}


def normed(*summed: str) -> Callable[[Random], Sizes]:
    """Eight elements at least for each mean: fewer can lie so close that 1/σ is thousands."""
    others = {
        "layer_norm": ("rows",),
        "rms_norm": ("rows",),
        "normalise": ("rows",),
        "group_norm": ("batch", "groups", "channels"),
        "batch_norm": ("channels", "inner"),
    }

    def sizes(random: Random) -> Sizes:
        name, *long = summed
        free = {dim: any_size(random, 1, 7) for dim in others[name]}
        return {**free, **{dim: any_size(random, 8, 30) for dim in long}}

    return sizes


def log_mel_sizes(random: Random) -> Sizes:
    fft = int(random.choice([16, 30, 400]))
    sizes = {"batch": any_size(random, 1, 3), "samples": fft + any_size(random, 0, 300)}
    return {**sizes, "mels": any_size(random, 1, 9), "fft": fft, "hop": max(1, fft * 2 // 5)}


def flags(*names: str, **ranges: tuple[int, int]) -> Callable[[Random], Sizes]:
    """Switches on or off, and numbers within a range; the sizes are as for any op."""
    return lambda random: {
        **{name: any_size(random, 0, 1) for name in names},
        **{name: any_size(random, *ends) for name, ends in ranges.items()},
    }


SIZES: Mapping[str, Callable[[Random], Sizes]] = {
    "matmul": flags("transpose_a", "transpose_b"),
    "matvec": flags("transpose"),
    "sort": flags("descending"),
    "slice": slice_sizes,
    "scatter": scatter_sizes,
    "layer_norm": normed("layer_norm", "n"),
    "rms_norm": normed("rms_norm", "n"),
    "normalise": normed("normalise", "n"),
    "group_norm": normed("group_norm", "inner"),
    "batch_norm": normed("batch_norm", "outer"),
    "cross_entropy": flags(v=(2, 40)),
    "nt_xent": lambda random: {"rows": 2 * any_size(random, 2, 12), "temperature": 0.5},
    "conv1d": lambda random: conv_sizes(random, "length"),
    "conv2d": lambda random: conv_sizes(random, "height", "width"),
    "max_pool2d": pool_sizes,
    "avg_pool2d": pool_sizes,
    "attention": attention_sizes,
    "attention_qkv": qkv_sizes,
    "log_mel": log_mel_sizes,
    "rotary": lambda random: {"head_dim": 2 * any_size(random, 1, 17), **flags("inverse")(random)},
    "adamw": flags(step=(1, 9)),
    "sgd": flags("nesterov"),
    "update_scale": flags(n=(1, 1), growth_interval=(3, 3)),  # a count is always below it
    "fill": flags(value=(-9, 9)),
}


def sizes_of(op: str, seed: int) -> Sizes:
    """Sizes and attributes by name: what the table says, else any size and the defaults."""
    random = numpy.random.default_rng([seed, *op.encode()])
    found = {**_core.op_attributes(op), **{dim: any_size(random) for dim in _core.op_dims(op)}}
    return {**found, **SIZES.get(op, lambda _: {})(random)}


def trace_of(op: str, sizes: Sizes, dtype: str, vjp: bool = False) -> sp.Trace:
    dims = {name: sizes[name] for name in _core.op_dims(op)}
    attributes = {name: float(sizes[name]) for name in _core.op_attributes(op)}
    return _core.single_op(op, dims, dtype, attributes, vjp)


# ---- inputs -----------------------------------------------------------------------------


def inputs_of(op: str, trace: sp.Trace, seed: int) -> list[numpy.ndarray]:
    """Normally distributed numbers, indices where they may lie, in the op's domain."""
    random = numpy.random.default_rng([seed, 7])
    arrays = [array.copy() for array in sp.bind(trace, engine="reference").inputs]
    for array in arrays:
        if array.dtype == numpy.uint16:  # the bits of bfloat16
            numbers = random.standard_normal(array.shape).astype(numpy.float32)
            array[...] = numbers.view(numpy.uint32) >> 16
        elif array.dtype != numpy.int32:
            array[...] = random.standard_normal(array.shape)
    fit = DOMAINS.get(op)
    if fit is not None:
        fit(random, *arrays)
    return arrays


def fit_probabilities(random: Random, p: numpy.ndarray, t: numpy.ndarray, *_: Any) -> None:
    p[...], t[...] = random.uniform(0.02, 0.98, p.shape), random.uniform(0.0, 1.0, t.shape)


def fit_distinct(random: Random, x: numpy.ndarray, index: numpy.ndarray, *_: Any) -> None:
    index[...] = random.permutation(x.shape[0])[: index.size]


def fit_moments(random: Random, p: Any, g: Any, m: Any, v: numpy.ndarray) -> None:
    v[...] = random.uniform(0.1, 1.0, v.shape)


def fit_total(random: Random, x: Any, total: numpy.ndarray) -> None:
    total[...] = random.choice([0.0, 0.3, 25.0])


def fit_loss_scale(random: Random, g: numpy.ndarray, scale: numpy.ndarray, found: Any) -> None:
    scale[...], found[...] = 1024.0, random.integers(0, 2)
    if g.size and random.integers(0, 2):
        g[random.integers(0, g.size)] = random.choice([numpy.inf, -numpy.inf, numpy.nan])


def fit_scale_state(random: Random, scale: Any, tracker: Any, found: Any) -> None:
    scale[...], tracker[...], found[...] = 1024.0, random.integers(0, 3), random.integers(0, 2)


def fit_filters(random: Random, audio: Any, filters: numpy.ndarray, *cotangent: Any) -> None:
    filters[...] = random.uniform(0.1, 1.0, filters.shape)
    audio[:, audio.shape[1] // 2 :] *= 3e-5  # so quiet that it is raised to 8 below the largest


DOMAINS: Mapping[str, Callable[..., None]] = {
    "bce": fit_probabilities,
    "scatter": fit_distinct,
    "adamw": fit_moments,
    "square_sum": fit_total,
    "clip": fit_total,
    "unscale": fit_loss_scale,
    "update_scale": fit_scale_state,
    "log_mel": fit_filters,
}


# ---- both sides -------------------------------------------------------------------------


def has_vjp(op: str) -> bool:
    try:
        trace_of(op, sizes_of(op, 0), "float32", vjp=True)
    except sp.ArgumentError:
        return False
    return True


def exact(array: numpy.ndarray, follow: bool = False) -> Any:
    """The array's values as a float64 tensor; indices as they are."""
    if array.dtype == numpy.int32:
        return torch.from_numpy(array)
    return torch.from_numpy(values(array)).clone().requires_grad_(follow)


def values(array: numpy.ndarray) -> numpy.ndarray:
    """In float64; bfloat16 comes as its bits."""
    if array.dtype == numpy.uint16:
        return (array.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64)


def evaluated(trace: sp.Trace, arrays: list[numpy.ndarray], engine: str) -> list[numpy.ndarray]:
    """Whether every engine has every op is asked elsewhere."""
    try:
        return sp.evaluate(trace, *arrays, engine=engine)
    except sp.ArgumentError as error:
        if "] op is " in str(error):
            pytest.skip(f"{engine} lacks it")
        raise


def expect_near(
    found: numpy.ndarray, truth: numpy.ndarray, trace: sp.Trace, dtype: str, size: float
) -> None:
    """Each operation behind an element rounds once at most, in numbers no larger than `size`:
    twice that where the truth is rounded alike. NaN and infinities are where the truth has them."""
    wanted = truth.astype(numpy.float64).reshape(found.shape)
    behind = 16.0 + trace.flops / max(1, min(result.size for result in (found, wanted)))
    sides = 2.0 if truth.dtype == dtype else 1.0
    finite = wanted[numpy.isfinite(wanted)]
    largest = max(size, float(numpy.abs(finite).max(initial=1.0)))
    bound = sides * behind * ROUNDOFF[dtype] * largest
    numpy.testing.assert_allclose(values(found), wanted, rtol=0.0, atol=bound)


def largest(arrays: list[numpy.ndarray]) -> float:
    floats = [abs(a[numpy.isfinite(a)]).max(initial=1.0) for a in arrays if a.dtype.kind == "f"]
    return float(max(floats, default=1.0))
