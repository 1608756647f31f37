from __future__ import annotations

import errno
import io
import json
import math
import os
import signal
import sys

import pytest
import typer
from rich.console import Console

import siliconprof as sp
from siliconprof.cli import output
from siliconprof.cli.output import (
    complain,
    give_up_output,
    print_json,
    print_table,
    print_text,
    replace_unknown_characters,
    reported,
)


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
    assert capsys.readouterr().err == "siliconprof: interrupted\n"


def test_an_end_from_outside_is_an_interrupt(capsys):
    def wait():
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    with pytest.raises(typer.Exit) as caught:
        reported(wait)()
    assert caught.value.exit_code == 130
    assert capsys.readouterr().err == "siliconprof: interrupted\n"


def test_an_interrupt_says_what_was_kept(capsys):
    def interrupt():
        reason = KeyboardInterrupt()
        reason.add_note("what was done by then is in g.partial.csv")
        raise reason

    with pytest.raises(typer.Exit):
        reported(interrupt)()
    said = "siliconprof: interrupted; what was done by then is in g.partial.csv\n"
    assert capsys.readouterr().err == said


def test_other_errors_are_not_hidden():
    def fail():
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError):
        reported(fail)()


class Full(io.StringIO):
    """A file on a full disk: what is written stays in its buffer."""

    def flush(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def stop_with_one():
    raise typer.Exit(1)


@pytest.mark.parametrize("command", [lambda: None, stop_with_one])
def test_output_that_cannot_be_written_is_a_line_on_stderr_and_exit_two(
    capsys, monkeypatch, command
):
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(typer.Exit) as caught:
        reported(command)()
    assert caught.value.exit_code == 2
    told = f"siliconprof: cannot write the output: {os.strerror(errno.ENOSPC)}\n"
    assert capsys.readouterr().err == told


def test_a_file_that_the_system_names_is_named(capsys):
    give_up_output(FileNotFoundError(errno.ENOENT, "gone", "some.file"))
    assert capsys.readouterr().err == "siliconprof: cannot write some.file: gone\n"


def test_what_was_still_to_be_written_is_forgotten(monkeypatch):
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        stream.write("left")
        monkeypatch.setattr(sys, "stdout", stream)
        give_up_output(OSError(errno.ENOSPC, "full"))
        monkeypatch.undo()
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_a_reader_that_wants_no_more_is_no_error_of_ours_and_no_bad_result(monkeypatch, capsys):
    class Closed(io.StringIO):
        def flush(self):
            raise BrokenPipeError(errno.EPIPE, "closed")

    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(typer.Exit) as caught:
        reported(lambda: None)()
    assert caught.value.exit_code == 141  # 1 is a result that a command judges bad
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", [None, Full()])
def test_without_a_stderr_nothing_is_said_elsewhere(capsys, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    complain("x")
    monkeypatch.undo()
    assert capsys.readouterr() == ("", "")


def test_a_character_that_the_encoding_lacks_is_a_question_mark(monkeypatch):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    replace_unknown_characters()
    print_text("3 µs · m2")
    print_table("–", ("a",), [("µ",)])
    stream.flush()
    lines = written.getvalue().decode().splitlines()
    assert lines[0] == "3 ?s ? m2" and lines[1].strip() == lines[-1].strip() == "?"


def test_json_is_one_document(capsys):
    print_json({"a": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"a": [1, None]}


ROWS = [("first row", "1.25 ms", ""), ("second", "much longer", "why")]


@pytest.fixture
def page(monkeypatch):
    """Makes the terminal so wide."""

    def make(width):
        monkeypatch.setattr(output, "console", lambda _wanted=0: Console(width=width))

    return make


def test_a_table_is_read_by_columns_where_there_is_room(capsys, page):
    page(22)  # 9, 6 of "longer" and 3 of "why" and "how", and two gaps of 2
    print_table("T", ("what", "value", "how"), ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["what", "value", "how"]
    assert lines[2].split() == ["first", "row", "1.25"] and lines[3].split() == ["ms"]


def test_a_table_without_room_for_columns_has_a_line_for_each_cell(capsys, page):
    page(21)
    print_table("T", ("what", "value", ""), ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "T",
        "first row",
        "  value: 1.25 ms",
        "second",
        "  value: much longer",
        "  why",
    ]


def test_a_table_is_never_cut(capsys, page):
    page(12)
    print_table("", ("what", "value"), [("a name without an end", "x" * 30)])
    assert "".join(capsys.readouterr().out.split()).count("x") == 30


def test_sentences_need_more_room_than_words(capsys, page):
    page(30)
    sentence = "so many words that a column of six characters is a tower"
    print_table("", ("what", "number", "other", "why"), [("name", "1", "2", sentence)])
    assert "  why: so many words" in capsys.readouterr().out


def test_in_a_file_only_sentences_take_several_lines(capsys):
    name, sentence = "n" * 120, "a sentence that is longer than the forty characters of a column"
    row = (name, "12.8 ms to 21.5 ms", "framework", sentence)
    print_table("", ("what", "predicted", "framework", "why"), [row])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["what", "predicted", "framework", "why"]
    assert lines[1].startswith(f"{name}  12.8 ms to 21.5 ms  framework  a sentence that")
    assert "".join(lines[1:]).split()[-1] == "column" and len(lines) == 3


def test_a_page_of_a_file_is_as_wide_as_ever_where_that_is_enough(capsys):
    print_table("", ("a", "b"), [("x", "y " * 60)])
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"a": 1.0, "b": {"c": [0.0, math.inf]}}, r"b\.c\[1\] = inf"),
        ([(math.nan, "x")], r"\[0\]\[0\] = nan"),
    ],
)
def test_a_number_that_json_lacks_is_named(capsys, document, named):
    with pytest.raises(sp.Error, match=rf"\[json\] {named}: .*finite"):
        print_json(document)
    assert capsys.readouterr().out == ""


def test_tables_and_texts_do_not_read_markup(capsys):
    print_table("T", ("a", "b"), [("[matmul]", "2")])
    print_text("[bold] stays")
    out = capsys.readouterr().out
    assert "[matmul]" in out and "[bold] stays" in out
