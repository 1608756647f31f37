"""Commands called in this process, and profiles saved for them."""

from __future__ import annotations

import json

import pytest

import siliconprof as sp
from siliconprof import _core
from siliconprof.cli import application


@pytest.fixture
def call(capsys):
    """Calls a command line; gives exit status and stdout, apart from stderr."""

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            application()([str(argument) for argument in arguments], prog_name="siliconprof")
        return ended.value.code, capsys.readouterr().out

    return run


@pytest.fixture
def document(call):
    """Calls a command line with --json; gives the document."""

    def run(*arguments):
        status, out = call(*arguments, "--json")
        assert status == 0, out
        return json.loads(out)

    return run


@pytest.fixture
def saved(tmp_path):
    """Saves a measured profile of the given time."""

    def save(time_s, name="p.json"):
        samples_s = [time_s * (1 + part / 1000) for part in range(-4, 5)]
        step = _core.Span(
            "step", "step", "forward", -1, -1, time_s, (samples_s[0], samples_s[-1]), samples_s
        )
        op = _core.Span(
            "copy", "op", "forward", 0, 0, time_s, (samples_s[0], samples_s[-1]), samples_s
        )
        path = tmp_path / name
        sp.Profile("measured", "copy", "cpu", "openblas", [step, op]).save(path)
        return path

    return save
