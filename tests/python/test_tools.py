"""The fits of the frameworks' constants, on made tables: what is held out stays out."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

import siliconprof as sp
from siliconprof.validate import Score


@pytest.fixture
def tools(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_efficiency
    import fit_launch

    yield fit_efficiency, fit_launch
    names = ("fit_efficiency", "fit_launch", "fit_suite")
    for name in (*names, "suite_tables", "suite_constants", "suite_noise", "leave_published_out"):
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


def test_a_hosts_constants_are_those_of_single_transfers_and_updates(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_offload

    mib, n = 1 << 20, 1_000_000
    times = {("memory.addcmul_in_place", 16_000): 16_000 / 1e11}
    for way, staged in (("to_host", 10e9), ("to_device", 5e9)):
        for size in (4096, 1 << 16, mib, 1 << 28):
            times[f"transfer.{way}.pinned", size] = 2e-6 + size / 50e9 * (size > 4096)
            times[f"transfer.{way}.pageable", size] = 10e-6 + size / staged
        times[f"transfer.{way}.issue", 4096] = 4e-6
    for name in ("adamw.fused", "adamw.fused_each"):
        times |= {(name, size): 5e-6 + 28 * size / 1e11 for size in (1000, n)}
    times |= {("adamw.alone", n): 3e-4, ("adamw.beside_to_host", n): 4e-4}
    times |= {("adamw.thread", n): 2e-4, ("adamw.thread_beside_issue", n): 3e-4}
    times |= {("program.send", 32): 40e-6, ("program.update", 32): 1e-5}
    times[("program.update_and_fetch", 32)] = 3e-5
    found = fit_offload.link(times, 100e9) | fit_offload.host(times) | fit_offload.program(times)
    assert found == pytest.approx(
        {
            "pinned_part": 0.5,
            "start_s": 2e-6,
            "pageable_to_host_bytes_per_s": 10e9,
            "pageable_to_device_bytes_per_s": 5e9,
            "pageable_start_s": 10e-6,
            "copy_s": 4e-6,
            "memory_bandwidth_bytes_per_s": 1e11,
            "update_s": 5e-6,
            "update_part": 1.0,
            "send_s": 40e-6,
            "fetch_s": 20e-6,
            "beside_part": 0.5,
            "arriving_part": 0.25,
        },
        rel=0.01,
    )


def test_the_packaged_offload_constants_are_the_fits(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    from statistics import median

    import fit_offload

    import siliconprof as sp

    device, framework = sp.device("h200"), sp.framework("torch-cuda")
    peak = device.numbers["link.bandwidth_bytes_per_s"].value
    for key, values in fit_offload.fitted("h200_offload", peak).items():
        on_device = key.startswith("memory_")
        name = f"host.{key}" if on_device else f"offload.nvidia.{key}"
        number = (device if on_device else framework).numbers[name]
        assert number.value == pytest.approx(median(values), rel=0.01), key


def test_what_an_optimizer_takes_once_stands_apart_from_its_tensors(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_host

    times = {("host.clip", "step", n): 1e-3 + n * 2e-6 for n in (12, 148, 292, 580)}
    once, step = "host.once.adamw_foreach", "host.step.adamw_foreach"
    for n in (48, 148):
        times |= {(once, "step", n): 4e-4 + n * 14e-6, (once, "zero_grad", n): 1e-4 + n * 1e-6}
        times |= {(once, "unscale", n): 2e-4 + n * 2e-6}
    times |= {(step, "step_and_zero_grad", 288): 5e-4 + 288 * 15e-6}
    assert fit_host.optimizers_of(times) == {"optimizer.clip": pytest.approx(2e-6)}
    found = fit_host.optimizers_of_models([times])
    assert found["optimizer.pass"] == pytest.approx(5e-4)
    assert found["optimizer.adamw"] == pytest.approx(15e-6)  # its step and setting to none
    assert found["optimizer.update_scale"] == pytest.approx(2e-4)
    assert found["optimizer.unscale"] == pytest.approx(2e-6)


def test_a_machines_own_pace_is_none_of_its_modules(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_host

    def machine(pace, rows):
        return {(name, "forward", 0): pace * s for name, s in rows.items()}

    chains = {"host.module.linear": 30e-6, "host.module.add": 10e-6}
    ends = {"host.whisper_ends": 1e-3, "host.gpt2_ends": 2e-4}
    paces = (1.0, 0.8, 1.3)
    every = [machine(p, chains | ends) for p in paces]
    every.append(machine(2.0, ends))  # without a chain, held against the ends of the others
    monkeypatch.setattr(fit_host, "raw_machines", lambda record: iter(every))
    for times in fit_host.machines("any"):
        assert times["host.whisper_ends", "forward", 0] == pytest.approx(1e-3)
        assert times.get(("host.module.linear", "forward", 0), 30e-6) == pytest.approx(30e-6)


def test_a_further_kernels_start_shows_where_there_is_little_to_do(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_kernels

    rows = [(count, 6e-6 + count / 2e12) for count in (1e6, 2e6, 2e7, 1e8)]
    start_s, rate = fit_kernels.started(rows, 1e-6)
    assert start_s == pytest.approx(5e-6) and rate == pytest.approx(2e12)


def test_the_packaged_starts_are_the_fits_and_short_norms_take_them(tools, monkeypatch, capsys):
    import fit_kernels

    monkeypatch.setattr("sys.argv", ["fit_kernels.py", "--device", "h200"])
    fit_kernels.main()
    found = re.findall(r"^access\.\S+\.(\w+)\.start_s = (\S+)$", capsys.readouterr().out, re.M)
    assert {op for op, _ in found} == {*fit_kernels.OF_KERNELS, *fit_kernels.OF_ROWS}
    packaged = sp.framework("torch-cuda").numbers
    for op, seconds in found:
        assert packaged[f"access.nvidia.{op}.start_s"].value == pytest.approx(float(seconds)), op
    measured = {row.what: row.value for row in sp.load("h100_ops").rows if row.dtype == "float32"}
    for op, way in (("layer_norm", "forward"), ("layer_norm_backward", "backward")):
        step = sp.predict(sp.op(op, rows=256, n=768), "h100", "torch-cuda")
        kernel_s = step.time_s - step.terms["launch"]
        assert kernel_s == pytest.approx(measured[f"layer_norm rows=256 n=768 {way}"], rel=0.15)


def test_two_memories_tell_how_much_of_a_kernels_time_is_memorys(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_cores

    memories = 1.5
    for share in (0.0, 0.3, 1.0):
        longer = ((share * memories) ** 2 + 1.0 - share**2) ** 0.5
        assert fit_cores.memory_share(longer, memories) == pytest.approx(share)
    assert fit_cores.memory_share(0.98, memories) == 0.0, "quicker by chance"
    assert fit_cores.memory_share(1.6, memories) == 1.0
    # Of 0.9 that memory gives, cores that keep up with 1.2 leave what both take together.
    both = 1.0 / (0.9**-2 + 1.2**-2) ** 0.5
    assert fit_cores.cores_rate(both, 0.9) == pytest.approx(1.2)
    assert fit_cores.cores_rate(0.899, 0.9) is None


def test_the_shipped_split_of_memory_and_cores_is_that_of_the_records(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_cores

    by_op: dict[str, dict[str, list[fit_cores.Kernel]]] = {"dropout": {}, "clip": {}}
    for op, dtype, kernel in fit_cores.kernels():
        if op in by_op:
            by_op[op].setdefault(dtype, []).append(kernel)
    numbers = sp.framework("torch-cuda").numbers
    for op, by_dtype in by_op.items():
        part = fit_cores.memory_part(op, by_dtype, 1.0)
        split = fit_cores.split(by_dtype, part)
        assert numbers[f"efficiency.nvidia.{op}.bandwidth"].value == pytest.approx(part, rel=0.01)
        for dtype, each in split.bytes_per_cycle.items():
            shipped = numbers[f"row.nvidia.{op}.{dtype}.bytes_per_cycle"]
            assert shipped.value == pytest.approx(each, rel=0.01)


def test_groups_of_rows_err_less_than_single_rows(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_intervals

    assert fit_intervals.grouped([[[(1.0, 1.0)]] * 4], 5) == 0.0
    apart = fit_intervals.grouped([[[(1.2, 1.0)], [(0.8, 1.0)]]], 15)
    assert 0.05 < apart < 0.2
    # Fewer shapes leave more of it, directions that err together as much as one of them.
    fewer = fit_intervals.grouped([[[(1.2, 1.0)], [(0.8, 1.0)]]], 5)
    assert apart < fewer < 0.2
    together = [[(1.2, 1.0)] * 3, [(0.8, 1.0)] * 3]
    assert fit_intervals.grouped([together], 5) == pytest.approx(fewer)
    # Products ran in bursts: the board's power doesn't hold up those that are predicted, either.
    found = fit_intervals.by_kind(sp.device("h200"), "torch-cuda", "h200_ops")
    numbers = sp.framework("torch-cuda").numbers
    for kind in ("tf32.product", "float16.product", "bfloat16.product"):
        shapes = [list(shapes_of.values()) for shapes_of in found[kind].values()]
        shipped = numbers[f"interval.nvidia-hopper.{kind}_part"].value
        assert fit_intervals.grouped(shapes, 5) == pytest.approx(shipped, rel=0.02)
    # Shapes that a group shares its rows with err together.
    assert fit_intervals.grouped([[[(1.2, 1.0)]], [[(0.8, 1.0)]]], 15) == pytest.approx(0.2)


def test_a_refit_knows_nothing_of_what_is_left_out(tools, root):
    fit_efficiency, _ = tools
    import leave_published_out

    def ratio(device, scope, value):
        place = ("mlx", scope, "elementwise.bandwidth", device)
        return fit_efficiency.Ratio(*place, value, operation="ReLU")

    whole = [
        ratio("M1", "apple-m1", 0.2),
        ratio("M2", "apple-m2", 0.5),
        ratio("M3", "apple-m3", 0.7),
    ]
    kept = [entry for entry in whole if entry.device != "M1"]
    trips = {("mlx", "any"): 1e-4}
    walked = {"access.apple.gather.elements_per_cycle": 0.5}
    numbers = leave_published_out.refitted("mlx", kept, whole, trips, walked).numbers
    assert numbers["access.apple.gather.elements_per_cycle"].value == 0.5
    assert not [key for key in numbers if key.startswith(("call.", "convolution."))]
    assert not [key for key in numbers if "apple-m1" in key]
    assert numbers["efficiency.apple.elementwise.bandwidth"].value == pytest.approx(0.6)
    assert numbers["efficiency.apple.outer_product.bandwidth"].value == pytest.approx(0.6)
    assert numbers["efficiency.apple-m2.elementwise.bandwidth"].value == 0.5
    assert numbers["launch.round_trip_s"].value == 1e-4


def test_a_devices_round_trips_are_left_out_and_not_its_namesakes(tools):
    _, fit_launch = tools
    what = "floor of one synchronized tiny op"
    table = [
        {"device": device, "api": "mlx_gpu", "what": what, "value": value}
        for device, value in (("M1 (8-core GPU)", "200"), ("M1 Pro (16-core GPU)", "210"))
    ]
    found = fit_launch.round_trips(table, ("M1 (",))
    assert found == {("mlx", "apple-m1"): [210.0], ("mlx", "any"): [210.0]}


def test_round_trips_of_a_family_of_its_own_are_in_no_other(tools):
    _, fit_launch = tools
    what = "floor of one synchronized tiny op"
    table = [
        {"device": device, "api": "cuda", "what": what, "value": value}
        for device, value in (("V100 PCIe 32GB", "30"), ("RTX 4090", "20"))
    ]
    found = fit_launch.round_trips(table)
    assert found["torch-cuda", "nvidia-volta"] == [30.0]
    assert found["torch-cuda", "any"] == [20.0]


def test_calls_cost_a_host_what_chains_in_turn_show_at_the_level_of_layers(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_host
    import host_chains

    once, begin, way = 6e-4, 2e-4, "backward"
    times = {}
    for name in host_chains.CHAINS:
        depth = host_chains.FEW if name in host_chains.SHORT else host_chains.DEPTH
        first = (once if host_chains.is_layer(name) else begin) / depth
        for kind in host_chains.KINDS:
            counts = host_chains.calls_of(name, kind, way)
            seconds = sum(n * len(call) * 1e-6 for call, n in counts.items())
            times[fit_host.TURN + name + kind, way, 0] = seconds + first
            if name in (*host_chains.LAYERS, *host_chains.SHORT):
                times[fit_host.STEP + name + kind, way, 0] = 0.5 * seconds + first
    found = fit_host.calls_of([times], way)
    assert found["pass"] == pytest.approx(once)
    assert found["matmul"] == pytest.approx(0.5 * len("matmul") * 1e-6)
    whole = 0.5 * len("conv2d_backward.tf32") * 1e-6  # of the gradients of data and of weights
    assert found["conv2d_weight_backward.tf32"] == pytest.approx(whole / 2)
    assert found["cast_bfloat16"] == found["cast_float32"] == pytest.approx(0.5 * 4e-6)
    assert found["gelu_erf_backward"] == found["gelu_tanh_backward"]
    of_float16 = [found[f"attention_backward.{d}"] for d in ("float16", "bfloat16")]
    assert of_float16 == pytest.approx([0.5 * len("attention_backward.float16") * 1e-6] * 2)
    assert host_chains.BEGIN not in found


def test_errors_of_peaks_are_a_part_of_all_and_bytes_of_small_steps_that_convolve(
    root, monkeypatch
):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit_peak_memory

    def peak(subject: str, predicted: float, recorded: float) -> Score:
        where = ("x peak memory", "h200", "torch-cuda", recorded, predicted, "bytes")
        return Score.of(*where, source="", subject=subject)

    sound = [peak("gpt2-small", 2e9, 2e9) for _ in range(19)]
    small = [peak("simclr-resnet18", 4e8, 4e8 + 1e5 * n) for n in range(10)]
    others = [peak("gpt2-small", 4e8, 5e8), peak("simclr-resnet18", 1.5e9, 1.6e9)]
    found = {key: (value, n) for key, value, n in fit_peak_memory.errors(sound + small + others)}
    value, rows = found.pop("memory_part")
    assert rows == 31 and value == pytest.approx(9e5 / 4e8)  # the third largest of 31
    assert found == {"workspace_bytes": (9e5, 10)}
    (only,) = fit_peak_memory.errors(sound)
    assert only[0] == "memory_part"
    for name in ("fit_peak_memory", "conformal_errors", "fit_efficiency"):
        sys.modules.pop(name, None)
