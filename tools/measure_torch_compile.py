"""What torch.compile makes of single operations, and what its steps cost the host: times under
PyTorch on a CUDA device that tools/fit_compile.py reads (record h100_compiled_ops).

  python3 tools/measure_torch_compile.py OUT.csv [--device h100] [--budget 400]
    [--mode reduce-overhead]

Kernel rows: seconds of all kernels of one compiled operation by the device's trace, forward alone,
or forward and backward ("both"). Host rows: seconds in which the host runs a compiled chain of
eight modules of a few elements; the note counts what it issues (torch_cuda_compiled.py). host_pace
is the median of readings between the chains. --mode reduce-overhead: host rows alone, of chains
whose passes are graphs (record h100_replayed_ops, tools/fit_replayed.py). Needs torch,
transformers.
"""

import argparse
import csv
import sys
import time

import torch
from host_pace import of_run
from torch_cuda_compiled import CASES, HOSTS, hosts, kernels
from torch_cuda_host import pace
from torch_cuda_timing import ROWS

COLUMNS = ("what", "device", "framework", "dtype", "value", "unit", "note", "host_pace")
FRAMEWORK = "torch-cuda"
MODES = ("reduce-overhead",)


def write(out, device, rows):
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for what, dtype, seconds, note, host_pace in rows:
            writer.writerow([what, device, FRAMEWORK, dtype, seconds, "s", note, host_pace])


def kernel_rows():
    for op, dims, dtype, direction, seconds, spread, count in ROWS:
        note = f"spread {spread}, kernels {count}"
        yield f"compiled.{op} {dims} {direction}", dtype, seconds, note, ""


def host_rows(found, readings):
    for name, dims, dtype, direction, seconds, counts in found:
        yield f"{name} {dims} {direction}", dtype, seconds, counts, f"{of_run(readings):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--device", default="h100", help="its id in the record")
    parser.add_argument("--chains", help="of these names alone, and no kernels")
    parser.add_argument("--kernels", help="of these names alone, and no chains")
    parser.add_argument("--mode", choices=MODES, help="of the chains: each pass a graph")
    parser.add_argument("--budget", type=float, default=400.0, help="seconds")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    begin = time.perf_counter()
    readings = [pace(1.0)]
    names = (arguments.chains or arguments.kernels or "").split(",")
    found = []
    if not arguments.kernels:
        found = hosts(
            lambda: readings.append(pace(0.5)),
            lambda: time.perf_counter() - begin > 0.6 * arguments.budget,
            names if arguments.chains else HOSTS,
            arguments.mode,
        )
        print(f"host: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
        write(arguments.out, arguments.device, list(host_rows(found, readings)))
    if not arguments.chains and not arguments.mode:
        kernels(names if arguments.kernels else CASES)
        print(f"all: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    write(arguments.out, arguments.device, [*kernel_rows(), *host_rows(found, readings)])


if __name__ == "__main__":
    main()
