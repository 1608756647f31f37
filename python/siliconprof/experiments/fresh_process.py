"""A program in a fresh Python process that finds this very package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from .._core import Error


def fresh_process(place: str, program: str, *arguments: object) -> Any:
    """What the program prints as JSON; `place` begins the message of an error.

    Raises: Error with the last line that the process wrote when it fails.
    """
    command = [sys.executable, "-c", program, *map(str, arguments)]
    # The new process finds this very package, however this one was told of it.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Error(f"[{place}] the fresh process ended with {done.returncode}: {last}")
    return json.loads(done.stdout)
