from __future__ import annotations

import inspect
import math

import pytest

import siliconprof as sp
from siliconprof import sampling
from siliconprof.sampling import sampling_rule, sampling_rules


def test_the_papers_rule_is_ten_warmups_and_a_hundred_launches_averaged():
    rule = sampling_rule("paper")
    assert (rule.warmups, rule.min_samples, rule.max_samples) == (10, 100, 100)
    assert rule.statistic == "mean"


def test_keywords_replace_parameters_of_the_adaptive_rule():
    rule = sampling_rule("adaptive", budget_s=0.5, min_samples=5, warmups=None)
    assert (rule.budget_s, rule.min_samples) == (0.5, 5)
    assert rule.warmups == sampling_rule("adaptive").warmups


def test_a_rule_of_the_users_own_passes_through():
    rule = sp.Sampling.fixed(7, 2)
    assert sampling_rule(rule) is rule


@pytest.mark.parametrize("rule", ["paper", sp.Sampling.paper()])
def test_parameters_together_with_a_fixed_rule_are_refused(rule):
    with pytest.raises(sp.ArgumentError, match="budget_s given together with the rule 'paper'"):
        sampling_rule(rule, budget_s=1.0)


def test_an_unknown_rule_names_the_nearest():
    with pytest.raises(sp.UnknownNameError, match="did you mean 'paper'"):
        sampling_rule("papre")
    with pytest.raises(sp.UnknownNameError, match="did you mean 'adaptive'"):
        sampling_rule("adaptve", budget_s=1.0)


@pytest.mark.parametrize("name", sampling_rules())
def test_every_listed_rule_is_known(name):
    assert sampling_rule(name).name == name


@pytest.mark.parametrize("value", ["x", 1.5, True, math.nan, math.inf, 2**40, [3]])
@pytest.mark.parametrize("name", ["warmups", "min_samples", "max_samples"])
def test_a_count_that_is_no_whole_number_is_refused(name, value):
    with pytest.raises(sp.ArgumentError, match=rf"{name} = .*is needed"):
        sampling_rule("adaptive", **{name: value})


@pytest.mark.parametrize("value", ["1", True, math.nan, math.inf, 10**400])
@pytest.mark.parametrize("name", ["budget_s", "relative_half_width", "confidence"])
def test_a_parameter_that_is_no_finite_number_is_refused(name, value):
    with pytest.raises(sp.ArgumentError, match=rf"{name} = .*a finite number is needed"):
        sampling_rule("adaptive", **{name: value})


@pytest.mark.parametrize("rule", [None, 3, b"paper"])
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises(sp.ArgumentError, match=r"sampling = .*a text is needed"):
        sampling_rule(rule)


def test_a_parameter_out_of_range_is_refused():
    with pytest.raises(sp.ArgumentError, match="confidence"):
        sampling_rule("adaptive", confidence=1.5)


@pytest.mark.parametrize("wrong", [2.5, "a", True, None])
def test_a_number_of_samples_that_is_none_is_refused(wrong):
    with pytest.raises(
        sp.ArgumentError, match=r"\[sampling\] samples = .*a whole number is needed"
    ):
        sp.Sampling.fixed(wrong)
    with pytest.raises(sp.ArgumentError, match=r"warmups = .*a whole number is needed"):
        sp.Sampling.fixed(3, warmups=wrong)
    with pytest.raises(sp.ArgumentError, match=r"max_samples = .*a whole number is needed"):
        sp.Sampling.adaptive(max_samples=wrong)


def test_parameters_by_place_are_checked_and_kept():
    rule = sp.Sampling.adaptive(0.1, 3.0, 4, 5, 6, 0.9, 0.7)
    assert (rule.relative_half_width, rule.budget_s, rule.confidence) == (0.1, 3.0, 0.9)
    assert rule.min_time_s == 0.7 and sp.Sampling.fixed(3).min_time_s == 0.0
    assert (rule.warmups, rule.min_samples, rule.max_samples) == (4, 5, 6)
    with pytest.raises(sp.ArgumentError, match=r"budget_s = 'x' .*a finite number is needed"):
        sp.Sampling.adaptive(0.1, "x")
    rule = sp.Sampling.adaptive()
    core = sampling._adaptive()
    for name in (
        "relative_half_width",
        "budget_s",
        "confidence",
        "warmups",
        "max_samples",
        "min_time_s",
    ):
        assert getattr(rule, name) == getattr(core, name)
    assert (rule.min_samples, sp.Sampling.fixed(3).warmups) == (
        core.min_samples,
        sampling._fixed(3).warmups,
    )


@pytest.mark.parametrize("rule", [sp.Sampling.adaptive, sp.Sampling.fixed])
def test_every_parameter_is_explained(rule):
    for name in inspect.signature(rule).parameters:
        assert name in rule.__doc__, name


def test_samples_of_a_short_call_are_spread_over_the_least_time():
    spread = sp.run(sp.op("copy", n=8), relative_half_width=1e9, min_time_s=0.02)
    assert 9 <= len(spread.samples_s) <= 33
    assert len(spread.warmup_samples_s) == 2, "what runs in between is kept nowhere"
    close = sp.run(sp.op("copy", n=8), relative_half_width=1e9, min_time_s=0)
    assert len(close.samples_s) == 9
    with pytest.raises(sp.ArgumentError, match=r"min_time_s is -1; needed: 0 or more"):
        sp.run(sp.op("copy", n=8), min_time_s=-1)


def test_a_budget_of_nothing_is_no_limit_and_said_to_be():
    assert "0 is no limit" in sp.Sampling.adaptive.__doc__
    rule = sp.Sampling.adaptive(budget_s=0, relative_half_width=0, min_samples=3, max_samples=3)
    profile = sp.run(sp.op("copy", n=8), sampling=rule)
    assert len(profile.samples_s) == 3 and profile.stop_reason.startswith("count")
