from __future__ import annotations

from siliconprof.experiments.rates import half_gains, mlx_over_mps, rate_row, sweep_ends

RATES = {
    ("m2-ultra", "mlx", "float32", 10): 2.0,
    ("m2-ultra", "mlx", "float16", 10): 3.0,
    ("m2-ultra", "torch-mps", "float32", 10): 1.0,
    ("m2-ultra", "mlx", "float32", 20): 4.0,
}


def test_a_rate_is_found_by_its_place(rate_table):
    table = rate_table(RATES)
    assert rate_row(table, "m2-ultra", "mlx", "float32", 20).value == 4.0
    assert rate_row(table, "m2-ultra", "mlx", "float32").value == 2.0
    assert rate_row(table, "m2-pro", "mlx", "float32") is None


def test_the_gain_is_half_over_single_precision(rate_table):
    (gain,) = half_gains(rate_table(RATES), "mlx", 10)
    assert gain.value == 1.5


def test_the_ends_of_the_sweep_are_its_smallest_and_largest_size(rate_table):
    assert sweep_ends(rate_table(RATES)) == (10, 20)


def test_mlx_over_mps_is_taken_at_one_size_where_both_are(rate_table):
    assert [entry.value for entry in mlx_over_mps(rate_table(RATES), "float32", 10)] == [2.0]
    assert mlx_over_mps(rate_table(RATES), "float32", 20) == []
