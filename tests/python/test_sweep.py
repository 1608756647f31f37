"""Grids: every row is the prediction it stands for, and the frontier is what nothing beats."""

from __future__ import annotations

import csv
import subprocess
import sys

import numpy
import pandas
import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.capacity import memory_of
from siliconprof.sweep import Sweep

TARGETS = ["m2-ultra", "rtx-4090", "h200"]
GRID = {"devices": TARGETS, "batch": [1, 2, 5], "seq": [16, 48, 64]}


@pytest.fixture(scope="module")
def table():
    return sp.sweep("gpt2-small", precision=["fp32", "amp-fp16"], **GRID)


def test_every_combination_has_a_row(table):
    assert len(table) == 3 * 3 * 3 * 2
    assert not table.duplicated(["device", "precision", "batch", "length"]).any()


def test_a_row_is_the_prediction_of_its_step(table):
    for row in table.sample(6, random_state=1).to_dict("records"):
        step = sp.workload(
            "gpt2-small",
            batch=row["batch"],
            seq=row["length"],
            precision=row["precision"],
            framework=row["framework"],
        )
        profile = sp.predict(step, row["device"], row["framework"])
        assert row["time_s"] == pytest.approx(profile.time_s, rel=1e-9)
        assert (row["lo_s"], row["hi_s"]) == pytest.approx(profile.interval, rel=1e-9)
        assert row["peak_memory_bytes"] == profile.peak_memory_bytes >= step.peak_memory_bytes
        assert (row["lo_bytes"], row["hi_bytes"]) == profile.peak_memory_interval_bytes
        assert row["energy_joules"] == pytest.approx(profile.energy_joules, rel=1e-9)
        ends = (row["lo_joules"], row["hi_joules"])
        assert ends == pytest.approx(profile.energy_interval_joules, rel=1e-9)


@pytest.mark.parametrize("precision", ["fp32", "amp-bf16"])
@pytest.mark.parametrize(
    "given", [{"offload": True}, {"offload": "delayed"}, {"checkpoint": True, "accumulate": 2}]
)
def test_energy_and_memory_of_every_kind_of_step_are_those_of_its_prediction(precision, given):
    """Steps with a host go through other clocks, whose kernels draw power all the same."""
    targets = {"devices": ["rtx-4090", "m1"], "frameworks": ["torch-cuda", "torch-mps", "mlx"]}
    table = sp.sweep("whisper-tiny", batch=[1, 3], precision=precision, **targets, **given)
    for row in table.to_dict("records"):
        step = sp.workload("whisper-tiny", batch=row["batch"], precision=precision, **given)
        profile = sp.predict(step, row["device"], row["framework"])
        assert (row["lo_bytes"], row["hi_bytes"]) == profile.peak_memory_interval_bytes
        found = [row[name] for name in ("energy_joules", "lo_joules", "hi_joules")]
        wanted = [profile.energy_joules, *profile.energy_interval_joules]
        assert found == pytest.approx(wanted, rel=1e-9)


def test_what_is_not_known_of_a_row_is_not_there(tmp_path):
    grid = {"devices": ["rtx-4090", "epyc-9654"], "frameworks": ["torch-cuda", "torch-cpu"]}
    table = sp.sweep("gpt2-small", seq=16, **grid)
    missing = {row["device"]: row["energy_joules"] for row in table.to_dict("records")}
    assert missing["rtx-4090"] > 0.0 and missing["epyc-9654"] is pandas.NA
    path = tmp_path / "grid.csv"
    found = sp.sweep("gpt2-small", path, seq=16, **grid)
    with open(path, newline="") as file:
        (cpu,) = (row for row in csv.DictReader(file) if row["device"] == "epyc-9654")
    assert [cpu[f"{end}_joules"] for end in ("energy", "lo", "hi")] == ["", "", ""]
    assert cpu["joules_per_item"] == "" and float(cpu["time_per_item_s"]) > 0
    assert {row["device"]: row["energy_joules"] is None for row in found.frontier} == {
        "rtx-4090": False,
        "epyc-9654": True,
    }


def test_what_fits_is_what_predict_says_fits():
    """Around the capacity, where what an allocator takes beyond the tensors decides."""
    grid = {"devices": ["rtx-4090", "m2-pro"], "batch": range(8, 80, 4), "seq": 256}
    table = sp.sweep("gpt2-small", frameworks=["torch-cuda", "torch-mps", "mlx"], **grid)
    for row in table.to_dict("records"):
        step = sp.workload("gpt2-small", batch=row["batch"], seq=256, framework=row["framework"])
        machine = sp.device(row["device"])
        profile = sp.predict(step, machine, row["framework"])
        assert row["peak_memory_bytes"] == profile.peak_memory_bytes
        software = sp.framework(row["framework"])
        assert row["fits"] == (profile.peak_memory_bytes <= memory_of(machine, software))
    assert set(table["fits"]) == {True, False}


def test_the_frontier_of_a_size_is_what_nothing_beats(table):
    price = {name: sp.device(name).numbers.get("price.launch_usd") for name in TARGETS}
    for _, rows in table.groupby(["batch", "length"]):
        costs = [
            (r["time_s"], price[r["device"]].value if price[r["device"]] else float("inf"),
             float("inf") if r["energy_joules"] is pandas.NA else r["energy_joules"],
             r["peak_memory_bytes"])
            for r in rows.to_dict("records")
        ]  # fmt: skip
        for own, is_on in zip(costs, rows["frontier"], strict=True):
            beaten = any(all(x <= y for x, y in zip(o, own)) and o != own for o in costs)
            assert is_on == (not beaten)


def test_the_file_holds_the_same_rows_as_the_frame(table, tmp_path):
    path = tmp_path / "grid.csv"
    told = []
    found = sp.sweep(
        "gpt2-small",
        path,
        precision=["fp32", "amp-fp16"],
        progress=lambda done, total: told.append((done, total)),
        threads=1,
        **GRID,
    )
    assert isinstance(found, Sweep)
    assert found.rows == len(table) and told[-1] == (len(table), len(table))
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["time_s"]) for row in rows] == list(table["time_s"])
    assert [row["device"] for row in rows] == list(table["device"])
    for name in ("lo_bytes", "hi_bytes", "energy_joules", "lo_joules", "hi_joules"):
        assert [float(row[name]) for row in rows] == list(table[name])
    for name in ("time_per_item_s", "joules_per_item"):
        assert [float(row[name]) for row in rows] == pytest.approx(list(table[name]), rel=1e-8)
    prices = [float(row["price_usd"] or "nan") for row in rows]
    assert prices == pytest.approx(
        table["price_usd"].to_numpy(float, na_value=numpy.nan), nan_ok=True
    )


def test_an_item_of_micro_batches_takes_its_part_of_their_step():
    sizes = {"devices": "h200", "frameworks": "torch-cuda", "batch": 8, "seq": 64}
    (row,) = sp.sweep("gpt2-small", accumulate=4, **sizes).to_dict("records")
    assert row["time_per_item_s"] == pytest.approx(row["time_s"] / (4 * 8 * 64))
    assert row["joules_per_item"] == pytest.approx(row["energy_joules"] / (4 * 8 * 64))
    for wrong in (None, "a"):
        with pytest.raises(sp.ArgumentError, match="accumulate"):
            sp.sweep("gpt2-small", accumulate=wrong, **sizes)


def test_a_missing_model_is_an_error_not_a_crash():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.sweep_chunk(["h200"], [None], [None], [(1, 16)], 1)


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are limited as on Linux")
def test_where_the_system_grants_few_threads_those_do_the_work():
    program = """
import resource, siliconprof as sp
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
found = sp.sweep("gpt2-small", devices="h200", batch=range(1, 9), seq=[16, 32], threads=4096)
print(len(found))
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr) == (0, "16\n", "")


def test_an_interrupted_sweep_keeps_the_rows_that_were_done(tmp_path):
    def stop(done, total):
        if done > 1:
            raise KeyboardInterrupt

    grid = {"devices": ["h200"], "seq": 16, "progress": stop}
    with pytest.raises(KeyboardInterrupt):
        sp.sweep(["gpt2-small", "bert-base", "resnet18"], tmp_path / "grid.csv", **grid)
    assert [entry.name for entry in tmp_path.iterdir()] == ["grid.partial.csv"]
    with open(tmp_path / "grid.partial.csv", newline="") as file:
        done = [row["workload"] for row in csv.DictReader(file)]
    assert done == ["gpt2-small", "bert-base"]


def test_the_frontier_of_all_is_quickest_first_and_fits(tmp_path):
    found = sp.sweep("gpt2-small", tmp_path / "g.csv", **GRID)
    assert repr(found).startswith(f"<Sweep of 27 rows in {tmp_path / 'g.csv'}: ")
    times = [row["time_per_item_s"] for row in found.frontier]
    assert times == sorted(times) and times
    assert all(row["fits"] for row in found.frontier)
    assert found.frontier[0]["time_s"] / (
        found.frontier[0]["batch"] * found.frontier[0]["length"]
    ) == pytest.approx(times[0])


def test_what_a_device_lacks_is_left_out_with_the_reason(tmp_path):
    found = sp.sweep("gpt2-small", tmp_path / "g.csv", precision=["fp32", "tf32"], **GRID)
    assert found.rows == 3 * 9 + 2 * 9
    (reason,) = found.left_out
    assert "tf32 on m2-ultra/mlx" in reason and "no peak rate for tf32" in reason


def test_a_table_in_memory_says_what_was_left_out_and_warns():
    with pytest.warns(UserWarning, match=r"\[sweep\] left out: 1 .*tf32 on m2-ultra/mlx"):
        table = sp.sweep("gpt2-small", precision=["fp32", "tf32"], **GRID)
    assert len(table) == 3 * 9 + 2 * 9
    (reason,) = table.attrs["left_out"]
    assert "no peak rate for tf32" in reason
    table = sp.sweep("gpt2-small", devices=["rtx-4090"], offload=True, seq=16)
    assert "the host beside rtx-4090 is assumed" in table.attrs["notes"][0]


def test_a_device_of_what_if_is_swept_in_double_precision():
    device = sp.device("h200").with_number("memory.bandwidth", 2e12)
    table = sp.sweep("gpt2-small", devices=[device], batch=[1, 2], seq=16, precision="fp64")
    given = {"seq": 16, "precision": "fp64", "framework": "torch-cuda"}
    for row in table.to_dict("records"):
        step = sp.workload("gpt2-small", batch=row["batch"], **given)
        assert row["time_s"] == pytest.approx(sp.predict(step, device).time_s, rel=1e-9)


def test_nothing_that_can_be_predicted_is_an_error(tmp_path):
    with pytest.raises(sp.ArgumentError, match="nothing can be predicted"):
        sp.sweep("gpt2-small", tmp_path / "g.csv", devices=["m2"], precision="tf32")
    assert list(tmp_path.iterdir()) == []


def test_frameworks_run_where_they_can():
    with pytest.warns(UserWarning, match=r"left out: 2 .*: none of the frameworks runs there"):
        table = sp.sweep("gpt2-small", devices=TARGETS, frameworks=["mlx", "torch-mps"], seq=16)
    assert set(zip(table["device"], table["framework"], strict=True)) == {
        ("m2-ultra", "mlx"),
        ("m2-ultra", "torch-mps"),
    }


def test_an_assumed_host_is_said_once_of_each_device_that_offloads(tmp_path):
    grid = {**GRID, "devices": [*TARGETS, "rtx-a6000"], "precision": ["fp32", "amp-fp16"]}
    found = sp.sweep("gpt2-small", tmp_path / "grid.csv", offload=True, **grid)
    assert [note.split(" is assumed")[0] for note in found.notes] == [
        "the host beside rtx-4090",
        "the host beside rtx-a6000",
    ]
    assert sp.sweep("gpt2-small", tmp_path / "grid.csv", **grid).notes == ()


def test_lengths_that_a_workload_has_none_of_are_told(tmp_path):
    found = sp.sweep(["resnet18"], tmp_path / "grid.csv", devices=["h200"], seq=range(1, 99))
    assert found.rows == 1
    assert found.notes == ("resnet18 has no length: its rows are of each batch once",)


def test_a_version_of_a_framework_is_swept_under_its_name():
    asked = {"devices": ["m2-ultra"], "frameworks": ["torch-mps", "torch-mps@2.2"]}
    table = sp.sweep("resnet18", batch=8, **asked)
    now, then = table.to_dict("records")
    assert (now["framework"], then["framework"]) == ("torch-mps", "torch-mps@2.2")
    step = sp.workload("resnet18", batch=8, framework="torch-mps")
    assert then["time_s"] == pytest.approx(sp.predict(step, "m2-ultra", "torch-mps@2.2").time_s)
    assert now["time_s"] != then["time_s"]


def test_several_workloads_share_a_table_and_images_have_no_length():
    names = ["whisper-tiny", "simclr-resnet18"]
    table = sp.sweep(names, devices=["h200"], batch=[2, 4], seq=[8, 16])
    assert len(table) == 4 + 2
    assert set(table[table["workload"] == "simclr-resnet18"]["length"]) == {1}
    step = sp.workload("whisper-tiny", batch=4, label_len=16, framework="torch-cuda")
    row = table[(table["batch"] == 4) & (table["length"] == 16)].iloc[0]
    assert row["time_s"] == pytest.approx(sp.predict(step, "h200").time_s, rel=1e-9)


def test_a_size_may_be_any_whole_number_or_several_in_any_form():
    for given in (2, numpy.int64(2), numpy.array(2), numpy.array([2], ">i4"), iter([2, 2]), {2}):
        table = sp.sweep("gpt2-small", devices="m2", batch=given, seq=16)
        assert list(table["batch"]) == [2]


def test_options_of_a_workload_are_the_same_for_all_rows():
    table = sp.sweep("gpt2-small", devices=["h200"], seq=16, optimizer="sgd")
    step = sp.workload("gpt2-small", batch=1, seq=16, optimizer="sgd", framework="torch-cuda")
    assert table["peak_memory_bytes"][0] == sp.predict(step, "h200").peak_memory_bytes


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"workloads": "gpt2-smal"}, "gpt2-small"),
        ({"devices": ["m2-ultre"]}, "m2-ultra"),
        ({"devices": []}, "one or more"),
        ({"batch": 0}, "at least 1"),
        ({"batch": []}, "one or more"),
        ({"batch": b"4"}, "a whole number or several"),
        ({"batch": range(1, 10**9)}, "1000000 sizes at most"),
        ({"seq": 4096}, "context"),
        ({"precision": "fp8"}, "fp32"),
        ({"precision": b"fp32"}, "unknown precision b'fp32'"),
        ({"precision": "fp64"}, "fp64 on m2/mlx: .*no peak rate for float64"),
        ({"threads": 0}, r"\[sweep\] threads = 0 \(int\): a whole number from 1"),
        ({"threads": 1.5}, r"threads = 1.5 \(float\): a whole number"),
        ({"workloads": 3}, r"workloads = 3"),
        ({"frameworks": ["mlx"], "devices": ["h200"]}, "a framework that runs"),
        ({"out": "grid.txt"}, r"\.csv"),
        ({"progress": 3}, r"\[sweep\] progress = 3 \(int\): a function, or None, is needed"),
        ({"workloads": "whisper-tiny", "label_len": 16}, r"\[sweep\] label_len = 16 .*seq="),
        ({"framework": "mlx"}, r"\[sweep\] framework = 'mlx' .*frameworks="),
        ({"device": "m2"}, "unknown sweep argument 'device'; did you mean 'devices'"),
    ],
)
def test_wrong_grids_are_named(wrong, error):
    given = {"workloads": "gpt2-small", "devices": ["m2"], **wrong}
    with pytest.raises(sp.Error, match=error):
        sp.sweep(**given)


def test_a_device_file_is_swept_under_its_own_id(device_file):
    table = sp.sweep("gpt2-small", devices=[str(device_file), "m2-ultra"], batch=[1, 2], seq=16)
    assert set(table.device) == {"half-ultra", "m2-ultra"}
    row = table[(table.device == "half-ultra") & (table.batch == 2)].iloc[0]
    step = sp.workload("gpt2-small", batch=2, seq=16, framework="mlx")
    assert row.time_s == pytest.approx(sp.predict(step, device_file, "mlx").time_s, rel=1e-9)


def test_a_calibrated_device_is_left_out_with_its_reason(calibrated_file, tmp_path):
    given = {"devices": [str(calibrated_file), "m2-ultra"], "seq": 16}
    found = sp.sweep("gpt2-small", tmp_path / "grid.csv", **given)
    assert found.rows == 1
    assert "measured kernels" in found.left_out[0]
    with pytest.raises(sp.ArgumentError, match="measured kernels"):
        sp.sweep("gpt2-small", devices=[str(calibrated_file)], seq=16)


def test_two_devices_of_one_id_are_refused(device_file, tmp_path):
    sp.device(device_file).save(tmp_path / "other.toml")
    both = [str(device_file), str(tmp_path / "other.toml")]
    with pytest.raises(sp.ArgumentError, match="half-ultra"):
        sp.sweep("gpt2-small", devices=both, seq=16)
    with pytest.raises(sp.DeviceError):
        sp.sweep("gpt2-small", devices=[str(tmp_path / "none.toml")], seq=16)


def test_a_device_file_may_say_how_fast_its_host_is(tmp_path):
    source = 'title = "a reading"\nurl = "here"\ndate = "2026"\n'
    pace = '{ value = 0.7, kind = "measured", source = "reading", relative_error = 0.1 }'
    path = tmp_path / "slow.toml"
    text = f'id = "slow"\nname = "Slow"\nextends = "h200"\nhost.pace = {pace}\n'
    path.write_text(f"{text}[sources.reading]\n{source}")
    row = sp.sweep("gpt2-small", devices=[str(path)], batch=[1], seq=[64]).iloc[0]
    step = sp.workload("gpt2-small", batch=1, seq=64, framework="torch-cuda")
    profile = sp.predict(step, sp.device("h200").with_number("host.pace", 0.7))
    assert row["time_s"] == pytest.approx(profile.time_s, rel=1e-9)
    assert (row["lo_s"], row["hi_s"]) == pytest.approx(profile.interval, rel=1e-9)
