from __future__ import annotations

import numpy
import pytest

from siliconprof.rate_fit import LEAST_ERROR, Point, fit_rates, nonnegative_least_squares


def test_a_column_that_would_turn_negative_is_left_out():
    # Without the bound x = (2, -1).
    a = numpy.array([[1.0, 1.0], [1.0, 2.0], [1.0, 0.0]])
    found = nonnegative_least_squares(a, numpy.array([1.0, 0.0, 2.0]))
    assert found == pytest.approx([1.0, 0.0])


def test_exact_points_give_their_rates_back():
    points = [Point({"start": 1.0, "bytes": n}, 2.0 + 0.5 * n) for n in (1.0, 10.0, 100.0)]
    fit = fit_rates(points)
    assert fit.seconds_per_unit == pytest.approx({"start": 2.0, "bytes": 0.5})
    assert fit.residual == LEAST_ERROR


def test_a_fit_says_how_many_points_judge_it():
    points = [Point({"start": 1.0, "bytes": n}, 2.0 + 0.5 * n) for n in (1.0, 10.0, 100.0)]
    assert [fit_rates(points[:n]).spare for n in (2, 3)] == [0, 1]
    assert fit_rates(points[:2], {"start": 2.0}).spare == 1


def test_one_disturbed_point_does_not_bend_the_others():
    points = [Point({"bytes": n}, 0.5 * n) for n in (1.0, 2.0, 4.0, 8.0)]
    fit = fit_rates([*points, Point({"bytes": 16.0}, 24.0)])
    assert fit.seconds_per_unit["bytes"] == pytest.approx(0.5, rel=0.02)


def test_what_is_known_stays():
    fit = fit_rates([Point({"start": 1.0, "bytes": 4.0}, 3.0)], {"start": 1.0})
    assert fit.seconds_per_unit == pytest.approx({"start": 1.0, "bytes": 0.5})


def test_what_work_takes_at_least_stays_where_points_would_have_it_take_less():
    # Alone the flops would go to the bytes, which these points can't tell from them.
    points = [Point({"flops": n, "bytes": n + 1.0}, 3.0 * (n + 1.0)) for n in (1.0, 2.0, 4.0)]
    assert "flops" not in fit_rates(points).seconds_per_unit
    fit = fit_rates(points, None, {"flops": 1.0})
    assert fit.seconds_per_unit["flops"] == pytest.approx(1.0)
    assert 2.0 < fit.seconds_per_unit["bytes"] < 3.0
    freely = fit_rates([Point({"flops": n}, 2.0 * n) for n in (1.0, 2.0)], None, {"flops": 1.0})
    assert freely.seconds_per_unit == pytest.approx({"flops": 2.0})


def test_what_one_shape_cannot_tell_apart_goes_to_the_first_of_its_kinds_of_work():
    """By the order of their keys: arithmetic, not whichever surface rounding favours."""
    work = {"arithmetic": 3.0, "left": 0.7, "result": 0.1}
    points = [Point({**work, "memory": 7.0}, 2.2), Point(work, 1.7)]
    found = fit_rates(points, None, {"arithmetic": 0.1}).seconds_per_unit
    assert found == pytest.approx({"arithmetic": 1.7 / 3.0, "memory": 0.5 / 7.0})


def test_no_points_are_refused():
    with pytest.raises(ValueError, match="no points"):
        fit_rates([])
