from __future__ import annotations

import pytest

from siliconprof.quantity import scaled

JOB = ("advise", "gpt2-small", "--batch", "2", "--seq", "64")


def test_rows_say_whether_it_fits_how_fast_at_what_price_and_why(document):
    rows = document(*JOB, "--devices", "m2-ultra,rtx-4090")["rows"]
    assert {row["device"] for row in rows} == {"m2-ultra", "rtx-4090"}
    assert {"fits", "time_s", "energy_joules", "price_usd", "why"} <= set(rows[0])
    assert rows[0]["time_s"] < rows[1]["time_s"]


def test_a_vendors_machines_and_only_the_best_of_them(document):
    rows = document(*JOB, "--devices", "apple", "--most", "3")["rows"]
    assert len(rows) == 3
    assert all(row["framework"] == "mlx" for row in rows)


def test_a_framework_that_runs_on_none_of_the_devices_is_told(call, document):
    asked = (*JOB, "--devices", "h200", "--frameworks", "torch-cuda,mlx")
    assert document(*asked)["left_out"] == ["mlx: it runs on none of the devices"]
    assert "left out: mlx: it runs on none of the devices" in call(*asked)[1]
    assert document(*JOB, "--devices", "h200")["left_out"] == []


def test_any_size_of_the_model_can_be_given(document):
    whole = document(*JOB, "--devices", "m2")["rows"][0]["time_s"]
    assert document(*JOB, "--devices", "m2", "--size", "layers=2")["rows"][0]["time_s"] < whole


def test_the_text_is_a_table(call):
    status, out = call(*JOB, "--devices", "m2-ultra,m1")
    assert status == 0
    assert "why" in out and "energy" in out and "x the time of m2-ultra" in " ".join(out.split())


@pytest.mark.parametrize("command", ["advise", "sweep"])
def test_the_help_says_what_a_price_buys(call, command):
    status, out = call(command, "--help")
    assert status == 0
    assert "card or processor alone, but of the whole machine for Apple" in " ".join(out.split())


def test_the_energy_of_a_step_stands_beside_its_time(call, document):
    row = document(*JOB, "--devices", "h200")["rows"][0]
    _, out = call(*JOB, "--devices", "h200")
    assert scaled(row["energy_joules"], "J") in out


@pytest.mark.parametrize(
    "wrong",
    [
        ("--devices", "m2-ultre"),
        ("--frameworks", "mlxx"),
        ("--size", "layers"),
        ("--size", "layers=two"),
        ("--most", "-1"),
        ("--most", "0"),
        ("--dtype", "float16"),
        ("--m", "8"),
        ("--vjp",),
        ("--devices", "apple", "--precision", "tf32"),  # which none of them has
    ],
)
def test_wrong_use_ends_with_2(call, wrong):
    assert call(*JOB, *wrong) == (2, "")


def test_options_of_operations_are_not_offered(call):
    text = call("advise", "--help")[1]
    for option in ("--dtype", "--m ", "--k ", "--n ", "--vjp"):
        assert option not in text
    assert "--batch" in text and "Id of a model" in text


def test_a_device_file_is_named_among_ids(document, device_file):
    content = document(
        "advise", "gpt2-small", "--batch", "1", "--seq", "64", "--devices", f"m1,{device_file}"
    )
    assert {row["device"] for row in content["rows"]} == {"m1", "half-ultra"}
