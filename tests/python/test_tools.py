"""The fits of the frameworks' constants, on made tables: what is held out stays out."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest


@pytest.fixture
def tools(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_efficiency
    import fit_launch

    yield fit_efficiency, fit_launch
    for name in ("fit_efficiency", "fit_launch"):
        sys.modules.pop(name, None)


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def relu(device: str, cores: str, runtime_ms: str) -> list[dict[str, str]]:
    """A streaming op of 1 GB each way, and the floor of a tiny one."""
    common = {"device": device, "gpu_cores": cores, "framework_version": "1", "backend": "mlx_gpu"}
    return [
        {**common, "operation": name, "shape": shape, "runtime_ms": time, "validity": "ok"}
        for name, shape, time in (
            ("ReLU", "dim=250000000", runtime_ms),
            ("Gather", "dim=64 dim=10", "0.2"),
        )
    ]


def test_no_efficiency_is_fitted_to_the_m3_max(tools, tmp_path):
    fit_efficiency, _ = tools
    write(
        tmp_path / "op_times_calibration.csv",
        [*relu("M3", "10", "20.2"), *relu("M3 Max", "40", "10.2")],
    )
    write(tmp_path / "m3max_seed.csv", [{"kind": "detailed", **relu("x", "40", "9.0")[0]}])
    (found,) = fit_efficiency.op_suite(tmp_path)
    assert (found.device, found.scope) == ("M3", "apple-m3")
    assert found.value == pytest.approx(2e9 / 102.4e9 / 20e-3)


def test_no_round_trip_is_fitted_to_the_m3_max_or_the_paper(tools):
    _, fit_launch = tools
    what = "floor of one synchronized tiny op (min over Gather/Scatter, 10 indices)"
    table = [
        {"device": device, "api": "mlx_gpu", "what": what, "value": value}
        for device, value in (("M3 (10-core GPU)", "140"), ("M3 Max (40-core GPU)", "240"))
    ]
    lines = list(fit_launch._round_trips(table))
    assert len(lines) == 2 and all(line.endswith("over [140.0]") for line in lines)
