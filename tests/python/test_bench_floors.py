"""benchmarks/floors.py: what decides how fast a format can be."""

from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof import _core


@pytest.mark.parametrize(
    ("dots", "tiles", "peak"),
    [(2e11, 1e11, 2e11), (5e10, 8e10, 1e11), (None, 4e11, 4e11), (5e10, 9e11, 9e11)],
)
def test_the_peak_of_16_bits_is_that_of_their_quickest_instructions(
    load, monkeypatch, dots, tiles, peak
):
    """float32's multiply-adds reach 1e11 here; matrix tiles show in products alone."""

    def measure_fma_peak(dtype, *_):
        if dtype == "bfloat16" and dots is None:
            raise sp.DtypeError("[peak] dtype is bfloat16")
        return [dots if dtype == "bfloat16" else 1e11]

    floors = load("floors")
    monkeypatch.setattr(_core, "measure_fma_peak", measure_fma_peak)
    monkeypatch.setattr(floors, "plateau_rates", lambda *_: [tiles])
    found = floors.Floors(2, 0.1)
    assert found.flops_per_s("bfloat16") == pytest.approx(peak)
    assert found.flops_per_s() == pytest.approx(1e11)
