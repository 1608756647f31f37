from __future__ import annotations

import json
import sys
from importlib import import_module

import pytest

import siliconprof as sp
from siliconprof.cli import application
from siliconprof.cli.run import _reasons

SMALL = ("run", "matvec", "--m", "8", "--n", "8", "--sampling", "paper")


def test_a_run_has_samples_counters_and_environment(document):
    content = document(*SMALL)
    assert content["origin"] == "measured"
    assert len(content["samples"]) == 100
    assert content["counters"] and content["environment"]


def test_a_run_can_be_saved(call, tmp_path):
    path = tmp_path / "p.json"
    assert call(*SMALL, "--save", path)[0] == 0
    assert sp.load(path).origin == "measured"


HUGE = "9" * 30


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize(
    "arguments",
    [
        ("triad", "--n", "1" + "0" * 15),
        ("triad", "--n", HUGE),
        ("triad", "--n", "-" + HUGE),
        ("matvec", "--m", "8", "--n", "8", "--threads", HUGE),
        ("matvec", "--m", "8", "--n", "8", "--threads", "99999999999999"),
    ],
)
def test_what_no_machine_can_hold_is_wrong_use_with_one_line(call, capsys, arguments, options):
    with pytest.raises(SystemExit) as ended:
        application()(["run", *arguments, *options], prog_name="siliconprof")
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert len(err.splitlines()) == 1 and err.startswith("siliconprof: [")


@pytest.fixture
def idle(monkeypatch):
    """Fails when something is measured or trained."""

    def never(*_, **__):
        raise AssertionError("measured")

    # The package's own `run` is the function, so the module is asked for by name.
    monkeypatch.setattr(import_module("siliconprof.run"), "run", never)
    monkeypatch.setattr(import_module("siliconprof.training"), "train", never)


def test_a_name_that_cannot_be_loaded_is_refused_before_the_run(call, idle):
    for name in ("", "p.csv", "p"):
        assert call(*SMALL, "--save", name)[0] == 2


def test_a_file_that_cannot_be_written_is_told_before_the_run(call, idle, tmp_path):
    for begun in (SMALL, TINY):
        assert call(*begun, "--save", tmp_path / "nowhere" / "p.json")[0] == 2


@pytest.mark.parametrize("option", ["--state", "--weights", "--data"])
def test_a_profile_is_not_saved_over_what_the_run_reads(capsys, idle, tmp_path, option):
    (tmp_path / "a.json").write_text("mine")
    (tmp_path / "link.json").symlink_to("a.json")
    line = [*TINY, option, tmp_path / "a.json", "--save", tmp_path / "link.json"]
    with pytest.raises(SystemExit) as ended:
        application()([str(word) for word in line], prog_name="siliconprof")
    assert ended.value.code == 2
    name = option.removeprefix("--")
    assert f"another file than {name} = " in capsys.readouterr().err
    assert (tmp_path / "a.json").read_text() == "mine"


def test_an_unknown_engine_is_wrong_use(call):
    assert call(*SMALL, "--engine", "openbals")[0] == 2


def test_a_size_that_is_no_number_is_wrong_use(call):
    assert call("run", "matvec", "--m", "many")[0] == 2


TINY = ("run", "gpt2-small", "--batch", "2", "--seq", "8", "--size", "layers=1", "--size")
TINY += ("width=16", "--size", "heads=2", "--size", "vocab=257", "--threads", "1")


def test_a_model_is_trained_and_its_losses_are_told(document):
    content = document(*TINY, "--steps", "4")
    assert len(content["losses"]) == 4 and content["stopped"] == "done"
    assert content["sampling"] == "training" and content["item"] == "tokens"
    assert len(content["samples"]) == 3


def test_a_training_by_sgd_has_the_rate_of_any_other(document):
    options = (*TINY, "--steps", "4", "--optimizer", "sgd")
    usual, given = document(*options), document(*options, "--learning-rate", "0.001")
    assert usual["losses"] == given["losses"]


def test_a_training_goes_on_from_its_state(document, tmp_path):
    options = (*TINY, "--state", tmp_path / "run.safetensors")
    begun = document(*options, "--steps", "2")["losses"]
    assert document(*options, "--steps", "5")["losses"][:2] == begun


@pytest.mark.parametrize("option", [("--clip", "1"), ("--precision", "amp-fp16")])
def test_a_model_without_an_optimizer_is_measured(document, option):
    content = document(*TINY, "--optimizer", "none", *option)
    assert content["origin"] == "measured" and "losses" not in content


def test_a_budget_is_of_an_operations_samples(call, monkeypatch):
    seen = []
    measure = import_module("siliconprof.run").run

    def kept(*arguments, budget_s):
        seen.append(budget_s)
        return measure(*arguments, max_samples=9)

    monkeypatch.setattr(import_module("siliconprof.run"), "run", kept)
    assert call("run", "matvec", "--m", "8", "--n", "8", "--budget", "7")[0] == 0
    assert call("run", "matvec", "--m", "8", "--n", "8")[0] == 0
    assert seen == [7.0, None]


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ((*TINY, "--budget", "3"), "budget = 3.0 (float): what is only measured is needed"),
        ((*SMALL, "--budget", "3"), "budget_s given together with the rule 'paper'"),
        (("run", "matvec", "--m", "8", "--n", "8", "--budget", "-1"), "budget_s"),
    ],
)
def test_a_budget_that_nothing_is_measured_in_is_wrong_use(capsys, given, needed):
    with pytest.raises(SystemExit) as ended:
        application()([*given], prog_name="siliconprof")
    assert ended.value.code == 2
    assert needed in capsys.readouterr().err


def test_a_model_with_a_sampling_is_measured(document):
    content = document(*TINY, "--sampling", "paper")
    assert content["sampling"] == "paper" and "losses" not in content


@pytest.mark.parametrize(
    "option",
    [
        ("--steps", "20"),
        ("--data", "text"),
        ("--tokenizer", "folder"),
        ("--learning-rate", "0.001"),
        ("--weights", "w.safetensors"),
        ("--state", "s.safetensors"),
        ("--save-every", "5"),
        ("--seed", "0"),
    ],
)
@pytest.mark.parametrize(
    "untrained", [SMALL, (*TINY, "--sampling", "paper"), (*TINY, "--optimizer", "none")]
)
def test_an_option_of_training_is_refused_where_nothing_is_trained(capsys, idle, untrained, option):
    with pytest.raises(SystemExit) as ended:
        application()([*untrained, *option], prog_name="siliconprof")
    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert err.startswith(f"siliconprof: [run] {option[0].removeprefix('--')} = ")
    assert "a model that is trained is needed" in err


def test_a_model_is_trained_without_a_stderr_too(call, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert call(*TINY, "--steps", "2")[0] == 0


def test_a_reader_is_told_the_loss(call):
    status, out = call(*TINY, "--steps", "3")
    assert status == 0 and "in 3 steps" in out and "tokens/s" in out


DIVERGING = (*TINY, "--steps", "9", "--learning-rate", "1e30")


def test_a_loss_that_is_no_number_is_null_with_a_reason(call):
    status, out = call(*DIVERGING, "--json")
    content = json.loads(out)
    assert status == 1
    assert content["losses"][0] > 5.0 and content["losses"][1:] == [None]
    assert content["stopped"] == "diverged" and content["saved_step"] is None
    assert "no finite number at step 2: ended; no state was saved" in content["reasons"]["losses"]


def test_a_reader_is_told_where_the_loss_stopped_being_a_number(call, tmp_path):
    options = (*TINY, "--state", tmp_path / "run.safetensors")
    assert call(*options, "--steps", "3")[0] == 0
    saved = (tmp_path / "run.safetensors").read_bytes()
    status, out = call(*options, "--steps", "9", "--learning-rate", "1e30")
    assert status == 1 and "nan" not in out
    assert "no finite number at step 5: ended; the state stays that of step 3" in out
    assert (tmp_path / "run.safetensors").read_bytes() == saved


def test_a_loss_whose_step_was_left_out_is_no_end():
    told = {"losses": [None, 2.0, None], "stopped": "done", "saved_step": 3}
    assert _reasons(told) == {"losses": "2 steps had no finite loss, the first at step 1"}
    told = {"losses": [None, 2.0], "stopped": "done", "saved_step": 2}
    assert _reasons(told) == {"losses": "1 step had no finite loss, the first at step 1"}
    assert _reasons({}) == {}
