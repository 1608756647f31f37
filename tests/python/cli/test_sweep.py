from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.cli import application
from siliconprof.cli.sweep import sizes

GRID = ("sweep", "gpt2-small", "--devices", "m2-ultra,h200", "--seq", "16,32")


def test_a_grid_is_a_file_and_a_frontier(document, tmp_path):
    path = tmp_path / "g.csv"
    content = document(*GRID, "--batch", "1:3", "--precision", "fp32,tf32", "--out", path)
    assert content["rows"] == 3 * 2 * 2 + 3 * 2
    assert len(path.read_text().splitlines()) == content["rows"] + 1
    assert content["left_out"] and content["seconds"] > 0
    assert {"device", "time_s", "time_per_item_s", "price_usd"} <= set(content["frontier"][0])


def test_the_text_shows_the_frontier(call, tmp_path):
    status, out = call(*GRID, "--out", tmp_path / "g.csv")
    assert status == 0
    assert "Frontier" in out and "m2-ultra" in out


def test_a_log_file_gets_no_bar(capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        application()([*GRID, "--out", str(tmp_path / "g.csv")], prog_name="siliconprof")
    assert (ended.value.code, capsys.readouterr().err) == (0, "")


def test_an_assumed_host_is_a_note(document, call, tmp_path):
    grid = (
        "sweep",
        "gpt2-small",
        "--out",
        str(tmp_path / "g.csv"),
        "--devices",
        "rtx-a6000,rtx-4090",
    )
    (first, _) = document(*grid, "--offload")["notes"]
    assert first.startswith("the host beside rtx-a6000 is assumed")
    assert "it is; notes in all: 2" in call(*grid, "--offload")[1].replace("\n", " ")
    assert document(*grid)["notes"] == []


def test_a_vendors_devices_are_one_word(document, tmp_path):
    content = document(
        "sweep", "gpt2-small", "--devices", "cpu", "--seq", "16", "--out", tmp_path / "g.csv"
    )
    assert content["rows"] == sum(sp.device(id).vendor == "cpu" for id in sp.devices())


@pytest.mark.parametrize(
    ("text", "found"),
    [("8", [8]), ("1,2,4", [1, 2, 4]), ("1:4", [1, 2, 3, 4]), ("8:24:8,3", [8, 16, 24, 3])],
)
def test_sizes_are_lists_and_ranges(text, found):
    assert sizes("batch", text) == found


@pytest.mark.parametrize("text", ["", "0", "4:2", "1:2:3:4", "a", "1:8:0", "-1", "1,"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(sp.ArgumentError, match="are needed"):
        sizes("batch", text)


@pytest.mark.parametrize(
    "wrong", [("--out", "g.txt"), ("--out", "g.csv", "--devices", "m2-ultre"), ()]
)
def test_wrong_use_ends_with_2(call, wrong):
    assert call("sweep", "gpt2-small", "--seq", "16", *wrong)[0] == 2
