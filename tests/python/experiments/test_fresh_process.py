from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

import siliconprof as sp
from siliconprof.experiments.fresh_process import fresh_process


def test_it_prints_json_and_finds_this_package():
    program = (
        "import json, sys, siliconprof\nprint(json.dumps([siliconprof.__file__, sys.argv[1]]))\n"
    )
    assert fresh_process("place", program, 7) == [sp.__file__, "7"]


def test_one_that_fails_is_an_error_with_its_last_words(monkeypatch):
    failed = SimpleNamespace(returncode=1, stdout="", stderr="Traceback\nImportError: gone\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(sp.Error, match=r"\[place\] .* ended with 1: ImportError: gone"):
        fresh_process("place", "pass")
