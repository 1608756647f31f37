from __future__ import annotations

import re
from importlib import import_module

import pytest

import siliconprof as sp
from siliconprof.cli import application


def test_a_prediction_is_that_of_the_library(document):
    content = document("predict", "batched-matmul", "--device", "m2-ultra", "--framework", "mlx")
    profile = sp.predict(sp.workload("batched-matmul"), "m2-ultra", "mlx")
    assert content["time_s"] == profile.time_s
    assert content["terms"] == profile.terms
    assert (content["device"], content["framework"]) == ("m2-ultra", "mlx")


def test_sizes_and_dtype_are_options(document):
    options = ("--batch", "1", "--m", "10", "--k", "10", "--n", "10", "--dtype", "float16")
    content = document("predict", "batched-matmul", "--device", "rtx-a6000", *options)
    assert content["flops"] == 2000


def test_the_text_shows_the_terms(call):
    status, out = call("predict", "matvec", "--device", "m2-pro", "--vjp")
    assert status == 0
    assert "term bandwidth" in out


def test_a_prediction_can_be_saved(call, tmp_path):
    path = tmp_path / "q.json"
    assert call("predict", "matvec", "--device", "m2-pro", "--save", path)[0] == 0
    assert sp.load(path).device == "m2-pro"


def test_a_file_that_cannot_be_written_is_told_before_the_prediction(call, tmp_path, monkeypatch):
    def never(*_):
        raise AssertionError("predicted")

    monkeypatch.setattr(import_module("siliconprof.predict"), "predict", never)
    for option, name in (("--save", "q.json"), ("--figure", "q.svg")):
        place = tmp_path / "nowhere" / name
        assert call("predict", "matvec", "--device", "m2-pro", option, place)[0] == 2


def test_a_prediction_can_be_drawn(call, tmp_path):
    path = tmp_path / "q.svg"
    assert call("predict", "matvec", "--device", "m2-pro", "--figure", path)[0] == 0
    assert "<svg" in path.read_text()
    assert call("predict", "matvec", "--device", "m2-pro", "--figure", tmp_path / "q.gif")[0] == 2


def test_without_a_device_it_is_wrong_use(call):
    assert call("predict", "matvec")[0] == 2


def test_a_framework_of_another_vendor_is_wrong_use(call):
    assert call("predict", "matvec", "--device", "m2-pro", "--framework", "torch-cuda")[0] == 2


def test_a_training_step_is_predicted_by_phases(document):
    options = ("--batch", "8", "--seq", "128", "--precision", "fp32", "--device", "m2-ultra")
    content = document("predict", "gpt2-large", *options)
    parts = (content["forward_s"], content["backward_s"], content["optimizer_s"])
    assert min(parts) > 0 and sum(parts) <= content["time_s"] * 1.0001
    assert content["framework"] == "mlx"


def test_an_offloaded_step_has_transfers(document):
    content = document(
        "predict", "gpt2-small", "--offload", "--lora", "8", "--device", "rtx-2080-ti"
    )
    assert content["transfer_s"] > 0


def test_the_link_and_the_host_are_numbers_that_can_be_set(document):
    step = ("predict", "gpt2-small", "--offload-mode", "serial", "--device", "rtx-2080-ti")
    plain = document(*step)
    fast_link = document(*step, "--set", "link.bandwidth=1e12")
    fast_host = document(*step, "--set", "host.memory_bandwidth=1e12")
    assert fast_link["terms"]["transfers"] < plain["terms"]["transfers"] / 10
    assert fast_host["terms"]["host optimizer"] < plain["terms"]["host optimizer"] / 10
    assert fast_link["time_s"] < plain["time_s"] > fast_host["time_s"]
    assert any("is assumed" in note for note in plain["notes"])


def test_a_step_that_cannot_be_is_wrong_use(call):
    assert call("predict", "gpt2-small", "--seq", "4096", "--device", "m2-ultra")[0] == 2


def test_settings_that_change_nothing_are_noted(call, document):
    step = ("predict", "gpt2-small", "--seq", "8", "--size", "layers=1", "--device", "h200")
    settings = ("--set", "launch.dispatch_s=1e-6", "--set", "host.pace=0.5")
    note = "set without effect: launch.dispatch_s=1e-6"
    assert [n for n in document(*step, *settings)["notes"] if "without" in n] == [note]
    assert f"note: {note}" in call(*step, *settings)[1]


def test_cores_that_stated_peaks_do_not_follow_are_noted(document):
    step = ("predict", "gpt2-small", "--seq", "8", "--size", "layers=1", "--device")
    cores = ("--set", "compute.cores=152")
    (note,) = [n for n in document(*step, "m2-ultra", *cores)["notes"] if n.startswith("peak")]
    assert note.startswith("peak rates stay as m2-ultra's file states them; to set, too: peak.mat")
    peaks = note.split("too: ")[1].split(", ")
    more = [word for key in peaks for word in ("--set", f"{key}=5e13")]
    for given in (("m2-ultra", *cores, *more), ("m1-max", *cores), ("m2-ultra",)):
        assert [n for n in document(*step, *given)["notes"] if n.startswith("peak")] == []


def test_what_help_sets_has_an_effect_on_its_example(call, document):
    text = " ".join(call("predict", "--help")[1].split())
    settings = re.findall(r"--set ([a-z]\S+=[0-9.e+-]+[0-9])", text)
    example = text.split("Example: siliconprof ")[1].split(" --json")[0].split()
    assert len(settings) == 3 and example[:2] == ["predict", "gpt2-large"]
    given = [word for setting in settings for word in ("--set", setting)]
    notes = document(*example, *given)["notes"]
    assert sum(note.startswith("set: ") for note in notes) >= 3
    assert [note for note in notes if "without effect" in note] == []


def test_a_setting_that_nobody_types_is_an_unknown_number(call):
    """As bytes that are no UTF-8 reach a command, and what was pasted by mistake."""
    for key in ("\udcff", "memory.\udcff", "x" * 10**6):
        status, out = call("predict", "triad", "--device", "h200", "--set", f"{key}=1")
        assert (status, out) == (2, "")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("--framework", "torch-mps", "--precision", "fp64"), "torch-mps has no float64: MPS has"),
        (("--framework", "torch-mps@2.2", "--precision", "fp64"), "torch-mps@2.2 has no float64"),
        (("--framework", "torch-mps@compile"), "torch-mps has no compile: torch.compile refuses"),
        (("--framework", "torch-mps@reduce-overhead"), "torch-mps has no reduce-overhead: torch"),
        (("--framework", "mlx@compile"), "unknown version of a framework 'mlx@compile'"),
    ],
)
def test_what_a_framework_fails_to_support_is_wrong_use_with_the_reason(capsys, given, reason):
    words = ["predict", "gpt2-small", "--size", "layers=1", "--device", "m2-ultra", *given]
    with pytest.raises(SystemExit) as ended:
        application()(words, prog_name="siliconprof")
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err
