"""Peaks that follow from cores, clock and width: cores x clock x FLOP per core and cycle."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import device
from siliconprof._core import Number
from siliconprof.frameworks import runs_on
from siliconprof.numbers import DTYPES, NumberFile
from siliconprof.peaks import peak_key, per_cycle_key, stated_despite, with_derived_peaks

FACTORS = {
    "compute.cores": Number(10, "spec", "a", 0.0),
    "compute.clock_hz": Number(2e9, "measured", "b", 0.05),
    per_cycle_key("vector", "float32"): Number(256, "spec", "https://example.org", 0.02),
}


def derived(**numbers) -> dict[str, Number]:
    return dict(with_derived_peaks(NumberFile("x.toml", {}, {}, {**FACTORS, **numbers})).numbers)


def test_a_peak_that_is_left_out_is_the_product_of_its_factors():
    peak = derived()[peak_key("vector", "float32")]
    assert peak.value == pytest.approx(10 * 2e9 * 256)
    assert peak.kind == "assumed"
    assert peak.relative_error == pytest.approx(0.07)
    assert "https://example.org" in peak.source


def test_a_published_peak_stays_as_it_is():
    published = Number(5e12, "spec", "sheet", 0.0)
    assert derived(**{peak_key("vector", "float32"): published})[peak_key("vector", "float32")] == (
        published
    )


def test_peaks_that_are_stated_do_not_follow_cores_and_clock():
    stated, set_one = peak_key("vector", "float16"), peak_key("matrix", "float16")
    numbers = derived(
        **{stated: Number(5e12, "spec", "sheet", 0.0)},
        **{set_one: Number(5e12, "assumed", "set by the user (what-if), here", 0.0)},
    )
    for key in ("compute.cores", "compute.clock_hz", per_cycle_key("vector", "float16")):
        assert stated_despite([key], numbers) == [stated]
    assert stated_despite([per_cycle_key("vector", "float32")], numbers) == []
    assert stated_despite(["memory.capacity_bytes"], numbers) == []


def test_without_a_width_there_is_no_peak():
    assert peak_key("matrix", "float32") not in derived()


@pytest.mark.parametrize(
    ("name", "unit", "dtype", "published"),
    [  # the makers' own tables, in TFLOP/s
        ("a100", "matrix", "float16", 312),
        ("a100", "matrix", "tf32", 156),
        ("a100", "vector", "float64", 9.7),
        ("v100", "matrix", "float16", 125),
        ("v100", "vector", "float32", 15.7),
        ("t4", "matrix", "float16", 65),
        ("rtx-3090", "matrix", "float16", 71),
        ("rtx-3090", "matrix", "tf32", 35.6),
        ("a10", "matrix", "bfloat16", 125),
        ("a40", "matrix", "tf32", 74.8),
        ("l4", "matrix", "float16", 121),
        ("l40s", "vector", "float32", 91.6),
        ("rtx-6000-ada", "vector", "float32", 91.1),
        ("rtx-4080", "vector", "float32", 48.7),
        ("rtx-5090", "matrix", "float16", 209.5),
        ("rtx-5090", "vector", "float32", 104.8),
        ("m1", "vector", "float32", 2.6),
        ("m1-ultra", "vector", "float32", 21.2),
        ("m1-ultra-48", "vector", "float32", 15.9),
    ],
)
def test_packaged_widths_give_the_published_peak(name, unit, dtype, published):
    peak = device(name).numbers[peak_key(unit, dtype)].value / 1e12
    assert peak == pytest.approx(published, rel=0.012)


@pytest.mark.parametrize("name", sp.devices())
def test_no_product_is_predicted_to_be_faster_than_the_peak_of_its_dtype(name):
    """Products that fill a machine and odd ones, by every framework that runs there."""
    machine = device(name)
    sizes = ("batch", "m", "k", "n")
    shapes = [(8, 4096, 4096, 4096), (1, 1000, 1000, 1000), (1, 16384, 4096, 257), (64,) * 4]
    judged = 0
    for under in sp.frameworks():
        if not runs_on(sp.framework(under), machine):
            continue
        for dtype in DTYPES:
            keys = (peak_key(unit, dtype) for unit in ("matrix", "vector"))
            peak = next((machine.numbers[key] for key in keys if key in machine.numbers), None)
            for shape in shapes if peak else ():
                product = sp.op("matmul", **dict(zip(sizes, shape, strict=True)), dtype=dtype)
                rate = product.flops / sp.predict(product, machine, under).time_s
                assert rate <= peak.value, (under, dtype, shape)
                judged += 1
    assert judged >= len(shapes)


@pytest.mark.parametrize(
    ("name", "times"),
    [("epyc-9654", 2), ("ryzen-9-7950x", 2), ("epyc-7763", 1), ("ryzen-9-5950x", 1),
     ("xeon-8380", 1)],
)  # fmt: skip
def test_bfloat16_products_have_twice_float32s_peak_where_a_cpu_has_dot_products_of_pairs(
    name, times
):
    """AVX512_BF16: Zen 4 has it, Zen 3 and Ice Lake don't."""
    numbers = {key: number.value for key, number in sp.device(name).numbers.items()}
    half, single = (
        numbers[f"peak.matrix.{dtype}_flops_per_s"] for dtype in ("bfloat16", "float32")
    )
    assert half == pytest.approx(times * single)
    assert numbers["peak.vector.bfloat16_flops_per_s"] == pytest.approx(single)


def test_a_zen_4s_dot_products_are_taken_to_be_used():
    """By PyTorch, and by the library's own kernels."""
    single, half = (
        sp.op("matmul", m=4096, k=4096, n=4096, dtype=dtype) for dtype in ("float32", "bfloat16")
    )

    def ratio(name, framework):
        return sp.predict(single, name, framework).time_s / sp.predict(half, name, framework).time_s

    for name in ("epyc-9654", "ryzen-9-7950x"):
        for framework in ("torch-cpu", "native"):
            assert ratio(name, framework) == pytest.approx(2.0, rel=0.02)
    assert ratio("epyc-7763", "torch-cpu") == pytest.approx(1.0, rel=0.02)
