from __future__ import annotations

from itertools import pairwise

import pytest

from siliconprof.experiments.figure6 import EXPERIMENT, Params, point, run
from siliconprof.experiments.table import Row, Table
from siliconprof.figures.render import draw
from siliconprof.figures.style import style

X = "shape of the matrix"


@pytest.fixture
def made(still):
    return run(EXPERIMENT.quick_parameters)


def test_a_point_is_bound_by_its_matrix():
    where = point(16384, 4096, "float32")
    assert where.trace.flops == 2 * 16384 * 4096
    assert where.trace.bytes == 4 * (16384 * 4096 + 16384 + 4096)
    assert where.size == 16384 * 4096


def test_the_sweep_ends_at_the_papers_largest_shape():
    assert Params().shapes[-1] == (16384, 4096)


def test_every_shape_has_a_time_and_a_traffic_rate_measured_and_predicted(made):
    for m, n in EXPERIMENT.quick_parameters.shapes:
        for origin in ("measured", "predicted"):
            for quantity in ("time", "traffic rate"):
                assert made.where(origin=origin, quantity=quantity, size=m * n, dtype="float16")


def test_no_predicted_traffic_rate_is_above_the_devices_bandwidth(made):
    for row in made.where(origin="predicted", quantity="traffic rate"):
        (roof,) = made.where(device=row.device, quantity="bandwidth roof")
        assert row.value <= roof.value


def test_names_of_near_shapes_do_not_meet():
    rows = [
        Row("predicted", "m2-max", "mlx", f"matvec {m}x{n} {dtype}", 1.0, "s", None, None, "s", {
            "quantity": quantity, "size": m * n, "dtype": dtype, "flops": 1, "bytes": 1,
        })
        for m, n in Params().shapes
        for dtype in ("float32", "float16")
        for quantity in ("time", "traffic rate")
    ]  # fmt: skip
    with style():
        figure = draw(EXPERIMENT, Table("figure6", tuple(rows), {}, {}, ""))
        figure.canvas.draw()
    panel = next(axes for axes in figure.axes if axes.get_xlabel() == X and axes.lines)
    boxes = [text.get_window_extent() for text in panel.get_xticklabels()]
    assert min(right.x0 - left.x1 for left, right in pairwise(boxes)) > 5.0
