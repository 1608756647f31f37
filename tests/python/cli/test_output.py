from __future__ import annotations

import json

import pytest
import typer

import siliconprof as sp
from siliconprof.cli.output import print_json, print_table, print_text, reported


def test_a_result_passes_through():
    assert reported(lambda: 3)() == 3


def test_an_error_of_the_library_is_a_line_on_stderr_and_exit_two(capsys):
    def fail():
        raise sp.ArgumentError("[x] bad")

    with pytest.raises(typer.Exit) as caught:
        reported(fail)()
    assert caught.value.exit_code == 2
    assert capsys.readouterr() == ("", "siliconprof: [x] bad\n")


def test_a_lack_of_memory_is_a_line_on_stderr_and_exit_two(capsys):
    def exhaust():
        raise MemoryError

    with pytest.raises(typer.Exit) as caught:
        reported(exhaust)()
    assert caught.value.exit_code == 2
    assert "not enough memory" in capsys.readouterr().err


def test_an_interrupt_is_said_and_ends_with_130(capsys):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as caught:
        reported(interrupt)()
    assert caught.value.exit_code == 130
    assert "interrupted" in capsys.readouterr().err


def test_other_errors_are_not_hidden():
    def fail():
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        reported(fail)()


def test_json_is_one_document(capsys):
    print_json({"a": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}


def test_tables_and_texts_do_not_read_markup(capsys):
    print_table("T", ("a", "b"), [("[matmul]", "2")])
    print_text("[bold] stays")
    out = capsys.readouterr().out
    assert "[matmul]" in out and "[bold] stays" in out
