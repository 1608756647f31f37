"""The fit of the published op suite on Apple's CPUs, on made tables."""

from __future__ import annotations

import dataclasses
import math

import pytest

import siliconprof as sp

CPU = "apple-cpu"


def rows(labels, devices=("m1-pro-cpu", "m3-cpu")):
    import suite_tables

    return [
        suite_tables.as_measured(device, label, 1.0, (device, "", ""))
        for device in devices
        for label in labels
    ]


def timed(fit, table):
    """As long as the fit's constants say."""
    logs = fit.logs(table, {})
    return [
        dataclasses.replace(row, seconds=math.exp(log))
        for row, log in zip(table, logs, strict=True)
    ]


def test_a_fit_finds_the_rates_of_one_core_on_chips_of_other_cores_and_memory(tools):
    import fit_suite
    import suite_constants

    of = suite_constants.subject("mlx-cpu", "0.5")
    made = {
        f"efficiency.{CPU}.bce.core_bytes_per_cycle": 0.4,
        f"access.{CPU}.scatter.core_elements_per_cycle": 0.1,
    }
    labels = ("BCE dim=1000000 dim=1000000", "Scatter dim=64x16 dim=1000000")
    base = sp.framework("mlx-cpu")
    fit = fit_suite.Fit(base, rows(labels), of)
    fit.found |= made
    found = fit_suite.fitted(base, timed(fit, rows(labels)), of).found
    assert {key: found[key] for key in made} == pytest.approx(made, rel=0.1)
    assert not [key for key in found if key.startswith("convolution.")]


def test_sums_of_pytorch_go_by_all_cores_and_those_of_mlx_by_one(tools):
    import suite_constants

    def keys(framework, version):
        of = suite_constants.subject(framework, version)
        return {k for g in suite_constants.groups(of) for keys, _, _ in g.constants for k in keys}

    sums = f"efficiency.{CPU}.reduction."
    for version in ("", "2.5", "2.2", "2.1"):
        assert f"{sums}cores_bytes_per_cycle" in keys("torch-cpu", version)
    assert f"{sums}core_bytes_per_cycle" in keys("mlx-cpu", "")
    assert f"efficiency.{CPU}.selu.core_bytes_per_cycle" in keys("torch-cpu", "2.2")
    assert f"efficiency.{CPU}.selu.cores_bytes_per_cycle" in keys("torch-cpu", "2.5")


def test_products_of_another_library_and_conv1d_through_nnpack_are_in_no_fit(tools):
    import cpu_tables

    old, new = ("M4 Pro", "16", "mlx 0.20.0"), ("M4 Pro", "20", "mlx 0.24.1")
    assert cpu_tables.is_alone("Linear dim=100x1024x32", "torch-cpu", old)
    assert not cpu_tables.is_alone("Linear dim=100x1024x32", "torch-cpu", new)
    assert not cpu_tables.is_alone("Linear dim=100x1024x32", "mlx-cpu", old)
    assert cpu_tables.is_alone("Conv1d dim=100x256x3", "torch-cpu", new)


def test_rows_that_two_versions_share_are_named_both_ways(tools):
    import cpu_tables

    names = {name for name, _ in cpu_tables.BODIES}
    for (framework, versions), labels in cpu_tables.SHARED.items():
        assert framework in names and labels
        assert all((framework, version) in cpu_tables.BODIES for version in versions)
    assert cpu_tables.is_shared("Sort dim=64x128x1024 axi=0", "mlx-cpu", {"0.5", "0.2"})
    assert not cpu_tables.is_shared("Linear dim=1", "torch-cpu", {"2.1", "2.2"})


def test_what_no_row_tells_is_as_what_it_is_like_and_says_so(tools):
    import cpu_constants

    found = dict(cpu_constants.known("torch-cpu", ""))
    found[f"efficiency.{CPU}.elementwise.core_bytes_per_cycle"] = 12.0
    found[f"efficiency.{CPU}.reduction.cores_bytes_per_cycle"] = 4.0
    made = cpu_constants.completed(found)
    assert made[f"efficiency.{CPU}.outer_product.core_bytes_per_cycle"] == 12.0
    assert made[f"efficiency.{CPU}.matrix_vector.cores_bytes_per_cycle"] == 4.0
    left = cpu_constants.left
    assert left(f"efficiency.{CPU}.outer_product.core_bytes_per_cycle") == "same-as-elementwise"
    assert left(f"efficiency.{CPU}.reduction.compute.any") == "three-quarters"
    assert left(f"convolution.{CPU}.float32.forward.start_s") == "written-out"
    fits = (
        f"convolution.{CPU}.float32.forward.core_elements_per_cycle",
        f"efficiency.{CPU}.matrix_product.compute.any",
        f"access.{CPU}.sort.strided_part",
    )
    assert [left(key) for key in fits] == ["", "", ""]


def test_no_packaged_rate_of_apples_cpus_is_left_where_a_device_is_left_out(tools):
    import leave_published_out

    assert leave_published_out.is_of_the_suite(f"efficiency.{CPU}.elementwise.core_bytes_per_cycle")
    assert leave_published_out.is_of_the_suite(f"convolution.{CPU}.float32.forward.reach")
    assert not leave_published_out.is_of_the_suite("efficiency.cpu.elementwise.bandwidth")


def test_a_time_below_the_last_digit_of_a_table_is_none(tools, tmp_path):
    import suite_tables

    head = "device,gpu_cores,framework_version,backend,operation,shape,runtime_ms,method,validity\n"
    place = "M3,10,mlx 0.30.1,cpu,Gather,dim=64x256 dim=10"
    text = f"{head}{place},0.00,m,ok\n{place},0.01,m,ok\n"
    (tmp_path / "op_times_calibration.csv").write_text(text, encoding="utf-8")
    assert [row.seconds for row in suite_tables.measured(tmp_path, "torch-cpu", "")] == [1e-5]
