"""The speed figures that only a C++ program can measure."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from .. import _core
from .quartiles import Quartiles

# To SI, in the order of the program's lines.
_SCALES = {"predict-native": 1e-9, "cblas": 1.0, "build-small": 1e-3, "build-xl": 1e-3}


def native_samples(program: Path | None, rounds: int) -> dict[str, Quartiles | str]:
    """Those figures by key, or the reason why there are none.

    program: the C++ benchmark; None stands for siliconprof_bench beside the package's folder in
    the build. rounds: of its product; with 0 it is not run.
    """
    path = program or Path(_core.__file__).parents[2] / "siliconprof_bench"
    if rounds == 0:
        return dict.fromkeys(_SCALES, "left out of a quick run; `make bench` measures it")
    if not path.is_file():
        reason = f"measured by {path.name}, a C++ program that `make bench` builds and runs"
        return dict.fromkeys(_SCALES, reason)
    try:
        done = subprocess.run(
            [str(path), str(rounds)], check=True, capture_output=True, text=True, timeout=120
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found: dict[str, Quartiles | str] = {}
        for (key, scale), line in zip(_SCALES.items(), lines, strict=True):
            low, middle, high = (line[name] * scale for name in ("q1", "median", "q3"))
            found[key] = Quartiles(low, middle, high, f"the samples of {path.name}")
        return found
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        return dict.fromkeys(_SCALES, f"{path.name} failed: {error}")
