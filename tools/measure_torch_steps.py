"""Whole training steps under PyTorch on a CUDA device: time, energy, memory. They judge predictions
and no constant is fitted on them (record h200_steps).

  python3 tools/measure_torch_steps.py OUT.csv [--budget 500] [--only TEXT] [--graph | --compile |
  --reduce-overhead]

A step: gradients set to none, loss (under autocast where asked for), backward, torch.optim.AdamW as
it chooses; amp-fp16 with GradScaler. Time is the median of pairs of steps with one synchronisation,
energy the mean by the board's energy register over at least 1.5 s, memory
torch.cuda.max_memory_allocated and _reserved of the timed steps. A host's pace is read before the
first step and after each: host_pace is the median of all readings of the run, 16 at least. One of a
second wanders too much to tell of the step beside it: predictions of the record h200_paced, whose
column is the mean of the two around each step, are off by 13.8 % at it and by 11.3 % at the run's
median. --graph: the whole step is captured as a CUDA graph once and replayed (version "graphs"),
with AdamW's capturable steps; its memory isn't read. --compile: by torch.compile (version
"compile"), what compiling takes left out; --reduce-overhead: in that mode, where each pass is a
graph (version "reduce-overhead"), of whose memory what is reserved alone is read. Needs torch,
transformers, torchvision, nvidia-ml-py.
"""

import argparse
import csv
import gc
import statistics
import sys
import time

import pynvml
import torch
from host_pace import beside, of_run
from torch_cuda_drawn import SEED, drawn, drawn_small
from torch_cuda_host import pace
from torch_cuda_models import make
from torch_cuda_options import FITTED, OPTIONS, parted, prepare, step_of
from torch_cuda_step_lists import LISTS as PLAIN_LISTS
from torch_cuda_step_lists import PRECISIONS

LISTS = PLAIN_LISTS | {"options": OPTIONS, "fitted": FITTED}
LISTS |= {"drawn": drawn(), "redrawn": drawn(SEED + 1), "small": drawn_small()}
LISTS |= {"drawn_later": drawn(SEED + 3), "drawn_again": drawn(SEED + 4)}
LISTS |= {"drawn_since": drawn(SEED + 2)}

# Of a host's pace in a run. As they were predicted when they were measured, the steps of h200_paced
# were off in time by 11.8 % at medians of 16 of its readings, at that of all 28 by 11.7 %, at
# medians of 4 by 12.4 %, at single ones by 14.2 %.
READINGS = 16
COLUMNS = ("what", "device", "framework", "dtype", "value", "unit", "note")
MODES = {None: "", "graph": " replay=graph", "compiled": " kernels=compiled"}
MODES |= {"passes": " kernels=compiled replay=passes"}
REPLAYED = ("graph", "passes")  # what a graph works in was taken when it was captured
COMPILED = {"compiled": "default", "passes": "reduce-overhead"}
AUTOCAST = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16}
GPT2_SHAPES = ((1, 256), (4, 64), (2, 256), (16, 256), (8, 512), (8, 1024), (32, 128))


def cases():
    """The steps of the record, in order of worth."""
    for size in ("small", "medium", "large", "xl"):
        for batch, seq in GPT2_SHAPES if size == "small" else ((1, 256), (8, 512), (8, 1024)):
            for precision in PRECISIONS:
                yield f"gpt2-{size} batch={batch} seq={seq} precision={precision}"
    for size in ("tiny", "base", "small", "medium"):
        for precision in PRECISIONS[:3]:
            yield f"whisper-{size} batch=4 label_len=64 precision={precision}"
    for batch in (32, 128, 256):
        for precision in PRECISIONS[:3]:
            yield f"simclr-resnet18 batch={batch} image=32 precision={precision}"
    for size in ("small", "medium", "large"):
        for precision in PRECISIONS[:3]:
            yield f"gpt2-{size} batch=8 seq=512 precision={precision} lora=8"


def listed(steps):
    for line in steps.split("\n"):
        words = line.split()
        for precision in (w for w in words if w in PRECISIONS):
            yield " ".join([*(w for w in words if w not in PRECISIONS), f"precision={precision}"])


def in_time(steps, only, end):
    """Those that contain the text, as long as it isn't `end` by time.perf_counter()."""
    for what in steps:
        if only not in what:
            continue
        if time.perf_counter() > end:
            print("no time left for", what, file=sys.stderr)
            continue
        yield what


def precision_of(what):
    return next(w.removeprefix("precision=") for w in what.split() if w.startswith("precision="))


def stepper(what, capturable=False, compiled=None):
    """A function that runs one step."""
    precision = precision_of(what)
    full = precision == "fp32"
    torch.backends.cuda.matmul.allow_tf32 = not full
    torch.backends.cudnn.allow_tf32 = not full
    words, options = parted(what.replace(f" precision={precision}", ""))
    model, loss_of = make(words)
    prepare(model, options)
    model.train()
    if compiled:
        model.compile(mode=compiled)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = options.optimizer_of(trained, capturable)
    return step_of(loss_of, trained, optimizer, options, AUTOCAST.get(precision))


def captured(what):
    """A function that replays one step, which ran on a stream of its own before it was captured."""
    step = stepper(what, capturable=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(4):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def measure(what, handle, mode, seconds=1.5):
    graph = mode == "graph"
    step = captured(what) if graph else stepper(what, compiled=COMPILED.get(mode))
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    energy = pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    begin, samples, clocks = time.perf_counter(), [], []
    while (begun := time.perf_counter()) - begin < seconds or len(samples) < 3:
        step()
        step()
        torch.cuda.synchronize()
        samples.append((time.perf_counter() - begun) / 2)
        clocks.append(pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM))
    joules = (pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) - energy) * 1e-3
    found = {
        "time": (statistics.median(samples), "s"),
        "energy": (joules / (2 * len(samples)), "J"),
    }
    if mode not in REPLAYED:
        found["peak memory"] = (torch.cuda.max_memory_allocated(), "bytes")
    if not graph:
        found["reserved memory"] = (torch.cuda.max_memory_reserved(), "bytes")
    return found, statistics.median(clocks)


def freed():
    torch.compiler.reset()
    gc.collect()
    torch.cuda.empty_cache()


def read_pace(seconds):
    """This host's, with nothing of it left in the memory that the steps are measured by."""
    found = pace(seconds)
    freed()
    return found


def note_of(what):
    if what.startswith(("whisper", "bert", "llama")):
        return "transformers"
    return "plain modules" if what.startswith("gpt2") else "torchvision"


def rows_of(what, device, found, note):
    """The record's rows of one step, but for the pace."""
    for quantity, (value, unit) in found.items():
        shown = f"{value:d}" if unit == "bytes" else f"{value:.5g}"
        yield [f"{what} {quantity}", device, "torch-cuda", "float32", shown, unit, note]


def write(out, rows, readings):
    """All of it anew after each step: the pace is that of all readings so far."""
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "host_pace"])
        writer.writerows([*row, f"{of_run(readings):.3f}"] for row in rows)


def run(arguments, handle):
    end, rows = time.perf_counter() + arguments.budget, []
    readings = [read_pace(arguments.pace_seconds)]
    steps = listed(LISTS[arguments.list]) if arguments.list else cases()
    for what in in_time(list(steps)[arguments.skip :], arguments.only, end):
        try:
            found, clock = measure(what, handle, arguments.mode)
        except torch.cuda.OutOfMemoryError:
            print("doesn't fit:", what, file=sys.stderr)
            continue
        except RuntimeError as error:
            if arguments.mode != "graph":
                raise
            print("can't be captured:", what, str(error).splitlines()[0], file=sys.stderr)
            continue
        finally:
            freed()
        readings.append(read_pace(arguments.pace_seconds))
        note = f"{note_of(what)}; SM clock {clock} MHz; {beside(*readings[-2:])}"
        shown = what + MODES[arguments.mode]
        rows += rows_of(shown, arguments.device, found, note)
        write(arguments.out, rows, readings)
        print(what, f"{found['time'][0]:.5g} s", file=sys.stderr)
    while len(readings) < READINGS:
        readings.append(read_pace(arguments.pace_seconds))
    write(arguments.out, rows, readings)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--budget", type=float, default=500.0, help="seconds")
    parser.add_argument("--only", default="", help="cases that contain this text")
    parser.add_argument("--skip", type=int, default=0, help="so many of them")
    parser.add_argument("--list", choices=LISTS, help="of steps, by its name")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--graph", dest="mode", action="store_const", const="graph")
    modes.add_argument("--compile", dest="mode", action="store_const", const="compiled")
    modes.add_argument("--reduce-overhead", dest="mode", action="store_const", const="passes")
    parser.add_argument("--device", default="h200", help="its id in the record")
    parser.add_argument("--pace-seconds", type=float, default=1.0, help="of each reading")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    pynvml.nvmlInit()
    run(arguments, pynvml.nvmlDeviceGetHandleByIndex(0))


if __name__ == "__main__":
    main()
