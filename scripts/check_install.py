"""Checks an installed siliconprof: imported from the given prefix, it predicts a small product."""

from __future__ import annotations

import sys
from pathlib import Path

import siliconprof as sp

prefix = Path(sys.argv[1]).resolve()
package = Path(sp.__file__).resolve().parent
if prefix not in package.parents:
    sys.exit(f"check_install: imported {package}, which is not under {prefix}")

trace = sp.op("matmul", batch=1, m=64, k=64, n=64, dtype="float32")
profile = sp.predict(trace, "m2-ultra", framework="mlx")
if profile.origin != "predicted" or not profile.time_s > 0:
    sys.exit(f"check_install: origin {profile.origin}, time {profile.time_s} s")
print(
    f"installed siliconprof {sp.__version__}: {len(sp.devices())} devices;"
    f" matmul 64x64x64 on m2-ultra predicted {profile.time_s:.3g} s"
)
