from __future__ import annotations

import subprocess
import sys
import threading

import siliconprof as sp

DAEMON = """
import threading
import siliconprof as sp

call = sp.bind(sp.op("matmul", m=300, k=300, n=300), engine="reference", threads=1)
begun = threading.Event()

def work():
    begun.set()
    while True:
        call()

threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


def test_a_program_ends_well_while_a_daemons_kernel_runs():
    command = [sys.executable, "-c", DAEMON]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_other_threads_run_while_memory_is_filled():
    trace = sp.op("copy", n=1 << 24)
    begun = threading.Event()
    ended, ran = [], []

    def watch():
        begun.wait()
        ran.append(not ended)

    thread = threading.Thread(target=watch)
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(60.0)  # so it runs when the lock is given up, not when it is asked for
    try:
        thread.start()
        begun.set()
        sp._core.BoundTrace(trace, threads=1)
        ended.append(True)
    finally:
        sys.setswitchinterval(before_s)
    thread.join()
    assert ran == [True]
