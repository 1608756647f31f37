from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

import siliconprof as sp
from siliconprof.experiments import gap
from siliconprof.experiments.gap import GAP, RESIDUAL, TERM, TIME, Case, Params, cases, draw, run
from siliconprof.experiments.pairs import Target
from siliconprof.explain import Ways
from siliconprof.predict import model

SMALL = Case(
    "1",
    "gpt2-small",
    {"batch": 1, "seq": 64},
    Target("rtx-a6000", "torch-cuda"),
    Target("m2-ultra", "mlx"),
)
OFFLOADED = Case(
    "2",
    "gpt2-small",
    {"batch": 1, "seq": 64},
    Target("rtx-4090", "torch-cuda"),
    Target("m2-ultra", "torch-mps"),
    Ways(("amp-fp16", None), (True, False)),
)


@pytest.fixture(scope="module")
def made():
    return run(Params((SMALL, OFFLOADED), draws=10))


def test_the_terms_of_a_case_sum_to_its_gap_and_the_gap_is_of_two_predictions(made):
    for case in (0, 1):
        (gap,) = made.where(case=case, quantity=GAP)
        nvidia, apple = made.where(case=case, quantity=TIME)
        assert gap.value == pytest.approx(apple.value - nvidia.value)
        terms = [row.value for row in made.where(case=case, quantity=TERM)]
        assert sum(terms) == pytest.approx(gap.value)


def test_offloading_and_amp_are_the_nvidia_sides_alone(made):
    nvidia, apple = made.where(case=1, quantity=TIME)
    sizes = dict(OFFLOADED.sizes)
    card = sp.workload(
        "gpt2-small", framework="torch-cuda", precision="amp-fp16", offload=True, **sizes
    )
    assert nvidia.value == pytest.approx(sp.predict(card, "rtx-4090", "torch-cuda").time_s)
    mac = sp.workload("gpt2-small", framework="torch-mps", **sizes)
    assert apple.value == pytest.approx(sp.predict(mac, "m2-ultra", "torch-mps").time_s)


def test_every_number_lies_in_its_interval_and_draws_are_repeatable(made):
    for row in made.rows:
        assert row.lo <= row.value <= row.hi
    again = run(Params((SMALL, OFFLOADED), draws=10))
    assert again.rows == made.rows


def test_a_gap_is_as_uncertain_as_the_two_predictions_it_is_between(made):
    for case in (0, 1):
        nvidia, apple = made.where(case=case, quantity=TIME)
        (gap,) = made.where(case=case, quantity=GAP)
        below = math.hypot(apple.value - apple.lo, nvidia.hi - nvidia.value)
        above = math.hypot(apple.hi - apple.value, nvidia.value - nvidia.lo)
        assert gap.value - gap.lo >= 0.999 * below and gap.hi - gap.value >= 0.999 * above
        terms = made.where(case=case, quantity=TERM)
        assert math.hypot(*(row.hi - row.lo for row in terms)) > 0.3 * (below + above)


def test_an_interval_that_reaches_far_up_reaches_no_further_down_for_it():
    drawn = [1.0 + 0.01 * n for n in range(-10, 11)]
    causes = SimpleNamespace(from_s=1.0, to_s=2.0)
    below, above = gap._wider(1.0, drawn, causes, [(0.9, 1.1), (1.7, 9.0)])
    low, high = gap._interval(1.0, drawn, (below, above))
    assert (1.0 - low, high - 1.0) == pytest.approx((math.hypot(0.3, 0.1), math.hypot(7.0, 0.1)))
    assert gap._wider(1.0, drawn, causes, [(1.0, 1.0), (2.0, 2.0)]) == (1.0, 1.0), "never less"
    assert gap._wider(1.0, [1.0] * 20, causes, [(0.9, 1.1), (1.7, 9.0)]) == (1.0, 1.0)


def test_shares_are_parts_of_all_that_changes(made):
    for row in made.rows:
        if row.unit == "1":
            assert 0.0 <= row.lo <= row.hi <= 1.0


@pytest.mark.parametrize(("deviations", "sign"), [(1.645, 1), (-1.645, -1)])
def test_the_ends_of_ninety_percent_of_draws_are_one_factor_off_either_way(deviations, sign):
    class Always:
        def gauss(self, mean, deviation):
            return mean + deviations * deviation

    own = model("m2-ultra", "torch-mps")
    made = gap._drawn(own, Always())
    for before, after in ((own.device, made.device), (own.framework, made.framework)):
        for key, number in before.numbers.items():
            expected = number.value * (1.0 + number.relative_error) ** sign
            assert after.numbers[key].value == pytest.approx(expected), key


def test_a_gap_is_not_ten_times_as_uncertain_as_its_two_predictions():
    first = cases()[0]
    assert first.title == "whisper-medium batch=4: rtx-4090 to m2-ultra torch-mps"
    table = run(Params((first,)))
    nvidia, apple = table.where(quantity=TIME)
    (found,) = table.where(quantity=GAP)
    assert found.hi - found.lo < 2.0 * (apple.hi - apple.lo + nvidia.hi - nvidia.lo)


def test_too_few_draws_give_no_interval():
    table = run(Params((SMALL,), draws=3))
    others = [row for row in table.rows if row.point["quantity"] != TIME]
    assert {(row.lo, row.hi) for row in others} == {(None, None)}


def test_a_time_is_its_sides_own_with_its_own_interval():
    times = run(Params((SMALL,), draws=0)).where(quantity=TIME)
    for row, target in zip(times, (SMALL.nvidia, SMALL.apple), strict=True):
        assert (row.device, row.framework) == (target.device, target.framework)
        assert row.lo < row.value < row.hi


def test_table_4_leaves_a_residual_beside_the_gap():
    (case, _) = (entry for entry in cases() if entry.recorded)
    table = run(Params((case,), draws=0))
    (residual,) = table.where(quantity=RESIDUAL)
    (gap,) = table.where(quantity=GAP)
    assert residual.value == pytest.approx(2.710 - 2.771 - gap.value)
    assert residual.origin == "recorded"


def test_the_cases_are_the_papers_scenarios_and_machines():
    assert {entry.scenario for entry in cases()} == {"1", "2"}
    assert all(entry.ways.offloads == (entry.scenario == "2", False) for entry in cases())


def test_a_bar_for_each_case(made):
    axes = Figure().subplots()
    draw(made, {"gaps": axes})
    assert len(axes.get_yticklabels()) == 2
