from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest


def siliconprof(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "siliconprof", *arguments]
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def test_the_module_is_a_program_with_help():
    done = siliconprof("--help")
    assert done.returncode == 0
    for command in ("doctor", "devices", "workloads", "run", "predict", "compare", "reproduce"):
        assert command in done.stdout


def test_wrong_use_ends_with_two():
    assert siliconprof("no-such-command").returncode == 2


def test_an_error_of_the_library_is_one_line_and_ends_with_two():
    done = siliconprof("predict", "matvec", "--device", "m2-ulta")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "m2-ultra" in done.stderr


@pytest.mark.parametrize("arguments", ["--help", "predict matvec --device m2-ultra --json"])
@pytest.mark.parametrize("stdout", [">&-", ">/dev/full"])
def test_without_a_place_for_output_it_is_one_line_and_ends_with_two(arguments, stdout):
    if stdout == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    command = f"{shlex.quote(sys.executable)} -m siliconprof {arguments} {stdout}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("siliconprof: ")


def test_an_encoding_that_lacks_characters_is_no_error():
    done = siliconprof("predict", "matvec", "--device", "m2-ultra", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "predicted ? m2-ultra ? mlx" in done.stdout


# Ctrl-C while the commands are imported.
EARLY = """
import sys
from siliconprof.__main__ import main
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "siliconprof.cli.sweep":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
main()
"""


def test_an_interrupt_before_a_command_began_is_one_line():
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "siliconprof: interrupted\n"


# A run of minutes: naive loops over eight products of 2000x2000. It says when they begin, however
# long a busy machine takes until then.
LONG = """
import signal
import sys
from siliconprof import _core
from siliconprof.__main__ import main
sys.argv = ["siliconprof", "run", "batched-matmul", "--engine", "reference", "--save", sys.argv[1]]
measured = _core.run_on_cpu
def run_on_cpu(*arguments):
    print("ready", flush=True)
    return measured(*arguments)
_core.run_on_cpu = run_on_cpu
# A script's background jobs are started with interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""


def test_an_interrupt_ends_a_long_run_and_leaves_no_file(tmp_path):
    path = tmp_path / "p.json"
    program = subprocess.Popen(
        [sys.executable, "-c", LONG, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "ready\n"
    time.sleep(1.0)  # well inside the first product
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=20)
    assert program.returncode == 130, err
    assert out == ""
    assert "interrupted" in err
    assert list(tmp_path.iterdir()) == []
