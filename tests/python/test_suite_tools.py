"""The fits of the published op suite, on made tables, and what is left out of them."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

import pytest


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_few_residuals_carry_no_quantile_and_the_largest_stands_in(tools):
    import fit_suite

    assert fit_suite.conformal([0.0] * 18 + [math.log(1.5), math.log(2.0)]) == pytest.approx(0.5)
    assert fit_suite.conformal([-math.log(1.2)] * 3) == pytest.approx(0.2)
    assert fit_suite.conformal([0.0, 0.0]) == 0.25


def test_errors_of_a_kind_are_its_median_in_units_that_all_rows_share(tools):
    import fit_suite

    even = {("sort", False): [0.1] * 20, ("sort", True): [-0.1] * 20}
    assert fit_suite.error_parts(even)["sort", True] == pytest.approx(math.expm1(0.1))
    apart = fit_suite.error_parts({("concat", False): [0.02] * 96, ("sort", False): [0.5] * 96})
    assert apart["concat", False] < 0.05 and apart["sort", False] > 0.6


def test_rows_of_software_that_no_other_table_has_are_scored_and_in_no_fit(tools, tmp_path):
    import fit_suite
    import suite_tables

    import siliconprof as sp

    common = {"backend": "mps", "validity": "ok", "operation": "Sort", "runtime_ms": "300"}
    shape = {"shape": "dim=64x128x1024 axi=0"}
    m3 = {"device": "M3", "gpu_cores": "10", "framework_version": "mlx 0.30.1"}
    m4 = {"device": "M4 Pro", "gpu_cores": "16", "framework_version": "mlx 0.20.0"}
    write(tmp_path / "op_times_calibration.csv", [common | shape | m3, common | shape | m4])
    table = suite_tables.measured(tmp_path, "torch-mps", "")
    assert [row.weight for row in table] == [0.0, 1.0]
    assert suite_tables.is_shared(table[1], "torch-mps", {"", "2.1"})
    fit = fit_suite.Fit(sp.framework("torch-mps"), table, suite_tables_subject("torch-mps"))
    assert [row.device for row in fit.table] == ["m4-pro-16"]


def suite_tables_subject(framework):
    import suite_constants

    return suite_constants.subject(framework, "")


def test_a_fit_of_the_suite_finds_the_constants_that_made_it(tools):
    import fit_suite
    import suite_constants
    import suite_tables

    import siliconprof as sp

    base = sp.framework("mlx")
    made = {
        "access.apple.gather.elements_per_cycle": 0.5,
        "call.apple.gather.wait_s": 5e-5,
    }
    of = suite_constants.Subject("mlx", "", ("apple-m3", "apple-m4"))
    table = [
        suite_tables.as_measured(device, label, 1.0, ("", "", ""))
        for device in ("m3", "m4-pro")
        for label in ("Gather dim=64x256 dim=10", "Gather dim=64x256 dim=1000000")
    ]
    fit = fit_suite.Fit(base, table, of)
    fit.found = made
    known = [
        dataclasses.replace(row, seconds=math.exp(log))
        for row, log in zip(table, fit.logs(table, {}), strict=True)
    ]
    found = fit_suite.fitted(base, known, of).found
    assert found["access.apple.gather.elements_per_cycle"] == pytest.approx(0.5, rel=0.1)
    assert found["call.apple.gather.wait_s"] == pytest.approx(5e-5, rel=0.2)


def test_products_of_a_version_get_constants_of_its_families_alone(tools):
    import suite_constants

    def keys(framework, version):
        of = suite_constants.subject(framework, version)
        found = [g for g in suite_constants.groups(of) if "linear" in g.ops]
        return {key for group in found for keys, _, _ in group.constants for key in keys}

    assert "access.apple.linear.few_tiles_part" in keys("torch-mps", "")
    assert "access.apple-m2.linear.few_tiles_part" in keys("torch-mps", "2.2")
    assert not [
        k for k in keys("torch-mps", "2.2") if k.startswith(("access.apple.", "access.apple-m3"))
    ]
    assert "access.nvidia-volta.linear.result_passes" in keys("torch-cuda", "")


def test_no_table_of_the_m3_max_is_among_those_of_the_suites_fit(tools):
    import suite_tables

    tables = [key for body in suite_tables.BODIES.values() for key in body]
    assert len(set(tables)) == 12 and not [key for key in tables if key[0] == "M3 Max"]
    devices = {d for body in suite_tables.BODIES.values() for d in body.values()}
    assert not devices & {"m3-max", "m3-max-cpu"}


def test_a_times_rows_say_nothing_of_another_where_a_kernel_changed(tools):
    import suite_tables

    def row(device, label):
        return suite_tables.as_measured(device, label, 1.0, ("", "", ""))

    short, other = (row("m3", f"Sum dim=64x128x128x128 axi={axis}") for axis in (3, 1))
    assert not suite_tables.is_shared(short, "torch-mps", {"", "2.2"})
    assert suite_tables.is_shared(other, "torch-mps", {"", "2.2"})
    assert row("m1", "MatMul dim=64x1000000 dim=1000000x32").is_far
    assert not row("m3", "MatMul dim=1000000x64 dim=64x1024").is_far


def test_boards_convolutions_reach_what_their_products_do(tools):
    import fit_suite
    import suite_constants

    import siliconprof as sp

    of = suite_constants.subject("torch-cuda", "")
    fit = fit_suite.Fit(sp.framework("torch-cuda"), [], of)
    table = "convolution.nvidia-ga100.tf32.forward"
    tf32 = sp.framework("torch-cuda").numbers["efficiency.nvidia.matrix_product.compute.tf32"]
    assert fit.board_rates(table)[f"{table}.reach"] == tf32.value
    assert fit_suite.source_of(f"{table}.reach", of) == "family-median"
    assert fit_suite.source_of(f"{table}.copy", of) == "h200-micro"


def test_mlx_writes_out_what_its_version_did(tools, tmp_path):
    import suite_tables

    common = {"backend": "mlx_gpu", "validity": "ok", "operation": "Linear", "runtime_ms": "3"}
    shape = {"shape": "dim=100x1024x32 dim=32x1024 dim=1024"}
    tables = [key for body in ("", "0.5", "0.2") for key in suite_tables.BODIES["mlx", body]]
    rows = [
        {**common, **shape, "device": d, "gpu_cores": c, "framework_version": v}
        for d, c, v in tables
    ]
    write(tmp_path / "op_times_calibration.csv", rows)
    found = {row.table: dict(row.given) for row in suite_tables.every_row(tmp_path, "mlx")}
    passes, stem = "access.apple.linear.result_passes", "convolution.apple.float32.forward."
    assert found["M3", "10", "mlx 0.30.1"] == {}
    assert found["M4 Pro", "20", "mlx 0.24.1"] == {stem + "unfolds": 1.0}
    assert found["M1 Pro", "16", "mlx 0.5.0"] == {stem + "unfolds": 1.0}
    assert found["M2 Max", "38", "mlx 0.5.0; torch 2.2.1"] == {stem + "unfolds": 1.0, passes: 2.0}
    assert found["M2", "not stated", "mlx 0.2.0"] == {stem + "unfolds_all": 1.0, passes: 2.0}
    assert suite_tables.ways("torch-cuda", ("V100 PCIe 32GB", "not stated", "not stated")) == ()


def test_convolutions_of_mlx_are_fitted_by_the_way_that_each_table_took(tools):
    import fit_suite
    import suite_constants
    import suite_tables

    import siliconprof as sp

    of = suite_constants.subject("mlx", "")
    table = ("M4 Pro", "20", "mlx 0.24.1")
    row = suite_tables.as_measured("m4-pro", "Conv1d dim=100x256x256 dim=8x3x256", 1.0, table)
    written = dataclasses.replace(row, given=suite_tables.ways("mlx", table))
    fit = fit_suite.Fit(sp.framework("mlx"), [row, written], of)
    fit.tiles(fit.table)
    stem = "convolution.apple.float32.forward."
    assert fit.found[stem + "reach"] == pytest.approx(
        sp.framework("mlx").numbers["efficiency.apple.matrix_product.compute.any"].value
    )
    (staged_s, _), (written_s, _) = fit.times(fit.table, {})
    assert written_s > 2.0 * staged_s
    fit.found["convolution.apple-m1.float32.forward.index_part"] = 0.1
    assert fit.times(fit.table, {}) == [(staged_s, 155e-6), (written_s, 155e-6)]


def test_convolutions_are_in_tf32_where_pytorch_leaves_them_to_it(tools):
    import suite_tables

    def dtype(device, label):
        return suite_tables.as_measured(device, label, 1.0, ("", "", "")).trace.calls[0].dtype

    convolution = "Conv2d dim=100x28x28x3 dim=8x3x3x3"
    assert dtype("a100-pcie", convolution) == "tf32"
    assert dtype("v100-pcie", convolution) == "float32"
    assert dtype("a100-pcie", "ReLU dim=128x16x1024") == "float32"
    assert dtype("m3", convolution) == "float32"


def published(folder: Path, own_ms: str) -> None:
    """Tables of two devices under MLX, one of them at `own_ms`; what else a fit reads is empty."""
    common = {"backend": "mlx_gpu", "validity": "ok", "operation": "Gather"}
    devices = (("M3", "10", "mlx 0.30.1", own_ms), ("M4 Pro", "20", "mlx 0.24.1", "0.2"))
    rows = []
    for device, cores, version, ms in devices:
        of = {"device": device, "gpu_cores": cores, "framework_version": version}
        for shape in ("dim=64x256 dim=10", "dim=64x256 dim=1000000"):
            rows.append({**common, **of, "shape": shape, "runtime_ms": ms})
        large = {**common, **of, "operation": "ReLU", "shape": "dim=64x128x1024"}
        rows.append({**large, "runtime_ms": ms})
    write(folder / "op_times_calibration.csv", rows)
    (folder / "gemm.csv").write_text("device,framework,precision,shape_mkn,tflops,note,source\n")
    floor = "floor of one synchronized tiny op"
    trips = [("M3 (10-core GPU)", str(500 * float(own_ms))), ("M4 Max (40-core GPU)", "120")]
    write(
        folder / "launch_latency.csv",
        [
            {"device": d, "api": "mlx_gpu", "what": floor, "value": v, "source": ""}
            for d, v in trips
        ],
    )


def test_what_a_device_measured_has_no_part_in_what_is_predicted_of_it(tools, tmp_path):
    import leave_published_out

    def predicted(own_ms, left):
        published(tmp_path, own_ms)
        found = leave_published_out.Published(tmp_path, "device")
        return {(e.row.label): e.predicted_s for e in found.scored("mlx", left)}

    assert len(predicted("0.3", "M3")) == 3
    assert predicted("0.3", "M3") == predicted("0.9", "M3")
    assert predicted("0.3", "M4 Pro") != predicted("0.9", "M4 Pro")


def test_pytorch_on_mps_finds_places_in_a_kernel_of_their_own_but_in_the_latest_table(tools):
    import suite_tables

    for table in suite_tables.LATE:
        places = dict(suite_tables.ways("torch-mps", table)).get("access.apple.gather.place_bytes")
        assert places == (None if table == suite_tables.LATEST else 32.0)


def test_the_slow_path_of_layers_is_one_for_both_families(tools):
    import suite_tables
    from fit_efficiency import Ratio

    def ratio(scope, value):
        return Ratio("torch-mps", scope, "term", "M", value, residual_only=True)

    found = suite_tables.slow_products(
        [ratio("apple-m1", 0.3), ratio("apple-m1", 0.2), ratio("apple-m2", 0.25)]
    )
    assert found == {"apple-m1": 0.25, "apple-m2": 0.25}
    assert suite_tables.slow_products([]) == {}


def test_rows_that_no_machine_could_have_measured_are_named(tools):
    import suite_noise
    import suite_tables

    def row(seconds):
        label = "Concat dim=1000000x64 dim=1000000x64 axi=0"  # 1.024 GB
        return suite_tables.as_measured("v100-pcie", label, seconds, ("V100", "", ""))

    (line,) = suite_noise.impossible([row(1.1e-3), row(1.2e-3)])  # 900 GB/s: 1.13 ms
    assert line.startswith("impossible: V100 Concat") and "0.0011 s, at least 0.00113 s" in line


def test_rows_of_one_work_tell_how_noisy_a_table_is(tools):
    import suite_noise
    import suite_tables

    def row(name, seconds):
        label = f"{name} dim=64x128x1024"
        return suite_tables.as_measured("m3", label, seconds, ("M3", "", ""))

    line = suite_noise.noise([row("ReLU", 1e-3), row("Sigmoid", 3e-3), row("SeLU", 9e-3)])
    assert line.startswith("no better than: 2 rows of one work in one table are 66.7%")  # 1, 1/3


def test_what_calls_wait_for_is_found_again(tools, monkeypatch):
    """A made record: what the model says, but for waits that are ten times as long."""
    import fit_calls
    from suite_constants import Subject

    import siliconprof as sp
    from siliconprof.predict import synchronised

    framework = sp.framework("torch-cuda")
    key = "call.nvidia-hopper.reduction.wait_s"
    long = sp._core.Number(10 * framework.numbers[key].value, "fitted", "here", 0.1)
    made = sp._core.Framework(
        framework.id, framework.name, framework.vendors, framework.numbers | {key: long}
    )
    machine = sp._core.Model(sp.device("h200"), made)
    rows = [row for row in fit_calls.calls("h200_suite", "torch-cuda") if row.op == "sum"]
    rows = [dataclasses.replace(row, seconds=synchronised(machine, row.trace)[0]) for row in rows]
    of = Subject("torch-cuda", "", ("nvidia-hopper",), scope="nvidia-hopper")
    found = fit_calls.found_of(fit_calls.fitted(framework, rows, of))
    assert found[key][0] == pytest.approx(long.value, rel=0.1)
    assert set(found) == {key}, "rates that other tools fit stay as they are"


def test_sums_are_of_rows_that_a_step_could_have_by_device_and_version(tools):
    import fit_sums

    import siliconprof as sp

    def entry(op_class: str, label: str, bound: str = "traffic", version: str = "") -> object:
        row = type("Row", (), {"op_class": op_class, "label": label, "seconds": 2.0})()
        row.table = ("M3", "10", "mlx 0.30.1")
        made = {"row": row, "bound": bound, "predicted_s": 3.0, "version": version}
        return type("Entry", (), made)()

    some = [
        entry("matrix_product", "MatMul dim=64x64"),
        entry("matrix_product", "MatMul dim=64x1000000"),
        entry("matrix_product", "Linear dim=100x1x51200"),
        entry("convolution", "Conv2d dim=1x8x8x3"),
        entry("elementwise", "ReLU dim=1000000", "waiting"),
        entry("elementwise", "ReLU dim=1000000", version="0.2"),
    ]
    found = fit_sums.families(some)
    assert found == {
        "product": {"M3 ": {"MatMul dim=64x64": [(3.0, 2.0)]}},
        "convolution": {"M3 ": {"Conv2d dim=1x8x8x3": [(3.0, 2.0)]}},
        "other": {"M3 0.2": {"ReLU dim=1000000": [(3.0, 2.0)]}},
    }
    assert sp.framework("mlx").numbers["interval.apple.float32.product_part"].value < 0.3
