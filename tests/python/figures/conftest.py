"""Small tables to draw, and bare axes to draw into."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from siliconprof.experiments.table import Row, Table


@pytest.fixture
def axes():
    return Figure().add_subplot()


def rate(device, framework, dtype, size, value, origin="predicted", spread=0.1) -> Row:
    point = {
        "quantity": "compute rate",
        "dtype": dtype,
        "size": size,
        "flops": 2 * size**3,
        "bytes": 12 * size**2,
    }
    if origin == "measured":
        point["n"] = 9
    low, high = value * (1 - spread), value * (1 + spread)
    what = f"matmul {size}, compute rate"
    return Row(origin, device, framework, what, value, "FLOP/s", low, high, "s", point)


def roof(device, quantity, value, dtype="") -> Row:
    point = {"quantity": quantity, "dtype": dtype}
    return Row("recorded", device, "", quantity, value, "x", None, None, "s", point)


@pytest.fixture
def table():
    """Two machines and this one, two dtypes, two sizes; and the roofs of one of them."""
    rows = [
        rate(device, framework, dtype, size, base * size)
        for device, framework, base in (
            ("rtx-a6000", "torch-cuda", 3e9),
            ("m2-ultra", "mlx", 2e9),
            ("m2-ultra", "torch-mps", 1e9),
        )
        for dtype in ("float32", "float16")
        for size in (128, 1024)
    ]
    rows += [
        rate("here", "openblas", dtype, 128, 1e10, "measured") for dtype in ("float32", "float16")
    ]
    rows += [
        roof("m2-ultra", "bandwidth roof", 8e11),
        roof("m2-ultra", "peak roof", 2.7e13, "float32"),
        roof("m2-ultra", "peak roof", 5.4e13, "float16"),
    ]
    host = {"cpu": "Fast CPU", "cores": "2"}
    return Table("figure7", tuple(rows), host, {}, "2025-01-02T00:00:00+00:00")
