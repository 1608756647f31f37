"""A host beside a CUDA device under PyTorch: what its link, its memory and its AdamW take (record
h200_offload), and whole training steps with the optimizer there (record h200_offload_steps).

  python3 tools/measure_torch_offload.py OPS.csv STEPS.csv [--budget 400] [--machine 1]

The first are single transfers and updates: constants come from them alone. The second judge
predictions and no constant is fitted on them; torch_offload_host.py and torch_offload_steps.py say
what is done. Needs torch.
"""

import argparse
import csv
import gc
import os
import sys
import time

import torch
from measure_torch_steps import AUTOCAST, precision_of, stepper
from torch_cuda_models import make
from torch_cuda_timing import middle
from torch_offload_host import contention, programs, streams, transfers, updates
from torch_offload_steps import MODES, OffloadedStep

STEPS = (
    ("small", 4, 64),
    ("medium", 4, 128),
    ("large", 1, 256),
    ("small", 16, 256),
    ("xl", 1, 256),
)


def step_cases():
    for size, batch, seq in STEPS:
        for precision in ("fp32", "amp-bf16"):
            for mode in ("none", *MODES):
                if mode == "pageable" and precision != "fp32":
                    continue
                yield f"gpt2-{size} batch={batch} seq={seq} precision={precision}", mode


def offloaded(what, mode):
    precision = precision_of(what)
    torch.backends.cuda.matmul.allow_tf32 = precision != "fp32"
    model, loss_of = make(what.replace(f" precision={precision}", ""))
    model.train()
    return OffloadedStep(model, loss_of, mode, AUTOCAST.get(precision))


def measure_step(what, mode, seconds=2.0):
    step = stepper(what) if mode == "none" else offloaded(what, mode)
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    begin, samples = time.perf_counter(), []
    while (begun := time.perf_counter()) - begin < seconds or len(samples) < 5:
        step()
        torch.cuda.synchronize()
        samples.append(time.perf_counter() - begun)
    median, spread = middle(samples)
    if mode != "none":
        step.close()
    return {
        "time": (median, "s"),
        "peak memory": (torch.cuda.max_memory_allocated(), "bytes"),
        "reserved memory": (torch.cuda.max_memory_reserved(), "bytes"),
    }, f"spread {spread:.3f}, {len(samples)} steps"


def describe():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{len(names)} threads of {names[0]}, torch with {torch.get_num_threads()}, " + str(
        torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ops")
    parser.add_argument("steps")
    parser.add_argument("--budget", type=float, default=400.0, help="seconds")
    parser.add_argument("--device", default="h200", help="its id in the record")
    parser.add_argument("--machine", type=int, default=1, help="of several that it stood in")
    arguments = parser.parse_args()
    machine = f"machine={arguments.machine}"
    begin = time.perf_counter()
    print(describe(), os.cpu_count(), file=sys.stderr)
    header = ["what", "device", "framework", "dtype", "value", "unit", "note"]
    place = [arguments.device, "torch-cuda", "float32"]
    with open(arguments.ops, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for family in (streams, updates, transfers, contention, programs):
            for what, spent, spread in family():
                name, dims = what.split(" ", 1)
                writer.writerow(
                    [
                        f"{name} {machine} {dims}",
                        *place,
                        f"{spent:.4e}",
                        "s",
                        f"spread {spread:.3f}",
                    ]
                )
                file.flush()
                print(what, f"{spent:.4e} s", f"{spread:.2f}", file=sys.stderr)
            gc.collect()
    print(f"operations: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    with open(arguments.steps, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for what, mode in step_cases():
            if time.perf_counter() - begin > arguments.budget:
                print("no time left for", what, mode, file=sys.stderr)
                continue
            found, note = measure_step(what, mode)
            gc.collect()
            torch.cuda.empty_cache()
            for quantity, (value, unit) in found.items():
                shown = f"{value:d}" if unit == "bytes" else f"{value:.5g}"
                writer.writerow(
                    [f"{what} offload={mode} {machine} {quantity}", *place, shown, unit, note]
                )
            file.flush()
            print(what, mode, f"{found['time'][0]:.5g} s", note, file=sys.stderr)


if __name__ == "__main__":
    main()
