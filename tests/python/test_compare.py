from __future__ import annotations

import pytest

import siliconprof as sp


@pytest.fixture(scope="module")
def profile():
    return sp.predict(sp.op("matvec", m=64, n=64), "m2-pro")


def test_a_profile_is_the_same_as_itself(profile):
    gap = sp.compare(profile, profile)
    assert (gap.ratio, gap.margin) == (1.0, 0.02)


def test_a_record_is_told_to_give_its_profiles(profile):
    with pytest.raises(sp.ArgumentError, match=r"from_profile = 'record table4'.*\.profiles\(\)"):
        sp.compare(sp.load("table4"), profile)


@pytest.mark.parametrize("wrong", [1, None, "a.json"])
def test_what_is_no_profile_is_refused_by_name(profile, wrong):
    with pytest.raises(sp.ArgumentError, match=r"\[compare\] to_profile = .*Profile"):
        sp.compare(profile, wrong)


@pytest.mark.parametrize("margin", [-0.1, 1.0, "much", float("nan")])
def test_a_margin_is_a_part(profile, margin):
    with pytest.raises(sp.ArgumentError, match=r"\[compare\] margin"):
        sp.compare(profile, profile, margin)
