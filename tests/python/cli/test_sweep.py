from __future__ import annotations

import os
import signal
from contextlib import contextmanager

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


def test_each_workload_has_a_frontier_of_its_own(call, tmp_path):
    grid = ("sweep", "gpt2-small", "resnet18", "--devices", "m2-ultra,h200")
    status, out = call(*grid, "--out", tmp_path / "g.csv")
    assert status == 0
    assert "Frontier of gpt2-small" in out and "Frontier of resnet18" in out


def test_where_nothing_fits_no_empty_frontier_is_shown(call, tmp_path):
    grid = ("--devices", "m1", "--batch", "64", "--seq", "1024", "--out", tmp_path / "g.csv")
    status, out = call("sweep", "gpt2-xl", *grid)
    assert status == 0 and "frontier: none, as nothing fits" in out
    assert "Frontier" not in out


def test_a_log_file_gets_no_bar(capsys, tmp_path):
    with pytest.raises(SystemExit) as ended:
        application()([*GRID, "--out", str(tmp_path / "g.csv")], prog_name="siliconprof")
    assert (ended.value.code, capsys.readouterr().err) == (0, "")


def test_a_sweep_that_is_ended_keeps_its_rows_and_no_hidden_file(capsys, tmp_path, monkeypatch):
    @contextmanager
    def ended(*_):
        yield lambda done, total, text: os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("siliconprof.cli.sweep.shown_progress", ended)
    with pytest.raises(SystemExit) as found:
        application()([*GRID, "--out", str(tmp_path / "g.csv")], prog_name="siliconprof")
    assert found.value.code == 130
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.partial.csv"]
    assert f"what was done by then is in {tmp_path / 'g.partial.csv'}" in capsys.readouterr().err


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


def test_a_framework_that_runs_on_none_of_the_devices_is_told(call, document, tmp_path):
    asked = ("--devices", "h200", "--frameworks", "torch-cuda,mlx", "--out", tmp_path / "g.csv")
    content = document("sweep", "gpt2-small", *asked)
    assert (content["rows"], content["left_out"]) == (1, ["mlx: it runs on none of the devices"])
    out = call("sweep", "gpt2-small", *asked)[1]
    assert "left out: 1, as mlx: it runs on none of the devices" in out


def test_a_vendors_devices_are_one_word(document, tmp_path):
    content = document(
        "sweep", "gpt2-small", "--devices", "cpu", "--seq", "16", "--out", tmp_path / "g.csv"
    )
    cpus = [machine for machine in map(sp.device, sp.devices()) if machine.vendor == "cpu"]
    measured = [m.id for m in cpus if any(key.startswith("kernel.") for key in m.numbers)]
    assert content["rows"] == len(cpus) - len(measured)
    assert (len(measured), content["left_out"]) == (4, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [("8", [8]), ("1,2,4", [1, 2, 4]), ("1:4", [1, 2, 3, 4]), ("8:24:8, 3", [8, 16, 24, 3])],
)
def test_sizes_are_lists_and_ranges(text, found):
    assert sizes("batch", text) == found


@pytest.mark.parametrize("text", ["", "1:2:3:4", "a", "-1", "1,", "9" * 5000])
def test_what_has_no_form_of_sizes_is_refused(text):
    with pytest.raises(sp.ArgumentError, match="sizes as 8 or 1,2,4 or 1:64 or 8:64:8 are needed"):
        sizes("batch", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", r"batch = '0' \(str\): sizes of at least 1 are needed"),
        ("0:4", "sizes of at least 1 are needed"),
        ("2,4:1", r"batch = '4:1' .*: 4:1 ends before it begins: from:to, the smaller first"),
        ("1:8:0", "a step of at least 1 is needed"),
        ("3000000000", "sizes of at most 2147483647 are needed"),
        ("1:2000000000", "1000000 sizes at most are needed"),
        ("1:3000000000:1000000000", "sizes of at most 2147483647 are needed"),
    ],
)
def test_sizes_that_cannot_be_say_why(text, reason):
    with pytest.raises(sp.ArgumentError, match=reason):
        sizes("batch", text)


def test_a_batch_that_no_memory_addresses_is_told_as_such(call, tmp_path):
    grid = ("--batch", "2000000000", "--seq", "16", "--out", tmp_path / "g.csv")
    with pytest.raises(sp.ShapeError, match="too large with batch = 2000000000"):
        sp.sweep("gpt2-small", batch=2_000_000_000, seq=16, devices="h200")
    assert sizes("batch", "2000000000") == [2_000_000_000]
    assert call("sweep", "gpt2-small", "--devices", "h200", *grid)[0] == 2


@pytest.mark.parametrize(
    "wrong", [("--out", "g.txt"), ("--out", "g.csv", "--devices", "m2-ultre"), ()]
)
def test_wrong_use_ends_with_2(call, wrong):
    assert call("sweep", "gpt2-small", "--seq", "16", *wrong)[0] == 2
