"""Every fit of the frameworks' constants again, one file of TOML for each: `make fit`.

    python tools/fit.py [--data DIR] [--only PATTERN] [--out build/fit]

Without --data, the fits of published tables are left out and named: those tables are not shipped.
What is printed is pasted into data/frameworks/*.toml by hand, with comments, so that a reader sees
each constant; a fit that differs from what ships is seen by comparing the files of two runs. No
whole step is read by any of these. fit_peak_memory.py reads some, for the width of an interval
alone, and is none of them. Most take seconds, searches minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

TOOLS = Path(__file__).parent
# Those of published tables, then those of this project's own records of single operations.
PUBLISHED = (
    ("fit_efficiency.py",),
    ("fit_launch.py",),
    ("fit_reach.py",),
    ("fit_suite.py", "--framework", "torch-mps"),
    ("fit_suite.py", "--framework", "torch-mps", "--version", "2.1"),
    ("fit_suite.py", "--framework", "torch-mps", "--version", "2.2"),
    ("fit_suite.py", "--framework", "torch-cuda"),
    ("fit_suite.py", "--framework", "mlx"),
    ("fit_suite.py", "--framework", "mlx", "--version", "0.2"),
    ("fit_suite.py", "--framework", "mlx", "--version", "0.5"),
    ("fit_suite.py", "--framework", "mlx-compile"),
    ("fit_suite.py", "--framework", "mlx-compile", "--version", "0.5"),
    ("fit_suite.py", "--framework", "mlx-cpu"),
    ("fit_suite.py", "--framework", "mlx-cpu", "--version", "0.2"),
    ("fit_suite.py", "--framework", "mlx-cpu", "--version", "0.5"),
    ("fit_suite.py", "--framework", "mlx-cpu", "--version", "0.20"),
    ("fit_suite.py", "--framework", "torch-cpu"),
    ("fit_suite.py", "--framework", "torch-cpu", "--version", "2.1"),
    ("fit_suite.py", "--framework", "torch-cpu", "--version", "2.2"),
    ("fit_suite.py", "--framework", "torch-cpu", "--version", "2.5"),
    ("fit_sums.py", "--framework", "torch-mps"),
    ("fit_sums.py", "--framework", "mlx"),
    ("fit_sums.py", "--framework", "mlx-compile"),
)
OWN = (
    ("fit_products.py",),
    ("fit_kernels.py",),
    ("fit_layouts.py",),
    ("fit_cores.py",),
    ("fit_units.py",),
    ("fit_host.py",),
    ("fit_pace.py",),
    ("fit_checkpoint.py",),
    ("fit_power.py",),
    ("fit_intervals.py",),
    ("fit_offload.py",),
    ("fit_calls.py",),
    ("fit_stand_ins.py",),
    ("fit_cpu_calls.py",),
    ("fit_graphs.py",),
    ("fit_compile.py",),
    ("fit_replayed.py",),
)


def main() -> None:
    """Runs each, says how it ended, and fails where one did."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the published CSVs")
    parser.add_argument("--only", default="", help="fits whose name has this regular expression")
    parser.add_argument("--out", type=Path, default=Path("build/fit"))
    options = parser.parse_args()
    wanted = [call for call in (*PUBLISHED, *OWN) if re.search(options.only, name(call))]
    if options.data is None:
        told(call for call in wanted if call in PUBLISHED)
        wanted = [call for call in wanted if call in OWN]
    options.out.mkdir(parents=True, exist_ok=True)
    failed = [call for call in wanted if not fitted(call, options.data, options.out)]
    if failed:
        raise SystemExit(f"fit: {len(failed)} of {len(wanted)} failed")


def name(call: tuple[str, ...]) -> str:
    """As its file is called: fit_suite.torch-mps.2.2."""
    return ".".join([Path(call[0]).stem, *call[2::2]])


def told(calls: Iterable[tuple[str, ...]]) -> None:
    for call in calls:
        print(f"fit: {name(call)} left out: needs --data, published tables that are not shipped")


def fitted(call: tuple[str, ...], data: Path | None, out: Path) -> bool:
    """Whether the fit ended well; what it printed is in a file of its name."""
    given = ["--data", str(data)] if call in PUBLISHED else []
    path = os.pathsep.join([str(TOOLS), *sys.path[1:]])
    done = subprocess.run(
        [sys.executable, str(TOOLS / call[0]), *call[1:], *given],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        print(f"fit: {name(call)} failed: {(done.stderr.splitlines() or ['no word'])[-1]}")
        return False
    (out / f"{name(call)}.toml").write_text(done.stdout, encoding="utf-8")
    print(f"fit: {out / name(call)}.toml", flush=True)
    return True


if __name__ == "__main__":
    main()
