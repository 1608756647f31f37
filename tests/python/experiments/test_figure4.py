from __future__ import annotations

from functools import partial

from siliconprof.experiments import figure4
from siliconprof.experiments.figure4 import (
    EXPERIMENT,
    MAJOR,
    MINOR,
    PASS,
    RSS,
    Params,
    near_capacity_claims,
    run,
)
from siliconprof.experiments.near_capacity import LimitedRun, Pass
from siliconprof.experiments.steps import FAULTS, MEMORY, PAGING, RESIDENT
from siliconprof.figures.render import render_svg
from siliconprof.memory_limit import LimitUnavailable

SMALL = Params(
    sizes=dict(EXPERIMENT.quick_parameters.sizes), passes=3, shares=(1.2, 0.7), batches=()
)


def passes(limit):
    slow = 1.0 if limit is None else 5.0
    return LimitedRun(tuple(Pass(slow, 1.0, 0.0 if slow == 1 else 9.0, 1e8) for _ in range(3)))


def test_each_limit_has_its_passes_measured_and_predicted(monkeypatch):
    monkeypatch.setattr(figure4, "limited_run", lambda *given: passes(given[3]))
    # Workspaces of many threads would be more than the fifth that a roomy limit has to spare.
    on_two_threads = partial(figure4.limited_passes, threads=2)
    monkeypatch.setattr(figure4, "limited_passes", on_two_threads)
    made = run(SMALL)
    for quantity in (PASS, MAJOR, RSS):
        rows = made.where(origin="measured", swap="zram", share=0.7, quantity=quantity)
        assert [row.point["pass"] for row in rows] == [1, 2, 3]
    tight = made.where(origin="predicted", swap="file", share=0.7, quantity=PASS)
    assert tight[-1].value > 1.0
    roomy = made.where(origin="predicted", swap="file", share=1.2, quantity=PASS)
    assert roomy[-1].value == 1.0
    assert "pass, s" in render_svg(EXPERIMENT, made)


def test_without_permission_the_reason_and_the_predicted_curve_stand(monkeypatch):
    def limited(*given):
        if given[3] is not None:
            raise LimitUnavailable("[memory limit] needed: root")
        return passes(None)

    monkeypatch.setattr(figure4, "limited_run", limited)
    made = run(SMALL)
    (refused,) = made.where(origin="measured", swap="zram", quantity=PASS)
    assert refused.value is None and "needed: root" in refused.source
    assert made.where(origin="predicted", swap="zram", share=1.2, quantity=PASS)


def test_near_the_macs_capacity_steps_fault_and_hold_less_than_they_need(monkeypatch):
    monkeypatch.setattr(figure4, "limited_run", lambda *given: passes(given[3]))
    made = run(Params(sizes=SMALL.sizes, passes=1, swaps=(), batches=(1, 5)))

    def value(quantity, batch):
        (row,) = made.where(device="m2-max", batch=batch, quantity=quantity)
        return row.value

    assert value(PAGING, 1) == value(FAULTS, 1) == 0.0
    assert value(RESIDENT, 1) == value(MEMORY, 1)
    assert value(PAGING, 5) > 0.0 and value(FAULTS, 5) > 0.0
    assert value(RESIDENT, 5) < 64 * 2**30 < value(MEMORY, 5)


def test_faults_are_judged_by_the_passes_after_the_first_below_the_need(monkeypatch):
    """Predictions of one pass more or less, by a factor, beside themselves."""

    def judged(factor):
        def limited(*given):
            swap, share = given[4], (given[3] or 0) / need
            rows = {
                quantity: [
                    row.value * factor
                    for row in plain.where(origin="predicted", swap=swap, quantity=quantity)
                    if abs(row.point["share"] - share) < 0.01
                ]
                for quantity in (MAJOR, MINOR)
            }
            pairs = list(zip(rows[MINOR], rows[MAJOR], strict=True)) or [(0.0, 0.0)] * 3
            return LimitedRun(tuple(Pass(1.0, minor, major, 1e8) for minor, major in pairs))

        monkeypatch.setattr(figure4, "limited_run", limited)
        (found,) = near_capacity_claims(run(SMALL))
        return found

    need = figure4.workload("gpt2-small", **SMALL.sizes).peak_memory_bytes
    monkeypatch.setattr(figure4, "limited_run", lambda *given: passes(given[3]))
    plain = run(SMALL)
    same = judged(1.0)
    assert same.verdict == "holds" and len(same.evidence) == 2  # a share of 0.7, two kinds of swap
    assert judged(3.0).verdict == "fails"
