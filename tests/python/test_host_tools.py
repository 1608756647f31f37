"""The pace of a host, read off its chains of modules: arithmetic, on made and recorded chains."""

from __future__ import annotations

import contextlib
import csv
import importlib
import sys
from unittest.mock import MagicMock

import pytest

import siliconprof as sp


@pytest.fixture
def host_pace(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import host_pace

    return host_pace


def test_a_hosts_pace_is_the_median_over_its_chains(host_pace):
    usual = {(f"host.module.{i}", "forward"): 1e-5 * (i + 1) for i in range(9)}
    slow = {key: seconds / 0.7 for key, seconds in usual.items()}
    found = host_pace.pace_of(slow, usual)
    assert (found.pace, found.chains) == (pytest.approx(0.7), 9)
    assert found.spread == pytest.approx(0.0, abs=1e-9)
    # One chain that errs moves nothing, and rows without a reference count for nothing.
    odd = slow | {("host.module.0", "forward"): 1.0, ("host.module.x", "forward"): 1.0}
    assert host_pace.pace_of(odd, usual).pace == pytest.approx(0.7)
    longer = dict(zip(usual, (1.0, 1.0, 1.2, 1.2, 1.25, 1.3, 1.3, 1.5, 1.5), strict=True))
    found = host_pace.pace_of({key: longer[key] * usual[key] for key in usual}, usual)
    assert found.pace == pytest.approx(1 / 1.25)
    assert found.spread == pytest.approx((1.4 - 1.1) / 1.25)
    assert str(found) == "host.pace = 0.800 (9 chains, quartile distance 24% of their median)"
    assert set(found.document()) == {"pace", "spread", "chains"}


def test_too_few_chains_tell_no_pace(host_pace):
    with pytest.raises(ValueError, match="3 chains of the reference were timed; needed: 4"):
        host_pace.pace_of(dict.fromkeys("abc", 1.0), dict.fromkeys("abcde", 1.0))


def test_pace_1_is_the_median_machines(host_pace, tmp_path):
    rows = [
        {"what": f"host.module.{name} depth=24 machine={i} {way}", "value": str(seconds)}
        for name in ("linear", "add_autocast", "block")
        for way in ("forward", "backward")
        for i, seconds in enumerate((3e-5, 2e-5, 9e-5))
    ]
    with (tmp_path / "ops.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    found = host_pace.reference(tmp_path / "ops.csv")
    names = ("host.module.linear", "host.module.add_autocast")
    assert found == {(name, way): 3e-5 for name in names for way in ("forward", "backward")}


def test_a_pace_is_that_which_host_costs_are_freed_of(host_pace):
    import fit_host

    usual = host_pace.reference()
    assert len(usual) == 2 * len(host_pace.ROWS)
    every = list(fit_host.raw_machines("h200_ops"))
    told = 0
    for times in every:
        longer = fit_host.pace(times, every, set(host_pace.ROWS))
        if longer is None:
            continue
        own = {(name, way): s for (name, way, _), s in times.items()}
        assert host_pace.pace_of(own, usual).pace == pytest.approx(1.0 / longer)
        told += 1
    assert told > 10


def test_a_runs_pace_is_the_median_of_its_readings(host_pace):
    readings = [host_pace.Pace(pace, 0.1, 28) for pace in (0.8, 1.1, 0.9, 1.3, 0.85)]
    assert host_pace.of_run(readings) == 0.9
    assert host_pace.beside(*readings[:2]) == "host pace 0.800 before, 1.100 after"


@pytest.fixture
def measure_steps(root, monkeypatch):
    """The tool where there is neither torch nor a GPU: what it times is given."""
    monkeypatch.syspath_prepend(str(root / "tools"))
    models = ("torch_cuda_models", "torch_cuda_options")
    for name in ("torch", "pynvml", "torch_cuda_host", *models):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.setattr(sys.modules["torch"].cuda, "OutOfMemoryError", MemoryError)
    monkeypatch.delitem(sys.modules, "measure_torch_steps", raising=False)
    tool = importlib.import_module("measure_torch_steps")
    yield tool
    del sys.modules["measure_torch_steps"]


def measured(tool, monkeypatch, paces, steps, out):
    """The rows that a run of two steps writes, with these readings and steps that take so long."""
    monkeypatch.setattr(tool, "read_pace", lambda _: next(paces))
    monkeypatch.setattr(tool, "measure", lambda *_: ({"time": (next(steps), "s")}, 1980))
    words = ["", str(out), "--list", "paced", "--only", "gpt2-small batch=1"]
    monkeypatch.setattr(sys, "argv", words)
    with contextlib.suppress(StopIteration):  # no step is left: the run breaks off
        tool.main()
    with out.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_rows_of_a_run_have_the_pace_of_all_its_readings(
    measure_steps, host_pace, monkeypatch, tmp_path
):
    given = [1.3, 0.8, 1.1, *[0.9] * 10, *[1.2] * 10]
    paces = (host_pace.Pace(pace, 0.1, 28) for pace in given)
    steps = iter((0.0123456, 0.5))
    rows = measured(measure_steps, monkeypatch, paces, steps, tmp_path / "steps.csv")
    assert len(list(paces)) == len(given) - measure_steps.READINGS
    step = "gpt2-small batch=1 seq=32 precision="
    what = [f"{step}tf32 time", f"{step}amp-bf16 time"]
    assert [(row["what"], row["value"]) for row in rows] == list(
        zip(what, ("0.012346", "0.5"), strict=True)
    )
    # The two readings around each are told; the pace is that of all of them.
    assert [row["host_pace"] for row in rows] == ["0.900"] * 2
    told = ["1.300 before, 0.800 after", "0.800 before, 1.100 after"]
    assert [row["note"].split("host pace ")[1] for row in rows] == told


def test_a_run_that_breaks_off_keeps_the_steps_before(
    measure_steps, host_pace, monkeypatch, tmp_path
):
    paces = (host_pace.Pace(pace, 0.1, 28) for pace in (1.0, 0.8))
    steps = iter((0.5,))
    rows = measured(measure_steps, monkeypatch, paces, steps, tmp_path / "steps.csv")
    assert [(row["value"], row["host_pace"]) for row in rows] == [("0.5", "0.900")]


def test_the_packaged_costs_of_checkpointed_blocks_are_the_fits(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "tools")
    import fit_checkpoint

    block, call, error = fit_checkpoint.fit(fit_checkpoint.excesses("h100_checkpoint"))
    numbers = sp.framework("torch-cuda").numbers
    assert numbers["issue.nvidia.again.block_s"].value == pytest.approx(block, rel=0.005)
    assert numbers["issue.nvidia.again.call_s"].value == pytest.approx(call, rel=0.005)
    assert error < 0.35


def test_a_checkpointed_block_is_a_part_and_one_for_each_call(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "tools")
    import fit_checkpoint

    block, call, error = fit_checkpoint.fit([(n, 7e-4 + 5e-5 * n) for n in (5, 10, 20)])
    assert block == pytest.approx(7e-4)
    assert call == pytest.approx(5e-5)
    assert error == pytest.approx(0.0, abs=1e-9)


def test_a_host_that_nobody_has_measured_is_the_median_machines(host_pace, capsys, monkeypatch):
    import fit_pace

    middle, within = fit_pace.usual([0.5, 0.8, 1.0, 1.25, 2.0])
    assert (middle, within) == (1.0, pytest.approx(1.0)), "of five machines all are within"
    found = fit_pace.machines("h200_ops")
    paces = [pace for some in found.values() for pace in some]
    assert {device: len(some) for device, some in found.items()} == {"h200": 33, "h100": 14}
    assert min(paces) == pytest.approx(0.637, abs=1e-3)
    monkeypatch.setattr("sys.argv", ["fit_pace.py"])
    fit_pace.main()
    printed = capsys.readouterr().out.split("[host]")[1:]
    all_of_them = sp.framework("torch-cuda").numbers["host.pace"]
    boards = (sp.device(id).numbers["host.pace"] for id in ("h100", "h200"))
    for ships, text in zip((all_of_them, *boards), printed, strict=True):
        assert f"value = {ships.value:.3g}," in text
        assert f"relative_error = {ships.relative_error:.2f} " in text


def test_steps_that_chance_chose_are_always_the_same_ones(host_pace):
    from torch_cuda_drawn import drawn

    steps = drawn().split("\n")
    assert drawn().split("\n") == steps
    assert drawn(seed=1).split("\n") != steps
    assert len({step.rpartition(" ")[0] for step in steps}) == len(steps) == 28
    assert steps[1] == "gpt2-xl batch=6 seq=256 tf32"
