"""`make fit`: every fit of constants, and nothing of whole steps."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture
def fit(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "tools"))
    import fit as module

    yield module
    sys.modules.pop("fit", None)


def test_every_body_of_tables_is_fitted(fit):
    from suite_tables import BODIES

    suites = {call[2::2] for call in fit.PUBLISHED if call[0] == "fit_suite.py"}
    assert suites == {tuple(filter(None, body)) for body in BODIES}


def test_every_fit_but_that_of_whole_steps_is_run_by_the_command(fit, root):
    found = {path.name for path in (root / "tools").glob("fit_*.py")}
    run = {call[0] for call in (*fit.PUBLISHED, *fit.OWN)}
    assert found - run == {"fit_arguments.py", "fit_peak_memory.py"}
    assert run <= found


def test_no_fit_that_is_run_names_a_record_of_whole_steps(fit, root):
    """As the records themselves say: those of kernels can't be scored as steps."""
    steps = {
        path.stem
        for path in (root / "python/siliconprof/data/records").glob("h*_*.csv")
        if "precision=" in path.read_text(encoding="utf-8")
    }
    assert {"h200_steps", "h100_steps", "h200_offload_steps"} <= steps
    for call in (*fit.PUBLISHED, *fit.OWN):
        text = (root / "tools" / call[0]).read_text(encoding="utf-8")
        assert [name for name in steps if f'"{name}"' in text] == [], call[0]


def test_a_fit_writes_its_constants_and_those_without_their_tables_are_told(
    fit, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr("sys.argv", ["fit.py", "--only", "fit_(launch|offload)", "--out", tmp_path])
    monkeypatch.setattr("sys.argv", [str(word) for word in sys.argv])
    fit.main()
    out = capsys.readouterr().out
    assert "fit_launch left out: needs --data" in out
    assert [path.name for path in tmp_path.iterdir()] == ["fit_offload.toml"]
    assert "offload.nvidia" in (tmp_path / "fit_offload.toml").read_text()


def test_a_fit_that_fails_fails_the_command(fit, monkeypatch, tmp_path, capsys):
    words = ["fit.py", "--data", str(tmp_path), "--only", "fit_launch", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit, match="1 of 1 failed"):
        fit.main()
    assert "fit_launch failed: FileNotFoundError" in capsys.readouterr().out
