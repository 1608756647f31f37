from __future__ import annotations

import inspect

import pytest

import siliconprof as sp
from siliconprof.cli import application
from siliconprof.cli.given import listed, refuse_input_as_output, without_empty


def command(name, leave_out=None, set=(), from_=None):
    return name, leave_out, set, from_


def test_names_may_have_blanks_between_them():
    assert listed("h200, m2-ultra ,l4") == ["h200", "m2-ultra", "l4"]


def test_what_is_given_goes_on_to_the_command():
    checked = without_empty("x", command)
    assert checked(name="a", set=["b", " "]) == ("a", None, ["b", " "], None)
    assert inspect.signature(checked) == inspect.signature(command)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"name": ""}, "name"),
        ({"name": "a", "leave_out": ""}, "leave-out"),
        ({"name": "a", "set": ["b", ""]}, "set"),
        ({"name": "a", "from_": ""}, "from"),
    ],
)
def test_an_empty_text_is_refused_by_its_options_name(given, named):
    with pytest.raises(sp.ArgumentError, match=rf"^\[x\] {named} = '' \(str\): a text that isn't"):
        without_empty("x", command)(**given)


def test_an_output_that_is_an_input_is_refused_by_whatever_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refuse_input_as_output("x", "out", None, {"state": "a"})
    refuse_input_as_output("x", "out", "a", {"state": None, "data": "b", "weights": "a\0"})
    for out in ("a", "./a", str(tmp_path / "a")):  # a file that isn't there yet, too
        with pytest.raises(sp.ArgumentError, match=r"^\[x\] out = .*another file than state = 'a'"):
            refuse_input_as_output("x", "out", out, {"state": "a"})
    (tmp_path / "a").write_text("mine")
    (tmp_path / "same").hardlink_to("a")
    with pytest.raises(sp.ArgumentError, match=r"^\[x\] out = 'same'"):
        refuse_input_as_output("x", "out", "same", {"state": "a"})


@pytest.mark.parametrize(
    "line",
    [
        ["devices", ""],
        ["predict", "matvec", "--device", "m2", "--framework", ""],
        ["predict", "matvec", "--device", "m2", "--dtype", ""],
        ["run", "matvec", "--m", "8", "--n", "8", "--sampling", ""],
        ["sweep", "gpt2-small", "--out", ""],
        ["explain", "gpt2-small", "--from", "m1", "--to", "m2", "--precision-to", ""],
    ],
)
def test_every_command_refuses_an_empty_text(capsys, line):
    with pytest.raises(SystemExit) as ended:
        application()(line, prog_name="siliconprof")
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and out == ""
    assert len(err.splitlines()) == 1 and err.startswith(f"siliconprof: [{line[0]}] ")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("predcit", "No such command 'predcit'; did you mean 'predict'?"),
        ("xyzzyxyzzy", "No such command 'xyzzyxyzzy'."),
        ("./run.json", "No such command './run.json'."),
    ],
)
def test_a_misspelt_command_is_answered_with_the_nearest(capsys, word, said):
    with pytest.raises(SystemExit) as ended:
        application()([word], prog_name="siliconprof")
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and out == ""
    assert said in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize("line", [["run"], ["predict"], ["sweep"], ["export"], ["validate"]])
def test_help_tells_of_no_default_that_is_none(call, line):
    status, out = call(*line, "--help")
    assert status == 0 and "default: None" not in " ".join(out.split())


def test_help_still_tells_a_default_that_is_there(call):
    assert "[default: openblas]" in " ".join(call("run", "--help")[1].split())
