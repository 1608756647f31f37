"""Devices and frameworks, as sweep and advise are asked for them."""

from __future__ import annotations

from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof.targets import chosen_names, chosen_targets


def ids(*asked):
    return [(machine.id, under) for machine, under in chosen_targets("ask", *asked).targets]


def test_without_a_word_all_that_ship_stand_under_their_vendors_own():
    found = dict(ids(None, None))
    assert list(found) == sp.devices()
    assert (found["m2"], found["h200"], found["epyc-9654"]) == ("mlx", "torch-cuda", "native")


def test_a_device_is_an_id_a_file_or_a_device(device_file):
    own = sp.device("m2").with_number("memory.bandwidth", 2e11)
    found = chosen_targets("ask", ["h200", str(device_file), own], None).targets
    assert [machine.id for machine, _ in found] == ["h200", "half-ultra", "m2"]
    assert found[2][0] is own
    assert ids(Path(device_file), None) == [("half-ultra", "mlx")]
    assert ids(own, None) == [("m2", "mlx")]


def test_a_vendor_is_all_of_its_devices_and_each_is_there_once():
    found = ids(["m2", "apple", "m2"], None)
    assert found[0] == ("m2", "mlx")
    apples = [id for id in sp.devices() if sp.device(id).vendor == "apple"]
    assert sorted(id for id, _ in found) == apples


def test_without_a_word_and_by_vendor_those_that_suit_stand_and_by_id_any():
    def is_small(machine):
        return machine.numbers["memory.capacity_bytes"].value < 10e9

    small = dict(ids(None, None, is_small))
    assert "m1" in small and "h200" not in small
    assert ids("apple", None, is_small)
    assert "m2-ultra" not in dict(ids("apple", None, is_small))
    assert ids(["m2-ultra"], None, is_small) == [("m2-ultra", "mlx")]


def test_two_devices_of_one_id_are_refused():
    with pytest.raises(sp.ArgumentError, match="'m2' is also another device's"):
        ids(["m2", sp.device("m2").with_number("compute.cores", 12)], None)


def test_frameworks_stand_on_the_devices_that_they_run_on():
    pairs = ids(["m2", "h200"], ["torch-mps", "torch-cuda"])
    assert pairs == [("m2", "torch-mps"), ("h200", "torch-cuda")]
    assert ids("m2", "torch-mps@2.2") == [("m2", "torch-mps@2.2")]
    need = "a framework that runs on one of the devices is needed; those that do: "
    with pytest.raises(sp.ArgumentError, match=f"{need}.*mlx, mlx-compile, torch-mps$"):
        ids("m2", "torch-cuda")
    with pytest.raises(sp.ArgumentError, match=f"{need}.*mlx, .*torch-cuda"):
        ids(["m2", "h200"], "torch-cpu")


def test_what_is_asked_for_and_runs_nowhere_is_told(device_file):
    def told(*asked):
        return chosen_targets("ask", *asked).left_out

    assert told(["h200"], ["torch-cuda", "mlx", "torch-mps@2.2"]) == (
        "mlx: it runs on none of the devices",
        "torch-mps@2.2: it runs on none of the devices",
    )
    own = sp.device(device_file)
    assert told(["h200", "m2", "nvidia", "apple"], "torch-cuda") == (
        "m2: none of the frameworks runs there (torch-cuda)",
        "apple: none of the frameworks runs there (torch-cuda)",
    )
    for given, word in ((str(device_file), device_file), (own, "half-ultra")):
        (reason,) = told(["h200", given], "torch-cuda")
        assert reason == f"{word}: none of the frameworks runs there (torch-cuda)"


def test_what_runs_somewhere_and_what_nobody_named_is_not_told():
    for asked in (
        (["m2", "h200"], ["mlx", "torch-cuda"]),
        (["m2", "h200"], None),
        (None, "torch-cuda"),  # of all that ship those that it runs on
        (["m2", "apple"], "mlx"),
    ):
        assert chosen_targets("ask", *asked).left_out == ()


@pytest.mark.parametrize(
    ("given", "under", "message"),
    [
        (3, None, r"\[ask\] devices = 3 \(int\): one or more"),
        ([], None, r"\[ask\] devices = \[\]"),
        ([3], None, "unknown device 3"),
        (b"m2", None, "unknown device b'm2'"),
        (["aple"], None, "did you mean 'apple'"),
        (["m2-ultr"], None, "did you mean 'm2-ultra'"),
        (["m2"], 3, r"\[ask\] frameworks = 3"),
        (["m2"], ["mlxx"], "did you mean 'mlx'"),
    ],
)
def test_wrong_targets_are_named(given, under, message):
    with pytest.raises(sp.Error, match=message):
        chosen_targets("ask", given, under)


def test_names_are_one_or_several_each_once():
    assert chosen_names("ask", "things", "a", ["a", "b"]) == ("a",)
    assert chosen_names("ask", "things", iter("aba"), ["a", "b"]) == ("a", "b")
    with pytest.raises(sp.UnknownNameError, match="unknown thing 'c'"):
        chosen_names("ask", "things", ["a", "c"], ["a", "b"])
