"""Fit products and convolutions of Apple CPUs under PyTorch of March 2024: torch-cpu@2.2.

    python tools/fit_cpu_convolutions.py --data DIR

DIR holds op_times_calibration.csv (a published op suite, collected; not shipped). One table of that
time has a CPU that ships, the M1 Pro's. PyTorch has no implicit convolution there: it writes the
windows out and multiplies them. The product is that of the suite's Linear layers, 256 to 512 terms
deep (tools/fit_efficiency.py); what a conv2d takes beyond it, over the elements under its windows,
is the rate of writing out. conv1d takes some other path, 10 to 60 times slower still, and is left
out. Prints the values and their ranges; no interval is to be had from one machine.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import median

from fit_efficiency import CPUS, interval, marginal_products, rows

from siliconprof.suite import suite_row

DEVICE, VERSION, BACKEND = "M1 Pro", "mlx 0.5.0", "cpu"


def unfolded(sizes: dict[str, int]) -> int:
    """Elements under the windows of a conv2d of stride 1 without padding."""
    windows = (sizes["height"] - sizes["kernel_h"] + 1) * (sizes["width"] - sizes["kernel_w"] + 1)
    return sizes["batch"] * windows * sizes["kernel_h"] * sizes["kernel_w"] * sizes["channels"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the published CSVs")
    table = [
        row
        for row in rows(parser.parse_args().data, "op_times_calibration.csv")
        if (row["device"], row["framework_version"], row["backend"]) == (DEVICE, VERSION, BACKEND)
        and row["validity"] == "ok" and math.isfinite(float(row["runtime_ms"]))
    ]  # fmt: skip
    peak = CPUS[DEVICE].peak["float32"] * 1e12
    (product,) = (ratio.value for ratio in marginal_products(table))
    print(f"product: {product:.3g} of the peak")
    rates = []
    for row in table:
        if row["operation"] != "Conv2d":
            continue
        entry = suite_row(f"Conv2d {row['shape']}")
        product_s = entry.trace().calls[0].cost.matrix_flops / (product * peak)
        seconds = float(row["runtime_ms"]) * 1e-3 - product_s
        rates.append(unfolded(dict(entry.arguments)) / seconds / peak)
        print(f"{entry.label}: {rates[-1]:.3g} elements per FLOP of the peak")
    error = interval(rates, median(rates))
    print(f"unfolded_per_flop: {median(rates):.3g}, relative_error {error:.2f}")


if __name__ == "__main__":
    main()
